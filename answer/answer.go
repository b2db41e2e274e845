// Package answer makes an answer of a question: it searches, has a model look at
// what was found where the user wants that, says how much that claims, and words
// it: what an item says, whether it holds, whose word it is and where it stands.
// Terminal, Markdown, MCP, hooks and eval lay out what they get from here.
package answer

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"recall/answer/compose"
	"recall/index"
	"recall/index/rank"
	"recall/payload"
)

// Verdict is how much an answer claims.
type Verdict string

const (
	Answered Verdict = "answered"
	Weak     Verdict = "weak"    // nothing clearly answers; the nearest are shown
	Nothing  Verdict = "nothing" // no rare word of the question stands anywhere
)

// Answer is what recall says to a question. It is the document of recall query
// --json, which is stable: fields are added, never renamed or removed; Schema goes
// up if that must change.
type Answer struct {
	Schema   int               `json:"schema"` // 1
	Question string            `json:"question"`
	Verdict  Verdict           `json:"verdict"`
	Coverage float64           `json:"coverage"` // 0–1: the share of the question's weight that the first result holds
	Sure     float64           `json:"sure"`     // 0–1: the chance of an answer here, if every second question had one
	Narrowed index.Narrowed    `json:"narrowed,omitzero"`
	Widened  index.Narrowed    `json:"widened,omitzero"`  // nothing was found within
	Read     []index.Corrected `json:"read,omitempty"`    // words taken for mistyped
	Listed   []payload.Kind    `json:"listed,omitempty"`  // the question names no topic: the newest of these are listed
	Results  []*Result         `json:"results"`           // best first
	Searched Searched          `json:"searched"`          // what was looked through
	Missing  []string          `json:"missing,omitempty"` // words of the question that stand nowhere
	Behind
	Quoted bool       `json:"quoted,omitempty"` // no result is settled: they are what was said
	Text   *Paragraph `json:"answer,omitempty"` // if it was asked for, unless there is nothing to say

	// Shown are the results to be shown: none that only says again what one above it
	// says, and few where nothing clearly answers.
	Shown []*Result `json:"-"`
	More  int       `json:"-"` // found, and not shown

	AsOf           time.Time `json:"-"` // the end of the day that it is answered as of; zero: now
	WithoutVectors bool      `json:"-"` // words alone were searched: the embedding model gave no usable answer
	Told           []string  `json:"-"` // what the user should know of how it went with the model
	Fault          error     `json:"-"` // why the model gave no answer; nil if it did, or wasn't asked

	all    []*Result // found, best first
	behind int       // found behind them
}

// Behind is what an answer lacks while much is taken in, or taken in again by another version
// of recall.
type Behind struct {
	Left      int  `json:"left"`                // new or grown sessions not taken in yet
	Outdated  int  `json:"outdated,omitempty"`  // sessions as recall last read them, to be looked at again
	Unrelated bool `json:"unrelated,omitempty"` // how decisions bear on one another isn't up to date
}

// Any reports whether it lacks anything.
func (b Behind) Any() bool { return b != Behind{} }

// String says what an answer is: "without 2 new or grown sessions".
func (b Behind) String() string {
	var parts []string
	if b.Left > 0 {
		parts = append(parts, "without "+Count(b.Left, "new or grown session"))
	}
	if b.Outdated > 0 {
		parts = append(parts, "of "+Count(b.Outdated, "session")+" as recall last read them")
	}
	if b.Unrelated {
		parts = append(parts, "not up to date with how decisions bear on one another")
	}
	return strings.Join(parts, ", ")
}

// Warning is said before results that claim less than it looks, "" where they don't.
func (a *Answer) Warning() string {
	switch {
	case a.Verdict == Weak:
		return "Nothing that clearly answers this; nearest:"
	case a.Quoted:
		return "No settled answer is on record; the closest that was said:"
	}
	return ""
}

// Searched is how much was looked through.
type Searched struct {
	Items    int `json:"items"`
	Sessions int `json:"sessions"`
	Projects int `json:"projects"`
	Archived int `json:"archived,omitempty"` // sessions that were left out
	Team     int `json:"team,omitempty"`     // items that the team shares
}

func (s Searched) String() string {
	if s.Sessions == 0 && s.Team > 0 {
		return Count(s.Team, "item") + " of your team's"
	}
	text := Count(s.Items, "item") + " and " + Count(s.Sessions, "session")
	if s.Projects > 1 {
		text += fmt.Sprintf(" of %d projects", s.Projects)
	}
	return text + s.OfTeam() + s.LeftOut()
}

