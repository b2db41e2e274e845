package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A configKey is one setting: its place in config.yaml, its default and what
// it may be.
type configKey struct {
	name   string // "query.limit"; the variable is RECALL_QUERY_LIMIT
	kind   keyKind
	preset string   // the default, as one would write it
	words  []string // of oneOf
	lo, hi int      // of number; of duration in milliseconds
	about  string
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
)

// keys are all settings, in the order of config.yaml.
var keys = []configKey{
	{name: "library.dir", kind: folder, preset: "~/Recall", about: "where the library is"},
	{name: "sources.claude_code", kind: folders, about: "where Claude Code keeps its sessions; not set: its own places are searched"},
	{name: "sources.cowork", kind: folders, about: "where Cowork keeps its sessions; not set: its own places are searched"},
	{name: "sources.file_history", kind: truth, preset: "false", about: "archive Claude Code's copies of edited files too"},
	{name: "distill.distiller", kind: oneOf, preset: "offline", words: []string{"offline"}, about: "what makes payloads"},
	{name: "payload.budget", kind: number, preset: "1000", lo: 200, hi: 8000, about: "most tokens of a payload"},
	{name: "payload.variant", kind: oneOf, preset: "coding", words: []string{"coding", "debug", "handoff"}, about: "which form of a payload is written"},
	{name: "query.limit", kind: number, preset: "5", lo: 1, hi: 100, about: "most answers printed"},
	{name: "query.sync", kind: truth, preset: "true", about: "take in what is new before answering"},
	{name: "query.vectors", kind: oneOf, preset: "off", words: []string{"off", "concepts", "static", "service"}, about: "vectors that are fused with the word search"},
	{name: "query.vector_weight", kind: number, preset: "10", lo: 0, hi: 100, about: "how much they count beside the words, in hundredths; recall calibrate finds it"},
	{name: "query.budget", kind: duration, preset: "1s", lo: 10, hi: 10 * 60 * 1000, about: "longest time that taking in may delay an answer"},
	{name: "embed.dir", kind: folder, about: "folder of a static model, for query.vectors: static"},
	{name: "embed.url", kind: text, about: "address of an embedding service, for query.vectors: service"},
	{name: "embed.model", kind: text, about: "the service's name for the model"},
	{name: "embed.dims", kind: number, preset: "0", lo: 0, hi: 8192, about: "dimensions to ask the service for; 0 for what the model gives"},
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
	}
	return fmt.Sprintf("a time with its unit from %s to %s, such as 1s or 500ms", millis(k.lo), millis(k.hi))
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

func (k configKey) not(s string) error {
	return fmt.Errorf("%q isn't allowed; allowed is %s", s, k.allowed())
}

// absolute makes a folder's name absolute: "~" is the home folder, anything
// relative starts at base.
func absolute(p, base string, at surroundings) (string, error) {
	switch {
	case strings.TrimSpace(p) == "":
		return "", errors.New("an empty name isn't a folder")
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
