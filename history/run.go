package history

import (
	"cmp"
	"strings"
	"time"

	"recall/library"
	"recall/text"
)

// Run is what the last run of a kind that found something did.
type Run struct {
	At        time.Time `json:"at"`
	MS        int       `json:"ms"`
	New       int       `json:"new"`
	Grown     int       `json:"grown"`
	Distilled int       `json:"distilled"`
	Improved  int       `json:"improved"` // by a model
	Queued    int       `json:"queued"`   // wait for a model
	Skipped   int       `json:"skipped"`
}

// RunOf is the last run of a kind, nil if there was none.
func RunOf(last map[string]library.Fact, kind string) *Run {
	f, ok := last[kind]
	if !ok {
		return nil
	}
	return &Run{At: f.At, MS: f.N("ms"), New: f.N("new"), Grown: f.N("grown"), Distilled: f.N("distilled"),
		Improved: f.N("improved"), Queued: f.N("queued"), Skipped: f.N("skipped")}
}

// With adds to a sync what the model made of it, asked when all is safe and journaled apart.
func (r *Run) With(asked *Run) {
	if r != nil && asked != nil && !asked.At.Before(r.At) {
		r.Improved, r.Queued = asked.Improved, asked.Queued
	}
}

// ByRules is what a sync did but for the model, which has a line of its own.
func (r *Run) ByRules() string {
	own := *r
	own.Improved, own.Queued = 0, 0
	return own.Words()
}

// Words is what a run did.
func (r *Run) Words() string {
	parts := text.Counts("new|grown|distilled|improved|queued|skipped", r.New, r.Grown, r.Distilled, r.Improved,
		r.Queued, r.Skipped)
	return cmp.Or(strings.Join(parts, ", "), "nothing new")
}
