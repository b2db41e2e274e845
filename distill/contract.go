package distill

import (
	"slices"
	"strings"

	"recall/ingest"
	"recall/payload"
	"recall/text"
)

// What the contract does to an item, as the keys of what Contract returns. The
// first are of items that are dropped, the others of items that are kept as what
// they are.
const (
	DropHalf      = "half a sentence"
	DropUnrelated = "quote speaks of something else"
	DropNotChosen = "option that wasn't chosen"

	MendRefused = "refused, so ruled out"
)

// Hold grounds a payload's items and holds them to the contract: what every maker
// of items ends with. Done again, it changes nothing. It adds to the payload's
// count what was dropped and what was mended, and to decisions what a note of
// recall's had held against them.
func Hold(s *ingest.Session, p *payload.Payload) {
	Ground(s, p)
	items, counts := Contract(s, p.Items)
	p.Items = items
	warned(s, p.Items)
	count(p, counts)
}

// count adds to a payload's count of what was dropped and mended.
func count(p *payload.Payload, counts map[string]int) {
	if p.Dropped == nil && len(counts) > 0 {
		p.Dropped = map[string]int{}
	}
	for reason, n := range counts {
		p.Dropped[reason] += n
	}
}

// warned notes which of the decisions were made though a note of recall's held
// something against their prompt.
func warned(s *ingest.Session, items []payload.Item) {
	places := s.Places()
	for i := range items {
		it := &items[i]
		it.Against = nil
		for _, e := range it.Evidence {
			at, ok := places[e.Turn]
			if !ok || it.Kind != payload.Decision {
				continue
			}
			for _, id := range s.Turns[at].Warned {
				if !slices.Contains(it.Against, payload.ItemID(id)) {
					it.Against = append(it.Against, payload.ItemID(id))
				}
			}
		}
	}
}

// Contract is what items must keep, whatever made them: a claim can be read alone
// and its quotes speak of it; it isn't an option that a person was asked about and
// didn't choose; what somebody refused or took back at once is ruled out for that
// reason and doesn't stand as decided. It judges by what was typed next, and only by
// what is said outright; counts says how many were mended or dropped, by reason.
// Items are grounded; people's own are left as they are.
func Contract(s *ingest.Session, items []payload.Item) (kept []payload.Item, counts map[string]int) {
	c := contract{session: s, at: cited(s, &payload.Payload{Items: items}), place: map[*ingest.Turn]int{},
		counts: map[string]int{}}
	for i := range s.Turns {
		c.place[&s.Turns[i]] = i
	}
	kept = make([]payload.Item, 0, len(items))
	for _, it := range items {
		if it.Maker == payload.ByHuman || !it.Current() || c.keeps(&it) && !c.repeats(kept, &it) {
			kept = append(kept, it)
		}
	}
	return kept, c.counts
}

type contract struct {
	session *ingest.Session
	at      map[string][]*ingest.Turn // by the ids that evidence may name
	place   map[*ingest.Turn]int      // of each in the session
	counts  map[string]int
	mended  bool // the item at hand has new words
}

// Claims are the kinds that say that something is so.
var Claims = []payload.Kind{payload.Decision, payload.Eliminated, payload.Finding, payload.Hypothesis, payload.Flag}

// keeps mends an item in place and reports whether it may be kept.
func (c *contract) keeps(it *payload.Item) bool {
	c.mended = false
	if !slices.Contains(Claims, it.Kind) {
		return true
	}
	if it.Kind == payload.Decision {
		if fault := c.chosen(it); fault != "" {
			c.counts[fault]++
			return false
		}
		c.refused(it)
	}
	switch {
	case half(it.Text), it.Kind != payload.Flag && adrift(it.Text):
		c.counts[DropHalf]++
		return false
	case !c.bears(it):
		c.counts[DropUnrelated]++
		return false
	}
	if half(it.Why) {
		it.Why = ""
	}
	return true
}

// repeats reports whether an item that was mended says now what another says.
func (c *contract) repeats(kept []payload.Item, it *payload.Item) bool {
	return c.mended && slices.ContainsFunc(kept, func(o payload.Item) bool {
		return o.Kind == it.Kind && payload.Alike(o.Text, it.Text) > sameClaims
	})
}

// chosen says why a decision can't stand as something else was chosen, "" if it can.
func (c *contract) chosen(it *payload.Item) string {
	for _, e := range it.Evidence {
		for _, t := range c.at[e.Turn] {
			if fault := c.answered(it, t, e.Quote); fault != "" {
				return fault
			}
		}
	}
	return ""
}

