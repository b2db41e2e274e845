package ask

import (
	"fmt"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
	"recall/ingest"
	txt "recall/text"
)

func printWhy(a *app.App, doc WhyDoc) {
	st, w := terminal.Styles(a.Color), terminal.Width(a.Out)
	p := a.Page()
	fmt.Fprintf(a.Out, "%s%s:%d%s  %s\n", st.Bold, terminal.Line(doc.File), doc.Line, st.Reset,
		txt.Clip(terminal.Line(doc.Text), max(30, w-40)))
	if c := doc.Commit; c != nil {
		fmt.Fprintf(a.Out, "commit %s  %s  %s  %s\n", c.Hash[:10], c.At.Local().Format("2006-01-02 15:04"),
			txt.Clip(terminal.Line(c.Author), 30), txt.Clip(terminal.Line(c.Subject), max(30, w-60)))
	}
	if doc.Note != "" {
		fmt.Fprintf(a.Out, "%s: %s.\n", map[bool]string{true: "Can't tell", false: "Note"}[len(doc.Sessions) == 0],
			doc.Note)
	}
	if doc.Verdict == "several" {
		fmt.Fprintf(a.Out, "Any of %d sessions may be meant:\n", len(doc.Sessions))
	}
	for _, s := range doc.Sessions {
		fmt.Fprintf(a.Out, "%s\n", s.Line(w))
		fmt.Fprintf(a.Out, "  %s%s%s\n", st.Dim, linkedBy(s), st.Reset)
		if s.Asked != "" {
			p.Wrapped("  asked ", "        ", "“"+txt.Clip(terminal.Line(s.Asked), 240)+"”", "")
		}
		if s.Said != "" {
			p.Wrapped("  said  ", "        ", "“"+txt.Clip(terminal.Line(s.Said), 240)+"”", "")
		}
		for _, it := range s.Items {
			printItem(&p, it)
		}
		if len(s.Items) == 0 {
			fmt.Fprintf(a.Out, "  Nothing that was decided there speaks of this line or file.\n")
		}
		fmt.Fprintf(a.Out, "  recall show %s --transcript, turn %d\n", answer.ShortID(ingest.SessionID(s.Session)),
			s.Turn)
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
