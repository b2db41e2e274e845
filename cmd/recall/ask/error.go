package ask

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/hint"
	"recall/history"
	"recall/index"
	"recall/ingest"
	"recall/ingest/trace"
	"recall/payload"
)

func newErrorCmd(a *app.App) *cobra.Command {
	var o struct{ JSON bool }
	cmd := option.Command("error", &o, func(cmd *cobra.Command, args []string) error {
		flags, words := flagsApart(args)
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

// flagsApart parts this command's flags from the words of an error, which may
// look like flags. "--" ends the flags.
func flagsApart(args []string) (flags, words []string) {
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

// errorPage is what a person is shown of what was done about an error.
type errorPage struct {
	*history.Fix
	Asked string
}

// Item is a thing that was told of as an item.
func (errorPage) Item(t history.Told) payload.Item {
	return payload.Item{Kind: payload.Kind(t.Kind), Text: t.Text, State: payload.Stands}
}

// tried are the tries of a session, up to the run in which the error was gone; of what failed to help, the first and
// the last.
type tried struct {
	First, Last []try
	Skipped     int
	Rest        []try // those with other errors, behind
}

// try is one, for a command.
type try struct {
	history.Try
	Command string
}

// Tried are a session's tries.
func (errorPage) Tried(s history.Met) (of tried) {
	var all []try
	for _, t := range s.Tries {
		all = append(all, try{t, s.Command})
	}
	gone := slices.IndexFunc(all, func(t try) bool { return t.Outcome != trace.Again }) + 1
	if gone == 0 {
		gone = len(all)
	}
	of.First, of.Rest = all[:gone], all[gone:]
	if gone > 3 {
		of.First, of.Skipped, of.Last = all[:1], gone-3, all[gone-2:gone]
	}
	return of
}

// Was and Is are the first line in which an edit changes a text.
func (t try) Was(e ingest.Edit) string { return changedLine(e.Old, e.New) }
func (t try) Is(e ingest.Edit) string  { return changedLine(e.New, e.Old) }

// changedLine is the first line of a text in which another differs.
func changedLine(text, other string) string {
	a, b := strings.Split(text, "\n"), strings.Split(other, "\n")
	for i := range max(len(a), len(b)) {
		x, y := "", ""
		if i < len(a) {
			x = terminal.Line(a[i])
		}
		if i < len(b) {
			y = terminal.Line(b[i])
		}
		if x != y {
			return x
		}
	}
	return ""
}
