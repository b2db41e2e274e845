// Package setup is the commands that set recall up, have it run by itself, and say how it stands.
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
	"recall/cmd/recall/option"
	"recall/config"
)

// Commands are the commands that set recall up and say how it stands.
func Commands(a *app.App) []*cobra.Command {
	return []*cobra.Command{
		newInitCmd(a), newDemoCmd(a), newConfigCmd(a), newSetupCmd(a), newScheduleCmd(a),
		newScheduledCmd(a), newStatusCmd(a),
	}
}

func newConfigCmd(a *app.App) *cobra.Command {
	cmd := option.Result(a, "config", nil, func(context.Context, []string) (ConfigDoc, error) {
		c, err := config.Load(a.Flags, a.ConfigFile, config.ThisSystem())
		if err != nil {
			return ConfigDoc{}, err
		}
		return ConfigDoc{c.File, c.Passed, c.Refused, c.Shown(), c}, nil
	}, func(a *app.App, doc ConfigDoc) { doc.config.Print(a.Out) })
	cmd.Long += configHelp()
	return cmd
}

// configHelp is the end of its help, made from the table of keys, so that it can't drift.
func configHelp() string {
	var b strings.Builder
	b.WriteString("\n\nKeys:\n")
	for _, k := range config.Keys {
		preset := k.Preset
		if preset == "" {
			preset = "not set"
		}
		fmt.Fprintf(&b, "  %s: %s\n      %s (%s)\n", k.Name, preset, k.About, k.Allowed)
	}
	fmt.Fprintf(&b, "\nVariables: %s for %s, and so on; further\n", config.Keys[0].Variable(), config.Keys[0].Name)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, name := range slices.Sorted(maps.Keys(config.Specials)) {
		fmt.Fprintf(w, "  %s\t%s\n", name, config.Specials[name])
	}
	w.Flush()
	return strings.TrimRight(b.String(), "\n")
}

// ConfigDoc is the JSON form of recall config.
type ConfigDoc struct {
	File     string         `json:"file,omitempty"`    // that was read
	Passed   string         `json:"passed,omitempty"`  // a config.yaml of somebody else's in the working directory
	Refused  []string       `json:"refused,omitempty"` // what such a file may not set, or sets wrongly
	Settings []config.Shown `json:"settings"`

	config *config.Config
}
