package index

import (
	"context"
	"database/sql"
	"fmt"
)

// deleteText deletes rows of a full-text table.
//
// FTS5 (as of SQLite 3.54) doesn't take deleted rows of a contentless table
// out of its totals, the averages record in row 1 of <table>_data: number of
// rows, then words in each column, as varints. With every session that is
// taken in again, words would seem rarer and texts shorter than they are, so
// the totals are set right here, unless SQLite has done so.
func deleteText(ctx context.Context, tx *sql.Tx, table string, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	before, err := readTotals(ctx, tx, table)
	if err != nil {
		return err
	}
	gone := make([]uint64, len(before))
	size, err := tx.PrepareContext(ctx, `SELECT sz FROM `+table+`_docsize WHERE id=?`)
	if err != nil {
		return err
	}
	defer size.Close()
	del, err := tx.PrepareContext(ctx, `DELETE FROM `+table+` WHERE rowid=?`)
	if err != nil {
		return err
	}
	defer del.Close()
	for _, id := range ids {
		var sz []byte
		if err := size.QueryRowContext(ctx, id).Scan(&sz); err == sql.ErrNoRows {
			continue
		} else if err != nil {
			return err
		}
		for i, n := range append([]uint64{1}, varints(sz)...) {
			if i < len(gone) {
				gone[i] += n
			}
		}
		if _, err := del.ExecContext(ctx, id); err != nil {
			return err
		}
	}
	return correctTotals(ctx, tx, table, before, gone)
}

func correctTotals(ctx context.Context, tx *sql.Tx, table string, before, gone []uint64) error {
	// FTS5 keeps the totals in memory until a savepoint or the commit.
	if _, err := tx.ExecContext(ctx, `SAVEPOINT totals`); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `RELEASE totals`); err != nil {
		return err
	}
	after, err := readTotals(ctx, tx, table)
	if err != nil {
		return err
	}
	if len(after) == 0 || len(before) != len(after) || after[0] != before[0] {
		return nil
	}
	var b []byte
	for i := range after {
		b = appendVarint(b, after[i]-min(after[i], gone[i]))
	}
	_, err = tx.ExecContext(ctx, `UPDATE `+table+`_data SET block=? WHERE id=1`, b)
	return err
}

func readTotals(ctx context.Context, tx *sql.Tx, table string) ([]uint64, error) {
	var b []byte
	err := tx.QueryRowContext(ctx, `SELECT block FROM `+table+`_data WHERE id=1`).Scan(&b)
	if err != nil {
		return nil, fmt.Errorf("totals of %s: %w", table, err)
	}
	return varints(b), nil
}

// varints reads SQLite's variable-length integers: seven bits a byte, the
// highest first, a ninth byte whole (https://sqlite.org/fileformat.html).
func varints(b []byte) []uint64 {
	var out []uint64
	for len(b) > 0 {
		var n uint64
		i := 0
		for ; i < len(b); i++ {
			if i == 8 {
				n = n<<8 | uint64(b[i])
				break
			}
			n = n<<7 | uint64(b[i]&0x7f)
			if b[i] < 0x80 {
				break
			}
		}
		out = append(out, n)
		b = b[min(i+1, len(b)):]
	}
	return out
}

func appendVarint(b []byte, n uint64) []byte {
	if n >= 1<<56 {
		panic(fmt.Sprintf("index: %d words", n)) // a petabyte of text
	}
	w := []byte{byte(n & 0x7f)} // lowest first
	for n >>= 7; n > 0; n >>= 7 {
		w = append(w, byte(n&0x7f)|0x80)
	}
	for i := len(w) - 1; i >= 0; i-- {
		b = append(b, w[i])
	}
	return b
}