// OfTeam says how much of the team's was searched, "" if nothing was.
func (s Searched) OfTeam() string {
	if s.Team == 0 {
		return ""
	}
	return " and " + Count(s.Team, "item") + " of your team's"
}

// LeftOut says how many archived sessions weren't searched, "" if all were.
func (s Searched) LeftOut() string {
	if s.Archived == 0 {
		return ""
	}
	return fmt.Sprintf("; %d archived left out", s.Archived)
}

// Result is one line of an answer.
type Result struct {
	index.Result
	Since map[string]int `json:"since,omitempty"` // commits since, by file that it speaks of

	// Also is what else its session says, of the first result where that is a passage: the turn that answers next
	// best, which is no result of its own.
	Also []*Result `json:"also,omitempty"`
}

// speaksOf reports whether a result has a word of the question, or another word for
// one: what has none is near to nothing.
func (r *Result) speaksOf() bool {
	return len(r.Terms) > 0 || r.Look.Kindred() > 0 || r.Item != nil && r.Look[rank.Near] > 0
}

// A Question is what is asked, and what is wanted of the answer.
type Question struct {
	index.Query
	Most      int  // results
	Paragraph bool // the answer in one paragraph, too
}

// An Index is what is searched.
type Index interface {
	Search(ctx context.Context, q index.Query) (index.Answer, error)
}

const (
	fewest     = 15 // results that are looked for at least: what the first one's session says next may be far down
	echoed     = 3  // times as many as are shown are looked for, as some only say again what others do
	ofWeak     = 3  // results that are shown where nothing clearly answers
	composedOf = 8  // results that a model's paragraph is made of at least
	inFull     = 2  // results whose passages are shown in full; those of others in brief
)

// Ask answers a question. The model, if there is one, says which of what was found
// answers, and words the paragraph; where it fails the answer is as without it. The
// error is the index's, or the context's.
func Ask(ctx context.Context, x Index, model *SecondLook, q Question) (Answer, error) {
	q.Limit = max(q.Limit, q.Most*echoed, fewest)
	if model != nil {
		q.Limit = max(q.Limit, compose.Looked)
	}
	found, err := x.Search(ctx, q.Query)
	if err != nil {
		return Answer{}, err
	}
	m := asking{SecondLook: model, q: q}
	if len(found.Listed) == 0 { // a list is in its order already
		m.look(ctx, &found)
	}
	a := of(q, found)
	a.Quoted = a.Quoted && !m.looked // that they answer is the model's word
	if q.Paragraph && a.Verdict != Nothing {
		if model != nil {
			a.show(max(q.Most, composedOf))
		}
		from := Numbered(a.Shown)
		a.Text = paragraphOf(m.paragraph(ctx, from), from)
	}
	a.abbreviate()
	a.Told, a.Fault = m.told, m.fault
	return a, ctx.Err()
}

// Of is the answer to a question that a search has found.
func Of(q Question, found index.Answer) Answer {
	a := of(q, found)
	a.abbreviate()
	return a
}

func of(q Question, found index.Answer) Answer {
	a := Answer{Schema: 1, Question: q.Text, AsOf: q.AsOf, Verdict: Answered, Coverage: found.Coverage, Sure: found.Sure,
		Narrowed: found.Narrowed, Widened: found.Widened, Read: found.Corrected, Listed: found.Listed, behind: found.More,
		all: []*Result{}, Missing: found.Missing, WithoutVectors: found.WithoutVectors,
		Searched: Searched{Items: found.SearchedItems, Sessions: found.SearchedSessions, Projects: found.Projects,
			Archived: found.Archived, Team: found.SearchedElsewhere}}
	switch { // refusing wrongly is worse than showing a weak hit
	case len(found.Ranked) == 0, found.Unknown && len(q.Also) == 0:
		a.Verdict = Nothing
	case found.Unknown, found.Doubtful: // or the question's own words stand nowhere, the further ones do
		a.Verdict = Weak
	}
	for _, r := range found.Ranked {
		a.all = append(a.all, &Result{Result: *r})
	}
	if a.Verdict != Nothing {
		a.gather()
	}
	a.Results = a.all[:min(len(a.all), q.Most)]
	asked := len(a.Listed)+len(q.Kinds) > 0 // for these very kinds
	a.Quoted = a.Verdict == Answered && !asked && !slices.ContainsFunc(a.Results, (*Result).settles)
	a.show(q.Most)
	return a
}

