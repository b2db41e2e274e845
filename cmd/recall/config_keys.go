package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"recall/llm"
)

// A configKey is one setting: its place in config.yaml, its default and what
// it may be.
type configKey struct {
	name   string // "query.limit"; the variable is RECALL_QUERY_LIMIT
	kind   keyKind
	preset string   // the default, as one would write it
	words  []string // of oneOf
	lo, hi int      // of number; of duration in milliseconds; of money in USD
	about  string

	taste bool // nothing is read, written, sent or kept back by it: a file in the working directory may set it
}

type keyKind string

const (
	folder   keyKind = "folder"
	folders  keyKind = "folders"
	oneOf    keyKind = "word"
	number   keyKind = "number"
	truth    keyKind = "truth"
	duration keyKind = "duration"
	text     keyKind = "text"
	address  keyKind = "address"
	money    keyKind = "money"
	prices   keyKind = "prices"
)

// keys are all settings, in the order of config.yaml.
var keys = []configKey{
	{name: "library.dir", kind: folder, preset: "~/Recall", about: "where the library is"},
	{name: "sources.claude_code", kind: folders, about: "where Claude Code keeps its sessions; not set: its own places are searched"},
	{name: "sources.cowork", kind: folders, about: "where Cowork keeps its sessions; not set: its own places are searched"},
	{name: "sources.file_history", kind: truth, preset: "false", about: "archive Claude Code's copies of edited files too"},
	{name: "distill.distiller", kind: oneOf, preset: byRules, words: []string{byRules, byModel}, about: "what makes payloads; not set: model if llm.provider is set"},
	{name: "distill.batch", kind: truth, preset: "false", about: "hand requests in as a batch, collected by a later run at half the price"},
	{name: "distill.links", kind: oneOf, preset: linksShown, words: []string{linksShown, linksHide}, about: "what a decision that the model says is superseded becomes: shown beside the later one, or hidden behind it; see recall eval relations"},
	{name: "distill.window", kind: number, preset: "24000", lo: 1000, hi: 1_000_000, about: "tokens of a session shown to the model at a time"},
	{name: "distill.quiet", kind: duration, preset: "30m", lo: 0, hi: 30 * 24 * 60 * 60 * 1000, about: "how long a session must have been quiet before a model is shown it"},
	{name: "distill.budget.session_tokens", kind: number, preset: "1000000", lo: 0, hi: 1_000_000_000, about: "most tokens for one session; 0: no cap"},
	{name: "distill.budget.night_tokens", kind: number, preset: "10000000", lo: 0, hi: 1_000_000_000, about: "most tokens in one night, from noon to noon; 0: no cap"},
	{name: "distill.budget.month_tokens", kind: number, preset: "100000000", lo: 0, hi: 1_000_000_000, about: "most tokens in a calendar month; 0: no cap"},
	{name: "distill.budget.session_cost", kind: money, preset: "0.25", lo: 0, hi: 1_000_000, about: "most USD for one session; 0: no cap"},
	{name: "distill.budget.night_cost", kind: money, preset: "1", lo: 0, hi: 1_000_000, about: "most USD in one night, from noon to noon; 0: no cap"},
	{name: "distill.budget.month_cost", kind: money, preset: "10", lo: 0, hi: 1_000_000, about: "most USD in a calendar month; 0: no cap"},
	{name: "payload.budget", taste: true, kind: number, preset: "1000", lo: 200, hi: 8000, about: "most tokens of a payload"},
	{name: "payload.variant", taste: true, kind: oneOf, preset: "coding", words: []string{"coding", "debug", "handoff"}, about: "which form of a payload is written"},
	{name: "hooks.confirm", taste: true, kind: truth, preset: "false", about: "have a new session say how it understands its payload"},
	{name: "hooks.notes", kind: truth, preset: "true", about: "tell a session when it goes against what was settled"},
	{name: "query.limit", taste: true, kind: number, preset: "5", lo: 1, hi: 100, about: "most answers printed"},
	{name: "query.sync", kind: truth, preset: "true", about: "take in what is new before answering"},
	{name: "query.vectors", kind: oneOf, preset: "off", words: []string{"off", "static", "service"}, about: "vectors that are fused with the word search"},
	{name: "query.vector_weight", taste: true, kind: number, preset: "10", lo: 0, hi: 100, about: "how much they count beside the words, in hundredths; recall calibrate finds it"},
	{name: "query.budget", taste: true, kind: duration, preset: "1s", lo: 10, hi: 10 * 60 * 1000, about: "longest time that taking in may delay an answer"},
	{name: "query.rerank", kind: oneOf, preset: rerankOff, words: []string{rerankOff, rerankModel}, about: "whether the model of llm.provider says which of what was found answers"},
	{name: "query.model_timeout", kind: duration, preset: "20s", lo: 100, hi: 24 * 60 * 60 * 1000, about: "longest time a model may delay an answer; not set: 2m of one on this machine, 10m of relay"},
	{name: "embed.dir", kind: folder, about: "folder of a static model, for query.vectors: static"},
	{name: "embed.url", kind: address, about: "address of an embedding service, for query.vectors: service"},
	{name: "embed.model", kind: text, about: "the service's name for the model"},
	{name: "embed.dims", kind: number, preset: "0", lo: 0, hi: 8192, about: "dimensions to ask the service for; 0 for what the model gives"},
	{name: "llm.provider", kind: oneOf, preset: noProvider, words: providers, about: "the model that may be asked; none: nothing leaves this machine"},
	{name: "llm.model", kind: text, about: "the provider's name for the model; not set: a small one that does"},
	{name: "llm.url", kind: address, about: "address of the service, for openai, anthropic and ollama; not set: the provider's own"},
	{name: "llm.dir", kind: folder, about: "folder of requests and answers, for relay and replay"},
	{name: "llm.timeout", kind: duration, preset: "3m", lo: 1000, hi: 24 * 60 * 60 * 1000, about: "longest time for one answer; not set: 15m of a model on this machine, none of relay"},
	{name: "llm.concurrency", kind: number, preset: "4", lo: 1, hi: 64, about: "most requests at once; not set: 1 of a model on this machine, 64 of relay; always 1 of claude-cli"},
	{name: "llm.context", kind: number, preset: "0", lo: 0, hi: 10_000_000, about: "the model's window in tokens; 0: as known of the model"},
	{name: "llm.max_output", kind: number, preset: "0", lo: 0, hi: 1_000_000, about: "most tokens of an answer; 0: what the task needs"},
	{name: "llm.prices", kind: prices, about: "prices that the built-in ones lack or have wrong, in USD for a million tokens"},
}

