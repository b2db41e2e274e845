package offline

import (
	"strings"

	"recall/distill/offline/cue"
	"recall/payload"
)

// What a person suspects or had in mind, and what then speaks against it.

var (
	asksIfCause = cue.One(`(?i)\b(?:could|can|might|may|is|was|would) (?:this|that|it|they|these)(?: \w+)? be (?:related|connected|the (?:cause|reason|problem|issue|culprit)|because|due to|why)\b|\b(?:is|are|was) (?:this|that|it|they|these) (?:related|connected|the (?:cause|reason|culprit)|because of|due to)\b`)
	deniesCause = cue.One(`(?i)^(?:no\b|not? (?:related|connected|the cause)|it(?:'s| is)n't|unlikely|unrelated)|\b(?:not|n't)(?: \w+)? (?:related|connected|the (?:cause|culprit|reason|problem|issue))\b|\bunrelated\b|(?:—|–|-|,) (?:that's |which is )?an? (?:different|separate|other) (?:function|file|place|path|code path|issue|problem|thing|command|bug)\b|\bdoes(?:n't| not) (?:matter|cause|explain)\b`)
	ideaWas     = cue.One(`(?i)\b(?:idea|plan|intention|intent|thought|hope) was (?:to |that we |that )?(.{8,100}?),? but (.{8,140}?)(?:,? so (?:let|we|i)\b.*|[.;]|$)`)
)

// suspicions makes eliminated items of what a person asked to be the cause and
// the answer said is not.
func suspicions(t *talk) []payload.Item {
	var out []payload.Item
	for _, sp := range t.speeches {
		if sp.user || !sp.closing || sp.asks == nil || sp.mood == objects {
			continue
		}
		for i := range sp.asks.parts {
			q := &sp.asks.parts[i]
			if q.Pasted || sp.asks.foreign(q) || !asksIfCause.MatchString(q.Text) || len(q.keys()) < 4 {
				continue
			}
			if a := denial(sp, q); a != nil {
				it := turnItem(payload.Eliminated, "suspicion-denied", payload.ByBoth, sp.asks.turn, suspected(q.Text), quote(sp.asks.text, q.From, q.To))
				it.Why = strings.TrimRight(shorten(tidy(a.Text)), ".")
				it.About = about(q.Raw)
				it.Evidence = append(it.Evidence, cite(sp, a.From, a.To))
				out = append(out, it)
			}
		}
	}
	return out
}

// denial finds the sentence of an answer that says no to a suspicion.
func denial(sp *speech, q *sentence) *sentence {
	for i := range sp.parts {
		s := &sp.parts[i]
		if n := shared(q.keys(), s.keys()); (i == 0 || i < 4 && n > 0 || n > 2) && deniesCause.MatchString(strings.ReplaceAll(s.Text, "’", "'")) {
			return s
		}
	}
	return nil
}

var suspectEnd = cue.One(`(?i)[,;.]?\s*(?:and |so )?(?:could|can|might|may|is|was|would) (?:this|that|it|they|these)\b[^.]*\?\s*$`)

// suspected words a suspicion as the cause that it holds something to be.
func suspected(text string) string {
	if t := suspectEnd.ReplaceAllString(text, ""); len(keywords(t)) >= 3 {
		text = t
	}
	return shorten(strings.TrimRight(tidy(spelled(text)), ".?") + ", as the cause.")
}

// ideasLeft makes eliminated items of what the person says they had in mind,
// where they say what is against it.
func ideasLeft(t *talk) []payload.Item {
	var out []payload.Item
	for _, sp := range t.speeches {
		if !sp.user || len(sp.text) > 1500 {
			continue
		}
		for i := range sp.parts {
			s := &sp.parts[i]
			m := ideaWas.FindStringSubmatch(s.Text)
			if m == nil || s.Pasted || sp.foreign(s) || len(keywords(m[1])) < 2 {
				continue
			}
			it := turnItem(payload.Eliminated, "idea-left", payload.ByUser, sp.turn, shorten(tidy(spelled(m[1]))), quote(sp.text, s.From, s.To))
			it.Why = strings.TrimRight(spelled(tidy(m[2])), ".")
			it.About = about(s.Raw)
			out = append(out, it)
		}
	}
	return out
}

var (
	sideLabel = cue.One(`(?i)^(?:the )?(?:downsides?|drawbacks?|cons?|disadvantages?|problem|issue|catch|risk|against(?: it)?)\b[^:—–]{0,20}(?::|—|–| is)\s*`)
	downside  = cue.One(sideLabel.String() + `|\b(?:too (?:strict|slow|complex|complicated|risky|expensive|broad|fragile|invasive|heavy)|would (?:break|lose)|creates friction|(?:does not|doesn't) (?:scale|work|help))\b`)
	upside    = cue.One(`(?i)^(?:pros?|advantages?|upsides?)\b`)
)

// optionsLost makes eliminated items of the courses that lost, where the message
// that offered them says what is against them.
func optionsLost(t *talk) []payload.Item {
	var out []payload.Item
	for _, sp := range t.speeches {
		if sp.user || !sp.closing || !takes(sp) {
			continue
		}
		picks, options := picksOf(sp), optionsOf(sp)
		for i, o := range options {
			if p := picks[o.part]; p == nil || !p.lost {
				continue
			}
			to := len(sp.parts)
			if i+1 < len(options) {
				to = options[i+1].part
			}
			why := against(sp, o, to)
			if what := o.name(sp); why != nil && len(keywords(what)) >= 2 {
				s := &sp.parts[o.part]
				it := turnItem(payload.Eliminated, "option-lost", payload.ByBoth, sp.turn, tidy(what), quote(sp.text, s.From, s.To))
				it.Why = strings.TrimRight(shorten(tidy(sideLabel.ReplaceAllString(why.Text, ""))), ".")
				it.About = about(s.Raw)
				if why != s {
					it.Evidence = append(it.Evidence, cite(sp, why.From, why.To))
				}
				it.Evidence = append(it.Evidence, citeOpening(sp.reaction))
				out = append(out, it)
			}
		}
	}
	return out
}

// against finds what a message says against an option, among the sentences
// from the option's up to another.
func against(sp *speech, o option, to int) *sentence {
	for i := o.part; i < to; i++ {
		s := &sp.parts[i]
		if o.title != "" && s.Section != sp.parts[o.part].Section {
			break
		}
		if downside.MatchString(s.Text) && !upside.MatchString(s.Text) {
			return s
		}
	}
	return nil
}
