package index

import (
	"cmp"
	"context"
	"database/sql"
	"errors"

	"github.com/ncruces/go-sqlite3"
)

// Tidy is to be called after many changes: it merges what Puts left in pieces
// and gives back the room. Searches stay right without it and get slower.
func (x *Index) Tidy(ctx context.Context) error {
	err := rewrite(ctx, x.db, func(_ *sql.Tx, w *writing) error { return w.tidy(ctx, false) })
	if err == nil {
		err = x.shrink(ctx)
	}
	return x.fail("tidy index", err)
}

// rewrite changes the lists of words, and what else do changes, in one transaction.
func rewrite(ctx context.Context, db beginner, do func(*sql.Tx, *writing) error) error {
	return inTransaction(ctx, db, func(tx *sql.Tx) error {
		// The driver starts a goroutine for each statement that may be cancelled. These
		// are over in no time: a cancelled ctx is noticed between them.
		steady := context.WithoutCancel(ctx)
		w, err := beginWriting(steady, tx)
		if err != nil {
			return err
		}
		if err := do(tx, w); err != nil {
			return err
		}
		return w.save(steady)
	})
}

func inTransaction(ctx context.Context, db beginner, do func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := do(tx); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return tx.Commit()
}

// beginner is a database, or one connection to it.
type beginner interface {
	BeginTx(context.Context, *sql.TxOptions) (*sql.Tx, error)
}

// shrink rewrites the file if a quarter of it is empty, and empties the
// write-ahead log, unless a reader holds on to it. Less room than that is used
// by what is put in next.
func (x *Index) shrink(ctx context.Context) error {
	conn, err := x.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var free, all int
	if err := conn.QueryRowContext(ctx,
		`SELECT freelist_count, page_count FROM pragma_freelist_count, pragma_page_count`).Scan(&free, &all); err != nil {
		return err
	}
	if free*4 >= all {
		if err := vacuum(ctx, conn); err != nil && !busy(err) && !errors.Is(err, sqlite3.FULL) { // then the next time
			return err
		}
	}
	var busy, pages, moved int
	return conn.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &pages, &moved)
}

// vacuum rewrites the file. What is rewritten stands in a file meanwhile: it may be
// more than memory should hold.
func vacuum(ctx context.Context, conn *sql.Conn) (err error) {
	if _, err := conn.ExecContext(ctx, `PRAGMA temp_store=FILE`); err != nil {
		return err
	}
	defer func() {
		_, after := conn.ExecContext(context.WithoutCancel(ctx), `PRAGMA temp_store=MEMORY`)
		err = cmp.Or(err, after)
	}()
	_, err = conn.ExecContext(ctx, `VACUUM`)
	return err
}
