package index

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"time"
)

// Forget removes sessions so that no byte of theirs is left in the index's files: not in free pages, nor in the
// full-text lists, which would otherwise keep deleted words until they are merged, nor in the write-ahead log.
// It rewrites the file and so takes as long as copying it. If a reader holds the log all the time, it returns
// an error: call it again.
func (x *Index) Forget(ctx context.Context, sessions ...string) error {
	here, err := column[string](ctx, x.db, `SELECT sid FROM session WHERE sid IN (SELECT value FROM json_each(?))`,
		jsonList(sessions))
	for _, id := range here {
		err = cmp.Or(err, x.Delete(ctx, id))
	}
	if err == nil {
		err = cmp.Or(x.forgetVectors(ctx, 0), x.scrub(ctx))
	}
	if err == nil {
		err = x.checkForgotten(ctx, sessions)
	}
	return x.fail("forget in index", err)
}

// Buried returns the last stamp given to SetBuried, "" if there was none.
func (x *Index) Buried(ctx context.Context) (stamp string, err error) {
	err = x.db.QueryRowContext(ctx, `SELECT ifnull((SELECT stamp FROM buried), '')`).Scan(&stamp)
	return stamp, x.fail("read index", err)
}

// SetBuried records that nothing is left of the sessions in the library's tombstones, identified by their stamp.
func (x *Index) SetBuried(ctx context.Context, stamp string) error {
	return x.fail("write index", inTransaction(ctx, x.db, func(tx transaction) error {
		do, fault := statements(ctx, tx)
		do(`DELETE FROM buried`)
		do(`INSERT INTO buried(stamp) VALUES(?)`, stamp)
		return fault()
	}))
}

// checkForgotten checks the rewritten file: a damaged page may have hidden a session or its rows from Delete.
func (x *Index) checkForgotten(ctx context.Context, sessions []string) error {
	var found bool
	err := x.db.QueryRowContext(ctx, `SELECT EXISTS(SELECT 1 FROM session WHERE sid IN (SELECT value FROM json_each(?)))
		OR EXISTS(SELECT 1 FROM item WHERE session NOT IN (SELECT id FROM session)) OR EXISTS(SELECT 1 FROM turn WHERE `+
		`session NOT IN (SELECT id FROM session))`, jsonList(sessions)).Scan(&found)
	if err == nil && found {
		err = fmt.Errorf("rows of forgotten sessions are left: %w", ErrRebuild)
	}
	return err
}

func (x *Index) scrub(ctx context.Context) error {
	conn, err := x.db.Conn(ctx) // secure_delete is set per connection
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `PRAGMA secure_delete=ON`); err != nil {
		return err
	}
	if err := optimize(ctx, conn); err != nil {
		return err
	}
	if err := vacuum(ctx, conn); err != nil {
		return err
	}
	return emptyLog(ctx, conn)
}

// emptyLog folds the write-ahead log into the file and truncates it, waiting for readers.
func emptyLog(ctx context.Context, conn *sql.Conn) error {
	for try := 0; ; try++ {
		var held, pages, moved int
		if err := conn.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&held, &pages, &moved); err != nil {
			return err
		}
		if held == 0 {
			return nil
		}
		if try == 20 {
			return fmt.Errorf("another process is reading the index, whose log may still hold what was forgotten")
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}
