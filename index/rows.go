package index

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	fastjson "github.com/go-json-experiment/json"

	"recall/payload"
)

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// A transaction parses each of its statements once, however often it runs it: for one row, parsing takes longer than
// the rest. A query must not be run again while its rows are read.
type transaction struct {
	*sql.Tx
	of map[string]*sql.Stmt // closed with the transaction
}

func (t transaction) parsed(ctx context.Context, query string) (*sql.Stmt, error) {
	s, err := t.of[query], error(nil)
	if s == nil {
		if s, err = t.PrepareContext(ctx, query); err == nil {
			t.of[query] = s
		}
	}
	return s, err
}

func (t transaction) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	s, err := t.parsed(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}

func (t transaction) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	s, err := t.parsed(ctx, query)
	if err != nil {
		return t.Tx.QueryRowContext(ctx, query, args...) // has the error
	}
	return s.QueryRowContext(ctx, args...)
}

func (t transaction) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	s, err := t.parsed(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(ctx, args...)
}

// scan runs a query and calls one for each row.
func scan(ctx context.Context, q querier, one func(*sql.Rows) error, query string, args ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := one(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// list runs a query and reads each row with one.
func list[T any](ctx context.Context, q querier, one func(*sql.Rows) (T, error),
	query string, args ...any) (all []T, err error) {
	err = scan(ctx, q, func(rows *sql.Rows) error {
		v, err := one(rows)
		all = append(all, v)
		return err
	}, query, args...)
	if err != nil {
		return nil, err
	}
	return all, nil
}

// column runs a query with a single column.
func column[T any](ctx context.Context, q querier, query string, args ...any) ([]T, error) {
	return list(ctx, q, func(rows *sql.Rows) (v T, err error) {
		err = rows.Scan(&v)
		return v, err
	}, query, args...)
}

// columnSet runs a query with a single column and returns its values as a set.
func columnSet[T comparable](ctx context.Context, q querier, query string, args ...any) (map[T]bool, error) {
	all, err := column[T](ctx, q, query, args...)
	set := make(map[T]bool, len(all))
	for _, v := range all {
		set[v] = true
	}
	return set, err
}

// readList is list outside of a transaction, with the error ready to be returned to a caller.
func readList[T any](ctx context.Context, x *Index, one func(*sql.Rows) (T, error),
	query string, args ...any) ([]T, error) {
	all, err := list(ctx, x.db, one, query, args...)
	return all, x.fail("read index", err)
}

// packed reads a packed text of a row, packedItem an item and written a time.
type (
	packed     struct{ to *string }
	packedItem struct{ to *payload.Item }
	written    struct{ to *time.Time }
)

func (p packed) Scan(value any) (err error) {
	data, _ := value.([]byte)
	*p.to, err = unpack(data)
	return err
}

func (p packedItem) Scan(value any) error {
	said := ""
	if err := (packed{&said}).Scan(value); err != nil {
		return err
	}
	if err := fastjson.Unmarshal([]byte(said), p.to); err != nil {
		return fmt.Errorf("an item: %v: %w", err, ErrRebuild)
	}
	return nil
}

func (w written) Scan(value any) error {
	ms, ok := value.(int64)
	if *w.to = fromMillis(ms); !ok {
		return ErrRebuild
	}
	return nil
}

// jsonList encodes numbers or texts for json_each.
func jsonList[T ~int64 | ~string](list []T) string {
	b, _ := json.Marshal(list) // can't fail
	return string(b)
}

// statements returns a function that runs statements until one fails, and one that returns that error.
func statements(ctx context.Context, tx transaction) (do func(query string, args ...any), fault func() error) {
	var err error
	do = func(query string, args ...any) {
		if err == nil {
			_, err = tx.ExecContext(ctx, query, args...)
		}
	}
	return do, func() error { return err }
}
