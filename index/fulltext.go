package index

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"time"

	"recall/index/postings"
	"recall/index/words"
)

// The full text is kept in tables of SQLite's, so that it is written and read in
// the same transactions as all else:
//
//	fulltext(version, item, turn, …)    one row, see state
//	segment(id, place, …)               see package postings; a transaction adds one
//	block(id, segment, word, data)      its dictionary
//	list(id, data)                      its long lists
//	size(id, data)  owner(id, data)     see sizes and owners
//
// SQLite's own FTS5 does as much and was used before. Its bm25 looks each row's
// length up, takes two thirds of a search and half of what putting in costs.
var textTables = []string{
	`CREATE TABLE fulltext(version INTEGER NOT NULL, item INTEGER NOT NULL, turn INTEGER NOT NULL, items INTEGER NOT NULL, itemwords INTEGER NOT NULL, sources INTEGER NOT NULL, sourcewords INTEGER NOT NULL, turns INTEGER NOT NULL, turnwords INTEGER NOT NULL, sum INTEGER NOT NULL)`,
	`CREATE TABLE segment(id INTEGER PRIMARY KEY, place INTEGER NOT NULL, bytes INTEGER NOT NULL, block INTEGER NOT NULL, blockend INTEGER NOT NULL, list INTEGER NOT NULL, listend INTEGER NOT NULL, item INTEGER NOT NULL, itemend INTEGER NOT NULL, turn INTEGER NOT NULL, turnend INTEGER NOT NULL, items INTEGER NOT NULL, turns INTEGER NOT NULL)`,
	`CREATE TABLE block(id INTEGER PRIMARY KEY, segment INTEGER NOT NULL, word TEXT NOT NULL, data BLOB NOT NULL)`,
	`CREATE INDEX block_word ON block(segment, word)`,
	`CREATE TABLE list(id INTEGER PRIMARY KEY, data BLOB NOT NULL)`,
	`CREATE TABLE size(id INTEGER PRIMARY KEY, data BLOB NOT NULL)`,
	`CREATE TABLE owner(id INTEGER PRIMARY KEY, data BLOB NOT NULL)`,
}

// emptyText is the row of a new index. It begins with a version that no index at
// the same place has had: a process may remember what it read there.
func emptyText() string {
	s := state{version: time.Now().UnixNano(), next: [2]int64{1, 1}}
	return fmt.Sprintf(`INSERT INTO fulltext VALUES(%d,1,1,0,0,0,0,0,0,%d)`, s.version, s.sum())
}

const (
	readState = `SELECT version, item, turn, items, itemwords, sources, sourcewords, turns, turnwords, sum,
		(SELECT count(*) FROM segment), (SELECT ifnull(sum(items),0) FROM segment), (SELECT ifnull(sum(turns),0) FROM segment) FROM fulltext`
	sizeOf     = `SELECT data FROM size WHERE id=?`
	ownerOf    = `SELECT data FROM owner WHERE id=?`
	sessionsIn = `SELECT id FROM session WHERE project=?`

	// For each word and segment, the block that holds the word if any does. NULL is
	// damage: the first block of a segment stands for all words before it, too.
	blocksOf = `SELECT j.key, s.id, s.place, b.word, b.data FROM json_each(?) j CROSS JOIN segment s LEFT JOIN block b
		ON b.id=(SELECT id FROM block WHERE segment=s.id AND word<=j.value ORDER BY word DESC LIMIT 1)`
	// The block of each segment that holds the first word from one on, and those
	// that begin with a word between two.
	blocksAt   = `SELECT s.id, s.place, b.word, b.data FROM segment s LEFT JOIN block b ON b.id=(SELECT id FROM block WHERE segment=s.id AND word<=?1 ORDER BY word DESC LIMIT 1)`
	blocksFrom = `SELECT s.id, s.place, b.word, b.data FROM segment s CROSS JOIN block b ON b.segment=s.id AND b.word>?1 AND b.word<?2`
	listsOf    = `SELECT id, data FROM list WHERE id IN (SELECT value FROM json_each(?))`
)

// state is the one row that says what the full text holds.
type state struct {
	version int64    // changes with every change of the index
	next    [2]int64 // the numbers that the next item and the next turn get; none is given twice
	docs    [tableCount]int64
	words   [tableCount]int64
	pieces  int64    // segments
	listed  [2]int64 // items and turns whose words stand in the lists: those that are gone too, until a merge
}

