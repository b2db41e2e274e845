package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"
	"go.yaml.in/yaml/v3"

	"recall/internal/hint"
	"recall/library/disk"
)

// A reading collects where each setting comes from and everything that is wrong. For config.yaml it is viper's
// decoder: viper's own loses line numbers, ignores the case of keys and turns a bare 30 into 30 nanoseconds.
type reading struct {
	file     string
	at       Surroundings
	byChance bool // the file was in the working directory, perhaps a cloned repository's: it sets only matters of taste
	ours     bool // it has one of recall's sections

	origins  map[string]origin
	problems []string
	hint     string
}

func (r *reading) wrong(format string, args ...any) {
	r.problems = append(r.problems, fmt.Sprintf(format, args...))
}

func (r *reading) err() error {
	if len(r.problems) == 0 {
		return nil
	}
	way := r.hint
	if way == "" {
		way = "recall config --help lists every key"
	}
	return hint.With(errors.New(strings.Join(r.problems, "\n")), "%s", way)
}

// Maximum sizes in bytes of a person's files: a config.yaml, and a list of words or a page of notes.
const (
	mostOfConfig = 1 << 20
	MostOfNote   = 16 << 20
)

// read has viper read the file.
func (r *reading) read(v *viper.Viper) {
	text, err := disk.ReadRegular(r.file, mostOfConfig)
	if err == nil {
		err = v.ReadConfig(bytes.NewReader(text))
	}
	if err != nil {
		r.wrong("%v", err)
	}
}

// Decoder implements viper.DecoderRegistry.
func (r *reading) Decoder(string) (viper.Decoder, error) { return r, nil }

// Decode implements viper.Decoder for the text of a config.yaml, which holds at most one document.
func (r *reading) Decode(text []byte, into map[string]any) error {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc, second yaml.Node
	err := dec.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err == nil {
		err = doc.Decode(new(any)) // finds duplicate keys
	}
	if err != nil {
		r.notYAML(err)
		return nil
	}
	root := doc.Content[0]
	switch {
	case dec.Decode(&second) == nil:
		r.wrong("%s:%d: a second document; recall reads one", r.file, second.Line)
	case root.Kind == yaml.MappingNode:
		r.section("", root, into)
	case root.Tag != "!!null":
		r.wrong("%s:%d: not a list of \"key: value\" lines", r.file, root.Line)
	}
	return nil
}

// notYAML moves the line number from yaml's message, "yaml: line 3: did not…", behind the file's name.
func (r *reading) notYAML(err error) {
	if several, ok := errors.AsType[*yaml.TypeError](err); ok {
		err = errors.New(strings.Join(several.Errors, "; "))
	}
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if strings.Contains(text, "escape") || strings.Contains(text, "hexdecimal") {
		r.hint = `in double quotes a \ is YAML's escape; write Windows paths in single quotes or without any`
	}
	line, what, ok := strings.Cut(strings.TrimPrefix(text, "line "), ": ")
	if ok && strings.HasPrefix(text, "line ") {
		r.wrong("%s:%s: %s", r.file, line, what)
		return
	}
	r.wrong("%s: %s", r.file, text)
}

// former lists keys of earlier versions that are now ignored.
var former = map[string]bool{"distill.links": true}

// section reads a mapping; prefix is "" or, for example, "query.".
func (r *reading) section(prefix string, node *yaml.Node, into map[string]any) {
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], resolve(node.Content[i+1])
		full := prefix + key.Value
		where := fmt.Sprintf("%s:%d", r.file, key.Line)
		k, known := keyNamed(full)
		below := under(full + ".")
		empty := value.Tag == "!!null"
		// Other programs have llm: and embed: sections too, so these two don't make a file recall's.
		r.ours = r.ours || prefix == "" && len(below) > 0 && (empty || value.Kind == yaml.MappingNode) &&
			key.Value != "llm" && key.Value != "embed"
		switch {
		case known && prefix == "":
			section, name, _ := strings.Cut(full, ".")
			r.wrong("%s: unknown key %s; write %s: below %s:", where, full, name, section)
		case former[full]:
		case known:
			r.value(k, where, value, key.Value, into)
		case len(below) > 0 && value.Kind == yaml.MappingNode:
			deeper := map[string]any{}
			into[key.Value] = deeper
			r.section(full+".", value, deeper)
		case len(below) > 0 && empty:
		case len(below) > 0:
			r.wrong("%s: %s is a section with these keys: %s", where, full, strings.Join(below, ", "))
		default:
			r.wrong("%s: unknown key %s; allowed: %s", where, full, strings.Join(near(prefix), ", "))
		}
	}
}

// value reads one value of the file. A key without a value counts as not set.
func (r *reading) value(k configKey, where string, node *yaml.Node, name string, into map[string]any) {
	if node.Tag == "!!null" && node.Value != "~" {
		return
	}
	at := r.at
	at.Working = filepath.Dir(r.file)
	v, err := k.of(node, at)
	switch {
	case node.Tag == "!!null":
		r.wrong(`%s: %s: a bare ~ is null in YAML; write "~/" for your home folder`, where, k.Name)
	case err != nil:
		r.wrong("%s: %s: %v", where, k.Name, err)
	case r.byChance && !k.taste:
		r.wrong("%s: %s can't be set by a file in the working directory", where, k.Name)
	default:
		into[name] = v
		r.origins[k.Name] = origin{fromFile, where}
	}
}

