package index

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"slices"

	"recall/index/postings"
	"recall/ingest"
)

// A session's requests are packed into one row: the models' names, then seven numbers per request, a tenth of
// the size of separate rows.

// packRequests encodes that row, nil if there are no requests.
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
		u := r.Usage
		for _, n := range []int64{at - last, int64(slices.Index(models, r.Model)), u.Input, u.Output, u.CacheWrite,
			u.CacheHour, u.CacheRead} {
			b = binary.AppendUvarint(b, uint64(n))
		}
		last = at
	}
	return b
}

func unpackRequests(b []byte, do func(ingest.Request)) error {
	unknown := fmt.Errorf("requests of unknown form: %w", ErrRebuild)
	r := postings.Read(b)
	models := make([]string, 0, 4)
	for n := r.Number(); n > 0 && r.Err() == nil; n-- {
		models = append(models, string(r.Bytes()))
	}
	next := func() int64 { return int64(r.Number()) }
	for seconds := int64(0); r.More(); {
		seconds += next()
		model := r.Number()
		u := ingest.Usage{Input: next(), Output: next(), CacheWrite: next(), CacheHour: next(), CacheRead: next()}
		if r.Err() != nil || model >= uint64(len(models)) {
			return unknown
		}
		do(ingest.Request{At: fromMillis(seconds * 1000), Model: models[model], Usage: u})
	}
	if r.Err() != nil {
		return unknown
	}
	return nil
}

// putRequests replaces a session's requests.
func putRequests(ctx context.Context, tx transaction, session int64, packed []byte) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM request WHERE session=?`, session); err != nil {
		return err
	}
	return insertRequests(ctx, tx, session, packed)
}

func insertRequests(ctx context.Context, tx transaction, session int64, packed []byte) error {
	if len(packed) == 0 {
		return nil
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO request(session, data) VALUES(?,?)`, session, packed)
	return err
}

// Requests calls do for every request to a model, session by session; times are in whole seconds.
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