// numbers are what is kept of a state, in the order of the columns.
func (s *state) numbers() []any {
	return []any{&s.version, &s.next[items], &s.next[turns], &s.docs[ofItems], &s.words[ofItems], &s.docs[ofSources], &s.words[ofSources], &s.docs[ofTurns], &s.words[ofTurns]}
}

// sum is a checksum of the numbers: room is made by them, and documents numbered.
// A segment that is missing is noticed by it as well.
func (s *state) sum() int64 {
	var b []byte
	for _, n := range append(s.numbers(), &s.pieces, &s.listed[items], &s.listed[turns]) {
		b = binary.LittleEndian.AppendUint64(b, uint64(*n.(*int64)))
	}
	return int64(crc32.Checksum(b, castagnoli))
}

func (s *state) scan(row *sql.Row) error {
	var sum int64
	if err := row.Scan(append(s.numbers(), &sum, &s.pieces, &s.listed[items], &s.listed[turns])...); err != nil {
		return err
	}
	if sum != s.sum() {
		return fmt.Errorf("what is counted isn't what was put in: %w", ErrRebuild)
	}
	return nil
}

func (s *state) save(ctx context.Context, tx *sql.Tx) error {
	s.version++
	err := tx.QueryRowContext(ctx, `SELECT count(*), ifnull(sum(items),0), ifnull(sum(turns),0) FROM segment`).Scan(&s.pieces, &s.listed[items], &s.listed[turns])
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE fulltext SET version=?, item=?, turn=?, items=?, itemwords=?, sources=?, sourcewords=?, turns=?, turnwords=?, sum=?`, append(s.numbers(), s.sum())...)
	return err
}

// fulltext is one transaction's view of the lists of words.
type fulltext struct {
	tx    *sql.Tx
	kept  statements
	state state
	sizes sizes
	known map[string]*found // by stem, what was looked up
	long  map[int64][]byte  // long lists that were read, by their row
	runs  map[int64][]run   // of owners that were looked up, by pieceID
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

func (x *Index) fulltext(ctx context.Context, tx *sql.Tx, kept statements) (*fulltext, error) {
	f := &fulltext{tx: tx, kept: kept, known: map[string]*found{}, long: map[int64][]byte{}, runs: map[int64][]run{}}
	st, err := f.kept.on(ctx, tx, readState)
	if err != nil {
		return nil, err
	}
	if err := f.state.scan(st.QueryRowContext(ctx)); err != nil {
		return nil, err
	}
	f.sizes = sizes{tx: tx, cache: x.cacheOf(f.state.version)}
	f.sizes.load, err = f.kept.on(ctx, tx, sizeOf)
	return f, err
}

// docs is how many items and turns there are.
func (f *fulltext) docs() corpus {
	return corpus{items: int(f.state.docs[ofItems]), turns: int(f.state.docs[ofTurns])}
}

// lookUp finds where words stand, given by stem. One with a "*" behind it stands
// for all that begin so.
func (f *fulltext) lookUp(ctx context.Context, stems []string) error {
	stems = f.cached(stems)
	if len(stems) == 0 {
		return nil
	}
	names, err := json.Marshal(stems) // "*" comes before whatever a word may go on with
	if err != nil {
		return err
	}
	for _, s := range stems {
		f.known[s] = &found{merged: strings.HasSuffix(s, "*")}
	}
	if err := f.readBlocks(ctx, stems, string(names)); err != nil {
		return err
	}
	for _, s := range stems {
		if w, ok := strings.CutSuffix(s, "*"); ok {
			if err := f.readBeginning(ctx, w); err != nil {
				return err
			}
		}
		slices.SortFunc(f.known[s].places, func(a, b place) int { return cmp.Compare(a.order, b.order) })
	}
	f.sizes.cache.keep(stems, f.known)
	return nil
}

// cached takes over what other searches have looked up, and gives the rest,
// sorted.
func (f *fulltext) cached(stems []string) (rest []string) {
	f.sizes.cache.take(stems, f.known)
	for _, s := range stems {
		if f.known[s] == nil {
			rest = append(rest, s)
		}
	}
	slices.Sort(rest)
	return slices.Compact(rest)
}

func (f *fulltext) readBlocks(ctx context.Context, stems []string, names string) error {
	st, err := f.kept.on(ctx, f.tx, blocksOf)
	if err != nil {
		return err
	}
	rows, err := st.QueryContext(ctx, names)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var i int
		var b block
		if err := b.scan(rows, &i); err != nil {
			return err
		}
		if i < 0 || i >= len(stems) {
			return fmt.Errorf("word %d of %d: %w", i, len(stems), ErrRebuild)
		}
		if err := f.note(stems[i], b); err != nil {
			return err
		}
	}
	return rows.Err()
}

// block is one of a segment's dictionary. Its bytes hold until the next is read.
type block struct {
	segment, order int64
	word, data     sql.RawBytes
}

// scan reads a row of those that the queries for blocks give, behind other columns.
func (b *block) scan(rows *sql.Rows, before ...any) error {
	if err := rows.Scan(append(before, &b.segment, &b.order, &b.word, &b.data)...); err != nil {
		return err
	}
	if b.data == nil {
		return fmt.Errorf("a block of words of segment %d isn't there: %w", b.segment, ErrRebuild)
	}
	return nil
}

func (b *block) mark() uint32 { return postings.Mark(b.segment, b.word) }

// note keeps a word's lists from a block, whose bytes are valid for now only.
func (f *fulltext) note(stem string, b block) error {
	to := f.known[stem]
	if w, ok := strings.CutSuffix(stem, "*"); ok {
		return postings.Each(b.data, b.mark(), w, func(_ []byte, lists postings.Lists) bool {
			to.places = append(to.places, place{b.order, cloned(lists)})
			return true
		})
	}
	lists, ok, err := postings.Find(b.data, b.mark(), stem)
	if ok {
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

// readBeginning reads the further blocks that hold words that begin so.
func (f *fulltext) readBeginning(ctx context.Context, with string) error {
	return f.blocks(ctx, blocksFrom, func(b block) error { return f.note(with+"*", b) }, with+"*", with+"\U0010ffff")
}

// blocks calls do for each block that a query gives.
func (f *fulltext) blocks(ctx context.Context, query string, do func(block) error, args ...any) error {
	rows, err := f.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var b block
		if err := b.scan(rows); err != nil {
			return err
		}
		if err := do(b); err != nil {
			return err
		}
	}
	return rows.Err()
}

// beginning calls do for each word, by stem, that begins so: how many items and
// how many turns of one segment hold it, those that are gone too.
func (f *fulltext) beginning(ctx context.Context, with string, do func(stem string, n counts)) error {
	each := func(b block) error {
		return postings.Each(b.data, b.mark(), with, func(word []byte, lists postings.Lists) bool {
			var n counts
			for k, l := range lists {
				n[k] = l.Docs
			}
			do(string(word), n)
			return true
		})
	}
	if err := f.blocks(ctx, blocksAt, each, with); err != nil {
		return err
	}
	return f.blocks(ctx, blocksFrom, each, with, with+"\U0010ffff")
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
	st, err := f.kept.on(ctx, f.tx, listsOf)
	if err != nil {
		return err
	}
	rows, err := st.QueryContext(ctx, string(names))
	if err != nil {
		return err
	}
	defer rows.Close()
	read := 0
	for rows.Next() {
		var id int64
		var data []byte
		if err := rows.Scan(&id, &data); err != nil {
			return err
		}
		mark(data, postings.Mark(id, nil))
		if f.long[id], err = postings.Open(data); err != nil {
			return err
		}
		read++
	}
	if err := rows.Err(); err != nil {
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
		return int(int64(l.Docs) * there / max(f.state.listed[kind], there, 1)), nil // a merge has dropped some
	}
	r := postings.Read(data)
	for one, ok := r.Next(); ok; one, ok = r.Next() {
		size, err := f.sizes.of(ctx, table, one.Doc)
		if err != nil {
			return n, err
		}
		if size > 0 {
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
	return words.Stem(w)
}

// QueryContext runs a query in the transaction, with the kept statement where
// there is one.
func (f *fulltext) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	st := f.kept[query]
	if st == nil {
		return f.tx.QueryContext(ctx, query, args...)
	}
	return f.tx.StmtContext(ctx, st).QueryContext(ctx, args...)
}
