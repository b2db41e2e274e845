package config

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"recall/ingest"
	"recall/internal/llm"
)

// A configKey is one setting: its place in config.yaml, its default and its allowed values.
type configKey struct {
	Name string // "query.limit"; the variable is RECALL_QUERY_LIMIT
	kind
	Preset string // the default, as written in the file
	About  string

	taste bool // affects nothing that is read, written, sent or left out, so a file in the working directory can set it
}

// Keys lists all settings, in the order of config.yaml.
var Keys = func() (list []configKey) {
	for line := range strings.Lines(keyTable) {
		column := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		list = append(list, configKey{Name: column[0], kind: kindOf(strings.Fields(column[1])), Preset: column[2],
			taste: column[3] == "taste", About: column[4]})
	}
	return list
}()

// keyTable has one line per key: name, kind (see kindOf), default, whether it is a matter of taste, and description.
//
//go:embed keys.tsv
var keyTable string

func keyNamed(name string) (configKey, bool) {
	i := slices.IndexFunc(Keys, func(k configKey) bool { return k.Name == name })
	if i < 0 {
		return configKey{}, false
	}
	return Keys[i], true
}

// Variable returns the environment variable that sets the key.
func (k configKey) Variable() string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(k.Name, ".", "_"))
}

// read parses a value written as one word. Relative folders start at at.Working.
func (k configKey) read(s string, at Surroundings) (any, error) {
	v, err := k.parse(s, at)
	if errors.Is(err, errNot) {
		err = fmt.Errorf("%q isn't allowed; allowed: %s", masked(k.Name, s), k.Allowed)
	}
	return v, err
}

// of parses a value from the file.
func (k configKey) of(n *yaml.Node, at Surroundings) (any, error) {
	switch {
	case k.list != nil && n.Kind == yaml.SequenceNode:
		return k.list(n, at)
	case k.list != nil || n.Kind != yaml.ScalarNode:
		return nil, fmt.Errorf("wrong form; allowed: %s", k.Allowed)
	}
	return k.read(n.Value, at)
}

// A kind is the type of a setting.
type kind struct {
	Allowed string // in words
	// parse reads a value written as one word; it returns errNot for a bad value that needs no further explanation.
	parse func(s string, at Surroundings) (any, error)
	list  func(n *yaml.Node, at Surroundings) (any, error) // reads a list from the file; nil if lists aren't allowed
}

var errNot = errors.New("not allowed")

var (
	folder = kind{Allowed: "a folder, such as ~/Recall", parse: oneAbsolute}

	folders = kind{Allowed: allowedFolders, parse: pathList, list: folderList}

	truth = checked("true or false", strconv.ParseBool,
		func(b bool, s string) bool { return s == strconv.FormatBool(b) })

	text = checked("some text", trimmed, func(s, _ string) bool { return s != "" })

	address = checked("an address that begins with http:// or https://, such as http://127.0.0.1:11434/v1", trimmed,
		func(s, _ string) bool {
			u, err := url.Parse(s)
			return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
		})

	periods = checked("periods such as 2026-04-17T10:00:00Z/2026-04-17T12:00:00Z, .. for an end that isn't known",
		trimmed, func(s, _ string) bool { _, err := ingest.ParsePeriods(s); return err == nil })

	prices = kind{Allowed: allowedPrices, list: priceList, parse: func(s string, at Surroundings) (any, error) {
		var n yaml.Node
		switch err := yaml.Unmarshal([]byte(s), &n); {
		case err != nil:
			return nil, errNot
		case len(n.Content) == 0:
			return []llm.Price{}, nil
		}
		return priceList(n.Content[0], at)
	}}
)

// kindOf returns a kind by its name and limits in keys.tsv, such as "number 1 100". It panics if the table is wrong.
func kindOf(is []string) kind {
	switch is[0] {
	case "word":
		return oneOf(is[1:]...)
	case "number":
		return number(must(strconv.Atoi(is[1])), must(strconv.Atoi(is[2])))
	case "money":
		return money(must(strconv.ParseFloat(is[1], 64)))
	case "time":
		return duration(must(time.ParseDuration(is[1])), must(time.ParseDuration(is[2])))
	}
	return map[string]kind{"folder": folder, "folders": folders, "truth": truth, "text": text, "address": address,
		"periods": periods, "prices": prices}[is[0]]
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err) // the table is embedded
	}
	return v
}

// checked makes a kind from a parsing function and a condition.
func checked[T any](allowed string, read func(string) (T, error), ok func(T, string) bool) kind {
	return kind{Allowed: allowed, parse: func(s string, _ Surroundings) (any, error) {
		v, err := read(s)
		if err != nil || !ok(v, s) {
			return nil, errNot
		}
		return v, nil
	}}
}

func trimmed(s string) (string, error) { return strings.TrimSpace(s), nil }

