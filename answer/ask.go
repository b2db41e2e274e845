package answer

import (
	"context"
	"slices"
	"strings"

	"recall/answer/compose"
	"recall/index"
	"recall/payload"
)

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
	fewest     = 3 // results that are looked for at least
	echoed     = 3 // times as many as are shown are looked for, as some only say again what others do
	ofWeak     = 3 // results that are shown where nothing clearly answers
	composedOf = 8 // results that a model's paragraph is made of at least
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
	a := Of(q, found)
	a.Quoted = a.Quoted && !m.looked // that they answer is the model's word
	if q.Paragraph && a.Verdict != Nothing {
		if model != nil {
			a.show(max(q.Most, composedOf))
		}
		a.Text = paragraphOf(m.paragraph(ctx, a.Shown), a.Shown)
	}
	a.Told, a.Fault = m.told, m.fault
	return a, ctx.Err()
}

// Of is the answer to a question that a search has found.
func Of(q Question, found index.Answer) Answer {
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
	a.Results = a.all[:min(len(a.all), q.Most)]
	asked := len(a.Listed)+len(q.Kinds) > 0 // for these very kinds
	a.Quoted = a.Verdict == Answered && !asked && !slices.ContainsFunc(a.Results, (*Result).settles)
	a.show(q.Most)
	return a
}

// settles reports whether a result says more than what somebody said or wanted once.
func (r *Result) settles() bool {
	return r.Item != nil && r.Item.Kind != payload.Lead && r.Item.Kind != payload.Goal
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
