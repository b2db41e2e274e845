package terminal

import (
	"fmt"
	"strings"

	"recall/answer"
)

// Markdown prints an answer to be pasted elsewhere.
func (p *Page) Markdown(a *answer.Answer) {
	p.Several = a.Several()
	results := a.Shown
	switch {
	case a.Verdict == answer.Nothing:
		fmt.Fprintf(p.W, "**Nothing decided about this that recall knows of.** Searched %s.\n", a.Searched)
		if len(results) > 0 && p.Nearest(results[0]) == "" {
			return
		}
	case a.Verdict == answer.Weak:
		fmt.Fprint(p.W, "Nothing that clearly answers this; nearest:\n")
	case len(a.Listed) > 0:
		fmt.Fprintf(p.W, "%s, newest first:\n", answer.Kinds(a.Listed))
	}
	if len(results) > 0 {
		fmt.Fprintln(p.W)
	}
	for _, r := range results {
		if r.Item == nil {
			fmt.Fprintf(p.W, "- %s: “%s” (%s, %s)\n", p.Speaker(r.Role == "assistant"), literal(p.Passage(r)),
				answer.Day(r.At), literal(p.Where(r.Place, r.Turn, false)))
			continue
		}
		it := answer.WithReason(*r.Item)
		fmt.Fprintf(p.W, "- **%s** — %s (%s)\n", literal(p.Sentence(it)), r.Standing(),
			literal(p.Where(r.Place, r.Turn, true)))
		p.mdLine("why: ", it.Why)
		p.mdLine("", p.Quote(it))
		for _, l := range r.History[:min(answer.PastShown, len(r.History))] {
			p.mdLine("was: ", p.Past(l.Placed))
		}
		for _, l := range r.Conflict {
			p.mdLine("in conflict with: ", p.Past(l.Placed))
		}
	}
}

func (p *Page) mdLine(name, text string) {
	if text = Line(text); text != "" {
		fmt.Fprintf(p.W, "  - %s\n", literal(name+text))
	}
}

// literal keeps text from being taken for Markdown's own signs.
func literal(s string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", "|",
		`\|`).Replace(Line(s))
}
