package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"recall/index/postings"
)

const (
	enough       = 24       // segments that a Put merges: fewer than one put in twenty does
	mostOfPut    = 8 << 20  // bytes that a Put merges; of more, Tidy does
	mostTogether = 32 << 20 // bytes of segments that are made one: twice that is in memory meanwhile
)

// mergeSmall keeps searches quick without Tidy: many segments at the end are
// made one, unless one of them holds more than all others together. So a session is
// written again as often as that many goes into what came after it.
func (w *writing) mergeSmall(ctx context.Context) error {
	for from := 0; from+enough <= len(w.segments); from++ {
		end := w.segments[from:]
		var sum, highest int64
		for _, s := range end {
			sum, highest = sum+s.bytes, max(highest, s.bytes)
		}
		if 2*highest <= sum && sum <= mostOfPut {
			return w.merge(ctx, end)
		}
	}
	return nil
}

// tidy makes one of segments that follow one another, as many as fit, and writes those
// again of which much has gone; with all set, every one, so that no word is left of what
// is gone.
func (w *writing) tidy(ctx context.Context, all bool) error {
	for rest := slices.Clone(w.segments); len(rest) > 0; {
		n, bytes := 1, rest[0].bytes
		for n < len(rest) && bytes+rest[n].bytes <= mostTogether {
			bytes += rest[n].bytes
			n++
		}
		if s := rest[0]; all || n > 1 || (s.gone[items]+s.gone[turns])*5 > s.listed[items]+s.listed[turns] {
			if err := w.merge(ctx, rest[:n]); err != nil {
				return err
			}
		}
		rest = rest[n:]
	}
	return nil
}

// merge makes one segment of several that follow one another, none if nothing is
// left of them.
func (w *writing) merge(ctx context.Context, from []*segment) error {
	from = slices.Clone(from)
	to := w.newSegment()
	to.place, to.docs = from[0].place, from[0].docs
	words := postings.NewBuilder()
	for _, s := range from {
		for kind := range s.docs {
			to.docs[kind].to = max(to.docs[kind].to, s.docs[kind].to)
			to.listed[kind] += s.listed[kind] - s.gone[kind]
		}
		if err := w.take(ctx, s, words); err != nil {
			return err
		}
	}
	if err := w.write(ctx, to, words); err != nil {
		return err
	}
	if to.bytes == 0 {
		from = append(from, to)
	}
	for _, s := range from {
		if err := w.dropSegment(ctx, s); err != nil {
			return err
		}
	}
	slices.SortFunc(w.segments, func(a, b *segment) int { return int(a.place - b.place) })
	return nil
}

// take adds what is left of a segment to a builder.
func (w *writing) take(ctx context.Context, s *segment, to *postings.Builder) error {
	var fault error
	alive := func(table int, doc int64) bool {
		d, err := w.sizes.of(ctx, table, doc)
		if err != nil {
			fault = err
			return false
		}
		return d.words > 0
	}
	list, err := w.tx.PrepareContext(ctx, `SELECT data FROM list WHERE id=?`)
	if err != nil {
		return err
	}
	defer list.Close()
	long := func(row int64) (data []byte, err error) {
		err = list.QueryRowContext(ctx, row).Scan(&data)
		return data, err
	}
	blocks, err := column[[]byte](ctx, w.tx, `SELECT data FROM block WHERE id>=? AND id<? ORDER BY id`,
		s.blocks.from, s.blocks.to)
	if err != nil {
		return err
	}
	if n := s.blocks.to - s.blocks.from; int64(len(blocks)) != n {
		return fmt.Errorf("%d of %d blocks of a segment: %w", len(blocks), n, ErrRebuild)
	}
	for _, b := range blocks {
		if err := to.Take(b, long, alive); err != nil || fault != nil {
			return cmp.Or(fault, err)
		}
	}
	return nil
}

// dropSegment takes a segment out with all its rows.
func (w *writing) dropSegment(ctx context.Context, s *segment) error {
	w.segments = slices.DeleteFunc(w.segments, func(o *segment) bool { return o == s })
	do, fault := statements(ctx, w.tx)
	do(`DELETE FROM block WHERE id>=? AND id<?`, s.blocks.from, s.blocks.to)
	do(`DELETE FROM list WHERE id>=? AND id<?`, s.lists.from, s.lists.to)
	do(`DELETE FROM segment WHERE id=?`, s.id)
	return fault()
}
