package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"recall/internal/llm"
)

// Maximum sizes in bytes of a person's files: a config.yaml, and a list of words or a page of notes.
const (
	mostOfConfig = 1 << 20
	MostOfNote   = 16 << 20
)

// A value is what was given for a key, and where.
type value struct {
	origin
	text string
	node *yaml.Node // if it is in the file
}

// String is the value as written.
func (v value) String() string {
	if v.node == nil || v.node.Kind == yaml.ScalarNode {
		return v.text
	}
	text, _ := yaml.Marshal(v.node)
	return strings.TrimSpace(string(text))
}

// inFile reads the text of a config.yaml. The problems are keys that don't exist, with those that do.
func inFile(file string, text []byte) (values map[string]value, problems []string, err error) {
	var doc yaml.Node
	err = yaml.Unmarshal(text, &map[string]any{}) // what nodes allow: the same key twice
	if err = cmp.Or(err, yaml.Unmarshal(text, &doc)); err != nil {
		return nil, nil, err
	}
	values = map[string]value{}
	var read func(section string, all []*yaml.Node)
	read = func(section string, all []*yaml.Node) {
		for i := 0; i+1 < len(all); i += 2 {
			name, line, is := section+strings.ToLower(all[i].Value), fmt.Sprintf("%s:%d", file, all[i].Line), all[i+1]
			if is.Kind == yaml.AliasNode {
				is = is.Alias
			}
			within := under(name + ".")
			switch none := is.ShortTag() == "!!null"; {
			case !isKey(name) && within == nil:
				allowed := under(section)
				if section == "" {
					allowed = sections()
				}
				problems = append(problems, line+": unknown key "+name+"; allowed: "+strings.Join(allowed, ", "))
			case none: // as if it weren't there
			case within == nil:
				values[name] = value{origin{fromFile, line}, is.Value, is}
			case is.Kind == yaml.MappingNode:
				read(name+".", is.Content)
			default:
				problems = append(problems, line+": "+name+" is a section with these keys: "+strings.Join(within, ", "))
			}
		}
	}
	for _, n := range doc.Content {
		read("", n.Content)
	}
	return values, problems, nil
}

// override puts the RECALL_* variables over the values in the file, and the given flags that set a key (see SetsKey)
// over those. An empty variable counts as not set.
func override(values map[string]value, flags *pflag.FlagSet) {
	for _, k := range Keys {
		if text := os.Getenv(k.Variable()); text != "" {
			values[k.Name] = value{origin: origin{fromEnv, k.Variable()}, text: text}
		}
	}
	if flags == nil {
		return
	}
	flags.Visit(func(f *pflag.Flag) {
		for _, name := range f.Annotations[flagKey] {
			key, off := strings.CutPrefix(name, "!")
			text := f.Value.String()
			if off {
				text = strconv.FormatBool(text != "true")
			}
			values[key] = value{origin: origin{fromFlag, "--" + f.Name}, text: text}
		}
	})
}

// decode sets each key's field to its value or default, and returns all that is wrong with them.
func (c *Config) decode(values map[string]value, at Surroundings) (problems []string) {
	c.origins = map[string]origin{}
	for _, k := range Keys {
		is, given := values[k.Name]
		if !given {
			is = value{origin: origin{layer: fromDefault}, text: k.Preset}
		}
		c.origins[k.Name] = is.origin
		if !given && k.Preset == "" {
			if k.of.Kind() == reflect.Slice {
				k.in(c).Set(reflect.MakeSlice(k.of, 0, 0))
			}
			continue
		}
		here := at
		if is.layer == fromFile {
			here.Working = filepath.Dir(c.File)
		}
		got, err := k.read(is)
		if err == nil {
			k.in(c).Set(reflect.ValueOf(got).Convert(k.of))
			err = k.check(k.in(c), here)
		}
		switch {
		case err != nil && !given: // ~/Recall without a known home folder
			k.in(c).SetZero()
		case errors.Is(err, errNot):
			problems = append(problems, fmt.Sprintf("%s%q isn't allowed; allowed: %s", is.place(k.Name),
				masked(k.Name, is.String()), k.Allowed()))
		case err != nil:
			problems = append(problems, fmt.Sprintf("%s%v; allowed: %s", is.place(k.Name), err, k.Allowed()))
		}
	}
	return problems
}

