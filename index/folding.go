package index

import (
	"context"
	"database/sql"
	"sync"

	"modernc.org/sqlite"
)

// What a transaction writes goes to SQLite's write-ahead log, and is folded into the
// file later (a checkpoint, https://sqlite.org/wal.html#ckpt). Left to itself SQLite
// does that within the commit that makes the log long: a thousand pages to copy and
// two files to sync, for which one session in eight would wait as long as for all
// else. So it is done beside the work of who puts in, on a connection of its own:
// readers and the writer wait for it no more than for one another.

const (
	// foldFrom is how many pages there are to fold before it is begun: fewer are copied
	// more often, as the same page is written by one session after another.
	foldFrom = 1000
	// foldAlways is from how long a log on it is folded after each change. It begins
	// anew only if all of it is folded when the next change begins.
	foldAlways = 2000
	// longestLog is from where on SQLite folds it within the commit after all: where
	// sessions come so quickly one after another that there is no moment between.
	// Then most of it is folded already.
	longestLog = 4000
)

// folding is how far the log of an index is folded into its file.
type folding struct {
	mu    sync.Mutex
	conn  *sql.Conn     // nil before the first time; not one that others use, whose caches are warm
	under chan struct{} // closed when the one under way is done; nil if none is
	log   int           // how many pages the log held the last time
	fresh int           // pages that were written since that began
}

// wrote counts pages of a change that was committed, and folds the log beside what
// the caller does next if it has become long.
func (f *folding) wrote(db *sql.DB, pages int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fresh += pages
	if f.under != nil || f.fresh < foldFrom && f.log+f.fresh < foldAlways {
		return
	}
	f.fresh, f.under = 0, make(chan struct{})
	go func() {
		// It can wait: the log holds all, and the next one goes on where this ended.
		log, _ := f.fold(context.Background(), db)
		f.mu.Lock()
		defer f.mu.Unlock()
		f.log = log
		close(f.under)
		f.under = nil
	}()
}

// fold folds what no reader needs any more, and says how many pages the log holds.
// One at a time calls it.
func (f *folding) fold(ctx context.Context, db *sql.DB) (log int, err error) {
	if f.conn == nil {
		if f.conn, err = db.Conn(ctx); err != nil {
			return 0, err
		}
	}
	var busy, folded int
	err = f.conn.QueryRowContext(ctx, `PRAGMA wal_checkpoint(PASSIVE)`).Scan(&busy, &log, &folded)
	return log, err
}

// wait waits for the one under way.
func (f *folding) wait() {
	f.mu.Lock()
	under := f.under
	f.mu.Unlock()
	if under != nil {
		<-under
	}
}

// close waits for the one under way and gives its connection back.
func (f *folding) close() error {
	f.wait()
	if f.conn == nil {
		return nil
	}
	return f.conn.Close()
}

// pagesWritten is how many pages a connection has written since it was last asked.
func pagesWritten(conn *sql.Conn) (pages int, err error) {
	err = conn.Raw(func(driver any) error {
		pages, _, err = driver.(sqlite.DBStatus).Status(sqlite.DBStatusCacheWrite, true)
		return err
	})
	return pages, err
}
