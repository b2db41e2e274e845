package main

import (
	"fmt"
	"time"

	"recall/ingest"
	"recall/pipeline"
)

func (a *app) printGuard(g *pipeline.GuardReport) {
	st, w := styles(a.color), width(a.out)
	for _, at := range g.Paths {
		if at.Gone {
			sayLine(a.out, w, "", "  ", oneLine(shownPath(at.Path))+" isn't there")
		}
	}
	for _, d := range g.Dangers {
		mark, color := "·", st.dim
		if d.Blocks {
			mark, color = "!", st.red
		}
		sayLine(a.out, w, color+mark+" ", "  ", oneLine(shownPath(d.Path))+": "+dangerText(d)+st.reset)
	}
	for _, s := range g.Unsafe() {
		a.printUnsafe(s, st)
	}
	if !g.Missing() || len(g.Sessions) > 0 {
		a.printGuardSums(g, st)
	}
	a.printOther(g.Other)
	if len(g.Unsafe()) > 0 {
		fmt.Fprintln(a.out, "  "+g.WayOut())
	}
	a.printProblems(g.Problems)
}

func dangerText(d pipeline.Danger) string {
	switch d.Kind {
	case pipeline.DangerLibrary:
		return "recall's library itself: with it goes all that it keeps (recall backup makes a copy elsewhere)"
	case pipeline.DangerOther:
		return "a library or a backup of one: what it keeps may be nowhere else (recall import takes it over)"
	case pipeline.DangerVM:
		return "disks of Cowork's virtual machines: what sessions left on them can't be seen from here (recall cleanup saves it from inside; --vm lets it go)"
	case pipeline.DangerTooMuch:
		return "too many files to look through in time; name the folders below it that are meant"
	case pipeline.DangerLoose:
		return "belongs to a session and can't be taken in, so it is nowhere else"
	case pipeline.DangerUnread:
		return "it can't be looked into, so what is there may be nowhere else"
	}
	return "where sessions are kept"
}

func (a *app) printUnsafe(s pipeline.GuardSession, st style) {
	fmt.Fprintf(a.out, "%s✗ %s  %s%s: %d of %s only there\n", st.red, shortID(s.ID), clip(oneLine(s.Name()), min(60, width(a.out)-32)), st.reset, len(s.AtRisk), count(s.Files, "file"))
	const most = 3
	for i, f := range s.AtRisk {
		if i == most {
			fmt.Fprintf(a.out, "    … and %d more; --json lists all\n", len(s.AtRisk)-most)
			break
		}
		fmt.Fprintf(a.out, "    %-12s %9s  %s\n", f.State, size(f.Size), oneLine(shownPath(f.Path)))
		if f.Why != "" {
			fmt.Fprintf(a.out, "    %s\n", oneLine(shownPath(f.Why)))
		}
	}
	if s.Deleted.IsZero() {
		return
	}
	when := day(s.Deleted)
	if s.Deleted.Before(time.Now()) {
		when = "at its next start"
	}
	fmt.Fprintf(a.out, "    Claude Code deletes it %s (cleanupPeriodDays)\n", when)
}

func (a *app) printGuardSums(g *pipeline.GuardReport, st style) {
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
	color, mark := st.green, "✓"
	if !g.Safe() {
		color, mark = st.red, "✗"
	}
	fmt.Fprintf(a.out, "%s%s %s there", color, mark, oneLine(g.Holds()))
	if n := g.Count(); n > 0 {
		fmt.Fprintf(a.out, " (%s, %s): %d archived as they are now, %d not", size(bytes), count(outputs, "output"), n-unsafe, unsafe)
	}
	fmt.Fprintln(a.out, st.reset)
	if what := g.Forgotten(); what != "" {
		fmt.Fprintf(a.out, "  %s there was forgotten on purpose: recall keeps nothing of it\n", what)
	}
}

func (a *app) printOther(o pipeline.OtherFiles) {
	if o.Count == 0 {
		return
	}
	fmt.Fprintf(a.out, "  %s there that no session owns; recall keeps none of them:\n", count(o.Count, "other file"))
	const most = 8
	for i, group := range o.Groups {
		if i == most {
			fmt.Fprintf(a.out, "    … and %d more places; --json lists all\n", len(o.Groups)-most)
			break
		}
		fmt.Fprintf(a.out, "    %7d  %s\n", group.Count, oneLine(shownPath(group.Path)))
	}
}

// guardDoc is the JSON form of recall guard.
type guardDoc struct {
	Safe bool `json:"safe"`
	pipeline.GuardReport
}
