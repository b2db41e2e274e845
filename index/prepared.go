package index

import (
	"context"
	"database/sql"
	"sync"
)

// prepared are the statements that every search runs, made once: to read one
// takes SQLite as long as many a one takes to run.
type prepared struct {
	mu sync.Mutex
	of statements // nil before the first search
}

// statements are kept by their text.
type statements map[string]*sql.Stmt

const (
	laterSessions = `SELECT EXISTS(SELECT 1 FROM session t WHERE t.project=s.project AND t.start>s.start AND t.start<?2 AND ` + ofOurs + `) FROM session s WHERE s.id=?1`
	placeOf       = `SELECT s.sid, s.title, s.project, s.source, s.start, iif(s.source='` + Handed + `', 0,
			(SELECT count(*) FROM session t WHERE t.project=s.project AND t.start<s.start)
			+ (SELECT count(*) FROM session t WHERE t.project=s.project AND t.start=s.start AND t.sid<=s.sid)
			- (SELECT count(*) FROM session t WHERE ` + ofOthers + ` AND +t.project=s.project AND (+t.start, t.sid)<=(s.start, s.sid)))
			FROM session s WHERE s.id=?`
)

// all gives the statements. It is called before the search's transaction begins,
// so that a process with one connection prepares them on that.
func (p *prepared) all(ctx context.Context, db *sql.DB) (statements, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of != nil {
		return p.of, nil
	}
	of := statements{}
	for _, text := range []string{laterSessions, placeOf, allSessions, readState, sizeOf, ownerOf, blocksOf, listsOf, linksOf, loadOf[items], loadOf[turns]} {
		st, err := db.PrepareContext(ctx, text)
		if err != nil {
			return nil, err
		}
		of[text] = st
	}
	p.of = of
	return of, nil
}

// on gives a statement in a transaction, one that is kept where there is one.
func (s statements) on(ctx context.Context, tx *sql.Tx, text string) (*sql.Stmt, error) {
	if st := s[text]; st != nil {
		return tx.StmtContext(ctx, st), nil
	}
	return tx.PrepareContext(ctx, text)
}

// prepare gives a statement of the search.
func (r *reader) prepare(ctx context.Context, text string) (*sql.Stmt, error) {
	return r.kept.on(ctx, r.tx, text)
}
