package ingest

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// Describe writes what a parser got out of a session, as plain text.
func Describe(w io.Writer, s *Session) error { return Inspect(s).Write(w) }

// Write writes an inspection as plain text.
func (in Inspection) Write(w io.Writer) error {
	d := describer{bufio.NewWriter(w)}
	d.head(&in)
	d.turns(in.Turns)
	d.extras(&in)
	d.report(&in.Report)
	return d.Flush()
}

type describer struct{ *bufio.Writer }

func (d describer) printf(format string, args ...any) { fmt.Fprintf(d, format, args...) }

// row writes a name and what belongs to it, if there is anything.
func (d describer) row(name string, parts ...string) {
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	if len(parts) > 0 {
		d.printf("  %-9s %s\n", name, strings.Join(parts, " · "))
	}
}

func (d describer) head(in *Inspection) {
	d.printf("%s:%s\n", in.Source, in.ID)
	title := in.Title
	if title != "" {
		title = fmt.Sprintf("%s  (from %s)", title, in.TitleFrom)
	}
	d.row("title", title)
	d.row("flags", strings.Join(in.Flags, ", "))
	d.row("when", span(in.Start, in.End))
	d.where(in)
	d.row("client", strings.Join(in.Versions, ", "))
	d.row("model", strings.Join(in.Models, ", "))
	d.row("also", joined(in.Aliases))
	if p := in.Parent; p != nil {
		d.row("parent", fmt.Sprintf("%s (%s, %s copied)", p.Session, p.How, counted(p.Turns, "turn")))
	}
	d.row("goes on", string(in.Continued))
	d.counts(&in.Counts)
	d.row("tokens", tokens(in.Usage))
	if in.UsageAll != in.Usage {
		d.row("in file", tokens(in.UsageAll))
	}
	if in.Cost > 0 {
		d.row("cost", fmt.Sprintf("$%.2f", in.Cost))
	}
}

func joined[T ~string](list []T) string {
	var out []string
	for _, s := range list {
		out = append(out, string(s))
	}
	return strings.Join(out, ", ")
}

func (d describer) where(in *Inspection) {
	for i, c := range in.Dirs {
		name := ""
		if i == 0 {
			name = "where"
		}
		d.row(name, c.Dir, counted(c.Turns, "turn"))
	}
	d.row("branch", strings.Join(in.Branches, ", "))
	if in.Worktree != "" {
		d.row("worktree", in.Worktree, "of "+in.Original)
	}
	d.row("folders", strings.Join(in.Folders, ", "))
	d.row("space", in.Space)
}

func (d describer) counts(c *Counts) {
	with := func(n, abandoned int, noun string) string {
		s := counted(n, noun)
		if abandoned > 0 {
			s += fmt.Sprintf(" (+%d abandoned)", abandoned)
		}
		return s
	}
	some := func(n int, noun string) string {
		if n == 0 {
			return ""
		}
		return counted(n, noun)
	}
	kind := func(n int, what string) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprintf("%d %s", n, what)
	}
	d.row("turns", with(c.Prompts, c.PromptsAbandoned, "prompt"), with(c.Messages, c.MessagesAbandoned, "message"),
		some(c.Commands, "command"), some(c.Interrupts, "interrupt"), kind(c.Copied, "copied"),
		some(c.Branches, "abandoned branch"))
	d.row("calls", counted(c.Calls, "call"), kind(c.Failed, "failed"), kind(c.Rejected, "rejected"),
		kind(c.Denied, "denied"),
		kind(c.Approved, "approved"), some(c.Answers, "answer"), some(c.Plans, "plan"), some(c.Commits, "commit"),
		kind(c.Unanswered, "without result"))
}

func tokens(u Usage) string {
	if u == (Usage{}) {
		return ""
	}
	return fmt.Sprintf("%s in · %s out · %s written to cache · %s read from it",
		thousands(u.Input), thousands(u.Output), thousands(u.CacheWrite), thousands(u.CacheRead))
}

const clock = "2006-01-02 15:04:05"

func span(from, to time.Time) string {
	switch {
	case from.IsZero() && to.IsZero():
		return ""
	case from.Equal(to) || to.IsZero():
		return from.UTC().Format(clock) + " UTC"
	}
	return from.UTC().Format(clock) + " to " + to.UTC().Format(clock) + " UTC"
}

