package index

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"

	"recall/index/postings"
)

// segment holds the words of some documents. It never changes; later documents go into another one, and
// adjacent segments are merged.
type segment struct {
	id     int64 // in the order of documents
	bytes  int64
	docs   [2]span  // items and turns
	listed [2]int64 // how many of them existed when it was made
}

// span is a half-open range of numbers.
type span struct{ from, to int64 }

const (
	mergeFrom     = 24       // segments that a Put merges, which happens less than once in twenty
	putMergeLimit = 8 << 20  // bytes that a Put merges at most; Tidy merges more
	mergeLimit    = 32 << 20 // size limit of a merged segment, in bytes; twice that is in memory meanwhile
)

func (s *segment) columns() []any {
	return []any{&s.id, &s.bytes, &s.docs[items].from, &s.docs[items].to, &s.docs[turns].from, &s.docs[turns].to,
		&s.listed[items], &s.listed[turns]}
}

// segments reads all segments in order.
func segments(ctx context.Context, tx transaction) ([]*segment, error) {
	return list(ctx, tx, func(rows *sql.Rows) (*segment, error) {
		s := &segment{}
		return s, rows.Scan(s.columns()...)
	}, `SELECT id, bytes, item, itemend, turn, turnend, items, turns FROM segment ORDER BY id`)
}

// writing collects a transaction's changes to the full text.
type writing struct {
	*fulltext
	segments []*segment // in order
	fresh    postings.Words
	first    [2]int64 // the numbers of the first new item and turn
	highest  int64    // key of a session; a new one gets a higher key
}

func beginWriting(ctx context.Context, in *sql.Tx) (*writing, error) {
	tx := parsedOnce{in, map[string]*sql.Stmt{}}
	own := &pieces{of: map[int64]*sizePiece{}, writes: true}
	w := &writing{fulltext: &fulltext{tx: tx, sizes: sizes{tx: tx, pieces: own}},
		fresh: postings.Words{}}
	err := tx.QueryRowContext(ctx, readState).Scan(w.state.numbers()...)
	if err != nil {
		return nil, err
	}
	if w.segments, err = segments(ctx, tx); err != nil {
		return nil, err
	}
	if err = tx.QueryRowContext(ctx, `SELECT ifnull(max(id), 0) FROM session`).Scan(&w.highest); err != nil {
		return nil, err
	}
	w.first = w.state.next
	return w, nil
}

// add adds a session's document to a table, under a number from number.
func (w *writing) add(ctx context.Context, table int, session, doc int64, b bag, of *vocabulary) error {
	for _, c := range b.counts {
		of.lists(w.fresh, c.word)[table].Add(postings.Posting{Doc: doc, Counts: c.n})
	}
	size := uint16(min(max(b.size, 1), math.MaxUint16)) // 0 means deleted
	w.state.docs[table]++
	w.state.words[table] += int64(size)
	return w.sizes.set(ctx, table, doc, docSize{size, uint32(session)})
}

// number allocates the number of a new document.
func (w *writing) number(kind int) int64 {
	n := w.state.next[kind]
	w.state.next[kind]++
	return n
}

// remove removes documents from a table. Their words stay in the lists, and are skipped, until the lists are
// merged.
func (w *writing) remove(ctx context.Context, table int, docs []int64) error {
	for _, doc := range docs {
		d, err := w.sizes.of(ctx, table, doc)
		if err != nil {
			return err
		}
		size := d.words
		if size == 0 && table != ofSources { // not every item has source words
			return fmt.Errorf("document %d has no size: %w", doc, ErrRebuild)
		}
		if size > 0 {
			w.state.docs[table]--
			w.state.words[table] -= int64(size)
		}
		if err := w.sizes.set(ctx, table, doc, docSize{}); err != nil {
			return err
		}
	}
	return nil
}

