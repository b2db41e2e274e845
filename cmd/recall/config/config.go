// Package config holds recall's settings: the keys of config.yaml with their defaults, read from file, environment and
// flags, with the place of each fault; and the model that they configure.
package config

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"recall/internal/hint"
	"recall/internal/llm"
	txt "recall/internal/text"
)

// Config holds the settings after defaults, file, environment and flags: each field is a key of config.yaml (see
// Keys).
type Config struct {
	Library struct {
		Dir string `mapstructure:"dir"` // absolute; "" if not set and no home folder is known
	} `mapstructure:"library"`
	Sources struct {
		ClaudeCode []string `mapstructure:"claude_code"` // absolute; see Auto
		Cowork     []string `mapstructure:"cowork"`      // absolute; see Auto
		Codex      []string `mapstructure:"codex"`       // absolute; see Auto
		Gemini     []string `mapstructure:"gemini"`      // absolute; see Auto
		OpenCode   []string `mapstructure:"opencode"`    // absolute; see Auto
		History    bool     `mapstructure:"file_history"`
		Exclude    []string `mapstructure:"exclude"` // absolute; see ingest.Exclusion
		Pauses     string   `mapstructure:"pauses"`  // see ingest.ParsePeriods
	} `mapstructure:"sources"`
	Distill struct {
		Distiller string        `mapstructure:"distiller"` // ByModel if a provider is set and this isn't
		Window    int           `mapstructure:"window"`    // tokens
		Quiet     time.Duration `mapstructure:"quiet"`
		Budget    struct {
			SessionTokens int     `mapstructure:"session_tokens"` // 0: no cap, here and below
			NightTokens   int     `mapstructure:"night_tokens"`
			MonthTokens   int     `mapstructure:"month_tokens"`
			SessionCost   float64 `mapstructure:"session_cost"` // USD
			NightCost     float64 `mapstructure:"night_cost"`
			MonthCost     float64 `mapstructure:"month_cost"`
		} `mapstructure:"budget"`
	} `mapstructure:"distill"`
	LLM struct {
		Provider    string        `mapstructure:"provider"` // "none": nothing leaves this machine
		Model       string        `mapstructure:"model"`    // "" for the provider's usual one
		URL         string        `mapstructure:"url"`
		Timeout     time.Duration `mapstructure:"timeout"`
		Concurrency int           `mapstructure:"concurrency"`
		Context     int           `mapstructure:"context"`    // tokens; 0 for the model's known size
		MaxOutput   int           `mapstructure:"max_output"` // tokens; 0 for the provider's own
		Prices      []llm.Price   `mapstructure:"prices"`
	} `mapstructure:"llm"`
	Payload struct {
		Budget  int    `mapstructure:"budget"` // tokens
		Variant string `mapstructure:"variant"`
	} `mapstructure:"payload"`
	Hooks struct {
		Confirm  bool `mapstructure:"confirm"`
		Notes    bool `mapstructure:"notes"`
		Nudge    int  `mapstructure:"nudge"` // tokens; 0: never
		Progress bool `mapstructure:"progress"`
	} `mapstructure:"hooks"`
	Query struct {
		Limit   int           `mapstructure:"limit"`
		Sync    bool          `mapstructure:"sync"`
		Budget  time.Duration `mapstructure:"budget"`
		Vectors string        `mapstructure:"vectors"`
		Weight  int           `mapstructure:"vector_weight"` // percent

		Rerank   string        `mapstructure:"rerank"`
		Patience time.Duration `mapstructure:"model_timeout"` // see QueryPatience
	} `mapstructure:"query"`
	Embed struct {
		Dir   string `mapstructure:"dir"` // absolute; "" if not set
		URL   string `mapstructure:"url"`
		Model string `mapstructure:"model"`
		Dims  int    `mapstructure:"dims"`
	} `mapstructure:"embed"`
	Team struct {
		Answers string        `mapstructure:"answers"` // auto, only, off
		Wait    time.Duration `mapstructure:"wait"`    // for its server's first response
	} `mapstructure:"team"`

	File   string `mapstructure:"-"` // the file read, "" if none
	Passed string `mapstructure:"-"` // a config.yaml in the working directory that isn't recall's, ""
	// Refused lists what a config.yaml in the working directory can't set, or sets wrongly.
	Refused []string `mapstructure:"-"`

	found     string      // the file that was read, even if it isn't recall's
	state     os.FileInfo // of it, before it was read
	passedWhy string
	byChance  bool // File was found in the working directory; nobody named it
	origins   map[string]origin
	values    *viper.Viper
}

