package index

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"recall/ingest/trace"
	"recall/payload"
)

// Touched is one session's dealings with one file.
type Touched struct {
	Session string
	Project string
	Path    string // as the session's machine names it
	Hows    []trace.How
	N       int       // ordinal of the last turn that did
	At      time.Time // of that turn, zero if unknown
	Calls   int       // how many calls
}

// Files lists who touched the files of a name, in whatever folder: the newest
// first.
func (x *Index) Files(ctx context.Context, name string) ([]Touched, error) {
	rows, err := x.db.QueryContext(ctx, `SELECT s.sid, s.project, p.path, t.how, t.n, t.at, t.calls
		FROM path p JOIN touch t ON t.path=p.id JOIN session s ON s.id=t.session WHERE p.base=? ORDER BY t.at DESC, s.sid`, baseOf(name))
	if err != nil {
		return nil, x.fail("read index", err)
	}
	defer rows.Close()
	var all []Touched
	for rows.Next() {
		var t Touched
		var how int
		var at int64
		if err := rows.Scan(&t.Session, &t.Project, &t.Path, &how, &t.N, &at, &t.Calls); err != nil {
			return nil, x.fail("read index", err)
		}
		t.At = fromMillis(at)
		for i, h := range hows {
			if how&(1<<i) != 0 {
				t.Hows = append(t.Hows, h)
			}
		}
		all = append(all, t)
	}
	return all, x.fail("read index", rows.Err())
}

// Moved is a file or folder that a session renamed.
type Moved struct{ Session, Old, New string }

// Moves lists the renamings of or to one of the paths.
func (x *Index) Moves(ctx context.Context, paths []string) ([]Moved, error) {
	var all []Moved
	for _, p := range paths {
		rows, err := x.db.QueryContext(ctx, `SELECT s.sid, m.old, m.new FROM moved m JOIN session s ON s.id=m.session WHERE m.old=?1 OR m.new=?1`, p)
		if err != nil {
			return nil, x.fail("read index", err)
		}
		for rows.Next() {
			var m Moved
			if err := rows.Scan(&m.Session, &m.Old, &m.New); err != nil {
				rows.Close()
				return nil, x.fail("read index", err)
			}
			all = append(all, m)
		}
		if err := rows.Close(); err != nil {
			return nil, x.fail("read index", err)
		}
	}
	return all, nil
}

// Commit is a commit that a session made, as its transcript states it.
type Commit struct {
	Session, Project string
	Hash             string // a beginning of the commit's; "" if git was quiet
	Subject, Branch  string
	Dir              string
	At               time.Time
	N                int // ordinal of the turn
}

// Commits lists the commits whose hash may be the given one, which is whole or
// at least 7 digits, and those of about that time, within a minute of at.
func (x *Index) Commits(ctx context.Context, hash string, at time.Time) ([]Commit, error) {
	const cols = `SELECT s.sid, s.project, m.hash, m.subject, m.branch, m.dir, m.at, m.n FROM made m JOIN session s ON s.id=m.session WHERE `
	var all []Commit
	scan := func(query string, args ...any) error {
		rows, err := x.db.QueryContext(ctx, cols+query, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var c Commit
			var ms int64
			if err := rows.Scan(&c.Session, &c.Project, &c.Hash, &c.Subject, &c.Branch, &c.Dir, &ms, &c.N); err != nil {
				return err
			}
			c.At = fromMillis(ms)
			if !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
		return rows.Err()
	}
	if len(hash) >= 7 {
		if err := scan(`m.hash >= ?1 AND m.hash < ?1||'g' ORDER BY m.at`, hash[:7]); err != nil {
			return nil, x.fail("read index", err)
		}
		all = slices.DeleteFunc(all, func(c Commit) bool { return !strings.HasPrefix(hash, c.Hash) && !strings.HasPrefix(c.Hash, hash) })
	}
	if !at.IsZero() {
		ms := millis(at)
		if err := scan(`m.at BETWEEN ? AND ? ORDER BY m.at`, ms-60_000, ms+60_000); err != nil {
			return nil, x.fail("read index", err)
		}
	}
	return all, nil
}

// Faulted is an error that a session met.
type Faulted struct {
	Session, Project string
	Sig              int64
	Text             string
	N                int // ordinal of the turn
	At               time.Time
}

// Faults lists where errors of the given signatures came up, the newest first.
func (x *Index) Faults(ctx context.Context, sigs []int64) ([]Faulted, error) {
	var all []Faulted
	for _, sig := range sigs {
		rows, err := x.db.QueryContext(ctx, `SELECT s.sid, s.project, f.text, d.n, d.at FROM faulted d JOIN fault f ON f.sig=d.sig JOIN session s ON s.id=d.session WHERE d.sig=?`, sig)
		if err != nil {
			return nil, x.fail("read index", err)
		}
		for rows.Next() {
			f := Faulted{Sig: sig}
			var ms int64
			if err := rows.Scan(&f.Session, &f.Project, &f.Text, &f.N, &ms); err != nil {
				rows.Close()
				return nil, x.fail("read index", err)
			}
			f.At = fromMillis(ms)
			all = append(all, f)
		}
		if err := rows.Close(); err != nil {
			return nil, x.fail("read index", err)
		}
	}
	slices.SortStableFunc(all, func(a, b Faulted) int { return b.At.Compare(a.At) })
	return all, nil
}

// EachFault calls do for every error known, until it returns false.
func (x *Index) EachFault(ctx context.Context, do func(sig int64, text string) bool) error {
	rows, err := x.db.QueryContext(ctx, `SELECT sig, text FROM fault`)
	if err != nil {
		return x.fail("read index", err)
	}
	defer rows.Close()
	for rows.Next() {
		var sig int64
		var text string
		if err := rows.Scan(&sig, &text); err != nil {
			return x.fail("read index", err)
		}
		if !do(sig, text) {
			return nil
		}
	}
	return x.fail("read index", rows.Err())
}

// ItemsOf reads the items of sessions, in order.
func (x *Index) ItemsOf(ctx context.Context, sessions []string) (map[string][]payload.Item, error) {
	all := map[string][]payload.Item{}
	for _, sid := range sessions {
		rows, err := x.db.QueryContext(ctx, `SELECT i.data FROM item i JOIN session s ON s.id=i.session WHERE s.sid=? ORDER BY i.at, i.id`, sid)
		if err != nil {
			return nil, x.fail("read index", err)
		}
		for rows.Next() {
			var data []byte
			var it payload.Item
			err := rows.Scan(&data)
			if err == nil {
				var text string
				if text, err = unpack(data); err == nil {
					err = json.Unmarshal([]byte(text), &it)
				}
			}
			if err != nil {
				rows.Close()
				return nil, x.fail("read index", err)
			}
			all[sid] = append(all[sid], it)
		}
		if err := rows.Close(); err != nil {
			return nil, x.fail("read index", err)
		}
	}
	return all, nil
}
