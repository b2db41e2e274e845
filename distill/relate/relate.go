// Package relate finds which later decision of a project takes back an earlier one in so many words ("instead of X", "I
// take that back"), and in which words a person later speaks of what they chose or approved. How often the first is
// right is measured on labelled pairs, eval/testdata/relations.jsonl; what else bears on what, a model or a person
// says.
//
// Whether one takes back the other depends only on these two, so the order in which sessions arrive doesn't matter.
package relate

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"recall/internal/text"
	"recall/payload"
)

// Item is an item with its session.
type Item struct {
	payload.Item
	Session string
	Start   time.Time // of the session
}

// Version changes with the rule; links of another version must be made again.
const Version = "rules/21"

// Rule names the one rule, and Precision says how often it is right on labelled pairs of domains that it wasn't tuned
// on: often enough for the later item to hide the earlier one, unless a model worded that.
const (
	Rule      = "revokes"
	Precision = 0.989
)

// Kinds lists the kinds of items of which one can bear on another: what is settled, known or supposed, and what is left
// open.
var Kinds = []payload.Kind{payload.Decision, payload.Eliminated, payload.Finding, payload.Flag, payload.Hypothesis,
	payload.Question, payload.Deferred, payload.Lead}

// decides reports whether an item decides something: a decision, or a passage of a person's, who can take something
// back by saying so, while what the assistant said along the way settles nothing.
func decides(it *Item) bool {
	said := it.Kind == payload.Lead || it.Kind == payload.Goal
	return it.Text != "" && (it.Kind == payload.Decision || said && it.By == payload.ByUser)
}

// onRecord reports whether an item is a choice or a plan's point, which a person settled without words of their own.
func onRecord(it *Item) bool {
	return it.Kind == payload.Decision && (it.Rule == payload.AnswerRule || it.Rule == payload.PointRule)
}

// Comparable reports whether items of two kinds can relate to each other: both are among
// Kinds, or they are equal. A decision never replaces a goal.
func Comparable(a, b payload.Kind) bool {
	return a == b || slices.Contains(Kinds, a) && slices.Contains(Kinds, b)
}

// Left reports whether items of a kind leave something open.
func Left(k payload.Kind) bool { return k == payload.Question || k == payload.Deferred }

// Bounds of what is compared with one item. They leave out nothing in projects of some thousand decisions.
const (
	mostHolders = 2_000 // of a word that brings items together
	mostTied    = 10    // earlier items, the nearest, that one takes back
)

// Links finds the relations between the items of one project, in the order of payload.StandingLinks. The order of the
// items doesn't matter.
func Links(items []Item) []payload.Link {
	all := slices.DeleteFunc(slices.Clone(items), func(it Item) bool { return !decides(&it) })
	slices.SortFunc(all, InTime)
	all = slices.CompactFunc(all, func(a, b Item) bool { return a.ID == b.ID })
	var links []payload.Link
	claims := make([]*claim, len(all))
	holders := map[string][]int{} // by word: the items so far that stand for it
	settled := map[string][]int{} // the same of choices and plans' points that have it
	for i := range all {
		asked := ""
		if question, choice, ok := strings.Cut(all[i].Text, " → "); ok && all[i].Rule == payload.AnswerRule {
			asked, all[i].Text = question, choice // the question itself settles nothing
			all[i].Text, _, _ = strings.Cut(choice, " (")
		}
		c := claimOf(&all[i].Item)
		c.stated = c.statedBy(&all[i])
		c.asked = text.Words(asked)
		if asked != "" {
			c.passed = bagOf(tokens(strings.Join(all[i].Alternatives, ". "))).Without(c.all)
			c.answer = text.Chosen(asked, all[i].Text, all[i].Alternatives)
		}
		claims[i] = c
		var near []int
		for w := range c.asked {
			near = append(near, holders["?"+w]...)
			holders["?"+w] = append(holders["?"+w], i)
		}
		for w := range c.stated {
			if len(settled[w]) <= mostHolders {
				near = append(near, settled[w]...)
			}
		}
		for _, lost := range c.gives {
			for w := range lost.Bag {
				if len(holders[w]) <= mostHolders {
					near = append(near, holders[w]...)
				}
			}
		}
		slices.SortFunc(near, func(a, b int) int { return b - a })
		tied := 0
		for _, k := range slices.Compact(near) {
			if tied == mostTied || !all[i].Current() || sameTurn(&all[i], &all[k]) {
				continue
			}
			anew := c.stated != nil && claims[k].reopenedBy(all[i].Text)
			speaks := onRecord(&all[k]) && (anew || c.speaksOf(claims[k]))
			if revokes := c.revokes(claims[k]); revokes || speaks || c.answersAnew(claims[k]) {
				links = append(links, link(&all[i], &all[k], revokes))
				tied++
			}
		}
		if all[i].Kind == payload.Goal { // nothing takes it back but another one
			continue
		}
		for w := range c.held {
			holders[w] = append(holders[w], i)
		}
		if onRecord(&all[i]) {
			for w := range c.all {
				settled[w] = append(settled[w], i)
			}
			for w := range c.passed {
				settled[w] = append(settled[w], i)
			}
		}
	}
	return payload.StandingLinks(links)
}

