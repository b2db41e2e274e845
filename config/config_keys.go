package config

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
	Name   string // "query.limit"; the variable is RECALL_QUERY_LIMIT
	kind   keyKind
	Preset string   // the default, as one would write it
	Words  []string // of oneOf
	lo, hi int      // of number; of duration in milliseconds; of money in USD
	About  string

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

// Keys are all settings, in the order of config.yaml.
var Keys = []configKey{
	{Name: "library.dir", kind: folder, Preset: "~/Recall", About: "where the library is"},
	{Name: "sources.claude_code", kind: folders,
		About: "where Claude Code keeps its sessions; not set: its own places are searched"},
	{Name: "sources.cowork", kind: folders,
		About: "where Cowork keeps its sessions; not set: its own places are searched"},
	{Name: "sources.file_history", kind: truth, Preset: "false",
		About: "archive Claude Code's copies of edited files too"},
	{Name: "distill.distiller", kind: oneOf, Preset: ByRules, Words: []string{ByRules, ByModel},
		About: "what makes payloads; not set: model if llm.provider is set"},
	{Name: "distill.batch", kind: truth, Preset: "false",
		About: "hand requests in as a batch, collected by a later run at half the price"},
	{Name: "distill.links", kind: oneOf, Preset: linksShown, Words: []string{linksShown, LinksHide},
		About: "what a decision that the model says is superseded becomes: shown beside the later one, or hidden behind it; see recall eval relations"},
	{Name: "distill.window", kind: number, Preset: "24000", lo: 1000, hi: 1_000_000,
		About: "tokens of a session shown to the model at a time"},
	{Name: "distill.quiet", kind: duration, Preset: "30m", lo: 0, hi: 30 * 24 * 60 * 60 * 1000,
		About: "how long a session must have been quiet before a model is shown it"},
	{Name: "distill.budget.session_tokens", kind: number, Preset: "1000000", lo: 0, hi: 1_000_000_000,
		About: "most tokens for one session; 0: no cap"},
	{Name: "distill.budget.night_tokens", kind: number, Preset: "10000000", lo: 0, hi: 1_000_000_000,
		About: "most tokens in one night, from noon to noon; 0: no cap"},
	{Name: "distill.budget.month_tokens", kind: number, Preset: "100000000", lo: 0, hi: 1_000_000_000,
		About: "most tokens in a calendar month; 0: no cap"},
	{Name: "distill.budget.session_cost", kind: money, Preset: "0.25", lo: 0, hi: 1_000_000,
		About: "most USD for one session; 0: no cap"},
	{Name: "distill.budget.night_cost", kind: money, Preset: "1", lo: 0, hi: 1_000_000,
		About: "most USD in one night, from noon to noon; 0: no cap"},
	{Name: "distill.budget.month_cost", kind: money, Preset: "10", lo: 0, hi: 1_000_000,
		About: "most USD in a calendar month; 0: no cap"},
	{Name: "payload.budget", taste: true, kind: number, Preset: "1000", lo: 200, hi: 8000,
		About: "most tokens of a payload"},
	{Name: "payload.variant", taste: true, kind: oneOf, Preset: "coding", Words: []string{"coding", "debug", "handoff"},
		About: "which form of a payload is written"},
	{Name: "hooks.confirm", taste: true, kind: truth, Preset: "false",
		About: "have a new session say how it understands its payload"},
	{Name: "hooks.notes", kind: truth, Preset: "true", About: "tell a session when it goes against what was settled"},
	{Name: "query.limit", taste: true, kind: number, Preset: "5", lo: 1, hi: 100, About: "most answers printed"},
	{Name: "query.sync", kind: truth, Preset: "true", About: "take in what is new before answering"},
	{Name: "query.vectors", kind: oneOf, Preset: "off", Words: []string{"off", "static", "service"},
		About: "vectors that are fused with the word search"},
	{Name: "query.vector_weight", taste: true, kind: number, Preset: "10", lo: 0, hi: 100,
		About: "how much they count beside the words, in hundredths; recall calibrate finds it"},
	{Name: "query.budget", taste: true, kind: duration, Preset: "1s", lo: 10, hi: 10 * 60 * 1000,
		About: "longest time that taking in may delay an answer"},
	{Name: "query.rerank", kind: oneOf, Preset: rerankOff, Words: []string{rerankOff, RerankModel},
		About: "whether the model of llm.provider says which of what was found answers"},
	{Name: "query.model_timeout", kind: duration, Preset: "20s", lo: 100, hi: 24 * 60 * 60 * 1000,
		About: "longest time a model may delay an answer; not set: 2m of one on this machine, 10m of relay"},
	{Name: "embed.dir", kind: folder, About: "folder of a static model, for query.vectors: static"},
	{Name: "embed.url", kind: address, About: "address of an embedding service, for query.vectors: service"},
	{Name: "embed.model", kind: text, About: "the service's name for the model"},
	{Name: "embed.dims", kind: number, Preset: "0", lo: 0, hi: 8192,
		About: "dimensions to ask the service for; 0 for what the model gives"},
	{Name: "llm.provider", kind: oneOf, Preset: NoProvider, Words: Providers,
		About: "the model that may be asked; none: nothing leaves this machine"},
	{Name: "llm.model", kind: text, About: "the provider's name for the model; not set: a small one that does"},
	{Name: "llm.url", kind: address,
		About: "address of the service, for openai, anthropic and ollama; not set: the provider's own"},
	{Name: "llm.dir", kind: folder, About: "folder of requests and answers, for relay and replay"},
	{Name: "llm.timeout", kind: duration, Preset: "3m", lo: 1000, hi: 24 * 60 * 60 * 1000,
		About: "longest time for one answer; not set: 15m of a model on this machine, none of relay"},
	{Name: "llm.concurrency", kind: number, Preset: "4", lo: 1, hi: 64,
		About: "most requests at once; not set: 1 of a model on this machine, 64 of relay; always 1 of claude-cli"},
	{Name: "llm.context", kind: number, Preset: "0", lo: 0, hi: 10_000_000,
		About: "the model's window in tokens; 0: as known of the model"},
	{Name: "llm.max_output", kind: number, Preset: "0", lo: 0, hi: 1_000_000,
		About: "most tokens of an answer; 0: what the task needs"},
	{Name: "llm.prices", kind: prices,
		About: "prices that the built-in ones lack or have wrong, in USD for a million tokens"},
}

