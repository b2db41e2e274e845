package offline

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"recall/distill"
	"recall/ingest"
	"recall/payload"
)

// How many leads a session yields: more don't fit on a page.
const (
	maxReport  = 3
	maxCommits = 8
	maxOfOne   = 2 // of one typed text
	minTelling = 4 // keywords
)

// leads quotes where the session ended, which is the assistant's last message and the commits made, and what was
// typed, the longest first and what was typed later before what was typed earlier; for search also what first ended
// each earlier exchange. Nothing is quoted that an item or another lead says.
func leads(t *talk, items []payload.Item) []payload.Item {
	var kept []terms
	for _, it := range items {
		if it.Kind != payload.File && it.Kind != payload.Goal {
			kept = append(kept, keywords(it.Text))
		}
	}
	var out []payload.Item
	add := func(it payload.Item, sure float64) bool {
		words := keywords(it.Text)
		if said(kept, words) {
			return false
		}
		kept = append(kept, words)
		it.Confidence = sure
		out = append(out, it)
		return true
	}
	n := 0
	for _, p := range t.report() {
		if n < maxReport && p.tells() && !p.run[0].cues.has(cueNarrate) && add(p.item(payload.ReportRule), 0.75) {
			n++
		}
	}
	commits := t.commits
	var one payload.Item
	var subjects []string
	for _, sp := range commits[max(0, len(commits)-maxCommits):] {
		it := passage{sp, sp.parts[:1]}.item(payload.CommitRule)
		if slices.Contains(subjects, it.Text) {
			continue
		}
		subjects = append(subjects, it.Text)
		it.Evidence = append(one.Evidence, it.Evidence...)
		one = it
	}
	if len(subjects) > 0 {
		one.Text = strings.Join(subjects, " · ")
		add(one, 0.7)
	}
	n = 0
	most := max(5, int(2*math.Sqrt(float64(t.n))))
	for _, w := range t.typed() {
		if n < most && w.tells() && add(w.item(typedRule), 0.65*w.weight) {
			n++
		}
	}
	for _, sp := range t.speeches {
		if sp.source != message || !sp.closing || sp.exchange == t.n-1 {
			continue
		}
		for _, p := range sp.passages() {
			if p.tells() && !p.run[0].cues.has(cueNarrate) && add(p.item(payload.MidwayRule), 0.1) {
				break
			}
		}
	}
	return out
}

// typedRule is the rule of a passage that was typed.
const typedRule = "said-typed"

// unanswered returns the last thing typed if nothing followed it: it is what is to be done next.
func unanswered(t *talk) []payload.Item {
	sp := t.waiting
	if sp == nil {
		return nil
	}
	it, ok := requested(sp)
	if !ok {
		return nil
	}
	it.Kind, it.Rule = payload.Next, payload.UnansweredRule
	return []payload.Item{it}
}

// A passage is a run of sentences of a speech that is quoted.
type passage struct {
	*speech
	run []sentence
}

// report cuts the assistant's last message into passages.
func (t *talk) report() []passage {
	for _, sp := range slices.Backward(t.speeches) {
		if sp.source == message {
			return sp.passages()
		}
	}
	return nil
}

// A weighed passage is one that was typed.
type weighed struct {
	passage
	weight float64
}

// typed cuts what was typed into passages, but for what was asked last if the report takes it up: how that ended is
// what to know.
func (t *talk) typed() []weighed {
	var out []weighed
	var report terms
	if t.closed && t.closing != nil {
		report = keywords(t.closing.text)
	}
	for _, sp := range t.speeches {
		if !sp.user {
			continue
		}
		for i, p := range sp.passages() {
			if i >= maxOfOne {
				break
			}
			if sp.exchange == t.n-1 && share(keywords(p.text()), report) >= minTakenUp {
				continue
			}
			w := float64(len(p.text())) / distill.MaxQuote * (0.5 + 0.5*float64(sp.exchange)/float64(t.n))
			if i > 0 {
				w *= 0.5
			}
			out = append(out, weighed{p, min(w, 1)})
		}
	}
	slices.SortStableFunc(out, func(a, b weighed) int { return cmp.Compare(b.weight, a.weight) })
	return out
}