// origin is where a setting comes from.
type origin struct {
	layer layer
	where string // "/home/ann/.config/recall/config.yaml:7", "RECALL_QUERY_LIMIT", "--limit"; "" for a default
}

type layer string

const (
	fromDefault layer = "default"
	fromFile    layer = "file"
	fromEnv     layer = "environment"
	fromFlag    layer = "flag"
)

// Surroundings are the folders that configuration depends on.
type Surroundings struct {
	Home    string // for ~
	User    string // the user's configuration folder, "" if there is none
	Working string
}

// ThisSystem returns the current user's folders.
func ThisSystem() Surroundings {
	var p Surroundings
	p.Home, _ = os.UserHomeDir()
	p.User, _ = os.UserConfigDir()
	p.Working, _ = os.Getwd()
	return p
}

// Own returns the file read if it is the user's; "" for one found in the working directory: files beside that one
// don't count, and jobs don't get it.
func (c *Config) Own() string {
	if c.byChance {
		return ""
	}
	return c.File
}

// Auto reports whether a key was left at its default; for a list of sources that means searching the usual places. An
// explicit empty list turns the source off instead.
func (c *Config) Auto(key string) bool { return c.origins[key].layer == fromDefault }

// Environment reports whether a key is set by the environment, which another program that starts recall might lack.
func (c *Config) Environment(key string) bool { return c.origins[key].layer == fromEnv }

// Reload is Load, but returns c, which may be nil, if it was loaded with the same arguments and its file is still the
// one to read and as it was.
func (c *Config) Reload(flags *pflag.FlagSet, explicit string, at Surroundings) (*Config, error) {
	if c != nil {
		if file, _, err := findConfig(explicit, at); err == nil && file == c.found && sameState(c.state, stateOf(file)) {
			return c, nil
		}
	}
	return Load(flags, explicit, at)
}

func stateOf(file string) os.FileInfo {
	info, err := os.Stat(file)
	if err != nil {
		return nil
	}
	return info
}

// sameState reports whether a file is certain to be unchanged: the coarsest clocks of file systems can't tell two
// changes within two seconds apart. Two missing files are the same.
func sameState(was, now os.FileInfo) bool {
	if was == nil || now == nil {
		return was == nil && now == nil
	}
	return os.SameFile(was, now) && was.Size() == now.Size() && was.ModTime().Equal(now.ModTime()) &&
		time.Since(now.ModTime()) > 2*time.Second
}

// Load combines the settings: defaults < file < RECALL_* environment < flags that set a key (see SetsKey). explicit is
// --config; a file isn't required. The error names every unknown key and bad value with its place.
func Load(flags *pflag.FlagSet, explicit string, at Surroundings) (*Config, error) {
	file, byChance, err := findConfig(explicit, at)
	if err != nil {
		return nil, err
	}
	r := &reading{file: file, at: at, byChance: byChance, origins: map[string]origin{}}
	v := viper.NewWithOptions(viper.WithDecoderRegistry(r))
	c := &Config{File: file, byChance: byChance, origins: r.origins, values: v, found: file, state: stateOf(file)}
	if file != "" {
		v.SetConfigType("yaml")
		r.read(v)
	}
	switch {
	case byChance && !r.ours:
		c.Passed, c.passedWhy, c.File = file, "has none of recall's sections", ""
		if len(r.problems) > 0 {
			c.passedWhy = "can't be read: " + strings.TrimPrefix(r.problems[0], file+":")
		}
		r.problems, c.byChance = nil, false
	case byChance: // nor can that file keep recall from working
		c.Refused, r.problems, r.hint = r.problems, nil, ""
	}
	r.surroundings(v, flags)
	if err := r.err(); err != nil {
		return nil, err
	}
	if err := v.UnmarshalExact(c); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	if err := c.chooseDistiller(); err != nil {
		return nil, err
	}
	return c, nil
}

