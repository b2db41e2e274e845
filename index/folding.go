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
	// The log begins anew only when all of it is folded and nobody is adding to it. Where
	// sessions come so quickly one after another that there is no such moment, the next
	// one waits at longestLog. From foldAlways on it is folded after each, so that the one
	// that waits has little to wait for.
	foldAlways = 6000
	longestLog = 8000
	// foldWithin is from where on SQLite folds it within a commit after all: of changes
	// that nobody counts here.
	foldWithin = 10_000
)

// folding is how far the log of an index is folded into its file.
type folding struct {
	mu    sync.Mutex
	conn  *sql.Conn     // nil before the first time; not one that others use, whose caches are warm
	under chan struct{} // closed when the one under way is done; nil if none is
	log   int           // pages that the log held the last time; 0 if it begins anew now
	fresh int           // pages that were written since that began
	held  bool          // a reader still needed what it held
}

// wrote counts pages of a change that was committed, and folds the log beside what
// the caller does next if it has become long.
func (f *folding) wrote(db *sql.DB, pages int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fresh += pages
	if f.under == nil && (f.fresh >= foldFrom || f.log+f.fresh >= foldAlways) {
		f.begin(db)
	}
}

// makeRoom waits until the log can begin anew, if it is too long and no reader
// needs it.
func (f *folding) makeRoom(db *sql.DB) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for range 2 { // one that is under way may have begun before the last change
		if f.held || f.log+f.fresh < longestLog {
			return
		}
		if f.under == nil {
			f.begin(db)
		}
		under := f.under
		f.mu.Unlock()
		<-under
		f.mu.Lock()
		if !f.held && f.fresh == 0 {
			f.log = 0
		}
	}
}

// begin begins to fold the log. The caller holds mu.
func (f *folding) begin(db *sql.DB) {
	f.fresh, f.under = 0, make(chan struct{})
	go func() {
		// What fails can wait: the log holds all, and the next one goes on where this ended.
		log, folded, _ := f.fold(context.Background(), db)
		f.mu.Lock()
		defer f.mu.Unlock()
		f.log, f.held = log, folded < log
		close(f.under)
		f.under = nil
	}()
}

// fold folds what no reader needs any more, and says how many pages the log holds and
// how many of them are in the file. One at a time calls it.
func (f *folding) fold(ctx context.Context, db *sql.DB) (log, folded int, err error) {
	if f.conn == nil {
		if f.conn, err = db.Conn(ctx); err != nil {
			return 0, 0, err
		}
	}
	var busy int
	err = f.conn.QueryRowContext(ctx, `PRAGMA wal_checkpoint(PASSIVE)`).Scan(&busy, &log, &folded)
	return log, folded, err
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
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.conn == nil {
		return nil
	}
	conn := f.conn
	f.conn = nil // an index may be closed twice
	return conn.Close()
}

// pagesWritten is how many pages a connection has written since it was last asked.
func pagesWritten(conn *sql.Conn) (pages int, err error) {
	err = conn.Raw(func(driver any) error {
		pages, _, err = driver.(sqlite.DBStatus).Status(sqlite.DBStatusCacheWrite, true)
		return err
	})
	return pages, err
}
