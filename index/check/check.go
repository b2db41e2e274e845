// Package check reports whether something that is about to be done goes against
// what was settled: a prompt, an edit or a command, against the standing
// decisions and the dead ends of its project.
//
// It goes by words alone, and would rather say nothing than be wrong: every
// warning interrupts somebody. What an action is about, the search finds. An item
// is read for what it speaks against and what it took ("SQLite, not Postgres");
// where the action names one of these, how much of it and what stands around it
// ("swap it for …", a question mark, the path of a test) is weighed by one logistic
// regression that is fitted to labelled actions and judged on projects left out (see
// weights.json).
package check

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"recall/index"
	"recall/payload"
)

// An Action is something that is about to be done. Any of its parts may be
// empty.
type Action struct {
	Project string // name of the project it is done in, as the index has it; "" checks against all
	Text    string // what is to be done, in words: a prompt, a plan
	Old     string // of an edit: the text that goes
	New     string // of an edit or a new file: the text that comes
	Paths   []string
	Command string // a shell command line; it is read, never run
}

// A Reason says how an action meets an item.
type Reason string

const (
	GoesAgainst Reason = "goes against" // what a decision ruled out, or away from what it chose
	Repeats     Reason = "repeats"      // a dead end
)

// A Warning is one item that an action goes against.
type Warning struct {
	index.Placed
	Reason Reason
	Name   string  // the name in which the two meet, as the item has it
	Odds   float64 // how likely the action goes against it, 0 to 1
	Sure   bool    // nothing in it is left to reading: fit to stop somebody, where a person pinned the item
}

// Quote is the item's evidence, verbatim; "" where a person wrote it.
func (w *Warning) Quote() string { return w.Item.First().Quote }

// Kinds are those of which an action can go against an item.
var Kinds = []payload.Kind{payload.Decision, payload.Eliminated, payload.Flag, payload.File}

const (
	looked = 24 // items that are read for one action; the one that counts was never below the ninth of the shipped set
	most   = 5  // warnings
	asked  = 72 // words that are searched for

	without = index.Sources | index.Lexicon | index.Slips // an item must say it in the action's words
)

// Items is what Against asks its questions of; an index.Index is one.
type Items interface {
	Search(ctx context.Context, q index.Query) (index.Answer, error)
}

// Against lists what an action goes against, the surest first; none is the usual
// answer. Only what stands today counts, and only what a person said or
// accepted.
func Against(ctx context.Context, ix Items, a Action) ([]Warning, error) {
	does := read(a)
	q := does.question()
	if q == "" {
		return nil, nil
	}
	found, err := ix.Search(ctx, index.Query{Text: q, Project: a.Project, Kinds: Kinds, Limit: looked, Without: without,
		Archived: true}) // what was decided there still holds
	if err != nil {
		return nil, err
	}
	var out []Warning
	for i, r := range found.Ranked {
		m := meet(&found, i, does, shipped())
		if m.odds < enough || !speaks(r.Item) {
			continue
		}
		w := Warning{Placed: r.Placed(), Reason: GoesAgainst, Name: m.name, Odds: m.odds, Sure: m.sure}
		if w.Item.Kind == payload.Eliminated {
			w.Reason = Repeats
		}
		out = append(out, w)
	}
	slices.SortStableFunc(out, func(a, b Warning) int { return cmp.Compare(b.Odds, a.Odds) })
	return out[:min(most, len(out))], nil
}

// speaks reports whether an item may be held against somebody.
func speaks(it *payload.Item) bool {
	said := it.By == payload.ByUser || it.By == payload.ByAssistant || it.By == payload.ByBoth
	return said && it.Current() && (len(it.Evidence) > 0 || it.Maker == payload.ByHuman)
}

// question is the action in the words that are searched for.
func (d *deed) question() string {
	var out []string
	for _, w := range d.all {
		if len(out) < asked && !slices.Contains(out, w.text) {
			out = append(out, w.text)
		}
	}
	return strings.Join(out, " ")
}
