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
	segments []*segment // in order
	fresh    *postings.Builder
	words    int              // put into it
	first    [2]int64         // the numbers of the first new item and turn
	paths    map[string]int64 // that were met; see replaceDid
}

func beginWriting(ctx context.Context, tx *sql.Tx) (*writing, error) {
	own := &pieces{of: map[int64]*sizePiece{}, writes: true}
	w := &writing{fulltext: &fulltext{tx: tx, sizes: sizes{tx: tx, pieces: own}},
		fresh: postings.NewBuilder(), paths: map[string]int64{}}
	err := tx.QueryRowContext(ctx, readState).Scan(w.state.numbers()...)
	if err != nil {
		return nil, err
	}
	if w.segments, err = segments(ctx, tx); err != nil {
		return nil, err
	}
	w.first = w.state.next
	return w, nil
}

// add puts a session's document of a table in. Numbers come from number.
func (w *writing) add(ctx context.Context, table int, session, doc int64, b bag, of *vocabulary) error {
	for _, c := range b.counts {
		of.word(w.fresh, c.word).Add(table, postings.Posting{Doc: doc, Counts: c.n})
	}
	w.words += len(b.counts)
	size := uint16(min(max(b.size, 1), math.MaxUint16)) // 0 is none
	w.state.docs[table]++
	w.state.words[table] += int64(size)
	return w.sizes.set(ctx, table, doc, sized{size, uint32(session)})
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
		d, err := w.sizes.of(ctx, table, doc)
		if err != nil {
			return err
		}
		size := d.words
		if size == 0 && table != ofSources { // not every item has words there
			return fmt.Errorf("document %d has no size: %w", doc, ErrRebuild)
		}
		if size > 0 {
			w.state.docs[table]--
			w.state.words[table] -= int64(size)
			w.noteGone(table, doc)
		}
		if err := w.sizes.set(ctx, table, doc, sized{}); err != nil {
			return err
		}
	}
	return nil
}

// noteGone counts a document that goes in the segments that may hold its words.
func (w *writing) noteGone(table int, doc int64) {
	kind := tables[table].kind
	if table != ofKind[kind] {
		return
	}
	for _, s := range w.segments {
		if s.docs[kind].from <= doc && doc < s.docs[kind].to {
			s.gone[kind]++
		}
	}
}

// save writes it all.
func (w *writing) save(ctx context.Context) error {
	if w.words > 0 {
		s := w.newSegment()
		for kind := range s.docs {
			s.docs[kind] = span{w.first[kind], w.state.next[kind]}
			s.listed[kind] = s.docs[kind].to - s.docs[kind].from
			for doc := s.docs[kind].from; doc < s.docs[kind].to; doc++ {
				if d, err := w.sizes.of(ctx, ofKind[kind], doc); err != nil {
					return err
				} else if d.words == 0 {
					s.gone[kind]++ // in the same transaction
				}
			}
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
	if err := w.saveSegments(ctx); err != nil {
		return err
	}
	return w.state.save(ctx, w.tx)
}

// span is numbers from one on, up to another.
type span struct{ from, to int64 }

// segment is a row of the table of segments.
type segment struct {
	id, place     int64 // places are in the order of documents
	bytes         int64
	blocks, lists span
	docs          [2]span  // items and turns
	listed        [2]int64 // how many of them had words in it when it was made
	gone          [2]int64 // how many of those have gone since
}

const segmentColumns = `id, place, bytes, block, blockend, list, listend, item, itemend, turn, turnend, items, ` +
	`turns, itemsgone, turnsgone`

func (s *segment) columns() []any {
	return []any{
		&s.id, &s.place, &s.bytes, &s.blocks.from, &s.blocks.to, &s.lists.from, &s.lists.to,
		&s.docs[items].from, &s.docs[items].to, &s.docs[turns].from, &s.docs[turns].to,
		&s.listed[items], &s.listed[turns], &s.gone[items], &s.gone[turns],
	}
}

// segments reads the rows, in order.
func segments(ctx context.Context, tx *sql.Tx) ([]*segment, error) {
	return list(ctx, tx, func(rows *sql.Rows) (*segment, error) {
		s := &segment{}
		return s, rows.Scan(s.columns()...)
	}, `SELECT `+segmentColumns+` FROM segment ORDER BY place`)
}

// saveSegments writes the rows.
func (w *writing) saveSegments(ctx context.Context) error {
	do, fault := statements(ctx, w.tx)
	for _, s := range w.segments {
		do(`INSERT OR REPLACE INTO segment(`+segmentColumns+`) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`, s.columns()...)
	}
	return fault()
}

// rowsOfSegment is how many blocks and lists a segment may have. Which numbers they get
// follows from its own.
const rowsOfSegment = 1 << 24

// newSegment adds one behind all.
func (w *writing) newSegment() *segment {
	id := int64(1)
	for _, s := range w.segments {
		id = max(id, s.id+1)
	}
	at := span{id * rowsOfSegment, id * rowsOfSegment}
	s := &segment{id: id, place: id, blocks: at, lists: at}
	w.segments = append(w.segments, s)
	return s
}

// segmentStore writes what belongs to a segment: a postings.Store.
type segmentStore struct {
	*segment
	ctx               context.Context
	addBlock, addList *sql.Stmt
}

// write fills a segment.
func (w *writing) write(ctx context.Context, s *segment, words *postings.Builder) error {
	addBlock, err := w.tx.PrepareContext(ctx, `INSERT INTO block(id, segment, word, data) VALUES(?,?,?,?)`)
	if err != nil {
		return err
	}
	defer addBlock.Close()
	addList, err := w.tx.PrepareContext(ctx, `INSERT INTO list(id, data) VALUES(?,?)`)
	if err != nil {
		return err
	}
	defer addList.Close()
	return words.Write(&segmentStore{s, ctx, addBlock, addList})
}

func (s *segmentStore) Block(first string, data []byte) error {
	_, err := s.addBlock.ExecContext(s.ctx, s.blocks.to, s.id, first, data)
	s.blocks.to++
	s.bytes += int64(len(data))
	return err
}

func (s *segmentStore) Row(data []byte) (int64, error) {
	id := s.lists.to
	_, err := s.addList.ExecContext(s.ctx, id, data)
	s.lists.to++
	s.bytes += int64(len(data))
	return id, err
}
