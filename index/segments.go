package index

import (
	"context"
	"database/sql"
	"fmt"
	"math"

	"recall/index/postings"
)

// writing gathers what a transaction changes of the full text.
type writing struct {
	*fulltext
	fresh *postings.Builder
	words int              // put into it
	first [2]int64         // the numbers of the first new item and turn
	paths map[string]int64 // that were met; see replaceDid
}

func beginWriting(ctx context.Context, tx *sql.Tx) (*writing, error) {
	f := &fulltext{tx: tx, known: map[string]*found{}}
	if err := f.state.scan(tx.QueryRowContext(ctx, readState)); err != nil {
		return nil, err
	}
	f.sizes = sizes{tx: tx}
	var err error
	f.sizes.load, err = tx.PrepareContext(ctx, sizeOf)
	return &writing{fulltext: f, fresh: postings.NewBuilder(), first: f.state.next, paths: map[string]int64{}}, err
}

// add puts a document of a table in. Numbers come from number.
func (w *writing) add(ctx context.Context, table int, doc int64, b bag, of *vocabulary) error {
	for _, c := range b.counts {
		of.word(w.fresh, c.word).Add(table, postings.Posting{Doc: doc, Counts: c.n})
	}
	w.words += len(b.counts)
	size := uint16(min(max(b.size, 1), math.MaxUint16)) // 0 is none
	w.state.docs[table]++
	w.state.words[table] += int64(size)
	return w.sizes.set(ctx, table, doc, size)
}

// number gives a new document's number.
func (w *writing) number(kind int) int64 {
	n := w.state.next[kind]
	w.state.next[kind]++
	return n
}

// remove takes documents out of a table. Their words stay in the lists, and are
// passed over, until the lists are merged.
func (w *writing) remove(ctx context.Context, table int, docs []int64) error {
	for _, doc := range docs {
		size, err := w.sizes.of(ctx, table, doc)
		if err != nil {
			return err
		}
		if size == 0 && table != ofSources { // not every item has words there
			return fmt.Errorf("document %d has no size: %w", doc, ErrRebuild)
		}
		if size > 0 {
			w.state.docs[table]--
			w.state.words[table] -= int64(size)
		}
		if err := w.sizes.set(ctx, table, doc, 0); err != nil {
			return err
		}
	}
	return nil
}

// save writes it all.
func (w *writing) save(ctx context.Context) error {
	if w.words > 0 {
		s, err := newSegment(ctx, w.tx)
		if err != nil {
			return err
		}
		s.place = s.id
		for kind := range s.docs {
			s.docs[kind] = span{w.first[kind], w.state.next[kind]}
			s.listed[kind] = s.docs[kind].to - s.docs[kind].from
		}
		if err := w.fresh.Write(s); err != nil {
			return err
		}
		if err := s.save(ctx); err != nil {
			return err
		}
		if err := w.mergeSmall(ctx); err != nil {
			return err
		}
	}
	if err := w.sizes.save(ctx); err != nil {
		return err
	}
	return w.state.save(ctx, w.tx)
}

// span is numbers from one on, up to another.
type span struct{ from, to int64 }

// segment is a row of the table of segments, and writes what belongs to it: a
// postings.Store.
type segment struct {
	ctx               context.Context
	tx                *sql.Tx
	addBlock, addList *sql.Stmt
	id, place         int64 // places are in the order of documents
	bytes             int64
	blocks, lists     span
	docs              [2]span  // items and turns
	listed            [2]int64 // how many of them had words in it when it was made
}

const segmentColumns = `id, place, bytes, block, blockend, list, listend, item, itemend, turn, turnend, items, turns`

func (s *segment) columns() []any {
	return []any{&s.id, &s.place, &s.bytes, &s.blocks.from, &s.blocks.to, &s.lists.from, &s.lists.to, &s.docs[items].from, &s.docs[items].to, &s.docs[turns].from, &s.docs[turns].to, &s.listed[items], &s.listed[turns]}
}

// newSegment begins one. What it writes gets the numbers behind all segments':
// nobody else writes meanwhile.
func newSegment(ctx context.Context, tx *sql.Tx) (*segment, error) {
	s := &segment{ctx: ctx, tx: tx}
	err := tx.QueryRowContext(ctx, `SELECT ifnull(max(id),0)+1, ifnull(max(blockend),1), ifnull(max(listend),1) FROM segment`).Scan(&s.id, &s.blocks.from, &s.lists.from)
	if err != nil {
		return nil, err
	}
	s.blocks.to, s.lists.to = s.blocks.from, s.lists.from
	if s.addBlock, err = tx.PrepareContext(ctx, `INSERT INTO block(id, segment, word, data) VALUES(?,?,?,?)`); err != nil {
		return nil, err
	}
	s.addList, err = tx.PrepareContext(ctx, `INSERT INTO list(id, data) VALUES(?,?)`)
	return s, err
}

func (s *segment) Block(first string, data []byte) error {
	if s.blocks.to == s.blocks.from {
		first = "" // so that each word has a block where it would stand
	}
	mark(data, postings.Mark(s.id, []byte(first)))
	_, err := s.addBlock.ExecContext(s.ctx, s.blocks.to, s.id, first, data)
	s.blocks.to++
	s.bytes += int64(len(data))
	return err
}

func (s *segment) Row(data []byte) (int64, error) {
	id := s.lists.to
	mark(data, postings.Mark(id, nil))
	_, err := s.addList.ExecContext(s.ctx, id, data)
	s.lists.to++
	s.bytes += int64(len(data))
	return id, err
}

