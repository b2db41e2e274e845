package notes

import (
	"path"
	"slices"
	"strings"

	"recall/ingest/trace"
	"recall/internal/text"
	"recall/payload"
)

var (
	finished = text.Pattern(`(?i)\b(?:done|completed?|finished|ready|implemented|written|tested|works|in place|fixed|` +
		`moved|pass(?:es|ed)?|fertig|erledigt)\b|[✅☑✔✓]`)
	unfinished = text.Pattern(`(?i)\b(?:not|never|stub\w*|skeleton|missing|half|partial\w*|only|so far|yet|to ?do|` +
		`fail\w*|in progress|wip|unfinished|nicht|noch|fehlt)\b|n['’]t\b`)
	leftAlone = text.Pattern(`(?i)\b(?:not|no|never|leave|left|hands off|alone|stays?|keep|untouched|until|wait|lass|` +
		`nicht)\b|n['’]t\b|off[- ]limits`)
)

// ofFile lists the passages that may say how far a file is, the latest first: those that name it, then those that
// report a result.
func (p *passages) ofFile(file string) []string {
	var names, reports []string
	for _, s := range slices.Backward(p.list) {
		switch {
		case strings.Contains(s.text, path.Base(file)):
			names = append(names, s.text)
		case !s.own && finished().MatchString(s.text):
			reports = append(reports, s.text)
		}
	}
	return slices.Concat(names, reports[:min(len(reports), maxTried)])
}

// bearsState reports whether a place says of a file that it is as far as a draft has it: in a sentence that names the
// file or, for one that is done, in a report on work that changed it, unless the last sentence that names it says that
// it isn't finished.
func (g *grounds) bearsState(n *payload.Note, p standing) bool {
	base := path.Base(n.Path)
	names := strings.Contains(p.quote, base)
	last := g.lastChange(base)
	switch n.Status {
	case payload.FileDone:
		names = names || p.by == payload.ByAssistant && last >= 0 && last <= p.turn
		return names && finished().MatchString(p.quote) && !unfinished().MatchString(p.quote) && !g.unfinished(base)
	case payload.FileProgress:
		return names && unfinished().MatchString(p.quote)
	case payload.FileUntouched, payload.FileOffLimits:
		return names && last < 0 && (leftAlone().MatchString(p.quote) || g.isToldToLeave(p))
	}
	return names
}

// isToldToLeave reports whether the person says to leave the file that a message names last.
func (g *grounds) isToldToLeave(p standing) bool {
	reply := g.next(p.turn)
	if p.by != payload.ByAssistant || reply == nil || !g.isLast(p.turn) || !leftAlone().MatchString(reply.OwnText()) {
		return false
	}
	_, after, _ := strings.Cut(g.s.Turns[p.turn].OwnText(), p.quote)
	return !slices.ContainsFunc(strings.Fields(after), func(w string) bool {
		return trace.LooksLikePath(strings.Trim(w, "`,.:;()"))
	})
}

// lastChange returns the place of the last turn that wrote a file, -1 if none did.
func (g *grounds) lastChange(base string) int {
	last := -1
	for i := range g.s.Turns {
		for k := range g.s.Turns[i].Calls {
			if c := &g.s.Turns[i].Calls[k]; path.Base(c.Path) == base && len(c.Replaced()) > 0 && c.Worked() {
				last = i
			}
		}
	}
	return last
}

// unfinished reports whether the last sentence that names a file says that it isn't finished.
func (g *grounds) unfinished(base string) (is bool) {
	for i := range g.s.Turns {
		t := &g.s.Turns[i]
		if t.Aside() || !strings.Contains(t.Text, base) {
			continue
		}
		for _, s := range text.Sentences(text.OneLine(t.OwnText()), true) {
			if strings.Contains(s, base) {
				is = unfinished().MatchString(s) && !finished().MatchString(s)
			}
		}
	}
	return is
}