// turns writes a turn a line, and its calls below it. A ~ marks what isn't
// part of the conversation as it was left.
func (d describer) turns(turns []InspectedTurn) {
	if len(turns) == 0 {
		return
	}
	d.printf("\n")
	for _, t := range turns {
		mark, at := " ", ""
		if slices.Contains(t.Flags, "abandoned") {
			mark = "~"
		}
		if !t.At.IsZero() {
			at = t.At.UTC().Format("15:04:05")
		}
		text := t.Text
		if t.Name != "" {
			text = strings.TrimSpace(t.Name + " " + text)
		}
		if len(t.Flags) > 0 {
			text = strings.TrimSpace(text + "  [" + strings.Join(t.Flags, ", ") + "]")
		}
		d.printf("%s", strings.TrimRight(fmt.Sprintf("%s%4d  %-9s  %8s  %s", mark, t.N, t.Kind, at, text), " ")+"\n")
		for _, c := range t.Calls {
			d.call(c)
		}
	}
}

func (d describer) call(c InspectedCall) {
	state := c.State
	if c.Verdict != Unasked {
		state = string(c.Verdict)
	}
	if c.Reason != "" {
		state += ": " + c.Reason
	}
	d.printf("%17s %s  → %s\n", "", strings.TrimSpace(c.Tool+" "+c.What), state)
	below := func(format string, args ...any) { d.printf("%19s %s\n", "", fmt.Sprintf(format, args...)) }
	for _, a := range c.Answers {
		note := ""
		if a.Free {
			note = " (own words)"
		}
		if a.Notes != "" {
			note += " (note: " + a.Notes + ")"
		}
		below("%s → %s%s", a.Question, oneLine(strings.Join(a.Chosen, ", ")), note)
	}
	if c.Plan != "" {
		below("plan: %s", c.Plan)
	}
	if c.Commit != "" {
		below("commit %s", c.Commit)
	}
}

func (d describer) extras(in *Inspection) {
	if len(in.Compactions)+len(in.Tasks)+len(in.Subagents)+len(in.PRs)+len(in.PlanFiles)+len(in.Uploads)+len(in.Outputs) == 0 {
		return
	}
	d.printf("\n")
	for _, c := range in.Compactions {
		size := "from " + thousands(c.Before)
		switch {
		case c.Before <= 0:
			size = ""
		case c.After > 0:
			size = thousands(c.Before) + " → " + thousands(c.After)
		}
		if size != "" {
			size += " tokens"
		}
		wish := ""
		if c.Wish != "" {
			wish = "keep: " + c.Wish
		}
		d.row("compacted", c.Trigger, size, fmt.Sprintf("line %d", c.Line), wish)
	}
	for _, t := range in.Tasks {
		d.row("task", "#"+t.ID, t.Status, t.Subject)
	}
	for _, a := range in.Subagents {
		d.row("sub-agent", a.ID, a.Type, a.Description, counted(a.Turns, "turn"))
	}
	for _, p := range in.PRs {
		d.row("PR", p)
	}
	d.row("plans", in.PlanFiles...)
	for _, f := range in.Uploads {
		d.row("upload", f.Name, counted(int(f.Size), "byte"))
	}
	for _, f := range in.Outputs {
		d.row("output", f.Name, counted(int(f.Size), "byte"))
	}
}

// report accounts for the lines.
func (d describer) report(r *Report) {
	d.printf("\n")
	kind := func(n int, what string) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprintf("%s %s", thousands(int64(n)), what)
	}
	d.row("files", counted(r.Files, "file"), counted(int(r.Bytes), "byte"))
	d.row("lines", counted(r.Lines, "line"), counted(r.Records, "record"), kind(r.Duplicates, "repeated"),
		kind(r.Blank, "blank"),
		kind(r.SkippedTotal, "skipped"), kind(r.Repaired, "parents mended"))
	d.row("ignored", byName(r.Ignored))
	d.row("unknown", byName(r.Unknown))
	if r.Newer != "" {
		d.row("newer", "client "+r.Newer+" is newer than any this version of recall was tried with")
	}
	for _, c := range r.Conflicts {
		d.row("note", oneLine(c))
	}
	for _, s := range r.Skipped {
		d.row("skipped", placed(s), s.Reason)
	}
	if more := r.SkippedTotal - len(r.Skipped); more > 0 {
		d.row("skipped", counted(more, "more line"))
	}
	if r.Tail != nil {
		d.row("waiting", placed(*r.Tail), r.Tail.Reason)
	}
}

func placed(s Skip) string {
	return fmt.Sprintf("%s:%d (byte %s)", s.File, s.Line, thousands(s.Offset))
}

// byName lists counts, the highest first.
func byName(m map[string]int) string {
	names := slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		if m[a] != m[b] {
			return m[b] - m[a]
		}
		return strings.Compare(a, b)
	})
	var out []string
	for _, n := range names {
		if m[n] > 0 {
			out = append(out, fmt.Sprintf("%s %d", oneLine(n), m[n]))
		}
	}
	return strings.Join(out, ", ")
}
