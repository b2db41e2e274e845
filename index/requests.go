package index

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"slices"

	"recall/ingest"
)

// What a session's requests took is one packed row: the models' names, then six numbers a request, which is a tenth
// of what a row each would take.

// packRequests makes that row, nil for none.
func packRequests(all []ingest.Request) (b []byte) {
	var models []string
	var last int64
	for _, r := range all {
		if !slices.Contains(models, r.Model) {
			models = append(models, r.Model)
		}
	}
	if len(all) > 0 {
		b = binary.AppendUvarint(nil, uint64(len(models)))
	}
	for _, m := range models {
		b = append(binary.AppendUvarint(b, uint64(len(m))), m...)
	}
	for _, r := range all {
		at := millis(r.At) / 1000
		b = binary.AppendVarint(b, at-last)
		b = binary.AppendUvarint(b, uint64(slices.Index(models, r.Model)))
		u := r.Usage
		for _, n := range []int64{u.Input, u.Output, u.CacheWrite, u.CacheHour, u.CacheRead} {
			b = binary.AppendUvarint(b, uint64(max(0, n)))
		}
		last = at
	}
	return b
}

func unpackRequests(b []byte, do func(ingest.Request)) error {
	whole := true
	next := func() uint64 {
		n, size := binary.Uvarint(b)
		if size <= 0 {
			whole, b = false, nil
			return 0
		}
		b = b[size:]
		return n
	}
	models := make([]string, 0, 4)
	for n := next(); n > 0 && whole; n-- {
		size := next()
		if whole = whole && size <= uint64(len(b)); whole {
			models, b = append(models, string(b[:size])), b[size:]
		}
	}
	var seconds int64
	for len(b) > 0 {
		since, size := binary.Varint(b)
		b = b[max(0, size):]
		seconds += since
		model := next()
		u := ingest.Usage{Input: int64(next()), Output: int64(next()), CacheWrite: int64(next()),
			CacheHour: int64(next()), CacheRead: int64(next())}
		if whole = whole && size > 0 && model < uint64(len(models)); !whole {
			break
		}
		do(ingest.Request{At: fromMillis(seconds * 1000), Model: models[model], Usage: u})
	}
	if !whole {
		return fmt.Errorf("requests of unknown form: %w", ErrRebuild)
	}
	return nil
}

// putRequests replaces what a session's requests took.
func putRequests(ctx context.Context, tx *sql.Tx, session int64, packed []byte) error {
	do, fault := statements(ctx, tx)
	do(`DELETE FROM request WHERE session=?`, session)
	if len(packed) > 0 {
		do(`INSERT INTO request(session, data) VALUES(?,?)`, session, packed)
	}
	return fault()
}

// Requests tells of every request that sessions made of models, session by session; times are whole seconds.
func (x *Index) Requests(ctx context.Context, do func(session string, r ingest.Request)) error {
	err := scan(ctx, x.db, func(rows *sql.Rows) error {
		var id string
		var data sql.RawBytes
		if err := rows.Scan(&id, &data); err != nil {
			return err
		}
		return unpackRequests(data, func(r ingest.Request) { do(id, r) })
	}, `SELECT s.sid, r.data FROM request r JOIN session s ON s.id=r.session ORDER BY r.session`)
	return x.fail("read index", err)
}