// read returns what a value means to the key. Scalars mean the same wherever they are given. A number isn't a time (30
// would be nanoseconds to Go and seconds to whoever wrote it), and yes isn't true.
func (k Key) read(v value) (got any, err error) {
	text := strings.TrimSpace(v.text)
	switch {
	case k.of == priceList:
		return pricesOf(v)
	case k.of == folderList && v.node != nil && v.node.Kind == yaml.SequenceNode:
		list := []string{}
		for _, n := range v.node.Content {
			name := n.Value
			switch {
			case n.Kind != yaml.ScalarNode:
				return nil, errNot
			case n.ShortTag() == "!!null": // "~" on its own
				name = ""
			}
			list = append(list, name)
		}
		return list, nil
	case v.node != nil && v.node.Kind != yaml.ScalarNode:
		return nil, errNot
	case k.of == folderList && text == "[]": // as in the file: the source is off
		return []string{}, nil
	case k.of == folderList: // as in PATH
		return filepath.SplitList(text), nil
	case k.of == duration:
		if _, number := strconv.ParseFloat(text, 64); number == nil {
			return nil, fmt.Errorf("%s has no unit", text)
		}
		got, err = time.ParseDuration(text)
	case k.of.Kind() == reflect.Int:
		got, err = strconv.Atoi(text)
	case k.of.Kind() == reflect.Float64:
		got, err = strconv.ParseFloat(text, 64)
	case k.of.Kind() == reflect.Bool:
		if text = strings.ToLower(text); text != "true" && text != "false" {
			return nil, errNot
		}
		return text == "true", nil
	default:
		return text, nil
	}
	if err != nil {
		return nil, errNot
	}
	return got, nil
}

// pricesOf reads a list of prices, which is YAML in the environment too.
func pricesOf(v value) (any, error) {
	list := []llm.Price{}
	dec := yaml.NewDecoder(strings.NewReader(v.String()))
	dec.KnownFields(true)
	if err := dec.Decode(&list); err != nil && v.String() != "" {
		return nil, errors.New("not a list of prices")
	}
	return list, nil
}

func isKey(name string) bool {
	return slices.ContainsFunc(Keys, func(k Key) bool { return k.Name == name })
}

// under lists the keys with a prefix; nothing for no prefix.
func under(prefix string) (names []string) {
	for _, k := range Keys {
		if prefix != "" && strings.HasPrefix(k.Name, prefix) {
			names = append(names, k.Name)
		}
	}
	return names
}

func sections() (names []string) {
	for _, k := range Keys {
		section, _, _ := strings.Cut(k.Name, ".")
		names = append(names, section)
	}
	return slices.Compact(names)
}

// place says where a setting was made: "config.yaml:7: query.limit: ", "environment: RECALL_QUERY_LIMIT: ".
func (o origin) place(key string) string {
	switch o.layer {
	case fromEnv:
		return "environment: " + o.where + ": "
	case fromFlag:
		return o.where + ": "
	}
	return o.where + ": " + key + ": "
}

// Specials describes the variables that aren't settings.
var Specials = map[string]string{
	envConfig:           "the configuration file to read",
	"RECALL_SHARED":     "tests: the folder of shared transcripts",
	EnvPause:            "1: nothing is kept of a session started with it, if the hooks are installed",
	"RECALL_LONG":       "tests: run the long tests in full, not a sample",
	"RECALL_PLANTED":    "tests: the file for a table of planted secrets",
	"RECALL_COWORK_DIR": "one more place to look for Cowork sessions",
	envEmbedKey:         "the embedding service's key",
	envLLMKey: "the key of the model's service; takes precedence over the service's own variable " +
		"(ANTHROPIC_API_KEY, OPENAI_API_KEY, …)",
}

// unknownVariables reports RECALL_* variables that are no settings: a single element of a list can't be set.
func unknownVariables() (problems []string) {
	var allowed []string
	for _, k := range Keys {
		allowed = append(allowed, k.Variable())
	}
	allowed = append(allowed, slices.Sorted(maps.Keys(Specials))...)
	env := os.Environ()
	slices.Sort(env)
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		if runtime.GOOS == "windows" { // names have no case there
			name = strings.ToUpper(name)
		}
		if !strings.HasPrefix(name, envPrefix+"_") || value == "" || slices.Contains(allowed, name) {
			continue
		}
		section, _, _ := strings.Cut(strings.TrimPrefix(name, envPrefix+"_"), "_")
		near := slices.DeleteFunc(slices.Clone(allowed), func(a string) bool {
			return !strings.HasPrefix(a, envPrefix+"_"+section+"_")
		})
		problem := "environment: unknown variable " + name
		if len(near) > 0 {
			problem += "; allowed: " + strings.Join(near, ", ")
		}
		problems = append(problems, problem)
	}
	return problems
}
