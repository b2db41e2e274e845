package index

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"recall/index/postings"
	"recall/text"
)

// emptyText is the row of a new index. It begins with a version that no index at
// the same place has had: a process may remember what it read there.
func emptyText() string {
	return fmt.Sprintf(`INSERT INTO fulltext VALUES(%d,1,1,0,0,0,0,0,0)`, time.Now().UnixNano())
}

const (
	readState  = `SELECT version, item, turn, items, itemwords, sources, sourcewords, turns, turnwords FROM fulltext`
	sessionsIn = `SELECT id FROM session WHERE project=?`

	// For each word and segment, the block that holds the word if any does.
	blocksOf = `SELECT j.key, s.place, b.word, b.data FROM json_each(?) j CROSS JOIN segment s JOIN block b
		ON b.id=(SELECT id FROM block WHERE segment=s.id AND word<=j.value ORDER BY word DESC LIMIT 1)`
	// The blocks of each segment that hold words from one on, up to another, in order.
	blocksFrom = `SELECT 0, s.place, b.word, b.data FROM segment s JOIN block b ON b.segment=s.id AND b.word<?2
		AND b.word>=ifnull((SELECT word FROM block WHERE segment=s.id AND word<=?1 ORDER BY word DESC LIMIT 1), '') ` +
		`ORDER BY s.id, b.word`
	listsOf = `SELECT id, data FROM list WHERE id IN (SELECT value FROM json_each(?))`
)

// state is the one row that says what the full text holds.
type state struct {
	version int64    // changes with every change of the index
	next    [2]int64 // the numbers that the next item and the next turn get; none is given twice
	docs    [tableCount]int64
	words   [tableCount]int64
}

// numbers are what is kept of a state, in the order of the columns.
func (s *state) numbers() []any {
	return []any{&s.version, &s.next[items], &s.next[turns], &s.docs[ofItems], &s.words[ofItems], &s.docs[ofSources],
		&s.words[ofSources], &s.docs[ofTurns], &s.words[ofTurns]}
}

func (s *state) save(ctx context.Context, tx *sql.Tx) error {
	s.version++
	_, err := tx.ExecContext(ctx, `UPDATE fulltext SET version=?, item=?, turn=?, items=?, itemwords=?, sources=?, `+
		`sourcewords=?, turns=?, turnwords=?`, s.numbers()...)
	return err
}

// fulltext is one transaction's view of the lists of words.
type fulltext struct {
	tx    *sql.Tx
	read  *cache // of searches of this state of the index; nil for a writer
	state state
	sizes sizes
	known map[string]*found // by stem, what was looked up
	long  map[int64][]byte  // long lists that were read, by their row
}

// found is where a word stands. It isn't changed any more once it is known.
type found struct {
	places []place
	merged bool // of several words: a document may stand in several lists
}

// place is a word's lists in one segment.
type place struct {
	order int64
	lists postings.Lists
}

func (x *Index) fulltext(ctx context.Context, tx *sql.Tx) (*fulltext, error) {
	f := &fulltext{tx: tx, known: map[string]*found{}, long: map[int64][]byte{}}
	if err := tx.QueryRowContext(ctx, readState).Scan(f.state.numbers()...); err != nil {
		return nil, err
	}
	var err error
	f.read, err = x.cacheOf(ctx, f)
	f.sizes = sizes{tx: tx, pieces: &f.read.pieces}
	return f, err
}

// docs is how many items and turns there are.
func (f *fulltext) docs() corpus {
	return corpus{items: int(f.state.docs[ofItems]), turns: int(f.state.docs[ofTurns])}
}

// lookUp finds where words stand, given by stem. One with a "*" behind it stands
// for all that begin so.
func (f *fulltext) lookUp(ctx context.Context, stems []string) error {
	stems = slices.DeleteFunc(slices.Clone(stems), func(s string) bool { return f.known[s] != nil })
	if len(stems) == 0 {
		return nil
	}
	slices.Sort(stems)
	stems = slices.Compact(stems)
	whole := slices.DeleteFunc(slices.Clone(stems), func(s string) bool { return strings.HasSuffix(s, "*") })
	names, err := json.Marshal(whole)
	if err != nil {
		return err
	}
	for _, s := range stems {
		f.known[s] = &found{merged: strings.HasSuffix(s, "*")}
	}
	if err := f.readBlocks(ctx, whole, string(names)); err != nil {
		return err
	}
	for _, s := range stems {
		if w, ok := strings.CutSuffix(s, "*"); ok {
			err := f.beginning(ctx, w, func(_ string, b *block, lists postings.Lists) {
				f.known[s].places = append(f.known[s].places, place{b.order, cloned(lists)})
			})
			if err != nil {
				return err
			}
		}
		slices.SortFunc(f.known[s].places, func(a, b place) int { return cmp.Compare(a.order, b.order) })
	}
	return nil
}

