package distill

import (
	"slices"
	"strings"

	"recall/ingest"
	"recall/internal/text"
	"recall/payload"
)

// Reasons that Contract counts: items dropped, then items kept but mended.
const (
	DropHalf = "half a sentence"

	MendRefused = "refused, so ruled out"
)

// Hold grounds a payload's items and enforces the contract. Every distiller ends with it;
// it is idempotent. It adds the numbers of dropped and mended items to the payload's
// counts.
func Hold(s *ingest.Session, p *payload.Payload) {
	Ground(s, p)
	items, counts := Contract(s, p.Items)
	p.Items = items
	count(p, counts)
	p.Did, p.Uncommitted = did(s)
	for i := range p.Items {
		p.Items[i].Outlive(p.Did)
	}
}

func count(p *payload.Payload, counts map[string]int) {
	if p.Dropped == nil && len(counts) > 0 {
		p.Dropped = map[string]int{}
	}
	for reason, n := range counts {
		p.Dropped[reason] += n
	}
}

// Contract enforces what every item must satisfy, whoever made it: a claim can be read on its own, and says what its
// quotes say (see Judge); and what someone immediately refused or took back becomes eliminated, with that reason,
// instead of standing as decided. What was chosen or approved on record and is refused later in the session is revoked;
// only what is said outright counts. A claim that says more than its quotes is kept as its maker's words. Items must be
// grounded already; people's own are left alone. counts gives the number of mended and dropped items by reason.
func Contract(s *ingest.Session, items []payload.Item) (kept []payload.Item, counts map[string]int) {
	c := newContract(s, items)
	kept = make([]payload.Item, 0, len(items))
	for _, it := range items {
		if it.Maker == payload.ByHuman || !it.Current() || c.accept(&it) && !c.repeats(kept, &it) {
			kept = append(kept, it)
		}
	}
	return kept, c.counts
}

func newContract(s *ingest.Session, items []payload.Item) *contract {
	c := &contract{session: s, at: turnsByID(s, items), position: map[*ingest.Turn]int{}, counts: map[string]int{},
		ruled: map[*ingest.Turn][]statement{}}
	for i := range s.Turns {
		c.position[&s.Turns[i]] = i
	}
	return c
}

type contract struct {
	session  *ingest.Session
	at       map[string][]*ingest.Turn // by every id that evidence may name
	position map[*ingest.Turn]int      // position of each turn in the session
	counts   map[string]int
	ruled    map[*ingest.Turn][]statement // see rulings
	judges   *Judge
	mended   bool // the current item got new words
}

// Claims are the kinds that assert something.
var Claims = []payload.Kind{payload.Decision, payload.Eliminated, payload.Finding, payload.Hypothesis, payload.Flag}

// accept mends an item in place and reports whether it may be kept.
func (c *contract) accept(it *payload.Item) bool {
	c.mended = false
	if it.Kind == payload.Decision && it.Maker == payload.ByRule {
		c.onRecord(it)
	}
	if it.Maker == payload.ByModel && !it.Said() {
		why, _ := c.judge().Judge(it)
		if why != "" {
			c.counts[why]++
		}
		if why == MendSaid {
			*it = it.AsSaid()
		} else if why != "" {
			return false
		}
	}
	if !slices.Contains(Claims, it.Kind) {
		return true
	}
	if it.Kind == payload.Decision {
		c.ruleOutRefused(it)
	}
	switch {
	case isCutOff(it.Text), it.Kind != payload.Flag && NeedsContext(it.Text):
		c.counts[DropHalf]++
		return false
	case it.Maker == payload.ByRule && !c.isSupported(it):
		c.counts[DropUnrelated]++
		return false
	}
	if isCutOff(it.Why) {
		it.Why = ""
	}
	return true
}

// repeats reports whether a mended item now says the same as one already kept.
func (c *contract) repeats(kept []payload.Item, it *payload.Item) bool {
	return c.mended && slices.ContainsFunc(kept, func(o payload.Item) bool {
		return o.Kind == it.Kind && payload.Alike(o.Text, it.Text) > sameClaims
	})
}

// ruleOutRefused turns a decision into an eliminated item if the person said no to it in the next turn they typed.
func (c *contract) ruleOutRefused(it *payload.Item) {
	for _, e := range assistantsFirst(it.Evidence, c.at) {
		for _, t := range c.at[e.Turn] {
			if !strings.Contains(plainText(t.Text), plainText(e.Quote)) || payload.Alike(it.Text, e.Quote) < sameWording {
				continue // its wording is from elsewhere
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

// assistantsFirst sorts what the assistant said before what the person said.
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

// Likeness from which a text counts as worded by its quote, and two claims as the same.
const (
	sameWording = 0.3
	sameClaims  = 0.9
)

// confirms reports whether the item also rests on something said in or after the given turn.
func (c *contract) confirms(it *payload.Item, after *ingest.Turn) bool {
	return slices.ContainsFunc(it.Evidence, func(e payload.Evidence) bool {
		return slices.ContainsFunc(c.at[e.Turn], func(t *ingest.Turn) bool {
			return t == after || t.N > after.N && t.Role == ingest.User
		})
	})
}

// isSupported reports whether an item has words in common with its quote, the quoted turn, or the
// turn that one answers.
func (c *contract) isSupported(it *payload.Item) bool {
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

// toward returns the first turn before (step -1) or after (1) another for which a test holds, or nil.
func (c *contract) toward(t *ingest.Turn, step int, is func(*ingest.Turn) bool) *ingest.Turn {
	for i := c.position[t] + step; i >= 0 && i < len(c.session.Turns); i += step {
		if n := &c.session.Turns[i]; is(n) {
			return n
		}
	}
	return nil
}

// next returns the next turn that the person typed, or nil.
func (c *contract) next(t *ingest.Turn) *ingest.Turn { return c.toward(t, 1, typed) }

// before returns the last thing the assistant said before a turn, or nil.
func (c *contract) before(t *ingest.Turn) *ingest.Turn { return c.toward(t, -1, told) }

// told reports whether the assistant says something in a turn.
func told(t *ingest.Turn) bool {
	return t.Role == ingest.Assistant && !t.Abandoned && strings.TrimSpace(t.Text) != ""
}

func typed(t *ingest.Turn) bool {
	return !t.Abandoned && (t.Kind == ingest.Prompt || t.Kind == ingest.Command) && strings.TrimSpace(t.OwnText()) != ""
}