// findConfig finds the file to read: the first that exists of --config, $RECALL_CONFIG, the user's configuration
// folder and the working directory; a named one must exist. Many projects have their own config.yaml: one in the
// working directory is there by chance.
func findConfig(explicit string, at Surroundings) (file string, byChance bool, err error) {
	by, named := "--config", explicit
	if named == "" {
		by, named = "$"+envConfig, os.Getenv(envConfig)
	}
	if named != "" {
		p, err := absolute(named, at)
		if err != nil {
			return "", false, fmt.Errorf("%s: %w", by, err)
		}
		info, err := os.Stat(p)
		switch {
		case err != nil:
			return "", false, hint.With(fmt.Errorf("%s: %w", by, err), "omit %s to run with defaults", by)
		case info.IsDir():
			return "", false, fmt.Errorf("%s: %s is a folder, not a file", by, p)
		}
		return p, false, nil
	}
	if p := filepath.Join(at.User, "recall", configName); at.User != "" && isFile(p) {
		return p, false, nil
	}
	if p := filepath.Join(at.Working, configName); at.Working != "" && isFile(p) {
		return p, true, nil
	}
	return "", false, nil
}

const (
	configName = "config.yaml"
	envPrefix  = "RECALL_"
	envConfig  = "RECALL_CONFIG"

	// EnvPause is set to start a client whose session must not be kept.
	EnvPause = "RECALL_PAUSE"
)

func isFile(p string) bool {
	info, err := os.Stat(p)
	return err == nil && info.Mode().IsRegular() // opening a pipe would wait for its writer
}

// SetsKey makes a flag set a configuration key when it is given; "!query.sync" is for a switch that turns it off. The
// flag's own default doesn't count.
func SetsKey(flags *pflag.FlagSet, flag, key string) {
	if err := flags.SetAnnotation(flag, flagKey, []string{key}); err != nil {
		panic(err) // no such flag: a bug in the caller
	}
}

const flagKey = "recall_key"

// Shown is one setting as printed.
type Shown struct {
	Key   string `json:"key"`
	Value any    `json:"value"` // null: default
	From  layer  `json:"from"`
	Where string `json:"where,omitempty"`
}

// Shown returns all settings in order, with their origins.
func (c *Config) Shown() []Shown {
	var list []Shown
	for _, k := range Keys {
		v := c.values.Get(k.Name)
		if d, is := v.(time.Duration); is {
			v = brief(d)
		}
		if strings.HasPrefix(k.Name, "sources.") && k.list != nil && k.Name != "sources.exclude" && c.Auto(k.Name) {
			v = nil
		}
		o := c.origins[k.Name]
		list = append(list, Shown{k.Name, masked(k.Name, v), o.layer, o.where})
	}
	return list
}

// masked hides a password in an address, or in what might be meant as one.
func masked(key string, v any) any {
	if s, is := v.(string); is && strings.HasSuffix(key, ".url") {
		return passwordIn().ReplaceAllString(s, "${1}xxxxx@")
	}
	return v
}

var passwordIn = txt.Pattern(`^(\w+://)?.*@`)

// Print prints all settings for people.
func (c *Config) Print(out io.Writer) error {
	file := c.File
	if file == "" {
		file = "none, and none is needed (recall config --help)"
	}
	fmt.Fprintf(out, "config.yaml: %s\n", file)
	if c.Passed != "" {
		fmt.Fprintf(out, "ignored:     %s %s\n", c.Passed, c.passedWhy)
	}
	for _, line := range c.Refused {
		fmt.Fprintf(out, "refused:     %s\n", line)
	}
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, s := range c.Shown() {
		from := string(s.From)
		if s.Where != "" {
			from = s.Where
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", s.Key, inWords(s.Value), from)
	}
	return w.Flush()
}

func inWords(v any) string {
	switch v := v.(type) {
	case nil:
		return "(searched for)"
	case []string:
		if len(v) == 0 {
			return "(none)"
		}
		return strings.Join(v, ", ")
	case []llm.Price:
		if len(v) == 0 {
			return "(built in)"
		}
		var names []string
		for _, p := range v {
			names = append(names, p.Model)
		}
		return "for " + strings.Join(names, ", ")
	}
	if v == "" {
		return "(not set)"
	}
	return fmt.Sprint(v)
}
