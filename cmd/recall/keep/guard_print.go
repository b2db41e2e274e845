package keep

import (
	"fmt"
	"time"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
	"recall/ingest"
	"recall/pipeline/guard"
	txt "recall/text"
)

func printGuard(a *app.App, g *guard.Report) {
	st, w := terminal.Styles(a.Color), terminal.Width(a.Out)
	for _, at := range g.Paths {
		if at.Gone {
			terminal.SayLine(a.Out, w, "", "  ", terminal.Line(terminal.ShownPath(at.Path))+" isn't there")
		}
	}
	for _, d := range g.Dangers {
		mark, color := "·", st.Dim
		if d.Blocks {
			mark, color = "!", st.Red
		}
		terminal.SayLine(a.Out, w, color+mark+" ", "  ", terminal.Line(terminal.ShownPath(d.Path))+": "+d.String()+
			st.Reset)
	}
	for _, s := range g.Unsafe() {
		printUnsafe(a, s, st)
	}
	if !g.Missing() || len(g.Sessions) > 0 {
		printGuardSums(a, g, st)
	}
	printOther(a, g.Other)
	if len(g.Unsafe()) > 0 {
		fmt.Fprintln(a.Out, "  "+g.WayOut())
	}
	a.PrintProblems(g.Problems)
}

func printUnsafe(a *app.App, s guard.Session, st terminal.Style) {
	fmt.Fprintf(a.Out, "%s✗ %s  %s%s: %d of %s only there\n", st.Red, answer.ShortID(s.ID),
		txt.Clip(terminal.Line(s.Name()), min(60, terminal.Width(a.Out)-32)), st.Reset, len(s.AtRisk),
		answer.Count(s.Files, "file"))
	terminal.Few(s.AtRisk, 3, func(f guard.File) {
		fmt.Fprintf(a.Out, "    %-12s %9s  %s\n", f.State, terminal.Size(f.Size),
			terminal.Line(terminal.ShownPath(f.Path)))
		if f.Why != "" {
			fmt.Fprintf(a.Out, "    %s\n", terminal.Line(terminal.ShownPath(f.Why)))
		}
	}, func(n int) { fmt.Fprintf(a.Out, "    … and %d more; --json lists all\n", n) })
	if s.Deleted.IsZero() {
		return
	}
	when := answer.Day(s.Deleted)
	if s.Deleted.Before(time.Now()) {
		when = "at its next start"
	}
	fmt.Fprintf(a.Out, "    Claude Code deletes it %s (cleanupPeriodDays)\n", when)
}

func printGuardSums(a *app.App, g *guard.Report, st terminal.Style) {
	unsafe, outputs, bytes := 0, 0, int64(0)
	for _, s := range g.Unsafe() {
		if s.Source != ingest.Memory {
			unsafe++
		}
	}
	for _, s := range g.Sessions {
		outputs += s.Outputs
		bytes += s.Bytes
	}
	color, mark := st.Green, "✓"
	if !g.Safe() {
		color, mark = st.Red, "✗"
	}
	fmt.Fprintf(a.Out, "%s%s %s there", color, mark, terminal.Line(g.Holds()))
	if n := g.Count(); n > 0 {
		fmt.Fprintf(a.Out, " (%s, %s): %d archived as they are now, %d not", terminal.Size(bytes),
			answer.Count(outputs, "output"), n-unsafe, unsafe)
	}
	fmt.Fprintln(a.Out, st.Reset)
	if what := g.Forgotten(); what != "" {
		fmt.Fprintf(a.Out, "  %s there was forgotten on purpose: recall keeps nothing of it\n", what)
	}
}

func printOther(a *app.App, o guard.OtherFiles) {
	if o.Count == 0 {
		return
	}
	fmt.Fprintf(a.Out, "  %s there that no session owns; recall keeps none of them:\n",
		answer.Count(o.Count, "other file"))
	terminal.Few(o.Groups, 8, func(group guard.FileGroup) {
		fmt.Fprintf(a.Out, "    %7d  %s\n", group.Count, terminal.Line(terminal.ShownPath(group.Path)))
	}, func(n int) { fmt.Fprintf(a.Out, "    … and %d more places; --json lists all\n", n) })
}

// GuardDoc is the JSON form of recall guard.
type GuardDoc struct {
	Safe bool `json:"safe"`
	guard.Report
}
