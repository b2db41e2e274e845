package pipeline

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"recall/distill/relate"
	"recall/index"
	"recall/ingest"
	"recall/library"
	"recall/payload"
)

// Relate brings the links between decisions up to date: those of the sessions
// whose items changed are found anew, what isn't found any more is taken back,
// and the index learns what links.jsonl say in the end. It does nothing where
// neither items nor links changed. Lines of links.jsonl that can't be read are
// problems; they cost no other line.
func (p *Pipeline) Relate(ctx context.Context) (problems []ingest.Problem, err error) {
	problems, _, err = p.relate(ctx, time.Time{}, func() {})
	if errors.Is(err, library.ErrBusy) { // somebody else is at it: the next time
		err = nil
	}
	return problems, err
}

// relateTimed is relate as a part of a run, which remembers what it takes. What can't be
// done within the time budget, or somebody else is at, is left for the next run.
func (r *run) relateTimed(ctx context.Context, written func()) error {
	start, deadline := time.Now(), time.Time{}
	if r.options.Budget > 0 {
		deadline = r.start.Add(r.options.Budget)
	}
	problems, any, err := r.relate(ctx, deadline, written)
	left := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, library.ErrBusy)
	if left && ctx.Err() == nil {
		r.report.Unrelated, err = true, nil
	}
	if any {
		r.seen.Relating, r.seen.dirty = time.Since(start), true
	}
	r.report.Problems = append(r.report.Problems, problems...)
	return err
}

// relate is Relate where something else may be writing to the index: written waits
// for that. It reports whether there was anything to do, which is broken off at the deadline
// (zero: none) with context.DeadlineExceeded.
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
		if err != nil { // what is interrupted names its own reason
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
	lines, err := p.changeLinks(ctx, due)
	switch {
	case errors.Is(err, library.ErrDamaged):
		problems = []ingest.Problem{{Path: p.Library.Dir(), Reason: err.Error()}}
	case err != nil:
		return nil, false, err
	}
	if stamp, err = p.Library.LinksStamp(); err != nil {
		return problems, false, err
	}
	if p.Library.ReadOnly() != nil {
		due = nil // they still are
	}
	written()
	return problems, true, p.Index.PutLinks(ctx, payload.StandingLinks(lines), relate.Version()+"\n"+stamp, due)
}

// changeLinks brings links.jsonl up to date, and returns all lines.
func (p *Pipeline) changeLinks(ctx context.Context, due []string) ([]payload.Link, error) {
	if p.Library.ReadOnly() != nil {
		return p.Library.Links()
	}
	return p.Library.ChangeLinks(func(lines []payload.Link) ([]payload.Link, error) {
		return p.changedLinks(ctx, lines, due)
	})
}

// changedLinks are the lines that bring the rules' links of the sessions that
// are due to what their items say now.
func (p *Pipeline) changedLinks(ctx context.Context, lines []payload.Link, due []string) ([]payload.Link, error) {
	isDue := map[string]bool{}
	for _, sid := range due {
		isDue[sid] = true
	}
	// the links that the rules have standing, whatever others said
	standing := payload.StandingLinks(lines, payload.ByRule)
	again := map[payload.ItemID]bool{} // what they say again may not be there any more
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
	want := map[[2]payload.ItemID]payload.Link{}
	for i, links := range found {
		maps.Copy(again, looked[i])
		for _, l := range links {
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
		due := isDue[l.FromSession] || isDue[l.ToSession] || l.Rule == relate.Restates && again[l.From]
		switch {
		case still && reflect.DeepEqual(now, l):
			delete(want, pair)
		case !still && due && p.certain(indexed, l):
			change = append(change, payload.Link{Op: payload.OpRetract, From: l.From, To: l.To, FromSession: l.FromSession,
				ToSession: l.ToSession,
				Maker:     payload.ByRule, Rule: l.Rule, At: l.At})
		}
	}
	return append(change, payload.StandingLinks(slices.Collect(maps.Values(want)))...), nil
}

// certain reports whether what the index says of a link's ends is all there is to
// say: a session that is in the library and not in the index yet may still hold
// the item.
func (p *Pipeline) certain(indexed map[string]string, l payload.Link) bool {
	return !slices.ContainsFunc([]string{l.FromSession, l.ToSession}, func(sid string) bool {
		if _, in := indexed[sid]; in {
			return false
		}
		_, err := p.Library.Session(ingest.SessionID(sid))
		return err == nil
	})
}

// Claims are items as rules weigh them against one another, without what others handed over.
func Claims(placed []index.Placed) []relate.Item {
	var items []relate.Item
	for _, p := range placed {
		if p.Source != index.Handed { // whose it is isn't for rules to weigh against one's own
			items = append(items, relate.Item{Item: p.Item, Session: p.Session, Start: p.SessionStart})
		}
	}
	return items
}
