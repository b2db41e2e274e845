package pipeline

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"recall/distill/relate"
	"recall/index"
	"recall/ingest"
	"recall/library"
	"recall/payload"
)

// Relate brings the links between decisions up to date: it recomputes those of sessions whose items changed,
// retracts what no longer applies, and updates the index from links.jsonl. If neither items nor links changed, it
// does nothing. Lines of links.jsonl that can't be read are problems; they don't affect other lines.
func (p *Pipeline) Relate(ctx context.Context) (problems []ingest.Problem, err error) {
	r := &run{p: p, report: &Report{}}
	err = r.relate(ctx)
	return r.report.Problems, err
}

// relate is Relate as part of a run. What exceeds the time budget, or another process is doing, is left for the next.
func (r *run) relate(ctx context.Context) error {
	due, made, err := r.p.Index.Due(ctx)
	if err != nil || r.p.linked(due, made) {
		return err
	}
	within := ctx
	if r.options.Budget > 0 {
		limited, cancel := context.WithDeadline(ctx, r.start.Add(r.options.Budget))
		defer cancel()
		within = limited
	}
	problems, err := r.p.relate(within, due, made)
	r.report.Problems = append(r.report.Problems, problems...)
	left := err != nil && (within.Err() != nil || errors.Is(err, library.ErrBusy))
	if left && ctx.Err() == nil {
		r.report.Unrelated, err = true, nil
	}
	return err
}

// linksMade is what the index keeps of how its links were made: by which rules, of which lines.
func linksMade(stamp string) string { return relate.Version + "\n" + stamp }

// linked reports whether the index's links are up to date, given what its Due returns.
func (p *Pipeline) linked(due []string, made string) bool {
	return len(due) == 0 && made == linksMade(p.Library.LinksStamp())
}

func (p *Pipeline) relate(ctx context.Context, due []string, made string) (problems []ingest.Problem, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if rules, _, _ := strings.Cut(made, "\n"); rules != "" && rules != relate.Version {
		if err := p.Index.AllDue(ctx); err != nil {
			return nil, err
		}
		if due, _, err = p.Index.Due(ctx); err != nil {
			return nil, err
		}
	}
	lines, stamp, err := p.appendLinks(ctx, due)
	if errors.Is(err, library.ErrDamaged) {
		problems, err = []ingest.Problem{{Path: p.Library.Dir(), Err: err}}, nil
	}
	if err != nil {
		return nil, err
	}
	if p.Library.ReadOnly() != nil { // sessions stay due
		due = nil
	}
	standing := payload.StandingLinks(lines)
	own := map[[2]payload.ItemID]bool{}
	for _, l := range standing {
		own[[2]payload.ItemID{l.From, l.To}] = true
	}
	shared, err := p.sharedLinks(ctx)
	if err != nil {
		return nil, err
	}
	for _, l := range shared {
		if !own[[2]payload.ItemID{l.From, l.To}] {
			standing = append(standing, l)
		}
	}
	return problems, p.indexLinks(ctx, standing, stamp, due)
}

// appendLinks finds the links of the sessions that are due and appends those that changed to links.jsonl, whose lines
// and stamp it returns. Lines that can't be read are an error returned along with the others.
func (p *Pipeline) appendLinks(ctx context.Context, due []string) (lines []payload.Link, stamp string, err error) {
	if p.Library.ReadOnly() != nil {
		stamp = p.Library.LinksStamp()
		lines, err = p.Library.Links()
		return lines, stamp, err
	}
	return p.Library.ChangeLinks(func(lines []payload.Link) ([]payload.Link, error) {
		return p.changedLinks(ctx, lines, due)
	})
}

// sharedLinks finds how what others share bears on one another and on what was decided here. That depends on the items
// alone, so it is in the index only: nothing in the library would be right when somebody's items are no longer there.
// What two people decided that can't both hold is a conflict.
func (p *Pipeline) sharedLinks(ctx context.Context) (links []payload.Link, err error) {
	projects, err := p.Index.SharedProjects(ctx)
	for _, project := range projects {
		placed, err := p.Index.ItemsIn(ctx, project, payload.Decision)
		if err != nil {
			return nil, err
		}
		own := func(one index.Placed) bool {
			return one.Author == "" || p.Shared != nil && p.Shared.IsMine(one.Key)
		}
		slices.SortStableFunc(placed, func(a, b index.Placed) int { // whoever takes the id of another's item loses
			return strings.Compare(a.Author, b.Author)
		})
		at := map[payload.ItemID]index.Placed{}
		var items []relate.Item
		for _, one := range placed {
			if _, twice := at[one.Item.ID]; !twice && (one.Author != "" || one.Source != index.HandoffSource) {
				at[one.Item.ID] = one
				items = append(items, relate.Item{Item: one.Item, Session: cmp.Or(one.Key, one.Session),
					Start: one.SessionStart})
			}
		}
		for _, l := range append(relate.Links(items), relate.DifferentChoices(items)...) {
			later, earlier := at[l.From], at[l.To]
			if later.Author == "" && earlier.Author == "" || later.Session == earlier.Session {
				continue
			}
			same := later.Author == earlier.Author || own(later) && own(earlier)
			if l.Relation == payload.Supersedes && !same {
				l.Relation, l.Collapses = payload.Contradicts, false
			}
			links = append(links, l)
		}
	}
	return links, err
}

