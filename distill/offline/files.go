package offline

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"recall/distill"
	"recall/ingest"
	"recall/internal/text"
	"recall/payload"
)

// maxFiles limits the files that a session yields, maxRead those that it only read.
const maxFiles, maxRead = 8, 5

// files lists the files that the work was about, with their state at the end: those that were written, were to be, are
// off limits or were shown as a result, those written most first. If there is none, it lists those that were read.
func files(t *talk, all []*touched) []payload.Item {
	var keep []*touched
	most := maxFiles
	onlyRead := !slices.ContainsFunc(all, func(f *touched) bool { return f.edits > 0 || f.refused > 0 })
	if onlyRead {
		most = maxRead
	}
	for _, f := range all {
		if f.allowed() {
			f.offLimit = nil
		}
		inPlay := f.edits > 0 || f.refused > 0 || f.shown || f.offLimit != nil || f.state != nil
		if inPlay || onlyRead && f.reads > 0 {
			keep = append(keep, f)
		}
	}
	slices.SortStableFunc(keep, func(a, b *touched) int { return cmp.Compare(b.weight(), a.weight()) })
	var out []payload.Item
	for _, f := range keep[:min(most, len(keep))] {
		out = append(out, f.item(t))
	}
	return out
}

// weight is higher the more a file was worked on and spoken of.
func (f *touched) weight() int {
	n := 2*f.edits + 2*f.mentions + 2*f.typed
	if f.created {
		n += 4
	}
	if f.shown || f.offLimit != nil {
		n += 1000
	}
	return n
}

// onlyRead returns the files that were read, not changed as far as can be seen, and that no item is about, most read
// first.
func onlyRead(all []*touched, items []payload.Item) (paths []string) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b *touched) int { return b.reads - a.reads })
	for _, f := range all {
		if f.reads > 0 && f.edits == 0 && !f.deleted {
			paths = append(paths, f.path)
		}
	}
	paths = payload.Unchanged(paths, &payload.Payload{Items: items})
	return paths[:min(maxRead, len(paths))]
}

func looksLikeFolder(w string) bool {
	return strings.HasSuffix(w, "/") && len(w) > 1 && !strings.HasPrefix(w, "http") && !strings.ContainsAny(w, "`<>|*")
}

func (t *talk) exchangeAt(n int) int {
	i, found := slices.BinarySearchFunc(t.speeches, n, func(sp *speech, n int) int { return sp.turn.N - n })
	switch {
	case found:
		return t.speeches[i].exchange
	case i > 0:
		return t.speeches[i-1].exchange
	}
	return 0
}

// ofFile reports whether a list item or table row is about the file: it begins with its name, perhaps after a number.
func ofFile(s *sentence, base string) bool {
	i := strings.Index(s.text, base)
	return (s.block == listItem || s.block == row) && i >= 0 && i < 60 &&
		!strings.Contains(rowNumber().ReplaceAllString(s.text[:i], ""), " ")
}

var rowNumber = text.Pattern(`^\W*[0-9]+\W* · `)

// nameSeparator matches the separator between a file's name and what is said about it.
var nameSeparator = text.Pattern("^[`*]*(?: ?[—–:·-])? +")

// otherNames matches what follows a file's name if other files are named with it.
var otherNames = text.Pattern("^(?:[,/&+]|and\\b|or\\b|und\\b|oder\\b) *")

// reported reports whether something was said about a file that still is as it was then, or was only edited since.
func (f *touched) reported() bool {
	return f.said != nil && !f.deleted && !f.back
}

// item says what became of the file: it quotes a report's sentence about it if it wasn't written since, or else says
// what was done.
func (f *touched) item(t *talk) payload.Item {
	if off, s := f.offLimit, f.offPart; off != nil {
		it := recorded(payload.File, "file-hands-off", payload.ByUser, off.turn, inQuotes(s.text), off.text[s.from:s.to])
		it.Path, it.Status = f.path, payload.FileOffLimits
		return it
	}
	it := payload.Item{Kind: payload.File, Path: f.path, Maker: payload.ByRule, State: payload.Stands,
		By: payload.ByAssistant, Rule: "file-work"}
	if f.turn != nil {
		it.At = f.turn.At
	}
	it.Status = f.status(t)
	quote := func(sp *speech, s *sentence, words string) {
		if it.At.IsZero() {
			it.At = sp.turn.At
		}
		it.By, it.Text, it.Evidence = sp.by(), inQuotes(words), []payload.Evidence{cite(sp.turn, sp.text, s.from, s.to)}
	}
	it.Text = f.describe()
	if f.shown {
		it.Rule = distill.ShownRule
	}
	if f.fleeting && !f.deleted && (!f.created || f.called == "") { // else the transcript has what was written
		it.Why = distill.Fleeting
	}
	switch s := f.said; {
	case f.edits == 0 && f.refusal != nil:
		said := text.Clip(text.OneLine(f.refusal.Quote), payload.MaxOtherPassage)
		it.Text, it.Evidence = "Not changed: "+inQuotes(said), []payload.Evidence{*f.refusal}
	case f.state != nil && f.state.state == it.Status:
		quote(f.state.by, f.state.in, f.state.in.text)
	case f.reported() && ofFile(s, f.base) && !announces(s.text):
		_, rest, _ := strings.Cut(s.text, f.base)
		words := nameSeparator().ReplaceAllString(rest, "")
		since := f.edits > 0 && f.saidBy.turn.N < f.turn.N
		over := since && alreadySo().MatchString(words) // "no changes needed", which then were made
		if len(strings.Fields(words)) >= 3 && !distill.NeedsContext(words) && !over {
			if words == rest || otherNames().MatchString(words) { // not about the file as a whole
				words = s.text
			}
			quote(f.saidBy, s, words)
			if since {
				it.Text += "; edited since."
			}
		}
	}
	if f.turn != nil && (len(it.Evidence) == 0 || it.Evidence[0].Turn != string(f.turn.ID)) {
		if by := f.shownBy(t.session.Source == ingest.Cowork); by != "" {
			it.Evidence = append(it.Evidence, payload.Evidence{Turn: string(f.turn.ID), N: f.turn.N, Quote: by})
		}
	}
	return it
}