// answered holds an item that quotes a question asked by a tool to the options
// that were chosen.
func (c *contract) answered(it *payload.Item, t *ingest.Turn, quote string) string {
	took := func(a ingest.Answer, label string) bool {
		return slices.ContainsFunc(a.Chosen, func(c string) bool {
			return strings.EqualFold(c, label) || strings.Contains(c, label)
		})
	}
	for i := range t.Calls {
		answers := t.Calls[i].Answers
		taken := slices.ContainsFunc(answers, func(a ingest.Answer) bool { return took(a, quote) })
		for _, a := range answers {
			if len(a.Chosen) == 0 || a.Free {
				continue
			}
			for _, o := range a.Options {
				if o.Label == "" || took(a, o.Label) {
					continue
				}
				if !taken && (quote == o.Label || len(quote) > len(o.Label) && strings.Contains(o.Description, quote)) {
					return DropNotChosen
				}
				if it.Why != "" && o.Description != "" && strings.Contains(strings.ToLower(o.Description),
					strings.ToLower(strings.TrimRight(it.Why, "."))) {
					it.Why = ""
				}
			}
		}
	}
	return ""
}

// refused rules out what a person said no to in the next turn that they typed.
func (c *contract) refused(it *payload.Item) {
	for _, e := range assistantsFirst(it.Evidence, c.at) {
		for _, t := range c.at[e.Turn] {
			if !strings.Contains(plainText(t.Text), plainText(e.Quote)) || payload.Alike(it.Text, e.Quote) < worded {
				continue // its words are from elsewhere
			}
			next := c.next(t)
			if next == nil || c.confirms(it, next) {
				continue
			}
			if no := refusal(it.Text, t, e.Quote, next); no != "" {
				c.mended = true
				c.counts[MendRefused]++
				it.At, it.Evidence = next.At, []payload.Evidence{{Turn: string(next.ID), N: next.N, Quote: no}, e}
				it.Kind, it.By, it.Text, it.Why, it.Alternatives = payload.Eliminated, payload.ByUser, upperFirst(it.Text),
					strings.TrimRight(plainText(no), ". "), nil
				return
			}
		}
	}
}

// assistantsFirst puts what the assistant said before what the person did.
func assistantsFirst(evidence []payload.Evidence, at map[string][]*ingest.Turn) []payload.Evidence {
	out := slices.Clone(evidence)
	slices.SortStableFunc(out, func(a, b payload.Evidence) int { return role(at[a.Turn]) - role(at[b.Turn]) })
	return out
}

func role(turns []*ingest.Turn) int {
	if len(turns) > 0 && turns[0].Role == ingest.Assistant {
		return 0
	}
	return 1
}

// How like a quote a text is that is worded by it, and one that says the same.
const (
	worded     = 0.3
	sameClaims = 0.9
)

// confirms reports whether the item rests on what was said after a turn, too.
func (c *contract) confirms(it *payload.Item, after *ingest.Turn) bool {
	return slices.ContainsFunc(it.Evidence, func(e payload.Evidence) bool {
		return slices.ContainsFunc(c.at[e.Turn], func(t *ingest.Turn) bool {
			return t == after || t.N > after.N && t.Role == ingest.User
		})
	})
}

// bears reports whether an item's words have to do with what it quotes: some of
// them stand there, or in the turn, or in what that answers.
func (c *contract) bears(it *payload.Item) bool {
	says := text.Words(it.Text)
	if len(says) == 0 {
		return false
	}
	for _, e := range it.Evidence {
		if says.Shared(text.Words(e.Quote)) > 0 {
			return true
		}
		for _, t := range c.at[e.Turn] {
			if says.Shared(text.Words(t.Text)) > 0 || slices.ContainsFunc(t.Calls, func(c ingest.ToolCall) bool {
				return says.Shared(text.Words(strings.Join(saidInCall(&c), "\n"))) > 0
			}) {
				return true
			}
			if before := c.before(t); before != nil && says.Shared(text.Words(before.Text)) > 0 {
				return true
			}
		}
	}
	return false
}

// next is the next turn that the person typed, nil if there is none.
func (c *contract) next(t *ingest.Turn) *ingest.Turn {
	for i := c.place[t] + 1; i < len(c.session.Turns); i++ {
		if n := &c.session.Turns[i]; typed(n) {
			return n
		}
	}
	return nil
}

// before is what the assistant said last before a turn, nil if nothing.
func (c *contract) before(t *ingest.Turn) *ingest.Turn {
	for i := c.place[t] - 1; i >= 0; i-- {
		if b := &c.session.Turns[i]; b.Role == ingest.Assistant && !b.Abandoned && strings.TrimSpace(b.Text) != "" {
			return b
		}
	}
	return nil
}

func typed(t *ingest.Turn) bool {
	return !t.Abandoned && (t.Kind == ingest.Prompt || t.Kind == ingest.Command) && strings.TrimSpace(t.OwnText()) != ""
}
