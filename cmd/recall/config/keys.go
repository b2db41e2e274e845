package config

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"recall/internal/llm"
)

// A Key is one setting, as the tags of its field in Config declare it.
type Key struct {
	Name   string // "query.limit"; the variable is RECALL_QUERY_LIMIT
	Preset string // the default, as written in the file
	About  string

	limits string // see Allowed
	of     reflect.Type
	index  []int // of its field
}

// Keys lists all settings, in the order of config.yaml.
var Keys = keysIn(reflect.TypeFor[Config](), "", nil)

func keysIn(t reflect.Type, prefix string, above []int) (list []Key) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, index := prefix+f.Tag.Get("key"), append(slices.Clone(above), i)
		switch {
		case name == prefix:
		case f.Type.Kind() == reflect.Struct:
			list = append(list, keysIn(f.Type, name+".", index)...)
		default:
			list = append(list, Key{Name: name, Preset: f.Tag.Get("default"), About: f.Tag.Get("about"),
				limits: f.Tag.Get("allowed"), of: f.Type, index: index})
		}
	}
	return list
}

// Variable returns the environment variable that sets the key.
func (k Key) Variable() string {
	return envPrefix + "_" + strings.ToUpper(strings.ReplaceAll(k.Name, ".", "_"))
}

func (k Key) in(c *Config) reflect.Value { return reflect.ValueOf(c).Elem().FieldByIndex(k.index) }

// searched reports whether a key without a value means the usual places.
func (k Key) searched() bool {
	return strings.HasPrefix(k.Name, "sources.") && k.of == folderList && k.Name != "sources.exclude"
}

var (
	duration   = reflect.TypeFor[time.Duration]()
	folderList = reflect.TypeFor[[]string]()
	priceList  = reflect.TypeFor[[]llm.Price]()
)

// Allowed says which values the key may have.
func (k Key) Allowed() string {
	low, high, _ := strings.Cut(k.limits, "..")
	switch {
	case k.of == duration:
		return fmt.Sprintf("a time with its unit from %s to %s, such as 1s or 500ms", low, high)
	case k.of == folderList:
		return "a list of folders, such as [~/old, /mnt/backup]"
	case k.of == priceList:
		return "a list such as [{model: gpt-5-mini, in: 0.25, out: 2, cache_read: 0.025, cache_write: 0}]"
	case k.of.Kind() == reflect.Bool:
		return "true or false"
	case k.of.Kind() == reflect.Int:
		return "a number from " + low + " to " + high
	case k.of.Kind() == reflect.Float64:
		return "an amount in USD from " + low + " to " + high + ", such as 0.50"
	}
	switch k.limits {
	case "":
		return "some text"
	case "folder":
		return "a folder, such as ~/Recall"
	case "address":
		return "an address that begins with http:// or https://, such as http://127.0.0.1:11434/v1"
	}
	return strings.ReplaceAll(k.limits, "|", ", ")
}

// errNot means that a value isn't among those allowed, which needs no further explanation.
var errNot = errors.New("not allowed")

// check checks a decoded value against the key's limits, and makes folders absolute.
func (k Key) check(v reflect.Value, at Surroundings) error {
	low, high, _ := strings.Cut(k.limits, "..")
	within := func(is float64, number func(string) float64) error {
		if is >= number(low) && is <= number(high) {
			return nil
		}
		return errNot // NaN too
	}
	switch is := v.Interface().(type) {
	case time.Duration:
		if is%time.Millisecond != 0 { // a number without a unit, which counts nanoseconds
			return errNot
		}
		return within(float64(is), func(s string) float64 { d, _ := time.ParseDuration(s); return float64(d) })
	case int:
		return within(float64(is), number)
	case float64:
		return within(is, number)
	case string:
		return k.checkText(v, is, at)
	case []string:
		for i, name := range is {
			p, err := absolute(name, at)
			if err != nil {
				return err
			}
			is[i] = p
		}
	case []llm.Price:
		for _, p := range is {
			if err := p.Check(); err != nil {
				return err
			}
		}
	}
	return nil
}

func number(s string) float64 { n, _ := strconv.ParseFloat(s, 64); return n }

func (k Key) checkText(v reflect.Value, is string, at Surroundings) error {
	ok := true
	switch k.limits {
	case "":
		ok = is != ""
	case "folder":
		p, err := absolute(is, at)
		if err != nil {
			return err
		}
		v.SetString(p)
	case "address":
		u, err := url.Parse(is)
		ok = err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
	default:
		ok = slices.Contains(strings.Split(k.limits, "|"), is)
	}
	if !ok {
		return errNot
	}
	return nil
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
