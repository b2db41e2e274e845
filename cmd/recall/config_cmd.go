package main

import (
	"fmt"
	"io"
	"os"
	"reflect"
	"sort"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"recall/llm"
)

func (a *app) configCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "config",
		Short:   "Show the settings and where each comes from",
		Long:    configHelp(),
		Example: "  recall config\n  RECALL_QUERY_LIMIT=10 recall config",
		GroupID: "look",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := loadConfig(cmd.Flags(), a.configFile, os.Environ(), thisSystem())
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(configDoc{c.File, c.Passed, c.Refused, c.shown()})
			}
			return c.print(a.out)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// configHelp is made from the table of keys, so that it can't drift.
func configHelp() string {
	var b strings.Builder
	b.WriteString(`config prints the settings in force and where each comes from.

Stronger beats weaker: a flag, a RECALL_* variable, config.yaml, the default.
config.yaml is the first of: --config FILE, $RECALL_CONFIG, recall/config.yaml in
your configuration folder, config.yaml in the working directory (there only if it
has a section of recall's). None is needed. Unknown keys, unknown RECALL_* variables
and bad values are errors. Folders may begin with ~; in config.yaml relative ones
start at the file.

Keys:
`)
	for _, k := range keys {
		preset := k.preset
		if preset == "" {
			preset = "not set"
		}
		fmt.Fprintf(&b, "  %s: %s\n      %s (%s)\n", k.name, preset, k.about, k.allowed())
	}
	fmt.Fprintf(&b, "\nVariables: %s for %s, and so on; further\n", keys[0].variable(), keys[0].name)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, name := range sortedNames(specials) {
		fmt.Fprintf(w, "  %s\t%s\n", name, specials[name])
	}
	w.Flush()
	return strings.TrimRight(b.String(), "\n")
}

// shown is one setting as printed.
type shown struct {
	Key   string `json:"key"`
	Value any    `json:"value"` // null: left to recall
	From  layer  `json:"from"`
	Where string `json:"where,omitempty"`
}

func (c *Config) shown() []shown {
	var list []shown
	for _, k := range keys {
		v := c.value(k.name)
		if d, is := v.(time.Duration); is {
			v = brief(d)
		}
		if k.kind == folders && c.Auto(k.name) {
			v = nil
		}
		o := c.origins[k.name]
		list = append(list, shown{k.name, masked(k.name, v), o.layer, o.where})
	}
	return list
}

// value finds a key's field by the names that viper goes by.
func (c *Config) value(key string) any {
	v := reflect.ValueOf(c).Elem()
	for _, name := range strings.Split(key, ".") {
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("mapstructure") == name {
				v = v.Field(i)
				break
			}
		}
	}
	return v.Interface()
}

// masked hides what a key's name calls secret, and a password in an address.
func masked(key string, v any) any {
	name := key[strings.LastIndex(key, ".")+1:]
	if s, is := v.(string); is && name == "url" { // whatever it is: what is no address is shown, too
		if end := strings.LastIndex(s, "@"); end >= 0 {
			scheme, _, ok := strings.Cut(s[:end], "://")
			if scheme += "://"; !ok {
				scheme = ""
			}
			return scheme + "xxxxx" + s[end:]
		}
	}
	for _, word := range []string{"key", "token", "secret", "password"} {
		if s := fmt.Sprint(v); strings.HasSuffix(name, word) && s != "" {
			return "********"
		}
	}
	return v
}

// configDoc is the JSON form of recall config.
type configDoc struct {
	File     string   `json:"file,omitempty"`    // that was read
	Passed   string   `json:"passed,omitempty"`  // a config.yaml of somebody else's in the working directory
	Refused  []string `json:"refused,omitempty"` // what such a file may not set, or sets wrongly
	Settings []shown  `json:"settings"`
}

func (c *Config) print(out io.Writer) error {
	file := c.File
	if file == "" {
		file = "none, and none is needed (recall config --help)"
	}
	fmt.Fprintf(out, "config.yaml: %s\n", file)
	if c.Passed != "" {
		why := "has no section of recall's"
		if _, err := readYAML(c.Passed); err != nil {
			why = "can't be read: " + strings.TrimPrefix(err.Error(), c.Passed+":")
		}
		fmt.Fprintf(out, "passed by:   %s %s\n", c.Passed, why)
	}
	for _, line := range c.Refused {
		fmt.Fprintf(out, "refused:     %s\n", line)
	}
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, s := range c.shown() {
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

func sortedNames[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
