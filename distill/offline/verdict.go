package offline

import (
	"slices"

	"recall/internal/text"
	"recall/payload"
)

// settles reports whether a person rules on something in a passage: they refuse or correct what was said before, take
// one of some options, or change the course. What only asks doesn't.
func (p passage) settles() bool {
	if !p.user {
		return false
	}
	if first := p.run[0].text; p.replies() && !asks(first) {
		if _, _, ok := p.picked(); ok || text.Refuses(first) || p.declines() {
			return true
		}
	}
	return slices.ContainsFunc(p.run, func(s sentence) bool {
		return !asks(s.text) && s.cues.has(cueSettles)
	})
}

// nameRemoved has what a person ruled name the files that the assistant thereupon removed.
func (t *talk) nameRemoved(items []payload.Item, files []*touched) {
	for _, f := range files {
		if !f.deleted {
			continue
		}
		for i := range items {
			it := &items[i]
			whereupon := it.Kind == payload.Lead && it.By == payload.ByUser &&
				t.exchangeAt(it.First().N) == t.exchangeAt(f.turn.N)
			if whereupon && (text.Denies(it.Text) || text.SaysChanged(it.Text)) {
				if it.Rule != payload.RemovedRule {
					it.Rule, it.About = payload.RemovedRule, nil
				}
				it.About = append(it.About, f.path)
			}
		}
	}
}

// replies reports whether a passage is what a person first said to the assistant's message before it.
func (p passage) replies() bool { return p.user && p.reacts != nil && p.from() == p.parts[0].from }

// cueSettles are the cues of what a person settles, changes, rules out, puts off or warns of.
var cueSettles = cueOf("settle") | cueRuled | cueWarn | cueOf("later")

// picked returns the range of the line, of the message before, whose label a reply takes.
func (p passage) picked() (from, to int, ok bool) {
	if !p.replies() {
		return 0, 0, false
	}
	return text.Picked(p.reacts.text, p.run[0].text)
}