// passages cuts a speech into runs of whole sentences that a quote has room for. What a person typed is one text; a
// message's paragraphs and lists stand for themselves, but a list goes with the line that announces it.
func (sp *speech) passages() []passage {
	var out []passage
	from := 0
	end := func(to int) {
		for to > from && strings.HasSuffix(sp.parts[to-1].text, ":") {
			to-- // what it announces isn't quoted
		}
		if to > from {
			out = append(out, passage{sp, sp.parts[from:to]})
		}
	}
	skip := false
	for i := range sp.parts {
		s := &sp.parts[i]
		if skip = skip && s.block == listItem; skip {
			from = i + 1
			continue
		}
		worth := s.block == listItem || worthReading(s, sp)
		if sp.user {
			worth = !s.pasted
		}
		if sp.foreign(s) || !worth {
			end(i)
			from = i + 1
			continue
		}
		if i > from {
			before := &sp.parts[i-1]
			list := s.block == listItem && before.block == listItem
			apart := !sp.user && s.opens && !list && !strings.HasSuffix(before.text, ":")
			if apart || s.to-sp.parts[from].from > distill.MaxQuote {
				end(i)
				was := from
				from = i
				if skip = !apart && s.block == listItem && strings.HasSuffix(sp.parts[was].text, ":"); skip {
					from = i + 1
				}
			}
		}
	}
	end(len(sp.parts))
	return out
}

func (p passage) from() int { return p.run[0].from }
func (p passage) to() int   { return p.run[len(p.run)-1].to }

// text returns the passage without markup, on one line.
func (p passage) text() string {
	var b strings.Builder
	for i, s := range p.run {
		switch {
		case i > 0 && s.opens && s.block == listItem && !strings.HasSuffix(p.run[i-1].text, ":"):
			b.WriteString(" · ")
		case i > 0:
			b.WriteString(" ")
		}
		b.WriteString(s.text)
	}
	return b.String()
}

// item returns the passage as a lead, with the question that it answers.
func (p passage) item(rule string) payload.Item {
	it := payload.Item{Kind: payload.Lead, Maker: payload.ByRule, State: payload.Stands, By: payload.ByAssistant,
		Rule: rule, At: p.turn.At, Text: p.text(), About: about(p.text()),
		Evidence: []payload.Evidence{cite(p.turn, p.speech.text, p.from(), p.to())}}
	if p.user {
		it.By = p.by()
	}
	if p.run[0].cues.has(cueLater) {
		it.Hint = payload.Deferred
	}
	if asked := p.asked(); asked != nil {
		question := cite(p.reacts.turn, p.reacts.text, asked.from, asked.to)
		it.Evidence = append(it.Evidence, question)
		if len(keywords(it.Text)) < minBareKeys {
			it.Text, it.About, it.By = asked.text, about(asked.text), payload.ByAssistant
			slices.Reverse(it.Evidence)
		}
	}
	return it
}

// asked returns the question that a typed text answers, or nil if it makes sense without.
func (p passage) asked() *sentence {
	if p.run[0].index > 0 || len(keywords(p.text())) >= minAnswerKeys {
		return nil
	}
	return p.reacts.asked()
}

// How many keywords an answer has from which it makes sense without its question, and from which it says more than yes.
const (
	minAnswerKeys = 6
	minBareKeys   = 2
)

// by says whose words they are of who asked.
func (sp *speech) by() payload.By {
	if sp.turn.Role == ingest.Program {
		return payload.ByProgram
	}
	return payload.ByUser
}

// asked returns the last question near the end of a message, or nil.
func (sp *speech) asked() *sentence {
	if sp == nil {
		return nil
	}
	for i := len(sp.parts) - 1; i >= max(0, len(sp.parts)-3); i-- {
		if asks(sp.parts[i].text) {
			return &sp.parts[i]
		}
	}
	return nil
}

// minSaidShare is the share of a statement's words from which another one that has them says it.
const minSaidShare = 0.9

// minTakenUp is the share of a request's words that a report has which takes it up.
const minTakenUp = 0.35

func said(kept []terms, words terms) bool {
	return slices.ContainsFunc(kept, func(k terms) bool {
		return len(words) >= 3 && share(words, k) >= minSaidShare
	})
}

// tells reports whether a passage says enough to be worth a line.
func (p passage) tells() bool {
	said := p.text()
	if asked := p.asked(); asked != nil {
		said += " " + asked.text
	}
	return len(keywords(said)) >= minTelling
}