// link is the link from an item to one that it takes back, or perhaps does.
func link(a, b *Item, revokes bool) payload.Link {
	return payload.Link{
		Op: payload.OpLink, Relation: payload.Supersedes,
		From: a.ID, To: b.ID, FromSession: a.Session, ToSession: b.Session,
		FromEvidence: payload.EvidenceOf(&a.Item), ToEvidence: payload.EvidenceOf(&b.Item), Maker: payload.ByRule,
		Rule: Rule, Precision: Precision, At: a.At,
		Collapses: revokes && b.Maker != payload.ByModel, // measured on what people wrote, not on a model's wording
	}
}

const (
	lostShare    = 0.7 // share of what is given up that the earlier one must have stood for
	subjectShare = 0.5 // share of what the earlier one stands for, or says, that the later one must mention
)

// revokes: the earlier one stood for what this one gives up, and if either says what it is about, they agree. Two that
// deny nearly the same say it twice: "no remote code", "runs no remote code".
func (c *claim) revokes(earlier *claim) bool {
	if c.denies && earlier.denies && c.all.Like(earlier.all) > 0.7 {
		return false
	}
	for _, lost := range c.gives {
		if lost.In(earlier.held) < lostShare || !namesIn(lost.Bag, earlier.held) {
			continue
		}
		other := earlier.held.Without(c.all).Without(lost.Bag)
		if other.Weight() > (1-subjectShare)*earlier.held.Weight() {
			continue // a long sentence that only mentions it
		}
		if !lost.within && earlier.passed.Shared(c.held) > 0 {
			return true // it gives up what was chosen for an option that wasn't
		}
		rest := earlier.held.Without(lost.Bag)
		if len(rest) == 0 || rest.Shared(c.all.Without(lost.Bag)) > 0 && !c.apart(earlier) {
			return true
		}
	}
	return false
}

// answersAnew: the earlier one is another answer to the same question, or to one that asks no more.
func (c *claim) answersAnew(earlier *claim) bool {
	return len(earlier.asked) > 0 && earlier.asked.In(c.asked) == 1 && c.all.Shared(earlier.all) == 0
}

// speaksOf: this one, a person's words, has more than half of what the earlier one says, which was chosen or approved,
// or half of it and gives some of that up. Whether it takes it back, who can tell.
func (c *claim) speaksOf(earlier *claim) bool {
	share := earlier.all.In(c.stated)
	return share > subjectShare || share == subjectShare && slices.ContainsFunc(c.gives, func(lost given) bool {
		return lost.Shared(earlier.all) > 0
	})
}

// reopenedBy: a person's words give the question another answer.
func (c *claim) reopenedBy(said string) bool {
	if c.answer == nil {
		return false
	}
	anew, again := c.answer.Reopened(said)
	return anew != "" && !again
}

// statedBy returns the words of the sentences of a person's own item that ask nothing.
func (c *claim) statedBy(it *Item) text.Bag {
	if it.Kind == payload.Decision {
		return nil
	} else if !strings.Contains(it.Text, "?") {
		return c.all
	}
	all := text.Bag{}
	for _, s := range text.Sentences(it.Text, true) {
		if !strings.HasSuffix(s, "?") {
			all.Add(bagOf(tokens(s)))
		}
	}
	return all
}

// InTime compares items by when they were said.
func InTime(a, b Item) int {
	return cmp.Or(a.At.Compare(b.At), a.Start.Compare(b.Start), strings.Compare(a.Session, b.Session),
		cmp.Compare(a.First().N, b.First().N), strings.Compare(string(a.ID), string(b.ID)))
}

// sameTurn reports whether two items come from the same turn or the same quote, so that neither is later.
func sameTurn(a, b *Item) bool {
	if a.Session != b.Session || len(a.Evidence) == 0 || len(b.Evidence) == 0 {
		return false
	}
	return a.Evidence[0].Turn == b.Evidence[0].Turn || slices.ContainsFunc(a.Evidence, func(x payload.Evidence) bool {
		same := func(y payload.Evidence) bool { return x.Turn == y.Turn && x.Quote == y.Quote }
		return slices.ContainsFunc(b.Evidence, same)
	})
}

// DifferentChoices returns links between items that answer the same question differently, of each with at most
// mostAsked before it.
func DifferentChoices(items []Item) (links []payload.Link) {
	items = slices.Clone(items)
	slices.SortFunc(items, InTime)
	before := map[string][]*Item{} // by question
	choice := func(it *Item) (asked, chosen string, ok bool) { return strings.Cut(strings.ToLower(it.Text), " → ") }
	for i := range items {
		later := &items[i]
		asked, chosen, ok := choice(later)
		if !ok {
			continue
		}
		same := before[asked]
		for _, earlier := range same[max(0, len(same)-mostAsked):] {
			if _, other, _ := choice(earlier); other != chosen && other != "" {
				links = append(links, payload.Link{Op: payload.OpLink, Relation: payload.Contradicts, From: later.ID,
					To: earlier.ID, FromSession: later.Session, ToSession: earlier.Session, Maker: payload.ByRule,
					At: later.At})
			}
		}
		before[asked] = append(same, later)
	}
	return links
}

const mostAsked = 10 // answers to one question
