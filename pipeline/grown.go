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

// errNotAlone means that a session that grew can't be processed without a look at the others.
var errNotAlone = errors.New("a session that grew isn't on its own")

// relateAtOnce is how long a question may wait for the links of new items to be found. If that took longer the last
// time, it is done in the background after the question.
const relateAtOnce = 100 * time.Millisecond

// syncGrown processes the sessions that a Glance showed to have grown, and no others: the session from which somebody
// asks grows between any two of their questions. The error is errNotAlone if that isn't enough.
func (p *Pipeline) syncGrown(ctx context.Context, o Options) (Report, error) {
	r := p.startRun(o)
	err := r.grown(ctx)
	return r.report, errors.Join(err, r.seen.close())
}

func (r *run) grown(ctx context.Context) error {
	found, err := r.foundAgain(ctx)
	if err == nil && (r.seen.facts[finished] == "" || r.p.Library.ReadOnly() != nil) {
		err = errNotAlone
	}
	if err != nil {
		return err
	}
	r.look = r.touchedAlone
	r.report.Found = len(found)
	if err := errors.Join(r.begin(), r.archive(ctx, found)); err != nil {
		return err
	}
	left, err := r.distill(ctx)
	if err != nil {
		return err
	}
	r.countLeft()
	if err := r.journal(); err != nil {
		return err
	}
	if !left && !r.again {
		r.seen.setFact(finished, "yes")
	}
	took, _ := time.ParseDuration(r.seen.facts[relating])
	if r.report.Unrelated = took > relateAtOnce; !r.report.Unrelated {
		err = r.relateTimed(ctx, func() {})
	}
	if r.faulty(err) {
		r.seen.setFact(looked, "")
		return err
	}
	for _, ledger := range []string{"journal.jsonl", library.LinksName} { // written by this run
		r.watch(filepath.Join(r.p.Library.Dir(), ledger))
	}
	return nil
}

// foundAgain finds the grown sessions as a full search would: what belongs to each now, including known files in other
// folders, such as its todos.
func (r *run) foundAgain(ctx context.Context) (all []ingest.Found, err error) {
	for _, id := range r.options.Grown {
		s, known := r.seen.session(id)
		e, err := r.p.Library.SessionAt(id, s.Folder)
		if !known || err != nil {
			return nil, errNotAlone
		}
		reader, err := r.p.reader(e.Source)
		if err != nil || r.seen.readFiles("WHERE session = ?", string(id)) != nil {
			return nil, errNotAlone
		}
		f, ok := r.findAgain(ctx, reader, &e)
		if !ok {
			return nil, errNotAlone
		}
		all = append(all, f)
	}
	return all, ctx.Err()
}

func (r *run) findAgain(ctx context.Context, reader ingest.Reader, e *library.Entry) (ingest.Found, bool) {
	main, place := "", 0
	var files []ingest.File
	for path, was := range r.seen.files {
		if was.Session != e.ID {
			continue
		}
		file := e.Holding(path)
		fi, err := os.Lstat(path)
		if file == nil || err != nil || !fi.Mode().IsRegular() {
			return ingest.Found{}, false
		}
		files = append(files, ingest.FileAt(file.Name, file.Role, path, fi))
		if main == "" || file.Place < place {
			main, place = path, file.Place
		}
	}
	found, problems := reader.Find(ctx, main, r.seen.sessionOf)
	if len(found) != 1 || len(problems) > 0 || found[0].ID != e.ID || PathOf(found[0]) != main {
		return ingest.Found{}, false
	}
	f := found[0]
	f.Root = e.Root
	for _, file := range files {
		if !slices.ContainsFunc(f.Files, func(o ingest.File) bool { return o.Path == file.Path }) {
			f.Files = append(f.Files, file)
		}
	}
	return f, true
}

// touchedAlone lists the sessions that this run archived. The error is errNotAlone if one may belong to others.
func (r *run) touchedAlone(ctx context.Context, _ bool) ([]library.Entry, map[string]string, error) {
	var entries []library.Entry
	var ids []string
	for id := range r.touched {
		e, err := r.p.Library.Session(id)
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
		if s, _ := r.seen.session(e.ID); s.Begins != begins(e) {
			return nil, nil, errNotAlone
		}
	}
	stamps, err := r.p.Index.Stamps(ctx, ids...)
	return entries, stamps, err
}

// keepAlone records for each session of a family whether no other session begins as it does.
func (r *run) keepAlone(f *Family) {
	for _, m := range f.Members {
		if s, known := r.seen.session(m.Entry.ID); known {
			if s.Begins = ""; len(f.Members) == 1 {
				s.Begins = begins(m.Entry)
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
