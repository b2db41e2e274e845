package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"recall/hint"
	"recall/library"
)

// settings gathers what file, environment and flags say, weakest first, and
// all that is wrong with it.
type settings struct {
	given    []setting
	problems []string
	hint     string
}

type setting struct {
	key    string
	value  any
	origin origin
}

func (s *settings) wrong(format string, args ...any) {
	s.problems = append(s.problems, fmt.Sprintf(format, args...))
}

func (s *settings) err() error {
	if len(s.problems) == 0 {
		return nil
	}
	err := errors.New(strings.Join(s.problems, "\n"))
	if s.hint != "" {
		return hint.With(err, "%s", s.hint)
	}
	return hint.With(err, "recall config --help lists every key")
}

// file reads config.yaml. It walks the nodes itself, as viper forgets lines,
// takes any case for a key and turns a bare 30 into 30 nanoseconds.
func (s *settings) file(name string, at Surroundings) {
	root, err := readYAML(name)
	if err != nil {
		s.wrong("%v", err)
		if strings.Contains(err.Error(), "escape") || strings.Contains(err.Error(), "hexdecimal") {
			s.hint = `in double quotes a \ is YAML's escape; write Windows paths in single quotes or without any`
		}
		return
	}
	if root == nil {
		return
	}
	if root.Kind != yaml.MappingNode {
		s.wrong("%s:%d: not a list of \"key: value\" lines", name, root.Line)
		return
	}
	s.section(name, "", root, at)
}

// How long files may be that a person keeps, in bytes: a config.yaml; a list of words
// or a page of notes.
const (
	mostOfConfig = 1 << 20
	MostOfNote   = 16 << 20
)

// readYAML gives the root node of a file with one document, nil if it has none.
func readYAML(name string) (*yaml.Node, error) {
	text, err := library.ReadRegular(name, mostOfConfig)
	if err != nil {
		return nil, err
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, yamlError(name, err)
	}
	if err := doc.Decode(new(any)); err != nil { // finds keys that stand twice
		return nil, yamlError(name, err)
	}
	var second yaml.Node
	if err := dec.Decode(&second); err == nil {
		return nil, fmt.Errorf("%s:%d: a second document; recall reads one", name, second.Line)
	}
	root := doc.Content[0]
	if root.Tag == "!!null" {
		return nil, nil
	}
	return root, nil
}

// yamlError puts the file before yaml's line: "yaml: line 3: did not…".
func yamlError(name string, err error) error {
	var several *yaml.TypeError
	if errors.As(err, &several) {
		err = errors.New(strings.Join(several.Errors, "; "))
	}
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		if line, what, ok := strings.Cut(rest, ": "); ok {
			return fmt.Errorf("%s:%s: %s", name, line, what)
		}
	}
	return fmt.Errorf("%s: %s", name, text)
}

// section reads a mapping; prefix is "" or "query.".
func (s *settings) section(name, prefix string, node *yaml.Node, at Surroundings) {
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], resolve(node.Content[i+1])
		full := prefix + key.Value
		where := fmt.Sprintf("%s:%d", name, key.Line)
		k, known := KeyNamed(full)
		switch {
		case known && prefix != "":
			s.value(k, where, value, filepath.Dir(name), at)
		case len(under(full+".")) > 0 && value.Kind == yaml.MappingNode:
			s.section(name, full+".", value, at)
		case len(under(full+".")) > 0 && value.Tag == "!!null":
		case len(under(full+".")) > 0:
			s.wrong("%s: %s holds keys below it: %s", where, full, strings.Join(under(full+"."), ", "))
		case known:
			section, name, _ := strings.Cut(full, ".")
			s.wrong("%s: unknown key %s; write %s: below %s:", where, full, name, section)
		default:
			s.wrong("%s: unknown key %s; allowed is %s", where, full, strings.Join(near(prefix), ", "))
		}
	}
}

// value takes one value of the file. A key without one counts as not set.
func (s *settings) value(k configKey, where string, node *yaml.Node, base string, at Surroundings) {
	var v any
	var err error
	switch {
	case node.Tag == "!!null" && node.Value == "~":
		err = errors.New(`a bare ~ is YAML's word for nothing; write "~/" for your home folder`)
	case node.Tag == "!!null":
		return
	case node.Kind == yaml.SequenceNode && k.kind == folders:
		var items []string
		for _, n := range node.Content {
			n = resolve(n)
			if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
				s.wrong("%s: %s: an entry isn't a folder; allowed is %s", where, k.Name, k.Allowed())
				return
			}
			items = append(items, n.Value)
		}
		v, err = k.list(items, base, at)
	case k.kind == prices:
		v, err = k.prices(node)
	case node.Kind != yaml.ScalarNode || k.kind == folders:
		err = fmt.Errorf("wrong form; allowed is %s", k.Allowed())
	default:
		v, err = k.parse(node.Value, base, at)
	}
	if err != nil {
		s.wrong("%s: %s: %v", where, k.Name, err)
		return
	}
	s.given = append(s.given, setting{k.Name, v, origin{fromFile, where}})
}

