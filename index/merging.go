package index

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"

	"recall/index/postings"
)

const (
	enough    = 8         // segments that are merged
	timesAll  = 3         // see tidy
	mostBytes = 256 << 20 // of segments that are merged: a moment's work, and not twice the disk

	// How much of the lists a Put merges: so many times what it adds itself, and at
	// least so many bytes. That is what comes to be merged when some thousand sessions
	// were put in one by one; of more, the largest merges take longer.
	timesMerged = 3
	leastMerged = 64 << 10
)

// mergeSome keeps searches quick without Tidy: eight or more segments at the end are
// made one, unless one of them holds more than all others together. So a session is
// written again as often as eight goes into what came after it, six times up to a
// million items. Each Put does a part of that, small merges first.
func (w *writing) mergeSome(ctx context.Context, left int64) error {
	for left > 0 {
		w.beginSmall()
		to := w.lastUnderWay()
		if to == nil {
			return nil
		}
		read, err := w.goOn(ctx, to, left)
		if err != nil {
			return err
		}
		left -= read
	}
	return nil
}

// beginSmall begins a merge, where there are enough segments behind all that are merged.
func (w *writing) beginSmall() {
	var end []*segment
	for _, g := range w.groups() {
		if end = append(end, g...); len(g) > 1 {
			end = nil
		}
	}
	for from := 0; from+enough <= len(end); from++ {
		var sum, highest int64
		for _, s := range end[from:] {
			sum, highest = sum+s.bytes, max(highest, s.bytes)
		}
		if 2*highest <= sum && sum <= mostBytes {
			w.beginMerge(end[from:])
			return
		}
	}
}

// groups are the segments in order, those that are merged with what they are merged into.
func (w *writing) groups() (all [][]*segment) {
	last := int64(0)
	for _, s := range w.segments {
		root := s.id
		if s.into != 0 {
			root = s.into
		}
		if root != last {
			all, last = append(all, nil), root
		}
		all[len(all)-1] = append(all[len(all)-1], s)
	}
	return all
}

// lastUnderWay is the last segment that others are being merged into; nil if none is.
func (w *writing) lastUnderWay() (to *segment) {
	for _, s := range w.segments {
		if s.into == 0 && s.high != postings.Last {
			to = s
		}
	}
	return to
}

// tidy merges segments until each holds at least so many times as all after
// it, so that there are few, and those of which much has gone.
func (w *writing) tidy(ctx context.Context) error {
	all := w.groups()
	for i, g := range all {
		var bytes, after int64
		for _, s := range g {
			bytes += s.bytes
		}
		for _, s := range flat(all[i+1:]) {
			after += s.bytes
		}
		s := g[0]
		switch {
		case len(all) > i+1 && bytes < timesAll*after && bytes+after <= mostBytes:
			return w.merge(ctx, flat(all[i:]))
		case len(g) > 1 || (s.gone[items]+s.gone[turns])*5 > s.listed[items]+s.listed[turns]:
			if err := w.merge(ctx, g); err != nil {
				return err
			}
		}
	}
	return nil
}

func flat(groups [][]*segment) (all []*segment) {
	for _, g := range groups {
		all = append(all, g...)
	}
	return all
}

// mergeAll merges all, so that no word is left of what is gone.
func (w *writing) mergeAll(ctx context.Context) error {
	if len(w.segments) == 0 {
		return nil
	}
	return w.merge(ctx, w.segments)
}

// merge makes one segment of several that follow one another, none if nothing is
// left of them.
func (w *writing) merge(ctx context.Context, from []*segment) error {
	_, err := w.goOn(ctx, w.beginMerge(from), math.MaxInt64)
	return err
}

// beginMerge makes the segment that others are to be merged into.
func (w *writing) beginMerge(from []*segment) *segment {
	from = slices.Clone(from)
	to := w.newSegment()
	to.place = from[0].place
	to.docs = from[0].docs
	for _, s := range from {
		for kind := range s.docs {
			to.docs[kind].to = max(to.docs[kind].to, s.docs[kind].to)
			if s.into == 0 { // else it is counted in what it was to be merged into
				to.listed[kind] += s.listed[kind] - s.gone[kind]
			}
		}
	}
	for _, s := range from {
		s.into, s.changed = to.id, true
	}
	slices.SortFunc(w.segments, func(a, b *segment) int { return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.id, b.id)) })
	return to
}

