package offline

import (
	"strings"

	"recall/distill/offline/cue"
)

// wantsAnswer matches a question that its answer makes one sentence of, where that
// opens with a word of place, time or manner (see statement).
var wantsAnswer = cue.One(`(?i)^(?:(?:and|so|next|then|now|also)[,:]? )*(?:where|when|how|which|what) (?:do|does|did|should|shall|can|will|would|may|must)\b`)

// byAnswer makes one sentence of a question that a message asks and of the words
// that answer it.
func (r *reply) byAnswer(s *sentence) bool {
	if !r.opens(s) || len(s.Text) > 120 || few(s.Text, 2) < 2 {
		return false
	}
	q := r.question()
	if q == nil {
		return false
	}
	choice := agreeing.ReplaceAllString(strings.TrimRight(s.Text, ".! "), "")
	if !placed.MatchString(choice) || len(strings.Fields(choice)) > 14 {
		return false
	}
	text := statement(strings.TrimRight(q.Text, "? "), choice)
	o := &offer{sp: r.to, part: q, from: q.From, to: q.To, text: text}
	r.decide("reply-answer", s, o, nil, r.goesOn(s))
	return true
}

// question is what the message asks, nil unless it asks one thing.
func (r *reply) question() *sentence {
	var q *sentence
	for i := range r.to.parts {
		p := &r.to.parts[i]
		if p.Block != paragraph || !strings.HasSuffix(strings.TrimRight(p.Raw, "*_ "), "?") {
			continue
		}
		if q != nil {
			return nil
		}
		q = p
	}
	if q == nil || len(q.Text) > 160 || !wantsAnswer.MatchString(q.Text) || courtesy.MatchString(q.Text) || q.Index < q.Of-5 {
		return nil
	}
	return q
}

var (
	wholeYes  = cue.One(`(?i)^(?:(?:ok(?:ay)?|yes|yeah|yep|sure|right|good|great|perfect|exactly|agreed|fine|love it|makes sense|convincing|that'?s (?:convincing|good|fine)|do (?:it|that|so|both)|go|go ahead|both|please|so be it|let'?s do (?:it|that)|sounds good|as you say)\b[,.! ]*)+$`)
	marksPlan = cue.One(`(?i)^(?:my )?(?:proposal|suggestion): |\bi (?:suggest|propose)\b`)
)

// byYes takes the one thing that a message proposes, where the answer says yes
// and nothing more.
func (r *reply) byYes() {
	if len(r.taken) > 0 || len(r.sp.text) > 60 || !wholeYes.MatchString(strings.TrimSpace(r.sp.text)) {
		return
	}
	var best *sentence
	for i := range r.to.parts {
		p := &r.to.parts[i]
		if len(p.keys()) < 4 || len(p.Text) > maxText || r.to.foreign(p) || p.Block == listItem || !marksPlan.MatchString(p.Text) || strings.HasSuffix(strings.TrimRight(p.Raw, "*_ "), ":") {
			continue
		}
		if best != nil {
			return
		}
		best = p
	}
	if best != nil {
		r.decide("reply-yes", &r.sp.parts[0], proposalOffer(r.to, best), nil, "")
	}
}