// indexLinks has the index hold some links that stand, without what was forgotten since they were read.
func (p *Pipeline) indexLinks(ctx context.Context, links []payload.Link, stamp string, due []string) error {
	forgotten := sync.OnceValues(p.Library.Tombstones)
	gone := func(l payload.Link) (bool, error) {
		ids, err := forgotten()
		return slices.Contains(ids, ingest.SessionID(l.FromSession)) ||
			slices.Contains(ids, ingest.SessionID(l.ToSession)), err
	}
	return p.Index.PutLinks(ctx, links, linksMade(stamp), due, gone)
}

// changedLinks returns the lines to append so that the rules' links of the due sessions match their items.
func (p *Pipeline) changedLinks(ctx context.Context, lines []payload.Link, due []string) ([]payload.Link, error) {
	isDue := map[string]bool{}
	for _, sid := range due {
		isDue[sid] = true
	}
	// the rules' standing links, whatever others said
	standing := payload.StandingLinks(lines, payload.ByRule)
	projects, err := p.Index.ProjectsOf(ctx, due)
	if err != nil {
		return nil, err
	}
	want := map[[2]payload.ItemID]payload.Link{}
	for _, project := range projects {
		placed, err := p.Index.ItemsIn(ctx, project, payload.Decision, payload.Lead, payload.Goal)
		if err != nil {
			return nil, err
		}
		for _, l := range relate.Links(Claims(placed)) {
			want[[2]payload.ItemID{l.From, l.To}] = l
		}
	}
	indexed, err := p.Index.Stamps(ctx)
	if err != nil {
		return nil, err
	}
	var change []payload.Link
	for _, l := range standing {
		pair := [2]payload.ItemID{l.From, l.To}
		now, still := want[pair]
		due := isDue[l.FromSession] || isDue[l.ToSession]
		switch {
		case still && reflect.DeepEqual(now, l):
			delete(want, pair)
		case !still && due && p.certain(indexed, l):
			change = append(change, payload.Link{Op: payload.OpRetract, From: l.From, To: l.To, FromSession: l.FromSession,
				ToSession: l.ToSession, Maker: payload.ByRule, Rule: l.Rule, At: l.At})
		}
	}
	return slices.AppendSeq(change, slices.Values(slices.SortedFunc(maps.Values(want),
		func(a, b payload.Link) int { return a.InTime(&b) }))), nil
}

// certain reports whether the index has both ends of a link: a session that is in the library but not yet in the
// index may still hold the item.
func (p *Pipeline) certain(indexed map[string]string, l payload.Link) bool {
	return !slices.ContainsFunc([]string{l.FromSession, l.ToSession}, func(sid string) bool {
		if _, in := indexed[sid]; in {
			return false
		}
		_, err := p.Library.Session(ingest.SessionID(sid))
		return err == nil
	})
}

// Claims returns items in the form that rules compare, without those that others handed over.
func Claims(placed []index.Placed) []relate.Item {
	var items []relate.Item
	for _, p := range placed {
		if p.Source != index.HandoffSource { // rules don't compare other people's items with one's own
			items = append(items, relate.Item{Item: p.Item, Session: p.Session, Start: p.SessionStart})
		}
	}
	return items
}

// Links finds, of the links that stand, those from or to given items, in the order of payload.StandingLinks.
type Links interface {
	LinksOf(ctx context.Context, items ...payload.ItemID) ([]payload.Link, error)
}

// LinksNow returns the links that links.jsonl holds now: from the index (which may be nil) if it was made from the
// current files, else by reading them all. Lines that can't be read don't affect others.
func LinksNow(ctx context.Context, l *library.Library, x *index.Index) (Links, error) {
	if x != nil {
		_, made, err := x.Due(ctx)
		if _, of, ok := strings.Cut(made, "\n"); err == nil && ok && of == l.LinksStamp() {
			return ownLinks{x}, nil
		}
	}
	lines, err := l.Links()
	if err != nil && !errors.Is(err, library.ErrDamaged) {
		return nil, err
	}
	return linksRead(payload.StandingLinks(lines)), nil
}

// ownLinks are an index's without those of what others share.
type ownLinks struct{ *index.Index }

func (o ownLinks) LinksOf(ctx context.Context, items ...payload.ItemID) ([]payload.Link, error) {
	links, err := o.Index.LinksOf(ctx, items...)
	return slices.DeleteFunc(links, func(k payload.Link) bool {
		return index.IsShared(k.FromSession) || index.IsShared(k.ToSession)
	}), err
}

// linksRead are links in memory.
type linksRead []payload.Link

func (r linksRead) LinksOf(_ context.Context, items ...payload.ItemID) (links []payload.Link, err error) {
	of := map[payload.ItemID]bool{}
	for _, id := range items {
		of[id] = true
	}
	return slices.DeleteFunc(slices.Clone(r), func(k payload.Link) bool { return !of[k.From] && !of[k.To] }), nil
}
