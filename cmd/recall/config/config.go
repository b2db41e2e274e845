// Package config holds recall's settings: the keys of config.yaml with their defaults, read from file, environment and
// flags, with the place of each fault; and the model that they configure.
package config

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"recall/internal/hint"
	"recall/internal/llm"
	txt "recall/internal/text"
	"recall/library/disk"
)

// Config holds the settings after defaults, file, environment and flags: each field is a key of config.yaml, declared
// by its tags (see Keys): name, default, limits, and what recall config --help says of it. Folders are absolute, and
// "" if there are none.
type Config struct {
	Library struct {
		Dir string `key:"dir" default:"~/Recall" allowed:"folder" about:"where the library is"`
	} `key:"library"`
	Sources struct {
		ClaudeCode []string `key:"claude_code" about:"where Claude Code keeps its sessions; not set: its usual places"`
		Cowork     []string `key:"cowork" about:"where Cowork keeps its sessions; not set: its usual places"`
		Codex      []string `key:"codex" about:"where Codex keeps its sessions; not set: its usual places"`
		Gemini     []string `key:"gemini" about:"where Gemini CLI keeps its sessions; not set: its usual places"`
		OpenCode   []string `key:"opencode" about:"where OpenCode keeps its sessions; not set: its usual places"`
		Exclude    []string `key:"exclude" about:"sessions that ran in or below these folders aren't kept; with * as in ~/clients/*"`
	} `key:"sources"`
	Distill struct {
		Distiller string        `key:"distiller" default:"offline" allowed:"offline|model" about:"what makes payloads; not set: model if llm.provider is set"`
		Window    int           `key:"window" default:"24000" allowed:"1000..1000000" about:"tokens of a session that the model sees at a time"`
		Quiet     time.Duration `key:"quiet" default:"30m" allowed:"0s..720h" about:"how long a session must be quiet before a model is asked about it"`
		Budget    struct {
			SessionTokens int     `key:"session_tokens" default:"1000000" allowed:"0..1000000000" about:"maximum number of tokens for one session; 0: no cap"`
			NightTokens   int     `key:"night_tokens" default:"10000000" allowed:"0..1000000000" about:"maximum number of tokens in one night, from noon to noon; 0: no cap"`
			MonthTokens   int     `key:"month_tokens" default:"100000000" allowed:"0..1000000000" about:"maximum number of tokens in a calendar month; 0: no cap"`
			SessionCost   float64 `key:"session_cost" default:"0.25" allowed:"0..1000000" about:"maximum cost of one session in USD; 0: no cap"`
			NightCost     float64 `key:"night_cost" default:"1" allowed:"0..1000000" about:"maximum cost of one night in USD, from noon to noon; 0: no cap"`
			MonthCost     float64 `key:"month_cost" default:"10" allowed:"0..1000000" about:"maximum cost of a calendar month in USD; 0: no cap"`
		} `key:"budget"`
	} `key:"distill"`
	Payload struct {
		Budget  int    `key:"budget" default:"1000" allowed:"200..8000" about:"maximum length of a payload, in tokens"`
		Variant string `key:"variant" default:"coding" allowed:"coding|debug|handoff" about:"which form of the payload is written"`
	} `key:"payload"`
	Hooks struct {
		Confirm bool `key:"confirm" default:"false" about:"ask a new session how it understands its payload"`
		Notes   bool `key:"notes" default:"true" about:"warn a session when it contradicts what was settled"`
		Nudge   int  `key:"nudge" default:"150000" allowed:"0..10000000" about:"tokens after which a conversation is told, once, that it will soon be compacted; 0: never"`
	} `key:"hooks"`
	Query struct {
		Limit    int           `key:"limit" default:"3" allowed:"1..100" about:"maximum number of answers printed"`
		Sync     bool          `key:"sync" default:"true" about:"import new sessions before answering"`
		Budget   time.Duration `key:"budget" default:"1s" allowed:"10ms..10m" about:"longest time that importing may delay an answer"`
		Rerank   string        `key:"rerank" default:"auto" allowed:"auto|model|off" about:"whether the model of llm.provider picks the results that answer; auto: if it also distills, in scripts and for agents only if it is quick"`
		Patience time.Duration `key:"model_timeout" default:"20s" allowed:"100ms..24h" about:"longest time a model may delay an answer; not set: 2m for one on this machine"`
	} `key:"query"`
	Embed struct {
		Provider string `key:"provider" default:"builtin" allowed:"builtin|openai|off" about:"the model by which questions find what is meant in other words; builtin: in recall itself, for English; openai: a service that speaks OpenAI's protocol, as Ollama does; off: by words alone"`
		URL      string `key:"url" allowed:"address" about:"address of the service, for openai"`
		Model    string `key:"model" about:"the service's name for the model"`
	} `key:"embed"`
	LLM struct {
		Provider    string        `key:"provider" default:"none" allowed:"none|anthropic|openai|ollama|claude-cli" about:"the model to ask; none: nothing leaves this machine"`
		Model       string        `key:"model" about:"the provider's name for the model; not set: a small one that is good enough"`
		URL         string        `key:"url" allowed:"address" about:"address of the service, for openai, anthropic and ollama; not set: the provider's own"`
		Timeout     time.Duration `key:"timeout" default:"3m" allowed:"1s..24h" about:"longest time for one answer; not set: 15m for a model on this machine"`
		Concurrency int           `key:"concurrency" default:"4" allowed:"1..64" about:"maximum number of requests at once; not set: 1 for a model on this machine; always 1 for claude-cli"`
		Context     int           `key:"context" default:"0" allowed:"0..10000000" about:"the model's window in tokens; 0: as known for the model"`
		MaxOutput   int           `key:"max_output" default:"0" allowed:"0..1000000" about:"maximum length of an answer, in tokens; 0: what the task needs"`
		Prices      []llm.Price   `key:"prices" about:"prices that are missing or wrong in the built-in table, in USD per million tokens"`
	} `key:"llm"`
	Team struct {
		Told bool `key:"told" default:"true" about:"whether sessions are told at their start what others decided"`
	} `key:"team"`

	File string // the file read, "" if none

	text    []byte // of it
	origins map[string]origin
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

// OwnFile is the config.yaml in the user's configuration folder; "" if that isn't known.
func (at Surroundings) OwnFile() string {
	if at.User == "" {
		return ""
	}
	return filepath.Join(at.User, "recall", configName)
}

// Auto reports whether a key was left at its default; for a list of sources that means searching the usual places. An
// explicit empty list turns the source off instead.
func (c *Config) Auto(key string) bool { return c.origins[key].layer == fromDefault }

// Environment reports whether a key is set by the environment, which another program that starts recall might lack.
func (c *Config) Environment(key string) bool { return c.origins[key].layer == fromEnv }

// Load combines the settings: defaults < file < RECALL_* environment < flags that set a key (see SetsKey). explicit is
// --config; a file isn't required. The error names every unknown key and bad value with its place.
func Load(flags *pflag.FlagSet, explicit string, at Surroundings) (*Config, error) {
	file, err := findConfig(explicit, at)
	if err != nil {
		return nil, err
	}
	c := &Config{File: file}
	if file != "" {
		if c.text, err = disk.ReadRegular(file, mostOfConfig); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	if err = c.decodeAll(flags, at); err != nil {
		return nil, err
	}
	return c, c.chooseDistiller()
}

// decodeAll decodes all settings, those of the file from its text.
func (c *Config) decodeAll(flags *pflag.FlagSet, at Surroundings) error {
	v := layered(flags)
	if err := v.ReadConfig(bytes.NewReader(c.text)); err != nil {
		if parsing, is := errors.AsType[viper.ConfigParseError](err); is {
			err = parsing.Unwrap() // YAML's own error, which names the line
		}
		return hint.With(fmt.Errorf("%s: %w", c.File, err), `recall config --help lists every key; in `+
			`double quotes a \ is YAML's escape, so write Windows paths in single quotes`)
	}
	c.findOrigins(v, flags)
	if problems := slices.Concat(c.unknownKeys(v), unknownVariables(), c.decode(v, at)); len(problems) > 0 {
		return hint.With(errors.New(strings.Join(problems, "\n")), "recall config --help lists every key")
	}
	return nil
}

// findConfig finds the file to read: --config, $RECALL_CONFIG, or the one in the user's configuration folder; a named
// one must exist.
func findConfig(explicit string, at Surroundings) (string, error) {
	by, named := "--config", explicit
	if named == "" {
		by, named = "$"+envConfig, os.Getenv(envConfig)
	}
	if named == "" {
		p := at.OwnFile()
		if info, err := os.Stat(p); err != nil || !info.Mode().IsRegular() { // a pipe would wait
			return "", nil
		}
		return p, nil
	}
	p, err := absolute(named, at)
	if err != nil {
		return "", fmt.Errorf("%s: %w", by, err)
	}
	info, err := os.Stat(p)
	switch {
	case err != nil:
		return "", hint.With(fmt.Errorf("%s: %w", by, err), "omit %s to run with defaults", by)
	case info.IsDir():
		return "", fmt.Errorf("%s: %s is a folder, not a file", by, p)
	}
	return p, nil
}

const (
	configName = "config.yaml"
	envPrefix  = "RECALL"
	envConfig  = "RECALL_CONFIG"

	// EnvPause is set to start a client whose session must not be kept.
	EnvPause = "RECALL_PAUSE"
)

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
		v := k.in(c).Interface()
		if d, is := v.(time.Duration); is {
			v = brief(d)
		}
		o := c.origins[k.Name]
		if k.searched() && c.Auto(k.Name) {
			v = nil
		}
		if o.layer == fromFile {
			o.where = fmt.Sprintf("%s:%d", o.where, lineOf(c.text, k.Name))
		}
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

// Places lists where recall stores anything on this machine besides the program: library, configuration, cache.
func (c *Config) Places(at Surroundings) []string {
	places := []string{c.Library.Dir}
	switch own := filepath.Join(at.User, "recall"); {
	case c.File != "" && filepath.Dir(c.File) != own:
		places = append(places, c.File)
	case at.User != "":
		places = append(places, own)
	}
	if caches, err := os.UserCacheDir(); err == nil {
		places = append(places, filepath.Join(caches, "recall"))
	}
	return places
}