func keyNamed(name string) (configKey, bool) {
	for _, k := range keys {
		if k.name == name {
			return k, true
		}
	}
	return configKey{}, false
}

// variable is the environment variable that sets the key.
func (k configKey) variable() string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(k.name, ".", "_"))
}

// allowed says in words what the key may be.
func (k configKey) allowed() string {
	switch k.kind {
	case folder:
		return "a folder, such as ~/Recall"
	case folders:
		return "a list of folders, such as [~/old, /mnt/backup]"
	case oneOf:
		return strings.Join(k.words, ", ")
	case number:
		return fmt.Sprintf("a number from %d to %d", k.lo, k.hi)
	case truth:
		return "true or false"
	case text:
		return "some text"
	case address:
		return "an address that begins with http:// or https://, such as http://127.0.0.1:11434/v1"
	case money:
		return fmt.Sprintf("an amount in USD from %d to %d, such as 0.50", k.lo, k.hi)
	case prices:
		return "a list such as [{model: gpt-5-mini, in: 0.25, out: 2, cache_read: 0.025, cache_write: 0, batch: 0.5}]"
	}
	return fmt.Sprintf("a time with its unit from %s to %s, such as 1s or 500ms", brief(millis(k.lo)), brief(millis(k.hi)))
}

// brief is a time as a person writes it: 30m, not 30m0s.
func brief(d time.Duration) string {
	s := d.String()
	for _, of := range []struct{ unit, nought string }{{"m", "0s"}, {"h", "0m"}} {
		if rest, ok := strings.CutSuffix(s, of.unit+of.nought); ok {
			s = rest + of.unit
		}
	}
	return s
}

