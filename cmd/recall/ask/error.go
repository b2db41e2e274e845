package ask

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/hint"
	"recall/history"
	"recall/index"
	"recall/ingest/trace"
	"recall/payload"
	txt "recall/text"
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
	return a.Show(doc, asJSON, !doc.Found(), func(p *terminal.Page) { printError(p, doc, text) })
}

// stepsShown is how many steps of a try are printed; --json has them all.
const stepsShown = 8

func printError(p *terminal.Page, doc *history.Fix, asked string) {
	switch doc.Match {
	case "none":
		fmt.Fprintf(p.W, "No command of any session that recall knows of ran into %s\n",
			txt.Clip(terminal.Line(asked), 80))
		return
	case "prompt", "finding", "query":
		printTold(p, doc)
		return
	case "similar":
		fmt.Fprintf(p.W, "%sNot this very error, but similar ones:%s\n", p.St.Dim, p.St.Reset)
	}
	for _, s := range doc.Seen {
		fmt.Fprintf(p.W, "%s %s\n", outcomeMark(s.Outcome, p.St), p.Session(s.SessionRef))
		p.Wrapped("  ", "    ", terminal.Line(s.Error), p.St.Red)
		if s.Command != "" {
			fmt.Fprintf(p.W, "  %sfrom%s %s (turn %d)\n", p.St.Dim, p.St.Reset,
				txt.Clip(terminal.Line(s.Command), p.Width-20), s.Turn)
		}
		printTries(p, s.Tries, s.Command)
		fmt.Fprintf(p.W, "  %s\n", outcomeText(s))
	}
	if more := doc.Met - len(doc.Seen); more > 0 {
		fmt.Fprintf(p.W, "%s more met it.\n", answer.Count(more, "session"))
	}
}

// printTries shows what was done up to the run in which the error was gone;
// of what failed to help, the first and the last.
func printTries(p *terminal.Page, tries []history.Try, command string) {
	gone := len(tries) - 1
	for i, t := range tries {
		if t.Outcome != trace.Again {
			gone = i
			break
		}
	}
	for i, t := range tries[:gone+1] {
		if gone > 2 && i > 0 && i < gone-1 {
			if i == 1 {
				fmt.Fprintf(p.W, "  … %s more after which the error came again\n", answer.Count(gone-2, "attempt"))
			}
			continue
		}
		printTry(p, t, command)
	}
	if rest := tries[min(gone+1, len(tries)):]; len(rest) > 0 {
		last := rest[len(rest)-1]
		fmt.Fprintf(p.W, "  … then with other errors, %s more, the last in turn %d: %s\n",
			answer.Count(len(rest), "run"),
			last.Turn, last.Outcome)
		if last.Said != "" {
			p.Wrapped("  “", "   ", txt.Clip(terminal.Line(last.Said), 300)+"”", p.St.Dim)
		}
	}
}

func printTry(p *terminal.Page, t history.Try, command string) {
	switch {
	case len(t.Did) == 0 && t.Then != command:
		fmt.Fprintf(p.W, "  %snothing was changed, it was run another way%s\n", p.St.Dim, p.St.Reset)
	case len(t.Did) == 0:
		fmt.Fprintf(p.W, "  %snothing was changed%s\n", p.St.Dim, p.St.Reset)
	}
	for k, d := range t.Did {
		if k == stepsShown {
			fmt.Fprintf(p.W, "  … %s more\n", answer.Count(len(t.Did)-k, "step"))
			break
		}
		printDeed(p, d)
	}
	if t.Then != "" {
		fmt.Fprintf(p.W, "  then %s: %s (turn %d)\n", txt.Clip(terminal.Line(t.Then), p.Width-40), t.Outcome, t.Turn)
	}
	if t.Said != "" {
		p.Wrapped("  “", "   ", txt.Clip(terminal.Line(t.Said), 300)+"”", p.St.Dim)
	}
}

func printDeed(p *terminal.Page, d history.Deed) {
	fmt.Fprintf(p.W, "  %s· %s%s\n", p.St.Bold, txt.Clip(terminal.Line(d.What), p.Width-8), p.St.Reset)
	if d.Why != "" {
		p.Wrapped("    ", "    ", txt.Clip(terminal.Line(d.Why), 240), p.St.Dim)
	}
	for _, e := range d.Edits[:min(2, len(d.Edits))] {
		old, fresh := changedLine(e.Old, e.New)
		if old != "" {
			fmt.Fprintf(p.W, "    %s- %s%s\n", p.St.Red, txt.Clip(old, p.Width-8), p.St.Reset)
		}
		if fresh != "" {
			fmt.Fprintf(p.W, "    %s+ %s%s\n", p.St.Green, txt.Clip(fresh, p.Width-8), p.St.Reset)
		}
	}
}

// changedLine is the first line in which two texts differ.
func changedLine(before, after string) (string, string) {
	b, n := strings.Split(before, "\n"), strings.Split(after, "\n")
	lines := max(len(b), len(n))
	b, n = append(b, make([]string, lines-len(b))...), append(n, make([]string, lines-len(n))...)
	for i := range lines {
		if x, y := terminal.Line(b[i]), terminal.Line(n[i]); x != y {
			return x, y
		}
	}
	return "", ""
}

func outcomeMark(outcome string, st terminal.Style) string {
	switch outcome {
	case trace.Helped:
		return st.Green + "●" + st.Reset
	case trace.Again, trace.Other:
		return st.Red + "✗" + st.Reset
	}
	return st.Yellow + "○" + st.Reset
}

func outcomeText(s history.Met) string {
	switch s.Outcome {
	case trace.Helped:
		return "It helped: the same command succeeded afterwards."
	case trace.Again:
		return "It did not help: the error came again, and the session has no later run without it."
	case trace.Other:
		return "The error went, another one took its place, and the session has no later run without one."
	}
	return "Whether it helped isn't known: the command wasn't run again."
}

func printTold(p *terminal.Page, doc *history.Fix) {
	fmt.Fprintf(p.W, "%s%s%s\n", p.St.Dim, map[string]string{
		"prompt":  "No command ran into it, but it was typed or pasted here:",
		"finding": "No command ran into it and nobody typed it; what was found nearest to it:",
		"query":   "No command ran into it, nobody typed it and nothing was found about it; recall query says:",
	}[doc.Match], p.St.Reset)
	for _, t := range doc.Told {
		if t.Kind == "prompt" {
			fmt.Fprintf(p.W, "○ %s\n", p.Session(t.SessionRef))
			p.Wrapped("  “", "   ", fmt.Sprintf("%s” (turn %d)", txt.Clip(terminal.Line(t.Text), 300), t.Turn), "")
			for _, it := range t.Items {
				p.Noted(it)
			}
			continue
		}
		it := payload.Item{Kind: payload.Kind(t.Kind), Text: t.Text, State: payload.Stands}
		p.Wrapped(terminal.Mark(it, p.St)+" ", "  ",
			fmt.Sprintf("%s (%s, turn %d, %s)", p.Sentence(it), txt.Clip(t.Title, 60),
				t.Turn, answer.Day(t.At)), "")
		if t.Why != "" {
			p.Wrapped("  why ", "      ", terminal.Line(t.Why), p.St.Dim)
		}
	}
}
