package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"recall/llm"
)

// Config is what recall goes by, after defaults, file, environment and flags.
// Every field is a key of config.yaml; keys lists them with what is allowed.
type Config struct {
	Library struct {
		Dir string `mapstructure:"dir"` // absolute; "" if not set and no home folder is known
	} `mapstructure:"library"`
	Sources struct {
		ClaudeCode []string `mapstructure:"claude_code"` // absolute; see Auto
		Cowork     []string `mapstructure:"cowork"`      // absolute; see Auto
		History    bool     `mapstructure:"file_history"`
	} `mapstructure:"sources"`
	Distill struct {
		Distiller string        `mapstructure:"distiller"` // a model, if one is chosen and nothing else said
		Batch     bool          `mapstructure:"batch"`
		Links     string        `mapstructure:"links"`
		Window    int           `mapstructure:"window"` // tokens
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
		Provider    string        `mapstructure:"provider"` // "none" if nothing may leave this machine
		Model       string        `mapstructure:"model"`    // "" for the provider's usual one
		URL         string        `mapstructure:"url"`
		Dir         string        `mapstructure:"dir"` // absolute; "" if not set
		Timeout     time.Duration `mapstructure:"timeout"`
		Concurrency int           `mapstructure:"concurrency"`
		Context     int           `mapstructure:"context"`    // tokens; 0 for what is known of the model
		MaxOutput   int           `mapstructure:"max_output"` // tokens; 0 for the provider's own
		Prices      []llm.Price   `mapstructure:"prices"`
	} `mapstructure:"llm"`
	Payload struct {
		Budget  int    `mapstructure:"budget"` // tokens
		Variant string `mapstructure:"variant"`
	} `mapstructure:"payload"`
	Hooks struct {
		Confirm bool `mapstructure:"confirm"`
		Notes   bool `mapstructure:"notes"`
	} `mapstructure:"hooks"`
	Query struct {
		Limit   int           `mapstructure:"limit"`
		Sync    bool          `mapstructure:"sync"`
		Budget  time.Duration `mapstructure:"budget"`
		Vectors string        `mapstructure:"vectors"`
		Weight  int           `mapstructure:"vector_weight"` // hundredths

		Rerank   string        `mapstructure:"rerank"`
		Patience time.Duration `mapstructure:"model_timeout"` // see queryPatience
	} `mapstructure:"query"`
	Embed struct {
		Dir   string `mapstructure:"dir"` // absolute; "" if not set
		URL   string `mapstructure:"url"`
		Model string `mapstructure:"model"`
		Dims  int    `mapstructure:"dims"`
	} `mapstructure:"embed"`

	File   string `mapstructure:"-"` // that was read, "" if none
	Passed string `mapstructure:"-"` // a config.yaml in the working directory that isn't recall's, ""
	// Refused is what a config.yaml in the working directory may not set, or sets wrongly, a line each.
	Refused []string `mapstructure:"-"`

	byChance bool // File merely lies in the working directory: nobody named it
	origins  map[string]origin
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

// surroundings are the folders that configuration depends on.
type surroundings struct {
	home    string // for ~
	user    string // the user's configuration folder, "" if there is none
	working string
}

// thisSystem are this user's, on this system.
func thisSystem() surroundings {
	var p surroundings
	p.home, _ = os.UserHomeDir()
	p.user, _ = os.UserConfigDir()
	p.working, _ = os.Getwd()
	return p
}

// own is the file that was read if it is the user's, "" for one that merely lies in the
// working directory: what lies beside that counts for nothing, and no job is given it
// by name.
func (c *Config) own() string {
	if c.byChance {
		return ""
	}
	return c.File
}

// Auto reports whether a key was left to recall: for a list of sources, that the
// places where the tools keep them are searched. An empty list that somebody
// wrote is not that, it turns the source off.
func (c *Config) Auto(key string) bool { return c.origins[key].layer == fromDefault }

// loadConfig puts the settings together: built-in defaults < file < RECALL_*
// environment < flags that say which key they set (see setsKey). explicit is
// --config, env as os.Environ gives it. Without any file all is default.
// The error names every unknown key and bad value with its place.
func loadConfig(flags *pflag.FlagSet, explicit string, env []string, at surroundings) (*Config, error) {
	vars := recallVars(env)
	file, passed, err := findConfig(explicit, vars[envConfig], at)
	if err != nil {
		return nil, err
	}
	set := newSettings()
	var refused []string
	byChance := file != "" && explicit == "" && vars[envConfig] == "" && file == filepath.Join(at.working, configName)
	if file != "" {
		set.file(file, at)
	}
	if byChance {
		refused = set.distrust()
	}
	set.env(vars, at)
	set.flags(flags, at)
	if err := set.err(); err != nil {
		return nil, err
	}
	c, err := set.config(at)
	if err != nil {
		return nil, err
	}
	c.File, c.Passed, c.Refused, c.byChance = file, passed, refused, byChance
	if err := c.chooseDistiller(); err != nil {
		return nil, err
	}
	return c, nil
}

// config has viper lay the layers over one another. Values are checked and of
// their own type by now; UnmarshalExact holds the struct and the table of
// keys together.
func (s *settings) config(at surroundings) (*Config, error) {
	v := viper.New()
	c := &Config{origins: map[string]origin{}}
	for _, k := range keys {
		value, err := k.parse(k.preset, at.home, at)
		if err != nil {
			value = "" // ~/Recall where no home folder is known
		}
		v.SetDefault(k.name, value)
		c.origins[k.name] = origin{layer: fromDefault}
	}
	for _, given := range s.given { // weakest layer first
		value, names := given.value, strings.Split(given.key, ".")
		for i := len(names) - 1; i > 0; i-- {
			value = map[string]any{names[i]: value}
		}
		err := v.MergeConfigMap(map[string]any{names[0]: value})
		if err != nil {
			return nil, fmt.Errorf("configuration: %s: %w", given.key, err)
		}
		c.origins[given.key] = given.origin
	}
	if err := v.UnmarshalExact(c); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	return c, nil
}

// findConfig says which file is read: --config, $RECALL_CONFIG, the user's
// configuration folder, the working directory, the first that is there. One
// that was named must be there. Many projects have a config.yaml of their own:
// in the working directory it counts only if it has a section of recall's;
// else it is passed by.
func findConfig(explicit, fromEnv string, at surroundings) (file, passed string, err error) {
	for _, named := range []struct{ by, path string }{{"--config", explicit}, {"$" + envConfig, fromEnv}} {
		if named.path == "" {
			continue
		}
		p, err := absolute(named.path, at.working, at)
		if err != nil {
			return "", "", fmt.Errorf("%s: %w", named.by, err)
		}
		info, err := os.Stat(p)
		switch {
		case err != nil:
			return "", "", withHint(fmt.Errorf("%s: %w", named.by, err), "omit %s to run with defaults", named.by)
		case info.IsDir():
			return "", "", fmt.Errorf("%s: %s is a folder, not a file", named.by, p)
		}
		return p, "", nil
	}
	if at.user != "" {
		if p := filepath.Join(at.user, "recall", configName); isFile(p) {
			return p, "", nil
		}
	}
	if p := filepath.Join(at.working, configName); at.working != "" && isFile(p) {
		if !hasOurSection(p) {
			return "", p, nil
		}
		return p, "", nil
	}
	return "", "", nil
}

const (
	configName = "config.yaml"
	envPrefix  = "RECALL_"
	envConfig  = "RECALL_CONFIG"
)

func isFile(p string) bool {
	info, err := os.Stat(p)
	return err == nil && info.Mode().IsRegular() // to open a pipe is to wait for its writer
}

// setsKey says that a flag sets a key of the configuration when it is given;
// "!query.sync" for a switch that turns it off. The flag's own default doesn't
// count.
func setsKey(flags *pflag.FlagSet, flag, key string) {
	if err := flags.SetAnnotation(flag, flagKey, []string{key}); err != nil {
		panic(err) // no such flag: a bug of the caller
	}
}

const flagKey = "recall_key"