func (s *segment) save(ctx context.Context) error {
	s.addBlock.Close()
	s.addList.Close()
	_, err := s.tx.ExecContext(ctx, `INSERT INTO segment(`+segmentColumns+`) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)`, s.columns()...)
	return err
}

func (s *segment) remove(ctx context.Context) error {
	for _, d := range []struct {
		query string
		span
	}{
		{`DELETE FROM block WHERE id>=? AND id<?`, s.blocks},
		{`DELETE FROM list WHERE id>=? AND id<?`, s.lists},
		{`DELETE FROM segment WHERE id>=? AND id<?`, span{s.id, s.id + 1}},
	} {
		if _, err := s.tx.ExecContext(ctx, d.query, d.from, d.to); err != nil {
			return err
		}
	}
	return nil
}

func segments(ctx context.Context, tx *sql.Tx) ([]*segment, error) {
	rows, err := tx.QueryContext(ctx, `SELECT `+segmentColumns+` FROM segment ORDER BY place`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []*segment
	for rows.Next() {
		s := &segment{ctx: ctx, tx: tx}
		if err := rows.Scan(s.columns()...); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, rows.Err()
}

const (
	enough    = 8         // segments that are merged with the next Put
	timesAll  = 3         // see tidy
	mostBytes = 256 << 20 // of segments that are merged: a moment's work, and not twice the disk
)

// mergeSmall keeps searches quick without Tidy: eight or more segments at the
// end are made one, unless one of them holds more than all others together. So
// a session is written again as often as eight goes into what came after it,
// six times up to a million items.
func (w *writing) mergeSmall(ctx context.Context) error {
	all, err := segments(ctx, w.tx)
	if err != nil {
		return err
	}
	for from := 0; from+enough <= len(all); from++ {
		var sum, highest int64
		for _, s := range all[from:] {
			sum, highest = sum+s.bytes, max(highest, s.bytes)
		}
		if 2*highest <= sum && sum <= mostBytes {
			_, err := w.merge(ctx, all[from:])
			return err
		}
	}
	return nil
}

// tidy merges segments until each holds at least so many times as all after
// it, so that there are few, and those of which much has gone.
func (w *writing) tidy(ctx context.Context) error {
	all, err := segments(ctx, w.tx)
	if err != nil {
		return err
	}
	for i := 0; i < len(all); i++ {
		var after int64
		for _, s := range all[i+1:] {
			after += s.bytes
		}
		there, err := w.there(ctx, all[i])
		if err != nil {
			return err
		}
		of := all[i].listed[items] + all[i].listed[turns]
		switch {
		case len(all) > i+1 && all[i].bytes < timesAll*after && all[i].bytes+after <= mostBytes:
			if _, err := w.merge(ctx, all[i:]); err != nil {
				return err
			}
			return nil
		case (of-there[items]-there[turns])*5 > of:
			if _, err := w.merge(ctx, all[i:i+1]); err != nil {
				return err
			}
		}
	}
	return nil
}

// mergeAll merges all, so that no word is left of what is gone.
func (w *writing) mergeAll(ctx context.Context) error {
	all, err := segments(ctx, w.tx)
	if err != nil || len(all) == 0 {
		return err
	}
	_, err = w.merge(ctx, all)
	return err
}

// there counts a segment's documents of each kind that are still there.
func (w *writing) there(ctx context.Context, s *segment) (n [2]int64, err error) {
	for kind, docs := range s.docs {
		for doc := docs.from; doc < docs.to; doc++ {
			size, err := w.sizes.of(ctx, ofKind[kind], doc)
			if err != nil {
				return n, err
			}
			if size > 0 {
				n[kind]++
			}
		}
	}
	return n, nil
}

// merge makes one segment of several that follow one another; nil if nothing is
// left of them.
func (w *writing) merge(ctx context.Context, from []*segment) (*segment, error) {
	to, err := newSegment(ctx, w.tx)
	if err != nil {
		return nil, err
	}
	to.place = from[0].place
	to.docs = from[0].docs
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
			to.docs[kind].to = s.docs[kind].to
		}
		there, err := w.there(ctx, s)
		if err != nil {
			return nil, err
		}
		p := postings.Part{Source: &stored{
			blocks: pager{ctx: ctx, tx: w.tx, query: `SELECT id, segment, word, data FROM block WHERE id>=? AND id<? ORDER BY id LIMIT 200`, left: s.blocks},
			lists:  pager{ctx: ctx, tx: w.tx, query: `SELECT id, id, '', data FROM list WHERE id>=? AND id<? ORDER BY id LIMIT 100`, left: s.lists},
		}}
		if there != s.listed {
			p.Alive = alive
		}
		parts = append(parts, p)
	}
	if to.listed, err = w.there(ctx, to); err != nil {
		return nil, err
	}
	if err := postings.Merge(to, parts...); err != nil {
		return nil, err
	}
	if fault != nil {
		return nil, fault
	}
	for _, s := range from {
		if err := s.remove(ctx); err != nil {
			return nil, err
		}
	}
	if to.bytes == 0 {
		return nil, nil
	}
	return to, to.save(ctx)
}

// stored is a segment as it is read again: a postings.Source.
type stored struct{ blocks, lists pager }

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
	rows, err := p.tx.QueryContext(p.ctx, p.query, p.left.from, p.left.to)
	if err != nil {
		return err
	}
	defer rows.Close()
	p.read = nil
	for rows.Next() {
		var id, of int64
		var name, data []byte
		if err := rows.Scan(&id, &of, &name, &data); err != nil {
			return err
		}
		if id != p.left.from {
			break
		}
		mark(data, postings.Mark(of, name))
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
