package index

import (
	"cmp"
	"context"
	"database/sql"
	"errors"

	"github.com/ncruces/go-sqlite3"
)

// Tidy merges what the words were put into and gives back free space. Call it after many changes: without it searches
// stay correct but get slower.
func (x *Index) Tidy(ctx context.Context) error {
	err := cmp.Or(optimize(ctx, x.db), x.forgetVectors(ctx, mostlyGone))
	if err == nil {
		err = x.shrink(ctx)
	}
	return x.fail("tidy index", err)
}

// mostlyGone is the share of vectors without a window from which their file is rewritten.
const mostlyGone = 0.5

// optimize merges all words into one list, and so drops those that were deleted.
func optimize(ctx context.Context, db beginner) error {
	return inTransaction(ctx, db, func(tx transaction) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO words(words) VALUES('optimize')`)
		return err
	})
}

// rewrite changes sessions in one transaction.
func rewrite(ctx context.Context, db beginner, do func(*writing) error) error {
	return inTransaction(ctx, db, func(tx transaction) error {
		// The driver starts a goroutine for each statement that can be cancelled. These statements are short, so
		// cancellation is checked between them instead.
		steady := context.WithoutCancel(ctx)
		w := &writing{tx: tx, stemmer: stemmer{map[string]string{}}}
		if err := w.tx.QueryRowContext(steady, `SELECT ifnull(max(id), 0) FROM session`).Scan(&w.highest); err != nil {
			return err
		}
		return do(w)
	})
}

func inTransaction(ctx context.Context, db beginner, do func(transaction) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err = cmp.Or(do(transaction{tx, map[string]*sql.Stmt{}}), ctx.Err()); err == nil {
		err = tx.Commit()
	}
	if err != nil { // a cancellation also closes the transaction and its statements: prefer the context's own reason
		err = cmp.Or(ctx.Err(), err)
	}
	return err
}

// beginner is a database or one of its connections.
type beginner interface {
	BeginTx(context.Context, *sql.TxOptions) (*sql.Tx, error)
}

// shrink rewrites the file if a quarter of it is free, and empties the write-ahead log unless a reader holds
// it. Less free space than that is reused by later writes.
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
		if err := vacuum(ctx, conn); err != nil && !busy(err) && !errors.Is(err, sqlite3.FULL) { // else next time
			return err
		}
	}
	var busy, pages, moved int
	return conn.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &pages, &moved)
}

// vacuum rewrites the file, with temporary data on disk since it may be too large for memory.
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
