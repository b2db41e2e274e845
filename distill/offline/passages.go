package offline

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strings"

	"recall/distill"
	"recall/ingest"
	"recall/payload"
)

// A Candidate is a sentence that may be worth keeping.
type Candidate struct {
	talk     *talk
	sp       *speech
	part     *sentence
	from, to int // byte range of the surrounding passage in the speech
}

// candidates lists the sentences of a talk that may be worth keeping: what people typed, what the assistant reported,
// and the content of plans, commit messages and summaries.
func candidates(t *talk) []*Candidate {
	var out []*Candidate
	for _, sp := range t.speeches {
		if !sp.report() {
			continue
		}
		for i := range sp.parts {
			s := &sp.parts[i]
			if sp.foreign(s) || !worthReading(s, sp) {
				continue
			}
			c := &Candidate{talk: t, sp: sp, part: s}
			c.from, c.to = c.around()
			out = append(out, c)
		}
	}
	return out
}

// Item returns the passage as a lead: the sentence verbatim, with the surrounding part of its paragraph (for a
// person, of everything typed) as far as a quote has room. It also quotes what the passage answers, and a bare answer
// to its question.
func (c *Candidate) Item() payload.Item {
	sp, s := c.sp, c.part
	from, to := c.from, c.to
	it := payload.Item{Kind: payload.Lead, Hint: c.hint(), Maker: payload.ByRule, State: payload.Stands,
		By: payload.ByAssistant, Rule: sp.rule(), At: sp.turn.At,
		Text: plain(sp.text[from:to]), About: about(sp.text[from:to]),
		Evidence: []payload.Evidence{cite(sp.turn, sp.text, from, to)}}
	if sp.user {
		it.By = sp.by()
	}
	if asked := sp.reacts.asked(); from == sp.parts[0].from && asked != nil {
		it.Evidence = append(it.Evidence, cite(sp.reacts.turn, sp.reacts.text, asked.from, asked.to))
	}
	if r := sp.reaction; sp.asked() == s && r != nil && len(r.allKeys()) < minAnswerKeys {
		it.Evidence = append(it.Evidence, cite(r.turn, r.text, r.parts[0].from, r.parts[len(r.parts)-1].to))
	}
	return it
}

// by says whose words they are of who asked.
func (sp *speech) by() payload.By {
	if sp.turn.Role == ingest.Program {
		return payload.ByProgram
	}
	return payload.ByUser
}

// minAnswerKeys is the number of keywords from which an answer makes sense by itself.
const minAnswerKeys = 2

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

// around returns the passage that surrounds a sentence.
func (c *Candidate) around() (from, to int) {
	parts, s := c.sp.parts, c.part
	first, last := s.index, s.index
	joins := func(i int) bool { // with the next one
		return c.sp.user || !parts[i+1].opens
	}
	for grown := true; grown; {
		grown = false
		if first > 0 && joins(first-1) && !parts[first-1].pasted && parts[last].to-parts[first-1].from <= distill.MaxQuote {
			first, grown = first-1, true
		}
		if last+1 < len(parts) && joins(last) && !parts[last+1].pasted &&
			parts[last+1].to-parts[first].from <= distill.MaxQuote {
			last, grown = last+1, true
		}
	}
	if from, to = parts[first].from, parts[last].to; c.sp.overlapsForeign(from, to) {
		return s.from, s.to
	}
	return from, to
}

// rule names where a passage comes from.
func (sp *speech) rule() string {
	switch {
	case sp.source == message && sp.closing:
		return "said-closing"
	case sp.source == message:
		return "said-midway"
	}
	return [...]string{typing: "said-typed", refusing: "said-refusing", plan: "said-plan", commit: "said-commit",
		summary: "said-summary"}[sp.source]
}

// A Passage is a selected candidate with its likelihood, which is reduced for each further one of an exchange.
type Passage struct {
	Item   payload.Item
	Likely float64

	words  terms
	inGoal bool // the goal shows it already, so it doesn't count towards the quota
}

// repeatFactor is the factor for each further passage of an exchange, since one exchange rarely says much worth keeping
// twice. Chosen on held-out projects; 0.6 to 0.8 do equally well.
const repeatFactor = 0.7