func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// under lists the keys with a prefix.
func under(prefix string) []string {
	var names []string
	for _, k := range Keys {
		if strings.HasPrefix(k.Name, prefix) {
			names = append(names, k.Name)
		}
	}
	return names
}

// near lists what could have been meant at this level: the section's keys, or the sections.
func near(prefix string) []string {
	names := under(prefix)
	if prefix == "" {
		for i, name := range names {
			names[i], _, _ = strings.Cut(name, ".")
		}
	}
	return slices.Compact(names)
}

// Pausing reports whether EnvPause is set to anything but 0 or false.
func Pausing() bool {
	value := os.Getenv(EnvPause)
	on, err := strconv.ParseBool(value)
	return value != "" && (on || err != nil)
}

// Specials describes the variables that aren't settings.
var Specials = map[string]string{
	envConfig:           "the configuration file to read",
	"RECALL_SHARED":     "tests: the folder of shared transcripts",
	EnvPause:            "1: nothing is kept of a session started with it, if the hooks are installed",
	"RECALL_LONG":       "tests: run the long tests in full, not a sample",
	"RECALL_COWORK_DIR": "one more place to look for Cowork sessions",
	envEmbedKey:         "the embedding service's key",
	envLLMKey: "the key of the model's service; takes precedence over the service's own variable " +
		"(ANTHROPIC_API_KEY, OPENAI_API_KEY, …)",
}

// surroundings gives viper the RECALL_* variables, and the given flags that set a key (see SetsKey).
func (r *reading) surroundings(v *viper.Viper, flags *pflag.FlagSet) {
	r.unknownVariables()
	if flags != nil {
		flags.Visit(func(f *pflag.Flag) {
			if name := f.Annotations[flagKey]; len(name) == 1 {
				key, off := strings.CutPrefix(name[0], "!")
				if _, known := keyNamed(key); !known {
					panic("flag --" + f.Name + " sets unknown key " + key)
				}
				value := f.Value.String()
				if off {
					value = strconv.FormatBool(value != "true")
				}
				v.Set(key, value)
				r.origins[key] = origin{fromFlag, "--" + f.Name}
			}
		})
	}
	for _, k := range Keys {
		v.BindEnv(k.Name, k.Variable()) // an empty one counts as not set
		preset, err := k.parse(k.Preset, r.at)
		if err != nil {
			preset = "" // ~/Recall without a known home folder
		}
		v.SetDefault(k.Name, preset)
		from, where := r.origins[k.Name], "environment: "+k.Variable()
		switch {
		case from.layer == fromFlag:
			where = from.where
		case os.Getenv(k.Variable()) != "":
			r.origins[k.Name] = origin{fromEnv, k.Variable()}
		case from.layer == "":
			r.origins[k.Name] = origin{layer: fromDefault}
			continue
		default:
			continue
		}
		value, err := k.read(v.GetString(k.Name), r.at)
		if err != nil {
			r.wrong("%s: %v", where, err)
			continue
		}
		v.Set(k.Name, value)
	}
}

// unknownVariables reports RECALL_* variables that are no settings: a single element of a list can't be set.
func (r *reading) unknownVariables() {
	var allowed []string
	for _, k := range Keys {
		allowed = append(allowed, k.Variable())
	}
	allowed = append(allowed, slices.Sorted(maps.Keys(Specials))...)
	for name := range former {
		allowed = append(allowed, configKey{Name: name}.Variable())
	}
	env := os.Environ()
	slices.Sort(env)
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		if runtime.GOOS == "windows" { // names have no case there
			name = strings.ToUpper(name)
		}
		if strings.HasPrefix(name, envPrefix) && value != "" && !slices.Contains(allowed, name) {
			section, _, _ := strings.Cut(strings.TrimPrefix(name, envPrefix), "_")
			near := slices.DeleteFunc(slices.Clone(allowed), func(a string) bool {
				return !strings.HasPrefix(a, envPrefix+section+"_")
			})
			if len(near) == 0 {
				r.wrong("environment: unknown variable %s", name)
				continue
			}
			r.wrong("environment: unknown variable %s; allowed: %s", name, strings.Join(near, ", "))
		}
	}
}

// JobEnvironment picks what a scheduled job needs of this environment: where programs, folders and settings are, but
// no services' keys.
func JobEnvironment(environ []string) []string {
	wanted := map[string]bool{"PATH": true, "XDG_CONFIG_HOME": true, "XDG_CACHE_HOME": true, "CLAUDE_CONFIG_DIR": true,
		"CODEX_HOME": true, "GEMINI_CLI_HOME": true, "XDG_DATA_HOME": true, "OPENCODE_DB": true}
	for _, k := range Keys {
		if k.Name != "library.dir" { // passed as --library
			wanted[k.Variable()] = true
		}
	}
	if runtime.GOOS == "windows" {
		return nil // a task inherits the user's
	}
	var env []string
	for _, e := range environ {
		if name, _, ok := strings.Cut(e, "="); ok && wanted[name] {
			env = append(env, e)
		}
	}
	return env
}

// SearchMode words what a search uses.
func (c *Config) SearchMode() string {
	if c.Query.Vectors == "static" || c.Query.Vectors == "service" {
		return "by words and synonyms, and by vectors of a model (" + c.Query.Vectors + ")"
	}
	return "by words and synonyms"
}
