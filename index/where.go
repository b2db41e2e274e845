package index

import (
	"cmp"
	"context"
	"regexp"
	"slices"

	"recall/index/rank"
	"recall/payload"
)

const (
	whereShare = 0.4 // of the best result's score that a later session's must have to be about the same work
	whereSays  = 0.5 // of the question, that its person must say
	whereShown = 2   // of what a session left
	whereRead  = 4   // as many exchanges are read as for another question
)

// whereItStands puts what the last session about a piece of work left to do, and ended with, before what was found, if
// the question asks how far that is.
func (r *reader) whereItStands(ctx context.Context, list []*ranked) ([]*ranked, error) {
	if len(list) == 0 || !r.asksWhere() {
		return list, nil
	}
	last := list[0]
	for _, o := range list {
		said, _ := o.typed() // the assistant mentions much
		same := o.project == last.project && o.score >= whereShare*list[0].score
		if same && shareIn(r.asked, said.Text) >= whereSays && o.at().After(last.at()) {
			last = o
		}
	}
	open := func(o *ranked) bool {
		return o.item.Waits() == payload.Next || o.item.Rule == payload.ReportRule || o.item.Rule == payload.AskedRule
	}
	left, err := r.newest(ctx, func(o *ranked) bool {
		return (open(o) || o.item.Kind == payload.Goal) && o.item.Current()
	}, `e.session=?`, last.session)
	slices.SortStableFunc(left, func(a, b *ranked) int { return cmp.Compare(b.item.Waits(), a.item.Waits()) })
	left = slices.DeleteFunc(left, func(o *ranked) bool { return o.session != last.session }) // what took its place
	if !slices.ContainsFunc(left, func(o *ranked) bool { return shareIn(r.asked, o.item.Text) > 0 }) {
		putFirst(list, slices.Index(list, last)) // the session went on to something else
		return list, err
	}
	left = slices.DeleteFunc(left, func(o *ranked) bool { return !open(o) })
	for _, o := range left {
		o.project, o.score = last.project, list[0].score
	}
	return append(left[:min(whereShown, len(left))], list...), err
}

// asksWhere reports whether a question asks how far a piece of work is.
func (r *reader) asksWhere() bool {
	asks := func(form *regexp.Regexp) bool { return form.MatchString(r.q.Text) }
	return r.q.Kinds == nil && !r.q.Stated && slices.ContainsFunc(rank.Phrases().Where, asks)
}
