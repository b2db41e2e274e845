package index

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"recall/ingest"
	"recall/ingest/trace"
)

// FileTouch is what one session did to one file.
type FileTouch struct {
	Session string
	Project string
	Path    string // as on the session's machine
	Hows    []trace.How
	N       int       // ordinal of the last turn that touched it
	At      time.Time // of that turn, zero if unknown
	Calls   int       // number of tool calls
}

// Files lists the sessions that touched files of a name, in any folder, the newest first.
func (x *Index) Files(ctx context.Context, name string) ([]FileTouch, error) {
	return readList(ctx, x, func(rows *sql.Rows) (t FileTouch, err error) {
		var how int
		err = rows.Scan(&t.Session, &t.Project, &t.Path, &how, &t.N, written{&t.At}, &t.Calls)
		for i, h := range hows {
			if how&(1<<i) != 0 {
				t.Hows = append(t.Hows, h)
			}
		}
		return t, err
	}, `SELECT s.sid, s.project, p.path, t.how, t.n, t.at, t.calls
		FROM path p JOIN touch t ON t.path=p.id JOIN session s ON s.id=t.session
		WHERE p.base=? ORDER BY t.at DESC, s.sid`, baseOf(name))
}

// FileRename is a file or folder that a session renamed.
type FileRename struct{ Session, Old, New string }

// Moves lists the renames from or to a path.
func (x *Index) Moves(ctx context.Context, path string) ([]FileRename, error) {
	return readList(ctx, x, func(rows *sql.Rows) (m FileRename, err error) {
		err = rows.Scan(&m.Session, &m.Old, &m.New)
		return m, err
	}, `SELECT s.sid, m.old, m.new FROM moved m JOIN session s ON s.id=m.session WHERE m.old=?1 OR m.new=?1`, path)
}

// Commit is a commit that a session made, as its transcript states it.
type Commit struct {
	Session, Project string
	trace.Commit
}

// Commits lists the commits that match a hash, full or at least 7 digits, and those within a minute of at.
func (x *Index) Commits(ctx context.Context, hash string, at time.Time) ([]Commit, error) {
	list := func(where string, args ...any) ([]Commit, error) {
		return readList(ctx, x, func(rows *sql.Rows) (c Commit, err error) {
			err = rows.Scan(&c.Session, &c.Project, &c.Hash, &c.Subject, &c.Branch, &c.Dir, written{&c.At}, &c.N)
			return c, err
		}, `SELECT s.sid, s.project, m.hash, m.subject, m.branch, m.dir, m.at, m.n
			FROM made m JOIN session s ON s.id=m.session WHERE `+where+` ORDER BY m.at`, args...)
	}
	var all, then []Commit
	var err error
	if len(hash) >= 7 {
		all, err = list(`m.hash >= ?1 AND m.hash < ?1||'g'`, hash[:7])
		all = slices.DeleteFunc(all, func(c Commit) bool {
			return !strings.HasPrefix(hash, c.Hash) &&
				!strings.HasPrefix(c.Hash, hash)
		})
	}
	if err == nil && !at.IsZero() {
		then, err = list(`m.at BETWEEN ? AND ?`, millis(at)-60_000, millis(at)+60_000)
	}
	for _, c := range then {
		if !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all, err
}

// A Shape is how a session begins, and how much it changed.
type Shape struct {
	Prompt string // its first one
	ingest.Changes
}

// Shapes returns the shapes of sessions.
func (x *Index) Shapes(ctx context.Context, sessions []string) (map[string]Shape, error) {
	all := map[string]Shape{}
	err := scan(ctx, x.db, func(rows *sql.Rows) error {
		var sid string
		var prompt sql.RawBytes
		var one Shape
		err := rows.Scan(&sid, &prompt, &one.Files, &one.Added, &one.Removed)
		if err == nil && len(prompt) > 0 {
			one.Prompt, err = unpack(prompt)
		}
		all[sid] = one
		return err
	}, `SELECT s.sid, (SELECT text FROM turn WHERE session=s.id AND role='user' ORDER BY n LIMIT 1),
			coalesce(c.files, 0), coalesce(c.added, 0), coalesce(c.removed, 0)
		FROM session s LEFT JOIN changed c ON c.session=s.id WHERE s.sid IN (SELECT value FROM json_each(?))`,
		jsonList(sessions))
	return all, x.fail("read index", err)
}
