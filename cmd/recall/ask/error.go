package ask

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"recall/answer/history"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/index"
	"recall/internal/hint"
)

func newErrorCmd(a *app.App) *cobra.Command {
	var o struct{ JSON bool }
	cmd := option.Command("error", &o, func(cmd *cobra.Command, args []string) error {
		flags, words := splitFlags(args)
		cmd.DisableFlagParsing = false
		if err := cmd.ParseFlags(flags); err != nil {
			return option.BadFlag(cmd, err)
		}
		if help, err := cmd.Flags().GetBool("help"); err == nil && help {
			return cmd.Help()
		}
		text := strings.Join(words, " ")
		if text == "-" {
			b, err := io.ReadAll(io.LimitReader(a.In, 4<<20))
			if err != nil {
				return err
			}
			text = string(b)
		}
		return runError(cmd.Context(), a, text, o.JSON)
	})
	cmd.Args, cmd.DisableFlagParsing = cobra.ArbitraryArgs, true // errors begin with dashes: "--- FAIL: TestOpen"
	return cmd
}

// splitFlags separates this command's flags from the words of an error, which can look like flags. "--" ends the
// flags.
func splitFlags(args []string) (flags, words []string) {
	for i := 0; i < len(args); i++ {
		name, _, valued := strings.Cut(args[i], "=")
		switch {
		case args[i] == "--":
			return flags, append(words, args[i+1:]...)
		case args[i] == "--json", args[i] == "--no-pager", args[i] == "--help", args[i] == "-h":
			flags = append(flags, args[i])
		case name == "--library" || name == "--config":
			flags = append(flags, args[i])
			if !valued && i+1 < len(args) {
				i++
				flags = append(flags, args[i])
			}
		default:
			words = append(words, args[i])
		}
	}
	return flags, words
}

func runError(ctx context.Context, a *app.App, text string, asJSON bool) error {
	if strings.TrimSpace(text) == "" {
		return hint.With(fmt.Errorf("no error text"),
			`recall error "undefined: openStore", or: go test ./... 2>&1 | recall error -`)
	}
	p, err := a.UpToDate(ctx)
	if err != nil {
		return err
	}
	doc, err := history.FixOf(ctx, p, text,
		func(q index.Query) (index.Answer, error) { return a.Search(ctx, p.Library, q) })
	if err != nil {
		return err
	}
	a.PrintProblems(doc.Problems)
	return a.Show(doc, asJSON, !doc.Found(), func(p *terminal.Page) { p.Form("error", errorPage{doc, text}) })
}

// errorPage is what the form shows about an error.
type errorPage struct {
	*history.Fix
	Asked string
}