// Passages returns what is most likely worth keeping, best first, without repeated facts and what the items say: at
// most the quota for the talk's length.
func (h *Heard) Passages(m *Model, items []payload.Item) []Passage {
	type scored struct {
		c *Candidate
		p float64
	}
	all, score := make([]scored, len(h.Candidates)), m.Said.scores()
	var features []Feature
	for i, c := range h.Candidates {
		features = c.features(features[:0])
		all[i] = scored{c, score(features)}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].p > all[j].p })
	most := m.quota(h.talk.n)
	var kept []terms
	for _, it := range items {
		if it.Kind != payload.File && it.Kind != payload.Goal {
			kept = append(kept, keywords(it.Text))
		}
	}
	var out []Passage
	quoted := map[*speech][][2]int{}
	share := map[int]float64{} // factor for the next passage, by exchange
	for len(out) < most {
		best, likely := -1, 0.0
		for i, s := range all {
			if s.p <= likely {
				break
			}
			if s.c == nil {
				continue // already considered
			}
			if p := s.p * cmp.Or(share[s.c.sp.exchange], 1); p > likely {
				best, likely = i, p
			}
		}
		if best < 0 {
			break
		}
		c := *all[best].c
		all[best].c = nil
		words := c.part.keys()
		if c.ofClient() || said(kept, words) || c.quotedIn(items) || !c.excludeQuoted(quoted[c.sp]) {
			continue
		}
		kept = append(kept, words)
		quoted[c.sp] = append(quoted[c.sp], [2]int{c.from, c.to})
		share[c.sp.exchange] = cmp.Or(share[c.sp.exchange], 1) * repeatFactor
		p := Passage{c.Item(), likely, words, c.inGoal(items)}
		if p.inGoal {
			most++
		}
		out = append(out, p)
	}
	return out
}

// ofClient reports whether a sentence is the client's own boilerplate around a summary.
func (c *Candidate) ofClient() bool {
	begun := strings.HasPrefix(c.sp.text, "This session is being continued")
	opening := strings.Index(c.sp.text, "\n\n")
	closing := strings.Index(c.sp.text, "\n\nIf you need specific details from before compaction")
	return c.sp.source == summary && (begun && c.part.from < opening || closing >= 0 && c.part.from > closing)
}

// excludeQuoted excludes from the passage around a sentence what other passages quote already. It reports whether the
// sentence itself is still free.
func (c *Candidate) excludeQuoted(quoted [][2]int) bool {
	for _, at := range quoted {
		switch {
		case at[1] <= c.from || at[0] >= c.to:
		case at[0] >= c.part.to:
			c.to = c.sp.parts[c.sp.lastBefore(at[0])].to
		case at[1] <= c.part.from:
			c.from = c.sp.parts[c.sp.lastBefore(at[1])+1].from
		default:
			return false
		}
	}
	return true
}

// lastBefore returns the index of the last sentence that ends at or before a position, or -1.
func (sp *speech) lastBefore(place int) int {
	return sort.Search(len(sp.parts), func(i int) bool { return sp.parts[i].to > place }) - 1
}

func (c *Candidate) quotedIn(items []payload.Item) bool {
	return c.quotedBy(items, func(k payload.Kind) bool { return k != payload.File && k != payload.Goal })
}

func (c *Candidate) inGoal(items []payload.Item) bool {
	return c.quotedBy(items, func(k payload.Kind) bool { return k == payload.Goal })
}

// quotedBy reports whether the evidence of an item of some kinds contains the sentence.
func (c *Candidate) quotedBy(items []payload.Item, kind func(payload.Kind) bool) bool {
	text := c.sp.text[c.part.from:c.part.to]
	quotes := func(e payload.Evidence) bool {
		return e.Turn == string(c.sp.turn.ID) && strings.Contains(e.Quote, text)
	}
	return slices.ContainsFunc(items, func(it payload.Item) bool {
		return kind(it.Kind) && slices.ContainsFunc(it.Evidence, quotes)
	})
}

// quota returns the maximum number of passages for so many exchanges.
func (m *Model) quota(exchanges int) int {
	return max(5, int(math.Round(m.Quota*math.Sqrt(float64(exchanges)))))
}

// minSameShare is the share of one statement's words found in the other from which they say the same.
const minSameShare = 0.6

func said(kept []terms, words terms) bool {
	return slices.ContainsFunc(kept, func(k terms) bool {
		return min(len(k), len(words)) >= 3 && max(share(k, words), share(words, k)) >= minSameShare
	})
}

// hint returns the kind that a passage most likely is, from its cues. It is used for ranking and never shown.
func (c *Candidate) hint() payload.Kind {
	for _, h := range hints {
		if c.part.cues.has(h.cue) {
			return h.kind
		}
	}
	return payload.Decision
}

var hints = []struct {
	cue  cueSet
	kind payload.Kind
}{
	{cueOf("ruled"), payload.Eliminated}, {cueOf("later"), payload.Deferred}, {cueOf("warn"), payload.Flag},
	{cueOf("next"), payload.Next},
	{cueOf("found"), payload.Hypothesis}, {cueOf("maybe"), payload.Hypothesis},
}
