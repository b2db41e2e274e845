package payload

import (
	"cmp"
	"slices"
	"strings"

	"recall/internal/text"
)

// accumulates lists the kinds of which a thread keeps every item that stands; for the others see sessionsFor.
var accumulates = map[Kind]bool{Decision: true, Eliminated: true, Finding: true, Flag: true, Deferred: true,
	Question: true, Lead: true}

// Accumulates reports whether a thread keeps every item of a kind that stands.
func Accumulates(k Kind) bool { return accumulates[k] }

// Compose makes the payload of a thread from its sessions' payloads, people's edits applied (see Apply), and the
// sessions' numbers by id. Hypothesis, next and status come from the last session that speaks of them, even if all it
// said is done by now; the goal comes from the first session, which says what the thread is for, and from the last.
// Of decisions, eliminated, findings, flags, deferred and questions every one that stands is included, of each file
// its current state, each with its Origin. What several sessions say in the same words appears once, with its
// earliest date. Compose returns nil for an empty thread.
func Compose(thread []*Payload, numbers map[string]int) *Payload {
	if len(thread) == 0 {
		return nil
	}
	thread = slices.Clone(thread)
	slices.SortStableFunc(thread, func(a, b *Payload) int {
		return cmp.Or(a.End.Compare(b.End), a.Start.Compare(b.Start), strings.Compare(a.Session, b.Session))
	})
	last := thread[len(thread)-1]
	out := &Payload{
		Schema: Schema, Session: last.Session, Source: last.Source, Project: last.Project, Branch: last.Branch,
		Start: thread[0].Start, End: last.End, Made: last.Made, Origins: map[ItemID]Origin{},
	}
	c := composer{out: out, numbers: numbers, seen: map[string]bool{}}
	for _, p := range thread {
		if len(p.Items) > 0 {
			c.last = p.Session
		}
		if slices.ContainsFunc(p.Did, func(d Deed) bool { return d.commits() }) {
			c.since, out.Uncommitted = map[string]bool{}, 0
		} else if c.since != nil {
			c.since[p.Session] = true
		}
		out.Uncommitted = max(out.Uncommitted, p.Uncommitted) // the same files, as likely as not
		out.Thread = append(out.Thread, p.Session)
		if p.Title != "" {
			out.Title = p.Title
		}
		if len(p.Read) > 0 {
			out.Read = p.Read
		}
		if p.Start.Before(out.Start) {
			out.Start = p.Start
		}
	}
	for _, kind := range Kinds {
		for _, p := range sessionsFor(thread, kind) {
			c.take(p, kind)
		}
	}
	out.Read = Unchanged(out.Read, thread...)
	return out
}

// Unchanged returns the files that no item of the payloads is about.
func Unchanged(read []string, payloads ...*Payload) []string {
	return slices.DeleteFunc(slices.Clone(read), func(path string) bool {
		return slices.ContainsFunc(payloads, func(p *Payload) bool {
			return slices.ContainsFunc(p.Items, func(it Item) bool { return it.Path == path })
		})
	})
}

func wordsKey(it *Item) string { return strings.ToLower(withoutStop(oneLine(it.Path + " " + it.Text))) }

type composer struct {
	out     *Payload
	last    string // the last session that yields anything
	numbers map[string]int
	seen    map[string]bool // ids, and kinds with words
	since   map[string]bool // the sessions after the last one that committed
}

// wrote matches what a file's item says if its session wrote the file and its state isn't known.
var wrote = text.Pattern(`^(?:Edited|New)\b|; edited since\.$`)

// Cowork's sessions are one thread by their folder alone, so passages of earlier ones count for less beside the last
// one's.
const (
	coworkSource = "cowork" // ingest.Cowork
	earlierShare = 0.4
)

// reasons matches a text that gives a reason.
var reasons = text.Pattern(`(?i)\b(?:because|since|as it|so that|weil|denn|da es)\b`)

// take adds a session's current items of this kind that weren't said before.
func (c *composer) take(p *Payload, kind Kind) {
	for _, it := range p.Items {
		over := p.Session != c.last // another session followed
		if over && it.Rule == UnansweredRule {
			it.Kind = Lead // it doesn't wait any more
		}
		if over && it.Rule == ToldNextRule {
			it.Confidence *= earlierShare
		}
		if over {
			it.afterwards()
		}
		if over && it.Ended() && it.Hint == Eliminated && reasons().MatchString(it.Text) {
			it.Rule = "said-report" // why something is out stays true, whatever followed
		}
		past := over && it.Ended() && it.Rule != OpenedRule
		if it.Kind != kind || !it.Current() || past || it.Lapsed(c.out.End) {
			continue
		}
		key := string(kind) + " " + wordsKey(&it)
		if kind == File {
			key = it.Path
			if c.since[p.Session] && wrote().MatchString(it.Text) {
				it.Status = cmp.Or(it.Status, FileProgress)
			}
		}
		if c.seen[key] || c.seen[string(it.ID)] {
			continue
		}
		c.seen[key], c.seen[string(it.ID)] = true, true
		if kind == Lead && p.Source == coworkSource && p.Session != c.out.Session {
			it.Confidence *= earlierShare
		}
		c.out.Items = append(c.out.Items, it)
		c.out.Origins[it.ID] = Origin{Session: p.Session, Number: c.numbers[p.Session]}
	}
}

