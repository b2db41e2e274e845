package main

import (
	"fmt"
	"strings"

	"recall/ingest/trace"
)

// stepsShown is how many steps of a try are printed; --json has them all.
const stepsShown = 8

func (a *app) printFix(doc fixDoc, asked string) {
	st, w := styles(a.color), width(a.out)
	p := page{w: a.out, st: st, width: w}
	switch doc.Match {
	case "none":
		fmt.Fprintf(a.out, "No command of any session that recall knows of ran into %s\n", clip(oneLine(asked), 80))
		return
	case "prompt", "finding", "query":
		a.printTold(doc)
		return
	case "similar":
		fmt.Fprintf(a.out, "%sNot this very error, but similar ones:%s\n", st.dim, st.reset)
	}
	for _, s := range doc.Seen {
		fmt.Fprintf(a.out, "%s %s\n", outcomeMark(s.Outcome, st), s.line(w))
		p.wrapped("  ", "    ", oneLine(s.Error), st.red)
		if s.Command != "" {
			fmt.Fprintf(a.out, "  %sfrom%s %s (turn %d)\n", st.dim, st.reset, clip(oneLine(s.Command), w-20), s.Turn)
		}
		a.printTries(s.Tries, s.Command, &p)
		fmt.Fprintf(a.out, "  %s\n", outcomeText(s))
	}
	if more := doc.Met - len(doc.Seen); more > 0 {
		fmt.Fprintf(a.out, "%s more met it.\n", count(more, "session"))
	}
}

// printTries shows what was done up to the run in which the error was gone;
// of what failed to help, the first and the last.
func (a *app) printTries(tries []fixTry, command string, p *page) {
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
				fmt.Fprintf(a.out, "  … %s more after which the error came again\n", count(gone-2, "attempt"))
			}
			continue
		}
		a.printTry(t, command, p)
	}
	if rest := tries[min(gone+1, len(tries)):]; len(rest) > 0 {
		last := rest[len(rest)-1]
		fmt.Fprintf(a.out, "  … then with other errors, %s more, the last in turn %d: %s\n", count(len(rest), "run"), last.Turn, last.Outcome)
		if last.Said != "" {
			p.wrapped("  “", "   ", clip(oneLine(last.Said), 300)+"”", p.st.dim)
		}
	}
}

func (a *app) printTry(t fixTry, command string, p *page) {
	switch {
	case len(t.Did) == 0 && t.Then != command:
		fmt.Fprintf(a.out, "  %snothing was changed, it was run another way%s\n", p.st.dim, p.st.reset)
	case len(t.Did) == 0:
		fmt.Fprintf(a.out, "  %snothing was changed%s\n", p.st.dim, p.st.reset)
	}
	for k, d := range t.Did {
		if k == stepsShown {
			fmt.Fprintf(a.out, "  … %s more\n", count(len(t.Did)-k, "step"))
			break
		}
		a.printStep(d, p)
	}
	if t.Then != "" {
		fmt.Fprintf(a.out, "  then %s: %s (turn %d)\n", clip(oneLine(t.Then), p.width-40), t.Outcome, t.Turn)
	}
	if t.Said != "" {
		p.wrapped("  “", "   ", clip(oneLine(t.Said), 300)+"”", p.st.dim)
	}
}

func (a *app) printStep(d fixStep, p *page) {
	fmt.Fprintf(a.out, "  %s· %s%s\n", p.st.bold, clip(oneLine(d.What), p.width-8), p.st.reset)
	if d.Why != "" {
		p.wrapped("    ", "    ", clip(oneLine(d.Why), 240), p.st.dim)
	}
	for _, e := range d.Edits[:min(2, len(d.Edits))] {
		old, fresh := changedLine(e.Old, e.New)
		if old != "" {
			fmt.Fprintf(a.out, "    %s- %s%s\n", p.st.red, clip(old, p.width-8), p.st.reset)
		}
		if fresh != "" {
			fmt.Fprintf(a.out, "    %s+ %s%s\n", p.st.green, clip(fresh, p.width-8), p.st.reset)
		}
	}
}

// changedLine is the first line in which two texts differ.
func changedLine(before, after string) (string, string) {
	b, n := strings.Split(before, "\n"), strings.Split(after, "\n")
	for i := range max(len(b), len(n)) {
		var x, y string
		if i < len(b) {
			x = oneLine(b[i])
		}
		if i < len(n) {
			y = oneLine(n[i])
		}
		if x != y {
			return x, y
		}
	}
	return "", ""
}

func outcomeMark(outcome string, st style) string {
	switch outcome {
	case trace.Helped:
		return st.green + "●" + st.reset
	case trace.Again, trace.Other:
		return st.red + "✗" + st.reset
	}
	return st.yellow + "○" + st.reset
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
