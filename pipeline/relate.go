package pipeline

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

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
	problems, _, err = p.relate(ctx, time.Time{}, func() {})
	if errors.Is(err, library.ErrBusy) { // another process is doing it
		err = nil
	}
	return problems, err
}

// relateTimed is relate as part of a run, recording how long it takes. What exceeds the time budget, or another
// process is doing, is left for the next run.
func (r *run) relateTimed(ctx context.Context, written func()) error {
	start, deadline := time.Now(), time.Time{}
	if r.options.Budget > 0 {
		deadline = r.start.Add(r.options.Budget)
	}
	problems, any, err := r.p.relate(ctx, deadline, written)
	left := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, library.ErrBusy)
	if left && ctx.Err() == nil {
		r.report.Unrelated, err = true, nil
	}
	if any {
		r.seen.setFact(relating, time.Since(start).String())
	}
	r.report.Problems = append(r.report.Problems, problems...)
	return err
}

// relate is Relate while something else may be writing to the index: written waits for that. It reports whether
// there was anything to do. After the deadline (zero: none) it stops with context.DeadlineExceeded.
func (p *Pipeline) relate(ctx context.Context, deadline time.Time, written func()) (problems []ingest.Problem,
	any bool, err error) {
	due, made, err := p.Index.Due(ctx)
	if err != nil {
		return nil, false, err
	}
	stamp, err := p.Library.LinksStamp()
	if err != nil {
		return nil, false, err
	}
	if len(due) == 0 && made == relate.Version()+"\n"+stamp {
		return nil, false, nil
	}
	if !deadline.IsZero() {
		var done context.CancelFunc
		ctx, done = context.WithDeadline(ctx, deadline)
		defer done()
	}
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	defer func() {
		if err != nil { // prefer the context's own reason
			err = cmp.Or(ctx.Err(), err)
		}
	}()
	if version, _, _ := strings.Cut(made, "\n"); made != "" && version != relate.Version() {
		written()
		if err := p.Index.AllDue(ctx); err != nil {
			return nil, false, err
		}
		if due, _, err = p.Index.Due(ctx); err != nil {
			return nil, false, err
		}
	}
	var more []payload.Link
	current := false // the index has what stands of the lines that were there before
	lines, err := []payload.Link(nil), error(nil)
	if p.Library.ReadOnly() != nil {
		due = nil // they stay due
		lines, err = p.Library.Links()
	} else {
		lines, stamp, err = p.Library.ChangeLinks(func(lines []payload.Link) ([]payload.Link, error) {
			now, err := p.Library.LinksStamp()
			current = err == nil && made == relate.Version()+"\n"+now
			more, err = p.changedLinks(ctx, lines, due)
			return more, err
		})
	}
	switch {
	case errors.Is(err, library.ErrDamaged):
		problems = []ingest.Problem{{Path: p.Library.Dir(), Err: err}}
	case err != nil:
		return nil, false, err
	}
	written()
	names := sync.OnceValues(func() ([][]byte, error) {
		names, _, err := p.Library.Gone()
		return names, err
	})
	gone := func(l payload.Link) (bool, error) { // forgotten since the lines were read
		names, err := names()
		if err != nil || len(names) == 0 {
			return false, err
		}
		line, err := json.Marshal(l)
		return library.Names(line, names), err
	}
	made = relate.Version() + "\n" + stamp
	if current {
		pairs, standing := standingBetween(lines, more)
		return problems, true, p.Index.ChangeLinks(ctx, pairs, standing, made, due, gone)
	}
	return problems, true, p.Index.PutLinks(ctx, payload.StandingLinks(lines), made, due, gone)
}

// standingBetween returns the pairs of items that some lines are about, both ways, and which of all links stand
// between these.
func standingBetween(lines, some []payload.Link) (pairs [][2]payload.ItemID, standing []payload.Link) {
	about := map[[2]payload.ItemID]bool{}
	for _, l := range some {
		about[[2]payload.ItemID{l.From, l.To}], about[[2]payload.ItemID{l.To, l.From}] = true, true
	}
	var between []payload.Link
	for i := range lines {
		if about[[2]payload.ItemID{lines[i].From, lines[i].To}] {
			between = append(between, lines[i])
		}
	}
	return slices.Collect(maps.Keys(about)), payload.StandingLinks(between)
}

// changedLinks returns the lines to append so that the rules' links of the due sessions match their items.
func (p *Pipeline) changedLinks(ctx context.Context, lines []payload.Link, due []string) ([]payload.Link, error) {
	isDue := map[string]bool{}
	for _, sid := range due {
		isDue[sid] = true
	}
	// the rules' standing links, whatever others said
	standing := payload.StandingLinks(lines, payload.ByRule)
	again := map[payload.ItemID]bool{} // items whose restated counterpart may be gone
	where := slices.Clone(due)
	for _, l := range standing {
		if l.Rule == relate.Restates && isDue[l.ToSession] {
			again[l.From] = true
			where = append(where, l.FromSession)
		}
	}
	projects, err := p.Index.ProjectsOf(ctx, where)
	if err != nil {
		return nil, err
	}
	found := make([][]payload.Link, len(projects))
	looked := make([]map[payload.ItemID]bool, len(projects))
	g, within := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, project := range projects {
		g.Go(func() error {
			placed, err := p.Index.ItemsIn(within, project, relate.Kinds...)
			makeRoom()
			if err == nil {
				found[i], looked[i], err = relate.LinksOfDue(within, Claims(placed), func(it *relate.Item) bool {
					return isDue[it.Session] || again[it.ID]
				})
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	want := map[[2]payload.ItemID]*payload.Link{} // a first sync can find hundreds of thousands: they aren't copied
	for i, links := range found {
		maps.Copy(again, looked[i])
		for at := range links {
			want[[2]payload.ItemID{links[at].From, links[at].To}] = &links[at]
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
		due := isDue[l.FromSession] || isDue[l.ToSession] || l.Rule == relate.Restates && again[l.From]
		switch {
		case still && reflect.DeepEqual(*now, l):
			delete(want, pair)
		case !still && due && p.certain(indexed, l):
			change = append(change, payload.Link{Op: payload.OpRetract, From: l.From, To: l.To, FromSession: l.FromSession,
				ToSession: l.ToSession,
				Maker:     payload.ByRule, Rule: l.Rule, At: l.At})
		}
	}
	fresh := slices.SortedFunc(maps.Values(want), func(a, b *payload.Link) int { return a.InTime(b) })
	change = slices.Grow(change, len(fresh))
	for _, l := range fresh {
		change = append(change, *l)
	}
	return change, nil
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
