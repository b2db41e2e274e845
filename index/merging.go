package index

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"recall/index/postings"
)

const (
	enough       = 24        // segments that a Put merges: fewer than one put in twenty does
	mostOfPut    = 8 << 20   // bytes that a Put merges; of more, Tidy does
	timesAll     = 3         // see tidy
	mostTogether = 256 << 20 // bytes of segments that are merged: a moment's work, and not twice the disk
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

// tidy merges segments until each holds at least so many times as all after
// it, so that there are few, and those of which much has gone.
func (w *writing) tidy(ctx context.Context) error {
	all := slices.Clone(w.segments)
	for i, s := range all {
		var after int64
		for _, later := range all[i+1:] {
			after += later.bytes
		}
		switch {
		case after > 0 && s.bytes < timesAll*after && s.bytes+after <= mostTogether:
			return w.merge(ctx, all[i:])
		case (s.gone[items]+s.gone[turns])*5 > s.listed[items]+s.listed[turns]:
			if err := w.merge(ctx, all[i:i+1]); err != nil {
				return err
			}
		}
	}
	return nil
}

// mergeAll merges all, so that no word is left of what is gone.
func (w *writing) mergeAll(ctx context.Context) error { return w.merge(ctx, w.segments) }

// merge makes one segment of several that follow one another, none if nothing is
// left of them.
func (w *writing) merge(ctx context.Context, from []*segment) error {
	if len(from) == 0 {
		return nil
	}
	from = slices.Clone(from)
	to := w.newSegment()
	to.place, to.docs = from[0].place, from[0].docs
	var fault error
	alive := func(table int, doc int64) bool {
		size, err := w.sizes.of(ctx, table, doc)
		if err != nil {
			fault = err
		}
		return size > 0
	}
	var parts []postings.Part
	for _, s := range from {
		for kind := range s.docs {
			to.docs[kind].to = max(to.docs[kind].to, s.docs[kind].to)
			to.listed[kind] += s.listed[kind] - s.gone[kind]
		}
		p := postings.Part{Source: w.stored(ctx, s)}
		if s.gone != [2]int64{} {
			p.Alive = alive
		}
		parts = append(parts, p)
	}
	store, err := w.store(ctx, to)
	if err != nil {
		return err
	}
	defer store.close()
	if err := postings.Merge(store, parts...); err != nil {
		return err
	}
	if fault != nil {
		return fault
	}
	for _, s := range from {
		if err := w.dropSegment(ctx, s); err != nil {
			return err
		}
	}
	if to.bytes == 0 {
		return w.dropSegment(ctx, to)
	}
	slices.SortFunc(w.segments, func(a, b *segment) int { return int(a.place - b.place) })
	return nil
}

// dropSegment takes a segment out with all its rows.
func (w *writing) dropSegment(ctx context.Context, s *segment) error {
	w.segments = slices.DeleteFunc(w.segments, func(o *segment) bool { return o == s })
	for _, d := range []struct {
		query string
		rows  span
	}{
		{`DELETE FROM block WHERE id>=? AND id<?`, s.blocks},
		{`DELETE FROM list WHERE id>=? AND id<?`, s.lists},
		{`DELETE FROM segment WHERE id>=? AND id<?`, span{s.id, s.id + 1}},
	} {
		if _, err := w.tx.ExecContext(ctx, d.query, d.rows.from, d.rows.to); err != nil {
			return err
		}
	}
	return nil
}

// stored is a segment as it is read again: a postings.Source.
type stored struct{ blocks, lists pager }

func (w *writing) stored(ctx context.Context, s *segment) *stored {
	return &stored{
		blocks: pager{ctx: ctx, tx: w.tx, query: `SELECT id, data FROM block WHERE id>=? AND id<? ORDER BY id LIMIT ?`, left: s.blocks},
		lists:  pager{ctx: ctx, tx: w.tx, query: `SELECT id, data FROM list WHERE id>=? AND id<? ORDER BY id LIMIT ?`, left: s.lists},
	}
}

func (s *stored) Block() ([]byte, error) { return s.blocks.next() }
func (s *stored) Row() ([]byte, error)   { return s.lists.next() }

// pager reads rows in order, some at a time: the same transaction writes others
// meanwhile.
type pager struct {
	ctx   context.Context
	tx    *sql.Tx
	query string
	left  span
	read  [][]byte
}

const pagerRows = 128 // at a time, of a kilobyte or two

func (p *pager) next() ([]byte, error) {
	if len(p.read) == 0 && p.left.from < p.left.to {
		if err := p.fill(); err != nil {
			return nil, err
		}
	}
	if len(p.read) == 0 {
		return nil, nil
	}
	one := p.read[0]
	p.read = p.read[1:]
	return one, nil
}

func (p *pager) fill() error {
	rows, err := p.tx.QueryContext(p.ctx, p.query, p.left.from, p.left.to, pagerRows)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var data []byte
		if err := rows.Scan(&id, &data); err != nil {
			return err
		}
		p.read = append(p.read, data)
		p.left.from = id + 1
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if len(p.read) == 0 {
		return fmt.Errorf("row %d of a segment isn't there: %w", p.left.from, ErrRebuild)
	}
	return nil
}
