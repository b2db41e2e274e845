package improve

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"

	"recall/distill/model"
	"recall/distill/relate"
	"recall/internal/llm"
	"recall/internal/text"
	"recall/library"
	"recall/library/calls"
	"recall/payload"
	"recall/pipeline"
)

// A Reconciler decides how items of one project bear on one another. model.Improver is one.
type Reconciler interface {
	Reconcile(ctx context.Context, pairs []model.Pair) ([]model.Verdict, error)
	Link(p model.Pair, v model.Verdict) (l payload.Link, ok bool)
}

// A session's pairs fit one request: a project's items keep growing, the cost of a session
// must not. An item is compared with those that share some of its words.
const (
	pairsEach  = 15                   // maximum per session
	pairsOf    = 3                    // maximum per item
	pairsUsual = 8                    // per session
	pairsIn    = 750 + pairsUsual*160 // tokens of a usual request, with instructions
	pairsOut   = pairsUsual * 70      // tokens of its answer
	pairsAlike = 0.15                 // minimum likeness (payload.Alike) for two items to be related
)

// reconcilable are the kinds that can bear on one another.
var reconcilable = []payload.Kind{payload.Decision, payload.Eliminated, payload.Deferred, payload.Question}

// reconcile asks how the items of sessions that now have a model's payload bear on others of their projects, and
// keeps what is found as links. Sessions that get no answer stay marked and are asked about next time.
func (g *asking) reconcile(ctx context.Context) error {
	judge := g.Reconciler
	if judge == nil {
		return nil
	}
	tries, err := calls.Tries(g.Library)
	if err != nil && !errors.Is(err, library.ErrDamaged) {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(tries)) {
		t := tries[id]
		e, err := g.Library.Session(id)
		if err != nil || !t.Unlinked { // forgotten, or already compared
			continue
		}
		err = g.reconcileOne(ctx, e, judge)
		var fault *llm.Error
		var capped *llm.Capped
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &fault) && fault.Passing():
			continue // it stays marked
		case errors.As(err, &fault) && fault.Ends(), errors.As(err, &capped):
			g.out.Cause = cmp.Or(g.out.Cause, err)
			return nil
		case errors.As(err, &fault): // no answer to be expected; what rules found stands
		case err != nil:
			return err
		}
		t.Unlinked = false
		g.note(t)
	}
	return nil
}

// reconcileOne brings the model's links of one session up to date.
func (g *asking) reconcileOne(ctx context.Context, e library.Entry, judge Reconciler) error {
	p, err := g.Library.Payload(e.ID)
	if err != nil {
		return err
	}
	pairs, err := g.pairs(ctx, e, p)
	if err != nil {
		return err
	}
	var verdicts []model.Verdict
	var asked error
	if len(pairs) > 0 {
		verdicts, asked = judge.Reconcile(llm.WithAccount(ctx, llm.Account{Session: string(e.ID), Project: e.Project}), pairs)
	}
	_, _, err = g.Library.ChangeLinks(func(lines []payload.Link) ([]payload.Link, error) {
		have := map[[2]payload.ItemID]payload.Link{} // models' standing links, whatever others said
		for _, l := range payload.StandingLinks(lines, payload.ByModel) {
			have[[2]payload.ItemID{l.From, l.To}] = l
		}
		change := withoutEnd(have, e, p)
		for i, v := range verdicts {
			if !v.Known {
				continue
			}
			now, ok := judge.Link(pairs[i], v)
			was, had := have[[2]payload.ItemID{pairs[i].Later.ID, pairs[i].Earlier.ID}]
			switch {
			case ok && !(had && reflect.DeepEqual(now, was)):
				change = append(change, now)
			case !ok && had:
				change = append(change, takenBack(was))
			}
		}
		g.tally(func() {
			for _, l := range change {
				if l.Op == payload.OpLink {
					g.out.Links++
				}
			}
		})
		return change, nil
	})
	if errors.Is(err, library.ErrDamaged) {
		err = nil // Relate reports it
	}
	return cmp.Or(asked, err)
}

// withoutEnd retracts the links of items that the session no longer has.
func withoutEnd(have map[[2]payload.ItemID]payload.Link, e library.Entry, p *payload.Payload) (change []payload.Link) {
	in := map[payload.ItemID]bool{}
	for _, it := range p.Items {
		in[it.ID] = true
	}
	for _, l := range have {
		if l.FromSession == string(e.ID) && !in[l.From] || l.ToSession == string(e.ID) && !in[l.To] {
			change = append(change, takenBack(l))
		}
	}
	slices.SortFunc(change, func(a, b payload.Link) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return change
}

func takenBack(l payload.Link) payload.Link {
	l.Op, l.Relation, l.FromEvidence, l.ToEvidence = payload.OpRetract, "", nil, nil
	return l
}

// pairs lists items of a session with those of other sessions that may be related, the likeliest first. Of two items
// the later one bears on the earlier.
func (g *asking) pairs(ctx context.Context, e library.Entry, p *payload.Payload) ([]model.Pair, error) {
	project, err := g.Library.Project(e.Project)
	if err != nil {
		return nil, err
	}
	others, err := g.claimsOf(ctx, project.Name)
	if err != nil {
		return nil, err
	}
	type likely struct {
		model.Pair
		alike float64
	}
	var all []likely
	for _, it := range p.Items {
		if !slices.Contains(reconcilable, it.Kind) || it.Maker == payload.ByRule {
			continue
		}
		var of []likely
		mine := relate.Item{Item: it, Session: string(e.ID), Start: e.Start}
		words := text.Words(it.Text + " " + it.Why)
		for i := range others {
			o := &others[i]
			if o.Session == string(e.ID) || !o.Current() {
				continue
			}
			alike := words.Like(o.words)
			if alike < pairsAlike {
				continue
			}
			pair := model.Pair{Later: mine, Earlier: o.Item}
			if relate.InTime(pair.Later, pair.Earlier) < 0 {
				pair.Later, pair.Earlier = pair.Earlier, pair.Later
			}
			of = append(of, likely{pair, alike})
		}
		slices.SortStableFunc(of, func(a, b likely) int { return cmp.Compare(b.alike, a.alike) })
		all = append(all, of[:min(len(of), pairsOf)]...)
	}
	slices.SortStableFunc(all, func(a, b likely) int { return cmp.Compare(b.alike, a.alike) })
	var pairs []model.Pair
	for _, l := range all[:min(len(all), pairsEach)] {
		pairs = append(pairs, l.Pair)
	}
	return pairs, nil
}

// claim is an item that others are compared with.
type claim struct {
	relate.Item
	words text.Bag
}

// claimsOf returns the items of a project that can bear on others, as the index has them, reading them once per run.
func (g *asking) claimsOf(ctx context.Context, project string) ([]claim, error) {
	if known, ok := g.claims[project]; ok {
		return known, nil
	}
	placed, err := g.Index.ItemsIn(ctx, project, reconcilable...)
	if err != nil {
		return nil, err
	}
	var all []claim
	for _, it := range pipeline.Claims(placed) {
		all = append(all, claim{it, text.Words(it.Text + " " + it.Why)})
	}
	g.claims[project] = all
	return all, nil
}