func oneOf(words ...string) kind {
	return checked(strings.Join(words, ", "), trimmed, func(_, s string) bool { return slices.Contains(words, s) })
}

func number(lo, hi int) kind {
	return checked(fmt.Sprintf("a number from %d to %d", lo, hi), strconv.Atoi,
		func(n int, _ string) bool { return n >= lo && n <= hi })
}

func money(hi float64) kind {
	return checked(fmt.Sprintf("an amount in USD from 0 to %.0f, such as 0.50", hi),
		func(s string) (float64, error) { return strconv.ParseFloat(s, 64) },
		func(usd float64, _ string) bool { return usd >= 0 && usd <= hi })
}

// duration requires a unit: "30" would be 30 nanoseconds to Go and 30 seconds to whoever wrote it.
func duration(lo, hi time.Duration) kind {
	k := checked(fmt.Sprintf("a time with its unit from %s to %s, such as 1s or 500ms", brief(lo), brief(hi)),
		time.ParseDuration, func(d time.Duration, _ string) bool { return d >= lo && d <= hi })
	parse := k.parse
	k.parse = func(s string, at Surroundings) (any, error) {
		if _, err := strconv.ParseFloat(s, 64); err == nil {
			return nil, fmt.Errorf("%s has no unit; allowed: %s", s, k.Allowed)
		}
		return parse(s, at)
	}
	return k
}

// brief formats a duration as a person writes it: 30m, not 30m0s.
func brief(d time.Duration) string {
	s := d.String()
	for _, of := range []struct{ unit, nought string }{{"m", "0s"}, {"h", "0m"}} {
		if rest, ok := strings.CutSuffix(s, of.unit+of.nought); ok {
			s = rest + of.unit
		}
	}
	return s
}

const (
	allowedFolders = "a list of folders, such as [~/old, /mnt/backup]"
	allowedPrices  = "a list such as " +
		"[{model: gpt-5-mini, in: 0.25, out: 2, cache_read: 0.025, cache_write: 0}]"
)

// pathList reads folders separated as in PATH.
func pathList(s string, at Surroundings) (any, error) {
	names := filepath.SplitList(s)
	if s == "[]" { // as in the file: the source is off
		names = nil
	}
	return allAbsolute(names, at)
}

func folderList(n *yaml.Node, at Surroundings) (any, error) {
	var names []string
	for _, entry := range n.Content {
		if entry = resolve(entry); entry.Kind != yaml.ScalarNode || entry.Tag == "!!null" {
			return nil, fmt.Errorf("an entry isn't a folder; allowed: %s", allowedFolders)
		}
		names = append(names, entry.Value)
	}
	return allAbsolute(names, at)
}

func oneAbsolute(name string, at Surroundings) (any, error) { return absolute(name, at) }

func allAbsolute(names []string, at Surroundings) (any, error) {
	list := []string{}
	for _, name := range names {
		p, err := absolute(name, at)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

func priceList(n *yaml.Node, _ Surroundings) (any, error) {
	if n.Kind != yaml.SequenceNode {
		return nil, fmt.Errorf("wrong form; allowed: %s", allowedPrices)
	}
	var list []llm.Price
	text, err := yaml.Marshal(n)
	if err != nil {
		return nil, err
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(&list); err != nil && !errors.Is(err, io.EOF) {
		says := strings.ReplaceAll(strings.TrimPrefix(err.Error(), "yaml: "), "\n", " ")
		return nil, fmt.Errorf("%s; allowed: %s", says, allowedPrices)
	}
	for _, p := range list {
		if err := p.Check(); err != nil {
			return nil, fmt.Errorf("%w; allowed: %s", err, allowedPrices)
		}
	}
	return list, nil
}

// absolute makes a folder's name absolute: "~" is the home folder, relative names start at at.Working.
func absolute(p string, at Surroundings) (string, error) {
	switch {
	case strings.TrimSpace(p) == "":
		return "", errors.New("an empty name isn't a folder; omit the key for its default")
	case strings.ContainsRune(p, 0):
		return "", fmt.Errorf("%q isn't a folder's name", p)
	case p[0] == '$' || p[0] == '%':
		return "", fmt.Errorf("%q: variables aren't expanded here; write the folder, ~ is your home", p)
	case p == "~" || strings.HasPrefix(p, "~/") || strings.HasPrefix(p, `~\`):
		if at.Home == "" {
			return "", fmt.Errorf("%q: no home folder known; write the whole path", p)
		}
		return filepath.Join(at.Home, filepath.FromSlash(strings.TrimLeft(p[1:], `/\`))), nil
	case p[0] == '~':
		return "", fmt.Errorf("%q: only ~ on its own stands for a home folder; write the whole path", p)
	case filepath.IsAbs(p):
		return filepath.Clean(p), nil
	}
	if at.Working == "" {
		return "", fmt.Errorf("%q: relative to what? write the whole path", p)
	}
	return filepath.Join(at.Working, p), nil
}