func millis(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// parse reads a value as written in one word; a list of folders is one word a
// folder with the system's separator between them, as in PATH. Relative folders
// start at base.
func (k configKey) parse(s, base string, at surroundings) (any, error) {
	switch k.kind {
	case folder:
		return absolute(s, base, at)
	case folders:
		if s == "[]" { // as in the file: the source is off
			return []string{}, nil
		}
		return k.list(filepath.SplitList(s), base, at)
	case oneOf:
		for _, w := range k.words {
			if s == w {
				return s, nil
			}
		}
	case number:
		if n, err := strconv.Atoi(s); err == nil && n >= k.lo && n <= k.hi {
			return n, nil
		}
	case truth:
		if s == "true" || s == "false" {
			return s == "true", nil
		}
	case duration:
		return k.duration(s)
	case text:
		if s = strings.TrimSpace(s); s != "" {
			return s, nil
		}
	case address:
		if u, err := url.Parse(strings.TrimSpace(s)); err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
			return strings.TrimSpace(s), nil
		}
	case money:
		if x, err := strconv.ParseFloat(s, 64); err == nil && x >= float64(k.lo) && x <= float64(k.hi) {
			return x, nil
		}
	case prices:
		var n yaml.Node
		switch err := yaml.Unmarshal([]byte(s), &n); {
		case err != nil:
			return nil, k.not(s)
		case len(n.Content) == 0:
			return []llm.Price{}, nil
		}
		return k.prices(n.Content[0])
	}
	return nil, k.not(s)
}

// duration wants a unit: "30" would be 30 nanoseconds to Go and 30 seconds to
// whoever wrote it.
func (k configKey) duration(s string) (any, error) {
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return nil, fmt.Errorf("%s has no unit; allowed is %s", s, k.allowed())
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < millis(k.lo) || d > millis(k.hi) {
		return nil, k.not(s)
	}
	return d, nil
}

func (k configKey) list(items []string, base string, at surroundings) (any, error) {
	list := []string{}
	for _, item := range items {
		p, err := absolute(item, base, at)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// prices reads the list of prices; in a variable it is written as in the file.
func (k configKey) prices(n *yaml.Node) (any, error) {
	if n.Kind != yaml.SequenceNode {
		return nil, fmt.Errorf("wrong form; allowed is %s", k.allowed())
	}
	var list []llm.Price
	text, err := yaml.Marshal(n)
	if err != nil {
		return nil, err
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(&list); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s; allowed is %s", strings.ReplaceAll(strings.TrimPrefix(err.Error(), "yaml: "), "\n", " "), k.allowed())
	}
	for _, p := range list {
		if err := p.Check(); err != nil {
			return nil, fmt.Errorf("%w; allowed is %s", err, k.allowed())
		}
	}
	return list, nil
}

func (k configKey) not(s string) error {
	return fmt.Errorf("%q isn't allowed; allowed is %s", masked(k.name, s), k.allowed())
}

// absolute makes a folder's name absolute: "~" is the home folder, anything
// relative starts at base.
func absolute(p, base string, at surroundings) (string, error) {
	switch {
	case strings.TrimSpace(p) == "":
		return "", errors.New("an empty name isn't a folder; omit the key for its default")
	case strings.ContainsRune(p, 0):
		return "", fmt.Errorf("%q isn't a folder's name", p)
	case p[0] == '$' || p[0] == '%':
		return "", fmt.Errorf("%q: variables aren't filled in here; write the folder, ~ is your home", p)
	case p == "~" || strings.HasPrefix(p, "~/") || strings.HasPrefix(p, `~\`):
		if at.home == "" {
			return "", fmt.Errorf("%q: no home folder known; write the whole path", p)
		}
		return filepath.Join(at.home, filepath.FromSlash(strings.TrimLeft(p[1:], `/\`))), nil
	case p[0] == '~':
		return "", fmt.Errorf("%q: only ~ alone stands for a home folder; write the whole path", p)
	case filepath.IsAbs(p):
		return filepath.Clean(p), nil
	}
	if base == "" {
		return "", fmt.Errorf("%q: relative to what? write the whole path", p)
	}
	return filepath.Join(base, p), nil
}
