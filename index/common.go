package index

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
)

// common is how many documents hold the words that stand in very many: "stem
// items turns" a line. SQLite counts a word's documents by reading all their
// ids, which for these takes longer than the search.
type common string

// df is the number of documents of table k that hold a stem, 0 if it isn't a
// common one.
func (c common) df(stem string, k int) int {
	i := strings.Index(string(c), "\n"+stem+" ")
	if i < 0 {
		return 0
	}
	line, _, _ := strings.Cut(string(c)[i+len(stem)+2:], "\n")
	f := strings.Fields(line)
	if k >= len(f) {
		return 0
	}
	n, _ := strconv.Atoi(f[k])
	return n
}

func readCommon(ctx context.Context, tx *sql.Tx) (common, error) {
	var list string
	err := tx.QueryRowContext(ctx, `SELECT list FROM common`).Scan(&list)
	if err == sql.ErrNoRows {
		err = nil
	}
	return common(list), err
}

const commonShare = 0.02 // of the documents; fewer and SQLite's own count is as quick

// Tidy is to be called after many changes: it counts the common words anew
// and merges what Puts left in pieces. It does nothing while the index has
// grown by less than a fifth since the last time. Searches stay right without
// it and get slower.
func (x *Index) Tidy(ctx context.Context) error {
	tx, err := x.db.BeginTx(ctx, nil)
	if err != nil {
		return x.fail("tidy index", err)
	}
	defer tx.Rollback()
	if err := tidy(ctx, tx); err != nil {
		return x.fail("tidy index", err)
	}
	return x.fail("tidy index", tx.Commit())
}

func tidy(ctx context.Context, tx *sql.Tx) error {
	var now, then corpus
	err := tx.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM item), (SELECT count(*) FROM turn)`).Scan(&now[items], &now[turns])
	if err != nil {
		return err
	}
	err = tx.QueryRowContext(ctx, `SELECT items, turns FROM common`).Scan(&then[items], &then[turns])
	if err != nil && err != sql.ErrNoRows {
		return err
	}
	if a, b := now.all(), then.all(); err == nil && a < b+b/5 && b < a+a/5 {
		return nil
	}
	for _, s := range []string{`INSERT INTO fitem(fitem) VALUES('optimize')`, `INSERT INTO fturn(fturn) VALUES('optimize')`, `DELETE FROM common`} {
		if _, err := tx.ExecContext(ctx, s); err != nil {
			return err
		}
	}
	list, err := countCommon(ctx, tx, now)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO common(list, items, turns) VALUES(?,?,?)`, list, now[items], now[turns])
	return err
}

func countCommon(ctx context.Context, tx *sql.Tx, size corpus) (string, error) {
	counts := map[string]*corpus{}
	for k, q := range []string{`SELECT term, doc FROM vitem WHERE doc>?`, `SELECT term, doc FROM vturn WHERE doc>?`} {
		rows, err := tx.QueryContext(ctx, q, max(50, int(commonShare*float64(size[k]))))
		if err != nil {
			return "", err
		}
		defer rows.Close()
		for rows.Next() {
			var stem string
			var n int
			if err := rows.Scan(&stem, &n); err != nil {
				return "", err
			}
			if counts[stem] == nil {
				counts[stem] = &corpus{}
			}
			counts[stem][k] = n
		}
		if err := rows.Err(); err != nil {
			return "", err
		}
	}
	var b strings.Builder
	b.WriteByte('\n')
	for stem, c := range counts {
		fmt.Fprintf(&b, "%s %d %d\n", stem, c[items], c[turns])
	}
	return b.String(), nil
}
