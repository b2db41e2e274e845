// Package check reports whether a prompt, an edit or a command goes against the standing decisions and the dead
// ends of its project.
//
// It works by words alone and prefers silence to a false warning, since every warning interrupts somebody. The
// search finds items on the same subject. An item is read for what it rules out and what it chose ("SQLite, not
// Postgres"); where the action names one of these, a logistic regression weighs how much of the name occurs and
// what surrounds it ("swap it for …", a question mark, the path of a test). It is fitted to labelled actions
// and judged on projects left out (see weights.json).
package check

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"recall/index"
	"recall/payload"
)

// Action is something about to be done. Any of its parts may be empty.
type Action struct {
	Project string // name of the project it is done in, as the index has it; "" checks against all
	Text    string // what is to be done, in words: a prompt, a plan
	Old     string // the text that an edit removes
	New     string // the text that an edit or a new file adds
	Paths   []string
	Command string // a shell command line; it is read, never run
}

// Reason says how an action goes against an item.
type Reason string

const (
	GoesAgainst Reason = "goes against" // it does what a decision ruled out, or drops what it chose
	Repeats     Reason = "repeats"      // a dead end
)

// Warning is one item that an action goes against.
type Warning struct {
	index.Placed
	Reason Reason
	Name   string  // the name that both contain, as the item has it
	Odds   float64 // how likely the action goes against it, 0 to 1
	Sure   bool    // certain enough to stop the action if a person pinned the item
}

// Quote is the item's evidence, verbatim; "" if a person wrote it.
func (w *Warning) Quote() string { return w.Item.First().Quote }

// Kinds lists the kinds of items that an action can go against.
var Kinds = []payload.Kind{payload.Decision, payload.Eliminated, payload.Flag, payload.File}

const (
	maxItems    = 24 // items read for one action; the one that counts ranked ninth at worst in the shipped set
	maxWarnings = 5  // warnings
	maxWords    = 72 // words that are searched for
)

// Items is what Against searches, such as an index.Index.
type Items interface {
	Search(ctx context.Context, q index.Query) (index.Answer, error)
}

// Against lists what an action goes against, the most certain first; usually nothing. It considers only items
// that stand today and that a person said or accepted.
func Against(ctx context.Context, ix Items, a Action) ([]Warning, error) {
	does := read(a)
	q := does.question()
	if q == "" {
		return nil, nil
	}
	found, err := ix.Search(ctx, index.Query{Text: q, Project: a.Project, Kinds: Kinds, Limit: maxItems, Exact: true,
		Archived: true}) // decisions of archived sessions still hold
	if err != nil {
		return nil, err
	}
	var out []Warning
	for i, r := range found.Ranked {
		m := compareItem(&found, i, does, shipped())
		if m.odds < warnFrom || !isGrounds(r.Item) {
			continue
		}
		w := Warning{Placed: r.Placed(), Reason: GoesAgainst, Name: m.name, Odds: m.odds, Sure: m.sure}
		if w.Item.Kind == payload.Eliminated {
			w.Reason = Repeats
		}
		out = append(out, w)
	}
	slices.SortStableFunc(out, func(a, b Warning) int { return cmp.Compare(b.Odds, a.Odds) })
	return out[:min(maxWarnings, len(out))], nil
}

// isGrounds reports whether an item is grounds for a warning.
func isGrounds(it *payload.Item) bool {
	said := it.By == payload.ByUser || it.By == payload.ByAssistant || it.By == payload.ByBoth
	return said && it.Current() && (len(it.Evidence) > 0 || it.Maker == payload.ByHuman)
}

// question is the search query for the action.
func (d *parsedAction) question() string {
	var out []string
	for _, w := range d.all {
		if len(out) < maxWords && !slices.Contains(out, w.text) {
			out = append(out, w.text)
		}
	}
	return strings.Join(out, " ")
}