func (w *writing) save(ctx context.Context) error {
	if len(w.fresh) > 0 {
		s := &segment{id: 1}
		if n := len(w.segments); n > 0 {
			s.id = w.segments[n-1].id + 1
		}
		for kind := range s.docs {
			s.docs[kind] = span{w.first[kind], w.state.next[kind]}
		}
		if err := w.write(ctx, s, w.fresh); err != nil {
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

// write stores words as a segment, unless there are none.
func (w *writing) write(ctx context.Context, s *segment, words postings.Words) (err error) {
	if len(words) == 0 {
		return nil
	}
	if s.listed, err = w.alive(ctx, s); err != nil {
		return err
	}
	for first, data := range words.Blocks() {
		_, err := w.tx.ExecContext(ctx, `INSERT INTO block(segment, word, data) VALUES(?,?,?)`, s.id, first, data)
		if err != nil {
			return err
		}
		s.bytes += int64(len(data))
	}
	w.segments = append(w.segments, s)
	slices.SortFunc(w.segments, func(a, b *segment) int { return int(a.id - b.id) })
	_, err = w.tx.ExecContext(ctx, `INSERT INTO segment(id, bytes, item, itemend, turn, turnend, items, turns) `+
		`VALUES(?,?,?,?,?,?,?,?)`, s.columns()...)
	return err
}

// alive returns how many of a segment's documents still exist.
func (w *writing) alive(ctx context.Context, s *segment) (n [2]int64, err error) {
	for kind, docs := range s.docs {
		for doc := docs.from; doc < docs.to; doc++ {
			d, err := w.sizes.of(ctx, ofKind[kind], doc)
			if err != nil {
				return n, err
			}
			if d.words > 0 {
				n[kind]++
			}
		}
	}
	return n, nil
}

// mergeSmall keeps searches fast without Tidy: it merges many segments at the end, unless one of them is larger
// than all others together. So a session is rewritten only once as much has been added after it.
func (w *writing) mergeSmall(ctx context.Context) error {
	for from := 0; from+mergeFrom <= len(w.segments); from++ {
		end := w.segments[from:]
		var sum, highest int64
		for _, s := range end {
			sum, highest = sum+s.bytes, max(highest, s.bytes)
		}
		if 2*highest <= sum && sum <= putMergeLimit {
			return w.merge(ctx, end)
		}
	}
	return nil
}

// tidy merges adjacent segments up to the size limit, and rewrites those of which much was deleted; with all
// set, it rewrites every one, so that no deleted word is left.
func (w *writing) tidy(ctx context.Context, all bool) error {
	for rest := slices.Clone(w.segments); len(rest) > 0; {
		n, bytes := 1, rest[0].bytes
		for n < len(rest) && bytes+rest[n].bytes <= mergeLimit {
			bytes += rest[n].bytes
			n++
		}
		there, err := w.alive(ctx, rest[0])
		if err != nil {
			return err
		}
		was := rest[0].listed
		if all || n > 1 || (there[items]+there[turns])*5 < (was[items]+was[turns])*4 {
			if err := w.merge(ctx, rest[:n]); err != nil {
				return err
			}
		}
		rest = rest[n:]
	}
	return nil
}

// merge merges adjacent segments into one, or none if nothing is left of them.
func (w *writing) merge(ctx context.Context, from []*segment) error {
	from = slices.Clone(from)
	to := &segment{id: from[0].id, docs: from[0].docs}
	words := postings.Words{}
	for _, s := range from {
		for kind := range s.docs {
			to.docs[kind].to = max(to.docs[kind].to, s.docs[kind].to)
		}
		if err := w.take(ctx, s, words); err != nil {
			return err
		}
	}
	do, fault := statements(ctx, w.tx)
	for _, s := range from {
		do(`DELETE FROM block WHERE segment=?`, s.id)
		do(`DELETE FROM segment WHERE id=?`, s.id)
	}
	if err := fault(); err != nil {
		return err
	}
	w.segments = slices.DeleteFunc(w.segments, func(s *segment) bool { return slices.Contains(from, s) })
	return w.write(ctx, to, words)
}

// take adds the remaining postings of a segment to words, whose documents have lower numbers.
func (w *writing) take(ctx context.Context, s *segment, to postings.Words) error {
	var fault error
	word := func(word []byte, lists postings.Lists) bool {
		of := to[string(word)]
		for table, l := range lists {
			r := postings.Read(l.Data)
			for p, ok := r.Next(); ok && fault == nil; p, ok = r.Next() {
				var d *docSize
				if d, fault = w.sizes.of(ctx, table, p.Doc); fault != nil || d.words == 0 {
					continue
				}
				if of == nil {
					of = to.Of(string(word))
				}
				if !of[table].Add(p) {
					fault = postings.ErrDamaged
				}
			}
			if fault == nil {
				fault = r.Err()
			}
		}
		return fault == nil
	}
	return scan(ctx, w.tx, func(rows *sql.Rows) error {
		var data sql.RawBytes
		if err := rows.Scan(&data); err != nil {
			return err
		}
		if err := postings.Each(data, word); err != nil {
			return err
		}
		return fault
	}, `SELECT data FROM block WHERE segment=? ORDER BY word`, s.id)
}
