package index

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"slices"

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
	broken := false
	next := func() (n int64) {
		v, size := binary.Uvarint(b)
		if broken = broken || size <= 0; !broken {
			b = b[size:]
		}
		return int64(v)
	}
	models := make([]string, 0, 4)
	for n := next(); n > 0 && !broken; n-- {
		size := next()
		if broken = broken || size < 0 || size > int64(len(b)); !broken {
			models, b = append(models, string(b[:size])), b[size:]
		}
	}
	for seconds := int64(0); len(b) > 0 && !broken; {
		seconds += next()
		model := next()
		u := ingest.Usage{Input: next(), Output: next(), CacheWrite: next(), CacheHour: next(), CacheRead: next()}
		if broken = broken || model < 0 || model >= int64(len(models)); !broken {
			do(ingest.Request{At: fromMillis(seconds * 1000), Model: models[model], Usage: u})
		}
	}
	if broken {
		return fmt.Errorf("requests of unknown form: %w", ErrRebuild)
	}
	return nil
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
