package main

import (
	"fmt"

	"recall/ingest"
)

func (a *app) printWhy(doc whyDoc) {
	st, w := styles(a.color), width(a.out)
	p := page{w: a.out, st: st, width: w}
	fmt.Fprintf(a.out, "%s%s:%d%s  %s\n", st.bold, oneLine(doc.File), doc.Line, st.reset, clip(oneLine(doc.Text), max(30, w-40)))
	if c := doc.Commit; c != nil {
		fmt.Fprintf(a.out, "commit %s  %s  %s  %s\n", c.Hash[:10], c.At.Local().Format("2006-01-02 15:04"), clip(oneLine(c.Author), 30), clip(oneLine(c.Subject), max(30, w-60)))
	}
	if doc.Note != "" {
		fmt.Fprintf(a.out, "%s: %s.\n", map[bool]string{true: "Can't tell", false: "Note"}[len(doc.Sessions) == 0], doc.Note)
	}
	if doc.Verdict == "several" {
		fmt.Fprintf(a.out, "Any of %d sessions may be meant:\n", len(doc.Sessions))
	}
	for _, s := range doc.Sessions {
		fmt.Fprintf(a.out, "%s\n", s.line(w))
		fmt.Fprintf(a.out, "  %s%s%s\n", st.dim, linkedBy(s), st.reset)
		if s.Asked != "" {
			p.wrapped("  asked ", "        ", "“"+clip(oneLine(s.Asked), 240)+"”", "")
		}
		if s.Said != "" {
			p.wrapped("  said  ", "        ", "“"+clip(oneLine(s.Said), 240)+"”", "")
		}
		for _, it := range s.Items {
			p.item(it)
		}
		if len(s.Items) == 0 {
			fmt.Fprintf(a.out, "  Nothing that was decided there speaks of this line or file.\n")
		}
		fmt.Fprintf(a.out, "  recall show %s --transcript, turn %d\n", shortID(ingest.SessionID(s.Session)), s.Turn)
	}
}

// linkedBy says how sure it is that the session is behind the line.
func linkedBy(s whySession) string {
	wrote := "; the commit, turn %d"
	if s.Wrote {
		wrote = "; it wrote the line in turn %d"
	}
	how := map[string]string{
		"hash":             "it made this commit",
		"time and message": "it made a commit of this message at that time",
		"text":             "it made no such commit, but wrote this text",
	}[s.By]
	return fmt.Sprintf(how+wrote, s.Turn)
}
