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

// outdone reports whether a passage lists options of which the person picked one by its label: that is shown with it.
func (p passage) outdone() bool {
	if p.answer == nil || len(p.answer.parts) == 0 {
		return false
	}
	from, to, picked := (passage{p.answer, p.answer.parts}).picked()
	return picked && slices.ContainsFunc(p.parts, func(s sentence) bool {
		return from <= s.from && s.from < to && s.listedWith(&p.run[0])
	})
}

// supposed returns what the assistant supposed in its message before, in the same exchange, if the passage rules it
// out.
func (p passage) supposed() []sentence {
	if p.reacts == nil {
		return nil
	}
	for i := range slices.Backward(p.reacts.parts) {
		if s := &p.reacts.parts[i]; !s.supposes() || p.reacts.foreign(s) {
			continue
		}
		if p.denies() {
			return p.reacts.parts[i : i+1]
		}
		break
	}
	return nil
}

// denies reports whether a passage rules out something: in so many words, or in any where a cause is searched for.
func (p passage) denies() bool {
	return slices.ContainsFunc(p.run, func(s sentence) bool {
		return s.cues.has(cueRuled) || p.suspects != nil && (denial().MatchString(s.text) || p.suspects.refutedBy(s))
	})
}

// refutedBy reports whether a sentence says "no" or "not" and names what a speech supposes or asks itself: "no leak",
// "it isn't a race".
func (sp *speech) refutedBy(s sentence) bool {
	if !negates().MatchString(s.text) {
		return false
	}
	words := keywords(s.text)
	return slices.ContainsFunc(sp.parts, func(o sentence) bool {
		return o.supposes() && !negates().MatchString(o.text) && keywords(o.text).Shared(words) > 0
	})
}

// supposes reports whether a sentence names what may be the cause, or asks for it.
func (s sentence) supposes() bool {
	return (s.cues.has(cueSuppose) || asks(s.text)) && !s.cues.has(cueNarrate)
}

var negates = text.Pattern(`(?i)\b(?:no|not|never|nor|none|nothing|nobody|cannot)\b|n['’]t\b`)

// denial matches what says of a supposed cause that it isn't one.
var denial = text.Pattern(`(?i)\b(?:is|was|are|were|it['’]s|that['’]s)(?:n['’]t| not) ` +
	`(?:the|it|that|related|caused|to blame)\b|` +
	`\bcan(?:['’]t|not) be (?:it|the)|^so no\b|\bnothing (?:there|wrong|odd|to do with)\b|\bI can exclude\b|` +
	`\b(?:theory|guess|suspicion|hypothesis|assumption)\b.* wrong\b|\b(?:no|any) difference\b|\bthe same\b|` +
	`\b(?:forget about|scratch|strike|drop(?:ped)?) (?:it|that|the)\b|\baside\b|` +
	`\bout of the (?:window|picture|question)\b|` +
	`\b(?:is|are|looks?|checks? out|works?|runs?|['’]s) (?:all |quite |therefore |off the )?` +
	`(?:fine|healthy|innocent|out|clean|good|ok|okay|correctly|excluded|impossible|table|hook|as it should)\b`)

// declines reports whether an answer says to leave what was just said as it is.
func (p passage) declines() bool { return text.LeavesIt(p.run[0].text) }
