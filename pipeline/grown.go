package pipeline

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"recall/ingest"
	"recall/internal/text"
	"recall/library"
)

// errMore means that a glance isn't enough: something other than self-contained sessions has changed.
var errMore = errors.New("more is new than a glance shows")

// relateAtOnce is how long a question may wait for the links of new items to be found. If that took longer the last
// time, it is done in the background after the question.
const relateAtOnce = 100 * time.Millisecond

// syncGrown processes the sessions that a glance shows to have grown, and no others: the session from which somebody
// asks grows between any two of their questions. It starts from what the glance knows instead of the seen table,
// appends to the table, and updates the glance.
func (p *Pipeline) syncGrown(ctx context.Context, o Options) (Report, error) {
	g := o.Glanced
	known := newSeen(p.seenPath(), p.version())
	known.some = true
	r := p.runOver(o, known)
	for id := range g.grown {
		r.seen.Sessions[id] = g.Sessions[id]
	}
	found, err := r.foundAgain(ctx)
	if err == nil && (r.unfinished().isSet() || p.Library.ReadOnly() != nil) {
		err = errMore
	}
	if err != nil {
		return Report{}, err
	}
	r.report.Found = len(found)
	if err := errors.Join(r.unfinished().set(), r.archive(ctx, found)); err != nil {
		return r.report, err
	}
	left, err := r.distill(ctx)
	if err != nil {
		return r.report, err
	}
	r.countLeft()
	if err := r.journal(); err != nil {
		return r.report, err
	}
	if !left && !r.again {
		err = r.unfinished().clear()
	}
	if r.report.Unrelated = g.Relating > relateAtOnce; err == nil && !r.report.Unrelated {
		err = r.relateTimed(ctx, func() {})
		g.Relating = max(g.Relating, r.seen.Relating)
	}
	if err = errors.Join(err, r.seen.save()); r.faulty(err) {
		return r.report, errors.Join(err, r.glanceFile().clear())
	}
	for path, f := range r.seen.Files {
		g.Was[path] = f
		r.watch(g, filepath.Dir(path))
	}
	for id := range g.grown {
		r.watchSession(g, id)
	}
	for _, ledger := range []string{"journal.jsonl", library.LinksName} { // written by this run
		path := filepath.Join(r.Library.Dir(), ledger)
		delete(g.Was, path)
		r.watch(g, path)
	}
	return r.report, writeGob(string(r.glanceFile()), g)
}

// foundAgain finds the grown sessions as a full search would: what belongs to each now, including watched files in
// other folders, such as its todos.
func (r *run) foundAgain(ctx context.Context) (all []ingest.Found, err error) {
	for id := range r.options.Glanced.grown {
		e, err := r.Library.SessionAt(id, filepath.Dir(r.seen.Sessions[id].Path))
		if err != nil {
			return nil, errMore
		}
		reader, err := r.reader(e.Source)
		if err != nil {
			return nil, errMore
		}
		main, place := "", 0
		var watched []ingest.File
		for path, was := range r.options.Glanced.Was {
			if was.Session != id {
				continue
			}
			file := e.Holding(path)
			fi, err := os.Lstat(path)
			if file == nil || err != nil || !fi.Mode().IsRegular() {
				return nil, errMore
			}
			watched = append(watched, ingest.FileAt(file.Name, file.Role, path, fi))
			if main == "" || file.Place < place {
				main, place = path, file.Place
			}
		}
		found, problems := reader.Find(ctx, main, r.seen.session)
		if len(found) != 1 || len(problems) > 0 || found[0].ID != id || PathOf(found[0]) != main {
			return nil, errMore
		}
		f := found[0]
		f.Root = e.Root
		for _, file := range watched {
			if !slices.ContainsFunc(f.Files, func(o ingest.File) bool { return o.Path == file.Path }) {
				f.Files = append(f.Files, file)
			}
		}
		all = append(all, f)
	}
	return all, ctx.Err()
}

// grown lists the sessions that this run archived, with their stamps in the index. The error is errMore if one isn't
// known to be self-contained.
func (r *run) grown(ctx context.Context, _ bool) ([]library.Entry, map[string]string, error) {
	var entries []library.Entry
	var ids []string
	for id := range r.touched {
		e, err := r.Library.Session(id)
		if err != nil {
			return nil, nil, err
		}
		entries, ids = append(entries, e), append(ids, string(id))
	}
	if len(entries) == 0 {
		return nil, nil, nil
	}
	if err := r.heads(ctx, entries); err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		if r.seen.Sessions[e.ID].Alone != begins(e) {
			return nil, nil, errMore
		}
	}
	stamps, err := r.Index.Stamps(ctx, ids...)
	return entries, stamps, err
}

// keepAlone records for each session of a family whether no other session begins as it does.
func (r *run) keepAlone(f *Family) {
	for _, m := range f.Members {
		if s, known := r.seen.Sessions[m.Entry.ID]; known {
			if s.Alone = ""; len(f.Members) == 1 {
				s.Alone = begins(m.Entry)
			}
			r.seen.set(m.Entry.ID, s)
		}
	}
}

// begins hashes the keys that tie a session to others.
func begins(e library.Entry) string {
	keys := slices.Sorted(slices.Values(e.Heads))
	return text.Hash(strings.Join(keys, "\n"), 8)
}