func KeyNamed(name string) (configKey, bool) {
	for _, k := range Keys {
		if k.Name == name {
			return k, true
		}
	}
	return configKey{}, false
}

// Variable is the environment variable that sets the key.
func (k configKey) Variable() string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(k.Name, ".", "_"))
}

// Allowed says in words what the key may be.
func (k configKey) Allowed() string {
	switch k.kind {
	case folder:
		return "a folder, such as ~/Recall"
	case folders:
		return "a list of folders, such as [~/old, /mnt/backup]"
	case oneOf:
		return strings.Join(k.Words, ", ")
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
	return fmt.Sprintf("a time with its unit from %s to %s, such as 1s or 500ms", brief(millis(k.lo)),
		brief(millis(k.hi)))
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
func (k configKey) parse(s, base string, at Surroundings) (any, error) {
	switch k.kind {
	case folder:
		return absolute(s, base, at)
	case folders:
		if s == "[]" { // as in the file: the source is off
			return []string{}, nil
		}
		return k.list(filepath.SplitList(s), base, at)
	case oneOf:
		for _, w := range k.Words {
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
		if u, err := url.Parse(strings.TrimSpace(s)); err == nil && (u.Scheme == "http" || u.Scheme == "https") &&
			u.Host != "" {
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
		return nil, fmt.Errorf("%s has no unit; allowed is %s", s, k.Allowed())
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < millis(k.lo) || d > millis(k.hi) {
		return nil, k.not(s)
	}
	return d, nil
}

func (k configKey) list(items []string, base string, at Surroundings) (any, error) {
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
		return nil, fmt.Errorf("wrong form; allowed is %s", k.Allowed())
	}
	var list []llm.Price
	text, err := yaml.Marshal(n)
	if err != nil {
		return nil, err
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(&list); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s; allowed is %s",
			strings.ReplaceAll(strings.TrimPrefix(err.Error(), "yaml: "), "\n", " "),
			k.Allowed())
	}
	for _, p := range list {
		if err := p.Check(); err != nil {
			return nil, fmt.Errorf("%w; allowed is %s", err, k.Allowed())
		}
	}
	return list, nil
}

func (k configKey) not(s string) error {
	return fmt.Errorf("%q isn't allowed; allowed is %s", masked(k.Name, s), k.Allowed())
}

// absolute makes a folder's name absolute: "~" is the home folder, anything
// relative starts at base.
func absolute(p, base string, at Surroundings) (string, error) {
	switch {
	case strings.TrimSpace(p) == "":
		return "", errors.New("an empty name isn't a folder; omit the key for its default")
	case strings.ContainsRune(p, 0):
		return "", fmt.Errorf("%q isn't a folder's name", p)
	case p[0] == '$' || p[0] == '%':
		return "", fmt.Errorf("%q: variables aren't filled in here; write the folder, ~ is your home", p)
	case p == "~" || strings.HasPrefix(p, "~/") || strings.HasPrefix(p, `~\`):
		if at.Home == "" {
			return "", fmt.Errorf("%q: no home folder known; write the whole path", p)
		}
		return filepath.Join(at.Home, filepath.FromSlash(strings.TrimLeft(p[1:], `/\`))), nil
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