func (f *fulltext) readBlocks(ctx context.Context, stems []string, names string) error {
	return scan(ctx, f.tx, func(rows *sql.Rows) error {
		var i int
		var b block
		if err := b.scan(rows, &i); err != nil {
			return err
		}
		if i < 0 || i >= len(stems) {
			return fmt.Errorf("word %d of %d: %w", i, len(stems), ErrRebuild)
		}
		return f.note(stems[i], b)
	}, blocksOf, names)
}

// block is one of a segment's dictionary. Its bytes hold until the next is read.
type block struct {
	order      int64
	word, data sql.RawBytes
}

// scan reads a row of those that the queries for blocks give.
func (b *block) scan(rows *sql.Rows, i *int) error {
	return rows.Scan(i, &b.order, &b.word, &b.data)
}

// note keeps a word's lists from a block, whose bytes are valid for now only.
func (f *fulltext) note(stem string, b block) error {
	lists, ok, err := postings.Find(b.data, stem)
	if ok {
		to := f.known[stem]
		to.places = append(to.places, place{b.order, cloned(lists)})
	}
	return err
}

func cloned(l postings.Lists) postings.Lists {
	for i := range l {
		l[i].Data = slices.Clone(l[i].Data)
	}
	return l
}

// beginning calls do for each word that begins so, of one segment after the other.
func (f *fulltext) beginning(ctx context.Context, with string,
	do func(word string, b *block, lists postings.Lists)) error {
	return scan(ctx, f.tx, func(rows *sql.Rows) error {
		var zero int
		var b block
		if err := b.scan(rows, &zero); err != nil {
			return err
		}
		return postings.Each(b.data, with, func(word []byte, lists postings.Lists) { do(string(word), &b, lists) })
	}, blocksFrom, with, with+postings.Last)
}

// fetch reads the long lists of words in a table, unless they are longer than
// so many documents, all with one query.
func (f *fulltext) fetch(ctx context.Context, table int, stems []string, most int) error {
	var ids []int64
	for _, s := range stems {
		of := f.known[s]
		if of == nil || f.most(s, table) > most {
			continue
		}
		for _, p := range of.places {
			if row := p.lists[table].Row; row != 0 && f.long[row] == nil {
				ids = append(ids, row)
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	names, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	read := 0
	err = scan(ctx, f.tx, func(rows *sql.Rows) error {
		var id int64
		var data []byte
		err := rows.Scan(&id, &data)
		f.long[id] = data
		read++
		return err
	}, listsOf, string(names))
	if err != nil {
		return err
	}
	if read < len(ids) {
		return fmt.Errorf("%d of %d lists of words: %w", read, len(ids), ErrRebuild)
	}
	return nil
}

// postings are a list's, if it isn't a long one that wasn't fetched.
func (f *fulltext) postings(l postings.List) ([]byte, bool) {
	if l.Row == 0 {
		return l.Data, true
	}
	data, ok := f.long[l.Row]
	return data, ok
}

// count says how many documents of each table hold a word. Where that is more
// than a search would touch, documents that are gone are left out by a guess.
func (f *fulltext) count(ctx context.Context, stem string) (n counts, err error) {
	of := f.known[stem]
	if of == nil {
		return n, nil
	}
	for k := range n {
		if err := f.fetch(ctx, k, []string{stem}, tables[k].rows); err != nil {
			return n, err
		}
		for _, p := range of.places {
			here, err := f.countIn(ctx, k, p.lists[k])
			if err != nil {
				return n, err
			}
			n[k] += here
		}
		n[k] = min(n[k], int(f.state.docs[k])) // a document stands in several lists of a beginning
	}
	return n, nil
}

func (f *fulltext) countIn(ctx context.Context, table int, l postings.List) (n int, err error) {
	kind, there := tables[table].kind, f.state.docs[table]
	if f.state.next[kind]-1 == there || l.Docs == 0 {
		return l.Docs, nil // nothing ever went
	}
	data, ok := f.postings(l)
	if !ok {
		return int(int64(l.Docs) * there / max(f.read.listed[kind], there, 1)), nil // a merge has dropped some
	}
	r := postings.Read(data)
	for one, ok := r.Next(); ok; one, ok = r.Next() {
		d, err := f.sizes.of(ctx, table, one.Doc)
		if err != nil {
			return n, err
		}
		if d.words > 0 {
			n++
		}
	}
	return n, r.Err()
}

// most is how many documents of a table hold a word, those that are gone too.
func (f *fulltext) most(stem string, table int) (n int) {
	if of := f.known[stem]; of != nil {
		for _, p := range of.places {
			n += p.lists[table].Docs
		}
	}
	return n
}

// termOf is a word as it is looked up.
func termOf(w string) string {
	if single(w) {
		return w + "*" // one Chinese character begins many a pair
	}
	return text.Stem(w)
}
