package index

import (
	"context"
	"database/sql"
)

// Tidy is to be called after many changes: it merges what Puts left in pieces
// and gives back the room. Searches stay right without it and get slower.
func (x *Index) Tidy(ctx context.Context) error {
	if err := x.mergeSegments(ctx); err != nil {
		return x.fail("tidy index", err)
	}
	return x.fail("tidy index", x.shrink(ctx))
}

func (x *Index) mergeSegments(ctx context.Context) error {
	return rewrite(ctx, x.db, func(_ *sql.Tx, w *writing) error { return w.tidy(ctx) })
}

// rewrite changes the lists of words, and what else do changes, in one transaction.
func rewrite(ctx context.Context, db beginner, do func(*sql.Tx, *writing) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	w, err := beginWriting(ctx, tx)
	if err != nil {
		return err
	}
	if err := do(tx, w); err != nil {
		return err
	}
	if err := w.save(ctx); err != nil {
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
	var free, all int
	if err := x.db.QueryRowContext(ctx, `SELECT freelist_count, page_count FROM pragma_freelist_count, pragma_page_count`).Scan(&free, &all); err != nil {
		return err
	}
	if free*4 >= all {
		if _, err := x.db.ExecContext(ctx, `VACUUM`); err != nil && !busy(err) { // then the next time
			return err
		}
	}
	var busy, pages, moved int
	return x.db.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &pages, &moved)
}
