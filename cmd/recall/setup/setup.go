// Package setup holds the commands that set recall up, make it run automatically, and show its state.
package setup

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/config"
	"recall/cmd/recall/option"
	"recall/internal/llm"
)

// Commands are the commands that set recall up and show its state.
var Commands = []option.Maker{
	newInitCmd, newDemoCmd, newConfigCmd, newSetupCmd, newScheduledCmd, newStatusCmd,
}

func newConfigCmd(a *app.App) *cobra.Command {
	cmd := option.Result(a, "config", nil, func(context.Context, []string) (ConfigDoc, error) {
		c, err := config.Load(a.Flags, a.ConfigFile, config.ThisSystem())
		if err != nil {
			return ConfigDoc{}, err
		}
		return ConfigDoc{c.File, c.Shown()}, nil
	}, printConfig)
	cmd.Long += configHelp()
	return cmd
}

// configHelp returns the part of the help page that is generated from the table of keys.
func configHelp() string {
	var b strings.Builder
	b.WriteString("\n\nKeys:\n")
	for _, k := range config.Keys {
		preset := k.Preset
		if preset == "" {
			preset = "not set"
		}
		fmt.Fprintf(&b, "  %s: %s\n      %s (%s)\n", k.Name, preset, k.About, k.Allowed())
	}
	fmt.Fprintf(&b, "\nVariables: %s for %s, and so on; also\n", config.Keys[0].Variable(), config.Keys[0].Name)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, name := range slices.Sorted(maps.Keys(config.Specials)) {
		fmt.Fprintf(w, "  %s\t%s\n", name, config.Specials[name])
	}
	w.Flush()
	return strings.TrimRight(b.String(), "\n")
}

// ConfigDoc is the JSON document of recall config.
type ConfigDoc struct {
	File     string         `json:"file,omitempty"` // the file read
	Settings []config.Shown `json:"settings"`
}

// printConfig prints all settings for people.
func printConfig(a *app.App, doc ConfigDoc) {
	file := doc.File
	if file == "" {
		file = "none, and none is needed (recall config --help)"
		if own := config.ThisSystem().OwnFile(); own != "" {
			file += "\nYours would be " + own
		}
	}
	fmt.Fprintf(a.Out, "config.yaml: %s\n\n", file)
	w := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
	for _, s := range doc.Settings {
		from := string(s.From)
		if s.Where != "" {
			from = s.Where
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", s.Key, inWords(s.Value), from)
	}
	w.Flush()
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