// shownBy returns what a call of the turn that last changed the file says of it: its name; else the line of a command
// that names it, what a sub-agent was to do, or the command that changed it with others. What is gone isn't in play,
// nor what only such a command read or put back, or moved among a person's folders, which are told as such.
func (f *touched) shownBy(byFolder bool) (by string) {
	if f.deleted {
		return ""
	}
	named, agent := "", ""
	for i := range f.turn.Calls {
		c := &f.turn.Calls[i]
		switch {
		case f.called != "" && len(f.called) <= distill.MaxQuote && strings.Contains(c.With(), f.called):
			return f.called
		case f.edits == 0 || f.writes == 0 && (f.back || byFolder):
			continue
		case c.Name == "Task" || c.Name == "Agent":
			agent = cmp.Or(agent, clip(c.Telling()))
		}
		for line := range strings.Lines(c.Command) {
			if by = cmp.Or(by, clip(line)); named == "" && strings.Contains(line, f.base) {
				named = clip(line)
			}
		}
	}
	return cmp.Or(named, agent, by)
}

// describe describes what was done to the file, for when no report speaks of it.
func (f *touched) describe() string {
	written := "Edited."
	switch {
	case f.created && f.writes == 1:
		written = "New."
	case f.created:
		written = "New, then edited."
	}
	switch {
	case f.deleted:
		return "Deleted."
	case f.back && f.writes == 0:
		return "Put back."
	case f.back:
		return strings.TrimSuffix(written, ".") + ", then put back."
	case f.was != "" && f.created:
		return "New as " + f.formerName() + ", then renamed."
	case f.was != "":
		return "Renamed from " + f.formerName() + "."
	case f.isCommitted() && f.created:
		return "New."
	case f.isCommitted():
		return ""
	case f.since && written == "New.":
		return "New since the last commit."
	case f.since:
		return "Edited since the last commit."
	case f.edits > 0:
		return written
	case f.shown:
		return "Shown to the person as a result."
	case f.refused > 0 && !f.unseen:
		return "Not changed: the edit was refused."
	case f.refused > 0:
		return "An edit was refused; a command or sub-agent may have changed it."
	case f.unseen:
		return "Read; a command or sub-agent may have changed it."
	}
	return "Read."
}

// formerName returns a renamed file's first name, with its folder if that was another.
func (f *touched) formerName() string {
	if path.Dir(f.was) == path.Dir(f.path) {
		return path.Base(f.was)
	}
	return f.was
}

// inQuotes marks words in the item of a file or folder as somebody's own.
func inQuotes(text string) string { return "“" + text + "”" }

// isCommitted reports whether a commit has the file as it was last written, or put back.
func (f *touched) isCommitted() bool {
	return f.edits > 0 && f.committed > 0 && max(f.committed, f.restored) >= f.turn.N
}

// status is the file's state at the end: in progress if a report says so, or if no commit was made or begun since it
// was written, though one was before or the last exchange broke off after that; done if it is committed or a report
// says so; untouched if it was only read and nothing may have changed it unseen.
func (f *touched) status(t *talk) string {
	unsure := f.shown || f.unseen
	switch {
	case f.deleted, f.back, f.edits == 0 && f.state == nil && unsure:
		return ""
	case f.edits == 0:
		return payload.FileUntouched
	case f.state != nil && f.state.state != payload.FileDone:
		return f.state.state
	case f.isCommitted():
		return payload.FileDone
	case !t.closed() && f.turn.N >= t.session.Turns[0].N && f.turn.N > t.committed &&
		t.exchangeAt(f.turn.N) == t.n-1:
		return payload.FileProgress
	case f.state != nil:
		return payload.FileDone
	case f.since && f.turn.N > t.committed:
		return payload.FileProgress
	}
	return ""
}
