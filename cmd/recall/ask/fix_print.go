package ask

import (
	"fmt"
	"strings"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
	"recall/ingest/trace"
	txt "recall/text"
)

// stepsShown is how many steps of a try are printed; --json has them all.
const stepsShown = 8

func printFix(a *app.App, doc FixDoc, asked string) {
	st, w := terminal.Styles(a.Color), terminal.Width(a.Out)
	p := a.Page()
	switch doc.Match {
	case "none":
		fmt.Fprintf(a.Out, "No command of any session that recall knows of ran into %s\n",
			txt.Clip(terminal.Line(asked), 80))
		return
	case "prompt", "finding", "query":
		printTold(a, doc)
		return
	case "similar":
		fmt.Fprintf(a.Out, "%sNot this very error, but similar ones:%s\n", st.Dim, st.Reset)
	}
	for _, s := range doc.Seen {
		fmt.Fprintf(a.Out, "%s %s\n", outcomeMark(s.Outcome, st), s.Line(w))
		p.Wrapped("  ", "    ", terminal.Line(s.Error), st.Red)
		if s.Command != "" {
			fmt.Fprintf(a.Out, "  %sfrom%s %s (turn %d)\n", st.Dim, st.Reset,
				txt.Clip(terminal.Line(s.Command), w-20), s.Turn)
		}
		printTries(a, s.Tries, s.Command, &p)
		fmt.Fprintf(a.Out, "  %s\n", outcomeText(s))
	}
	if more := doc.Met - len(doc.Seen); more > 0 {
		fmt.Fprintf(a.Out, "%s more met it.\n", answer.Count(more, "session"))
	}
}

// printTries shows what was done up to the run in which the error was gone;
// of what failed to help, the first and the last.
func printTries(a *app.App, tries []fixTry, command string, p *terminal.Page) {
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
				fmt.Fprintf(a.Out, "  … %s more after which the error came again\n", answer.Count(gone-2, "attempt"))
			}
			continue
		}
		printTry(a, t, command, p)
	}
	if rest := tries[min(gone+1, len(tries)):]; len(rest) > 0 {
		last := rest[len(rest)-1]
		fmt.Fprintf(a.Out, "  … then with other errors, %s more, the last in turn %d: %s\n",
			answer.Count(len(rest), "run"),
			last.Turn, last.Outcome)
		if last.Said != "" {
			p.Wrapped("  “", "   ", txt.Clip(terminal.Line(last.Said), 300)+"”", p.St.Dim)
		}
	}
}

func printTry(a *app.App, t fixTry, command string, p *terminal.Page) {
	switch {
	case len(t.Did) == 0 && t.Then != command:
		fmt.Fprintf(a.Out, "  %snothing was changed, it was run another way%s\n", p.St.Dim, p.St.Reset)
	case len(t.Did) == 0:
		fmt.Fprintf(a.Out, "  %snothing was changed%s\n", p.St.Dim, p.St.Reset)
	}
	for k, d := range t.Did {
		if k == stepsShown {
			fmt.Fprintf(a.Out, "  … %s more\n", answer.Count(len(t.Did)-k, "step"))
			break
		}
		printStep(a, d, p)
	}
	if t.Then != "" {
		fmt.Fprintf(a.Out, "  then %s: %s (turn %d)\n", txt.Clip(terminal.Line(t.Then), p.Width-40), t.Outcome, t.Turn)
	}
	if t.Said != "" {
		p.Wrapped("  “", "   ", txt.Clip(terminal.Line(t.Said), 300)+"”", p.St.Dim)
	}
}

func printStep(a *app.App, d fixStep, p *terminal.Page) {
	fmt.Fprintf(a.Out, "  %s· %s%s\n", p.St.Bold, txt.Clip(terminal.Line(d.What), p.Width-8), p.St.Reset)
	if d.Why != "" {
		p.Wrapped("    ", "    ", txt.Clip(terminal.Line(d.Why), 240), p.St.Dim)
	}
	for _, e := range d.Edits[:min(2, len(d.Edits))] {
		old, fresh := changedLine(e.Old, e.New)
		if old != "" {
			fmt.Fprintf(a.Out, "    %s- %s%s\n", p.St.Red, txt.Clip(old, p.Width-8), p.St.Reset)
		}
		if fresh != "" {
			fmt.Fprintf(a.Out, "    %s+ %s%s\n", p.St.Green, txt.Clip(fresh, p.Width-8), p.St.Reset)
		}
	}
}

// changedLine is the first line in which two texts differ.
func changedLine(before, after string) (string, string) {
	b, n := strings.Split(before, "\n"), strings.Split(after, "\n")
	for i := range max(len(b), len(n)) {
		var x, y string
		if i < len(b) {
			x = terminal.Line(b[i])
		}
		if i < len(n) {
			y = terminal.Line(n[i])
		}
		if x != y {
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

func outcomeText(s fixSeen) string {
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