// distrust keeps, of a file that lay in the working directory by chance, as one of a
// cloned repository does, what is a matter of taste. It returns what is refused or
// wrong, a line each: whoever wrote that file can't keep recall from working either.
func (s *settings) distrust() (refused []string) {
	refused, s.problems, s.hint = s.problems, nil, ""
	s.given = slices.DeleteFunc(s.given, func(g setting) bool {
		k, _ := KeyNamed(g.key)
		if !k.taste {
			refused = append(refused, fmt.Sprintf("%s: %s isn't taken from the working directory", g.origin.where, g.key))
		}
		return !k.taste
	})
	return refused
}

func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// under lists the keys that begin with a prefix.
func under(prefix string) []string {
	var names []string
	for _, k := range Keys {
		if strings.HasPrefix(k.Name, prefix) {
			names = append(names, k.Name)
		}
	}
	return names
}

// near lists what could have been meant at this level: keys of the section, or
// the sections.
func near(prefix string) []string {
	if prefix != "" {
		return under(prefix)
	}
	var names []string
	for _, k := range Keys {
		section, _, _ := strings.Cut(k.Name, ".")
		if len(names) == 0 || names[len(names)-1] != section {
			names = append(names, section)
		}
	}
	return names
}

// hasOurSection reports whether a file has at least one section of recall's. One
// that can't be read as YAML hasn't. Sections that many programs have, and that
// wouldn't be taken from there anyway, say nothing.
func hasOurSection(name string) bool {
	root, err := readYAML(name)
	if err != nil || root == nil || root.Kind != yaml.MappingNode {
		return false
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		value := resolve(root.Content[i+1])
		if name := root.Content[i].Value; name == "llm" || name == "embed" {
			continue
		}
		if len(under(root.Content[i].Value+".")) > 0 && (value.Kind == yaml.MappingNode || value.Tag == "!!null") {
			return true
		}
	}
	return false
}

// Specials are the variables that aren't settings.
var Specials = map[string]string{
	envConfig:           "the configuration file to read",
	"RECALL_SHARED":     "tests: the folder of shared transcripts",
	"RECALL_LONG":       "tests: long walks in full, not a sample of them",
	"RECALL_COWORK_DIR": "one more place to look for Cowork sessions",
	envEmbedKey:         "the embedding service's key",
	envLLMKey:           "the key of the model's service, before those that it usually has (ANTHROPIC_API_KEY, OPENAI_API_KEY, …)",
}

// recallVars picks recall's variables; an empty one counts as not set.
func recallVars(env []string) map[string]string {
	vars := map[string]string{}
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		if runtime.GOOS == "windows" { // names have no case there
			name = strings.ToUpper(name)
		}
		if strings.HasPrefix(name, envPrefix) && value != "" {
			vars[name] = value
		}
	}
	return vars
}

// env takes the RECALL_* variables. Elements of a list can't be set one by one.
func (s *settings) env(vars map[string]string, at Surroundings) {
	byVariable := map[string]configKey{}
	for _, k := range Keys {
		byVariable[k.Variable()] = k
	}
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		if Specials[name] != "" {
			continue
		}
		k, known := byVariable[name]
		if !known {
			s.wrong("environment: unknown variable %s; allowed is %s", name, strings.Join(variables(), ", "))
			continue
		}
		v, err := k.parse(vars[name], at.Working, at)
		if err != nil {
			s.wrong("environment: %s: %v", name, err)
			continue
		}
		s.given = append(s.given, setting{k.Name, v, origin{fromEnv, name}})
	}
}

func variables() []string {
	var names []string
	for _, k := range Keys {
		names = append(names, k.Variable())
	}
	return append(names, slices.Sorted(maps.Keys(Specials))...)
}

// flags takes the flags that were given and set a key (see SetsKey).
func (s *settings) flags(flags *pflag.FlagSet, at Surroundings) {
	if flags == nil {
		return
	}
	flags.Visit(func(f *pflag.Flag) {
		name := f.Annotations[flagKey]
		if len(name) != 1 {
			return
		}
		key, off := strings.CutPrefix(name[0], "!")
		k, known := KeyNamed(key)
		if !known {
			panic("flag --" + f.Name + " sets unknown key " + key)
		}
		text := f.Value.String()
		if off {
			text = map[string]string{"true": "false", "false": "true"}[text]
		}
		v, err := k.parse(text, at.Working, at)
		if err != nil {
			s.wrong("--%s: %v", f.Name, err)
			return
		}
		s.given = append(s.given, setting{k.Name, v, origin{fromFlag, "--" + f.Name}})
	})
}
