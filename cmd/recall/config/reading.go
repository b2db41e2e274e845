package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"
	"go.yaml.in/yaml/v3"
)

// Maximum sizes in bytes of a person's files: a config.yaml, and a list of words or a page of notes.
const (
	mostOfConfig = 1 << 20
	MostOfNote   = 16 << 20
)

// layered returns viper with all keys' defaults, the RECALL_* variables (an empty one counts as not set), and the given
// flags that set a key (see SetsKey).
func layered(flags *pflag.FlagSet) *viper.Viper {
	v := viper.New()
	v.SetConfigType("yaml")
	v.SetEnvPrefix(envPrefix)
	v.SetEnvKeyReplacer(strings.NewReplacer(".", "_"))
	v.AutomaticEnv()
	for _, k := range Keys {
		v.SetDefault(k.Name, k.Preset)
	}
	if flags == nil {
		return v
	}
	flags.VisitAll(func(f *pflag.Flag) {
		for _, name := range f.Annotations[flagKey] {
			key, off := strings.CutPrefix(name, "!")
			switch {
			case !off:
				v.BindPFlag(key, f)
			case f.Changed:
				v.Set(key, f.Value.String() != "true")
			}
		}
	})
	return v
}

// findOrigins finds where each setting comes from.
func (c *Config) findOrigins(v *viper.Viper, flags *pflag.FlagSet) {
	c.origins = map[string]origin{}
	for _, k := range Keys {
		switch {
		case os.Getenv(k.Variable()) != "":
			c.origins[k.Name] = origin{fromEnv, k.Variable()}
		case v.InConfig(k.Name):
			c.origins[k.Name] = origin{fromFile, c.File}
		default:
			c.origins[k.Name] = origin{layer: fromDefault}
		}
	}
	if flags == nil {
		return
	}
	flags.Visit(func(f *pflag.Flag) {
		for _, name := range f.Annotations[flagKey] {
			c.origins[strings.TrimPrefix(name, "!")] = origin{fromFlag, "--" + f.Name}
		}
	})
}

// decode decodes each setting into its field, and returns all that is wrong with them.
func (c *Config) decode(v *viper.Viper, at Surroundings) (problems []string) {
	for _, k := range Keys {
		from := c.origins[k.Name]
		if k.Preset == "" && from.layer == fromDefault {
			if k.of.Kind() == reflect.Slice {
				k.in(c).Set(reflect.MakeSlice(k.of, 0, 0))
			}
			continue
		}
		here := at
		if from.layer == fromFile {
			here.Working = filepath.Dir(c.File)
		}
		err := errNot
		if k.decode(v, k.in(c)) == nil {
			err = k.check(k.in(c), here)
		}
		switch {
		case err != nil && from.layer == fromDefault: // ~/Recall without a known home folder
			k.in(c).SetZero()
		case errors.Is(err, errNot):
			problems = append(problems, fmt.Sprintf("%s%q isn't allowed; allowed: %s", c.place(k.Name),
				masked(k.Name, fmt.Sprint(v.Get(k.Name))), k.Allowed()))
		case err != nil:
			problems = append(problems, fmt.Sprintf("%s%v; allowed: %s", c.place(k.Name), err, k.Allowed()))
		}
	}
	return problems
}

// decode decodes a setting into its field.
func (k Key) decode(v *viper.Viper, into reflect.Value) error {
	data := v.Get(k.Name)
	text, isText := data.(string)
	switch {
	case k.of == priceList: // from the environment as YAML
		if b, err := yaml.Marshal(data); err == nil && !isText {
			text = string(b)
		}
		dec := yaml.NewDecoder(strings.NewReader(text))
		dec.KnownFields(true)
		return dec.Decode(into.Addr().Interface())
	case k.of == folderList && text == "[]": // as in the file: the source is off
		into.Set(reflect.ValueOf([]string{}))
	case k.of == folderList && isText: // as in PATH
		into.Set(reflect.ValueOf(filepath.SplitList(text)))
	default:
		return v.UnmarshalKey(k.Name, into.Addr().Interface())
	}
	return nil
}

// unknownKeys returns what is wrong with the keys of the file: those that don't exist.
func (c *Config) unknownKeys(v *viper.Viper) (problems []string) {
	for _, name := range slices.Sorted(slices.Values(v.AllKeys())) {
		if slices.ContainsFunc(Keys, func(k Key) bool { return k.Name == name }) {
			continue
		}
		switch v.Get(name).(type) {
		case nil, map[string]any: // an empty section
			continue
		}
		problems = append(problems, fmt.Sprintf("%s:%d: unknown key %s", c.File, lineOf(c.text, name), name))
	}
	return problems
}

// place says where a setting was made: "config.yaml:7: query.limit: ", "environment: RECALL_QUERY_LIMIT: ".
func (c *Config) place(key string) string {
	from := c.origins[key]
	switch from.layer {
	case fromEnv:
		return "environment: " + from.where + ": "
	case fromFlag:
		return from.where + ": "
	}
	return fmt.Sprintf("%s:%d: %s: ", c.File, lineOf(c.text, key), key)
}

// lineOf finds the line of a key in a config.yaml; that of its section if it has none of its own.
func lineOf(text []byte, key string) int {
	var doc yaml.Node
	if yaml.Unmarshal(text, &doc) != nil || len(doc.Content) == 0 {
		return 1
	}
	node, line := doc.Content[0], 1
	for name := range strings.SplitSeq(key, ".") {
		for i := 0; i+1 < len(node.Content); i += 2 {
			if strings.EqualFold(node.Content[i].Value, name) {
				node, line = node.Content[i+1], node.Content[i].Line
				break
			}
		}
	}
	return line
}

// Specials describes the variables that aren't settings.
var Specials = map[string]string{
	envConfig:   "the configuration file to read",
	EnvPause:    "1: nothing is kept of a session started with it, if the hooks are installed",
	envEmbedKey: "the embedding service's key",
	envLLMKey: "the key of the model's service; takes precedence over the service's own variable " +
		"(ANTHROPIC_API_KEY, OPENAI_API_KEY, …)",
}

// forTests are the variables that only recall's own tests read.
var forTests = []string{"RECALL_SHARED", "RECALL_LONG", "RECALL_PLANTED"}

// unknownVariables reports RECALL_* variables that are no settings: a single element of a list can't be set.
func unknownVariables() (problems []string) {
	env := os.Environ()
	slices.Sort(env)
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		if runtime.GOOS == "windows" { // names have no case there
			name = strings.ToUpper(name)
		}
		known := Specials[name] != "" || slices.Contains(forTests, name) ||
			slices.ContainsFunc(Keys, func(k Key) bool { return k.Variable() == name })
		if strings.HasPrefix(name, envPrefix+"_") && value != "" && !known {
			problems = append(problems, "environment: unknown variable "+name)
		}
	}
	return problems
}