// gather takes what the first result's session says next out of the results and puts it below it. Below the others
// it would answer hardly more questions than as many bytes drawn at random.
func (a *Answer) gather() {
	if len(a.all) == 0 || a.all[0].claims() {
		return
	}
	first := a.all[0]
	for _, r := range withoutEchoes(a.all)[1:] {
		if r.Item == nil && r.Session == first.Session && strings.TrimSpace(r.Passage) != "" {
			first.Also = []*Result{r}
			a.all = slices.DeleteFunc(a.all, func(other *Result) bool { return other == r })
			return
		}
	}
}

// claims reports whether a result is a claim, not what somebody said.
func (r *Result) claims() bool { return r.Item != nil && r.Item.Kind != payload.Lead }

// abbreviate shortens the passages of all results that aren't among the first that are shown.
func (a *Answer) abbreviate() {
	full := a.Shown[:min(len(a.Shown), inFull)]
	for _, r := range a.all {
		if !slices.Contains(full, r) {
			r.Passage = r.Brief
		}
	}
}

// Numbered are results with what is shown below them, as they are numbered.
func Numbered(results []*Result) (all []*Result) {
	for _, r := range results {
		all = append(append(all, r), r.Also...)
	}
	return all
}

// settles reports whether a result says more than what somebody said or wanted once.
func (r *Result) settles() bool {
	return r.claims() && r.Item.Kind != payload.Goal
}

// show chooses the results to be shown, at most so many.
func (a *Answer) show(most int) {
	switch a.Verdict {
	case Nothing:
		most = 1
	case Weak:
		most = min(most, ofWeak)
	}
	a.Shown = withoutEchoes(a.all)
	a.Shown = a.Shown[:min(len(a.Shown), most)]
	a.More = len(a.all) - len(a.Shown) + a.behind
}

// withoutEchoes leaves out the passages, turns' and leads, of which nothing would be
// shown that a result above doesn't say already.
func withoutEchoes(all []*Result) []*Result {
	said := ""
	var kept []*Result
	for _, r := range all {
		words := plain(r.Passage)
		if r.Item != nil && r.Item.Kind == payload.Lead && len(r.Item.Evidence) > 0 {
			words = plain(r.Item.Evidence[0].Quote)
		}
		if words != "" && strings.Contains(said, words) {
			continue
		}
		said += "\n" + words
		for _, also := range r.Also {
			said += "\n" + plain(also.Passage)
		}
		if r.Item != nil {
			quotes := r.Item.Quotes()
			for _, l := range r.History { // what doesn't stand any more needs no words of its own
				quotes = append(quotes, l.Item.Quotes()...)
			}
			for _, text := range append(quotes, r.Item.Text) {
				said += "\n" + plain(text)
			}
		}
		kept = append(kept, r)
	}
	return kept
}

// plain is text for comparison.
func plain(text string) string {
	return strings.ToLower(strings.Trim(Voice{}.line(text), "….?! "))
}

// Beside are the results that are shown below the first, without those that are shown
// with it as what contradicts it.
func (a *Answer) Beside() []*Result {
	var rest []*Result
	for _, r := range a.Shown[1:] {
		if r.Item == nil || !a.Shown[0].contradicts(r) {
			rest = append(rest, r)
		}
	}
	return rest
}

func (r *Result) contradicts(other *Result) bool {
	for _, l := range r.Conflict {
		if l.Item.ID == other.Item.ID {
			return true
		}
	}
	return false
}

// See are the items that may bear on a result and are no results of their own, a few.
func (a *Answer) See(r *Result) []index.Linked {
	var see []index.Linked
	for _, l := range r.Related {
		own := func(r *Result) bool { return r.Item != nil && r.Item.ID == l.Item.ID }
		if !slices.ContainsFunc(a.Shown, own) && len(see) < PastShown {
			see = append(see, l)
		}
	}
	return see
}

// Says is what is shown in a place, from 0, in words; "" if nothing is.
func (a *Answer) Says(place int) string {
	if place >= len(a.Shown) {
		return ""
	}
	v, r := Voice{}, a.Shown[place]
	if place == 0 && a.Verdict == Answered {
		if said := v.Tried(a.Question, r); said != "" {
			return said
		}
	}
	if r.Item == nil {
		return v.Passage(r)
	}
	it := WithReason(*r.Item)
	said := v.Sentence(it) + " (" + State(it) + ")"
	if it.Why != "" {
		said += " Why: " + v.line(it.Why)
	}
	return said
}

// SameWords reports whether two texts say the same in the same words.
func SameWords(a, b string) bool { return plain(a) == plain(b) }
