package offline

import (
	"slices"
	"strings"

	"recall/distill/offline/cue"
	"recall/payload"
)

// A short typed answer often takes all it says from the message before it: "2",
// "the second one", "ok indexeddb then", "block yes, override no". Here such an
// answer and the course that it takes become one decision.

const (
	longestReply = 420 // of an answer, in bytes
	farthest     = 3   // how many closing messages back a choice may have been offered
)

// replied makes decisions of short answers that take what was offered.
func replied(t *talk) []payload.Item {
	var out []payload.Item
	for i, sp := range t.speeches {
		if !sp.user || sp.refused != nil || len(sp.text) > longestReply || len(sp.parts) == 0 || len(sp.parts) > 12 {
			continue
		}
		r := &reply{sp: sp, to: answeredBy(t, i)}
		if r.to == nil {
			continue
		}
		r.both = bothOf.MatchString(agreeing.ReplaceAllString(sp.parts[0].Text, ""))
		r.at = slices.Index(t.speeches[:i], r.to)
		for j := range sp.parts {
			if s := &sp.parts[j]; !sp.foreign(s) && !s.Pasted && len(s.Text) < 300 {
				r.read(t, s)
			}
		}
		r.byYes()
		out = append(out, r.points()...)
	}
	return out
}

// answeredBy is the message that the i-th speech answers: the closing one before
// it, also where the person has said something since.
func answeredBy(t *talk, i int) *speech {
	for j := i; j >= max(0, i-1); j-- {
		if sp := t.speeches[j]; !sp.user {
			return nil
		} else if sp.reacts != nil {
			return sp.reacts
		}
	}
	return nil
}

// A reply is a typed answer while it is read.
type reply struct {
	sp    *speech
	to    *speech // the message it answers
	at    int     // place among the speeches from which on closing has looked
	back  []*speech
	items []payload.Item
	taken []*offer
	both  bool // it takes all that was offered
}

// closing is the n-th closing message back, 0 the one answered; nil if there is none.
func (r *reply) closing(t *talk, n int) *speech {
	for len(r.back) <= n {
		if len(r.back) == 0 {
			r.back = append(r.back, r.to)
			continue
		}
		var sp *speech
		for ; r.at > 0 && sp == nil; r.at-- {
			if before := t.speeches[r.at-1]; before.closing {
				sp = before
			}
		}
		r.back = append(r.back, sp)
	}
	return r.back[n]
}

// offered are the choices that the n-th closing message back offers.
func (r *reply) offered(t *talk, n int) []offering {
	if sp := r.closing(t, n); sp != nil {
		return offeringsOf(sp)
	}
	return nil
}

// read takes from one sentence of the answer what it chooses.
func (r *reply) read(t *talk, s *sentence) {
	if s.chosen || s.Block == quoted || strings.HasSuffix(strings.TrimSpace(s.Raw), "?") || ownPoint.MatchString(s.Text) {
		return
	}
	if len(s.Text) > 60 && r.repeats(s) {
		return // the message's own words, put in to speak of them
	}
	if r.byLabel(t, s) || r.byVerdict(s) || r.byValue(s) {
		return
	}
	if len(r.taken) == 0 && len(s.keys()) >= 5 && spokenBy[person].set.MatchString(strings.ReplaceAll(s.Text, "’", "'")) {
		return // it says in full what is decided
	}
	h := headOf(s)
	h.opens = r.opens(s)
	if noInstead.MatchString(s.Text) || s.Index > 0 && noInstead.MatchString(r.sp.parts[0].Text) {
		return // what was proposed is refused, and this tells why
	}
	if n := fields(h.words, 7); n > 0 && n < 7 && (h.opens || h.strong) && r.byName(t, s, h) {
		return
	}
	r.byAnswer(s)
}

// noInstead matches a refusal that names another value at once: "no wait, 15".
var noInstead = cue.One(`(?i)^(?:no|nope|nah)\b(?:,? (?:wait|actually|sorry|make it|rather|better))*[,.]? \d`)

// bareHeading matches a heading that doesn't say what its list is about.
var bareHeading = cue.One(`(?i)^(?:(?:the |my |some |possible |realistic |two |three )*(?:options?|choices|proposals?|candidates|ways|ideas?|possible|plan|alternatives?|layout|summary|changes|done))$`)

// repeats tells whether a sentence is one of the message's, marks aside.
func (r *reply) repeats(s *sentence) bool {
	bare := strings.ReplaceAll(s.Text, "`", "")
	for i := range r.to.parts {
		if strings.Contains(strings.ReplaceAll(r.to.parts[i].Text, "`", ""), bare) {
			return true
		}
	}
	return false
}

// opens tells whether an answer opens with a sentence, but for a yes or a
// refusal of something else before it.
func (r *reply) opens(s *sentence) bool {
	for i := range s.Index {
		p := &r.sp.parts[i]
		t := agreeing.ReplaceAllString(p.Text, "")
		if strings.Trim(t, " .,!") != "" && !opensNo.MatchString(strings.ToLower(p.Text)) {
			return false
		}
	}
	return true
}

// another matches what goes on to another matter.
var another = cue.One(`(?i)^(?:and )?(?:for the|also|as for|oh|btw|by the way|another|then for|about)\b`)

// goesOn is what an answer says after a sentence that only takes something:
// "second. with the compare."
func (r *reply) goesOn(s *sentence) string {
	if s.Index+1 >= len(r.sp.parts) {
		return ""
	}
	next := &r.sp.parts[s.Index+1]
	if strings.HasSuffix(strings.TrimSpace(next.Raw), "?") || next.Pasted || len(next.Text) > 120 || asksOn.MatchString(next.Text) || another.MatchString(next.Text) || labelled.MatchString(next.Text) || verdict.MatchString(strings.TrimRight(next.Text, ".! ")) || ownRule.MatchString(next.Text) {
		return ""
	}
	if h := headOf(next); h.strong {
		return ""
	}
	next.chosen = true
	return next.Text
}

// points are the items of the answer. What it took side by side isn't what lost.
func (r *reply) points() []payload.Item {
	took := map[string]bool{}
	for _, o := range r.taken {
		took[o.title()] = true
	}
	for i := range r.items {
		it := &r.items[i]
		if r.both || slices.ContainsFunc(it.Alternatives, func(a string) bool { return took[a] }) {
			it.Alternatives = nil // points to agree to, not courses to choose from
		}
	}
	return r.items
}