// goOn goes on with a merge until so many bytes are read, and says how many were.
func (w *writing) goOn(ctx context.Context, to *segment, most int64) (read int64, err error) {
	var from []*segment
	for _, s := range w.segments {
		if s.into == to.id {
			from = append(from, s)
		}
	}
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
		p := postings.Part{Source: w.stored(ctx, s, most/int64(len(from))), Low: s.low}
		if s.gone != [2]int64{} {
			p.Alive = alive
		}
		parts = append(parts, p)
	}
	store, err := w.store(ctx, to)
	if err != nil {
		return 0, err
	}
	defer store.close()
	next, used, err := postings.Merge(store, most, parts...)
	if err := cmp.Or(err, fault); err != nil {
		return 0, err
	}
	if !store.begun && to.bytes > 0 {
		if err := store.Block(store.from, postings.Gap(next)); err != nil {
			return 0, err
		}
	}
	if to.high, to.changed = next, true; to.bytes == 0 {
		to.low = next // of the words before, all documents are gone
	}
	for i, u := range used {
		read += u.Bytes
		if err := w.use(ctx, from[i], u, next); err != nil {
			return 0, err
		}
	}
	if next == postings.Last && to.bytes == 0 {
		w.dropSegment(to)
	}
	return read, nil
}

// use removes what a merge has used of a segment, which stands for the words from next on.
func (w *writing) use(ctx context.Context, s *segment, u postings.Used, next string) error {
	for _, d := range []struct {
		query string
		rows  *span
		n     int
	}{
		{`DELETE FROM block WHERE id>=? AND id<?`, &s.blocks, u.Blocks},
		{`DELETE FROM list WHERE id>=? AND id<?`, &s.lists, u.Rows},
	} {
		if d.n == 0 {
			continue
		}
		if _, err := w.tx.ExecContext(ctx, d.query, d.rows.from, d.rows.from+int64(d.n)); err != nil {
			return err
		}
		d.rows.from += int64(d.n)
	}
	if u.All {
		w.dropSegment(s)
		return nil
	}
	s.low, s.changed = max(s.low, next), true
	s.bytes -= u.Bytes
	return nil
}

// stored is a segment as it is read again: a postings.Source.
type stored struct{ blocks, lists pager }

// stored gives what is left of a segment, of which so many bytes are to be read.
func (w *writing) stored(ctx context.Context, s *segment, bytes int64) *stored {
	some := func(query string, left span, size, most int64) pager {
		return pager{ctx: ctx, tx: w.tx, query: query, left: left, size: size, most: min(bytes/size+2, most)}
	}
	all := &stored{
		blocks: some(`SELECT id, segment, word, data FROM block WHERE id>=? AND id<? ORDER BY id LIMIT ?`, s.blocks, 1350, 200),
		lists:  some(`SELECT id, id, '', data FROM list WHERE id>=? AND id<? ORDER BY id LIMIT ?`, s.lists, 2000, 100),
	}
	all.blocks.reuse = true // of lists, a word may have several
	return all
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
	size  int64 // of most rows, in bytes
	most  int64 // rows at a time
	read  [][]byte
	room  []byte // that they stand in, if they are needed no longer than until the next are read
	reuse bool
}

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
	rows, err := p.tx.QueryContext(p.ctx, p.query, p.left.from, p.left.to, p.most)
	if err != nil {
		return err
	}
	defer rows.Close()
	p.read, p.room = nil, p.room[:0]
	if p.reuse {
		p.room = slices.Grow(p.room, int(min(p.most, p.left.to-p.left.from)*p.size))
	}
	var id, of int64
	var name, data sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&id, &of, &name, &data); err != nil {
			return err
		}
		if id != p.left.from {
			break
		}
		if !p.reuse {
			p.room = make([]byte, 0, len(data))
		}
		at := len(p.room)
		p.room = append(p.room, data...)
		one := p.room[at:]
		mark(one, postings.Mark(of, name))
		p.read = append(p.read, one)
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