// afterwards takes what a session ended with, or what was to come next, for what was said in it: another one followed.
func (it *Item) afterwards() {
	if it.Since == OnlyPlanned {
		it.Since = "" // it may have been carried out
	}
	switch it.Rule {
	case ToldNextRule:
		it.Rule = "said-report"
	case AskedRule:
		it.Rule = "said-typed"
	}
}

const (
	maxBeside     = 6    // quotes of a session beside the thread
	besideWeight  = 0.06 // theirs at most: less than most of what was typed in the thread has
	reportedShare = 0.1  // of that, of what the last message reports: people's words come first
	tellingWords  = 20   // content words from which a quote of long ago counts whole: "rotate 180" is done by now
)

// OnBranchOf reports whether a session was on the same branch as another, or on none of its own.
func (p *Payload) OnBranchOf(o *Payload) bool {
	return p.Branch == o.Branch || defaultBranches[p.Branch]
}

// Asides returns what a page of another thread quotes of the session where there is room: what a person said, what
// was left open and what its last message reports, the weightiest.
func (p *Payload) Asides() (all []Item) {
	for _, it := range p.Items {
		if it.Rule == ReportRule {
			it.Rule = ReportedRule
		}
		matters := it.By == ByUser || it.isOpen() || it.Rule == "said-telling" || it.Rule == ReportedRule
		it.afterwards()
		quote := it.Kind == Lead || it.Kind == Next && it.Rule == UnansweredRule
		if quote && it.Current() && !it.Ended() && matters {
			it.Confidence = besideWeight
			if len(text.GivesUp(it.Text)) == 0 {
				it.Confidence *= min(1, float64(len(text.Content(it.Text)))/tellingWords)
			}
			if it.Rule == ReportedRule {
				it.Confidence *= reportedShare
			}
			all = append(all, it)
		}
	}
	open := func(it Item) int {
		if it.isOpen() {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(all, func(a, b Item) int {
		return cmp.Or(open(b)-open(a), cmp.Compare(b.Confidence, a.Confidence))
	})
	return all[:min(maxBeside, len(all))]
}

// sessionsFor returns the thread's sessions that count for a kind, in order; of repeated statements the first counts.
func sessionsFor(thread []*Payload, kind Kind) []*Payload {
	if accumulates[kind] {
		return thread
	}
	had := slices.DeleteFunc(slices.Clone(thread), func(p *Payload) bool {
		return !slices.ContainsFunc(p.Items, func(it Item) bool {
			return it.Kind == kind && (it.Current() || it.State == Done) // it was true at the session's end
		})
	})
	switch {
	case kind == File:
		slices.Reverse(had)
	case kind == Goal && len(had) > 1:
		had = []*Payload{had[0], had[len(had)-1]}
	case len(had) > 1:
		had = had[len(had)-1:]
	}
	return had
}

// minPerKind is how many items of a kind are spared while another kind has more.
const minPerKind = 3

// cutOrder returns the indexes of the items that a budget may cut, in cutting order: first what only an agent says,
// which takes no room from what people said, and files of which no more is said than that they are done or renamed;
// then least important kinds first; within a kind, the assistant's own statements before a person's, then the oldest
// first, and of files the last. No kind goes below three items while another has more, and pinned items come last. The
// newest goal and the first next action are never cut; older goals follow the other kinds.
func cutOrder(items []Item) []int {
	var claims, done, surplus, rest, pinned []int
	for _, kind := range slices.Backward(Kinds) {
		ages := leastImportantFirst(items, kind)
		shown := -1 // whatever the budget is
		if kind == Goal && len(ages) > 0 {
			shown = ages[len(ages)-1]
		} else if kind == Next && len(ages) > 0 {
			shown = slices.Min(ages)
		}
		for place, i := range ages {
			newer := len(ages) - place // this item and all newer ones
			it := &items[i]
			plain := it.Status == FileDone && it.Text == "" || strings.HasPrefix(it.Text, "Renamed from ")
			switch {
			case i == shown:
			case it.Pinned:
				pinned = append(pinned, i)
			case it.Said():
				claims = append(claims, i)
			case newer > minPerKind && kind == File && plain:
				done = append(done, i)
			case newer > minPerKind && kind != Goal:
				surplus = append(surplus, i)
			default:
				rest = append(rest, i)
			}
		}
	}
	return slices.Concat(claims, done, surplus, rest, pinned)
}

func leastImportantFirst(items []Item, kind Kind) []int {
	var ages []int
	for i := range items {
		if items[i].Kind == kind {
			ages = append(ages, i)
		}
	}
	if kind == Next || kind == File {
		slices.Reverse(ages) // of equally old next actions, and of files, the first counts most
	}
	weight := func(it *Item) (telling float64, own int) {
		if kind == Lead { // the least significant go first, however old
			telling = it.Confidence
		}
		if accumulates[kind] && (it.By != ByAssistant || it.Maker == ByHuman) {
			own = 1
		}
		return telling, own
	}
	slices.SortStableFunc(ages, func(i, k int) int {
		a, ownA := weight(&items[i])
		b, ownB := weight(&items[k])
		if at := cmp.Or(cmp.Compare(a, b), ownA-ownB); at != 0 || kind == File {
			return at
		}
		return items[i].At.Compare(items[k].At)
	})
	return ages
}
