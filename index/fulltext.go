package index

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"recall/index/postings"
	"recall/internal/text"
)

// initialState inserts the initial row of a new index. Its version is one that no earlier index at the same path
// has had, since a process may cache what it read there.
func initialState() string {
	return fmt.Sprintf(`INSERT INTO fulltext VALUES(%d,1,1,0,0,0,0,0,0)`, time.Now().UnixNano())
}

const (
	readState  = `SELECT version, item, turn, items, itemwords, sources, sourcewords, turns, turnwords FROM fulltext`
	sessionsIn = `SELECT id FROM session WHERE project=? UNION SELECT session FROM also WHERE project=?`

	// For each word and segment, the block that may contain the word.
	blocksOf = `SELECT j.key, s.id, b.data FROM json_each(?) j CROSS JOIN segment s JOIN block b
		ON b.id=(SELECT id FROM block WHERE segment=s.id AND word<=j.value ORDER BY word DESC LIMIT 1)`
	// The blocks of each segment with words from one up to another, in order.
	blocksFrom = `SELECT 0, s.id, b.data FROM segment s JOIN block b ON b.segment=s.id AND b.word<?2
		AND b.word>=ifnull((SELECT word FROM block WHERE segment=s.id AND word<=?1 ORDER BY word DESC LIMIT 1), '') ` +
		`ORDER BY s.id, b.word`
)

// state is the single row of counters of the full text.
type state struct {
	version int64    // changes with every change of the index
	next    [2]int64 // the next item's and turn's numbers, which are never reused
	docs    [tableCount]int64
	words   [tableCount]int64
}

// numbers returns pointers to the fields, in the order of the columns.
func (s *state) numbers() []any {
	return []any{&s.version, &s.next[items], &s.next[turns], &s.docs[ofItems], &s.words[ofItems], &s.docs[ofSources],
		&s.words[ofSources], &s.docs[ofTurns], &s.words[ofTurns]}
}

func (s *state) save(ctx context.Context, tx transaction) error {
	s.version++
	_, err := tx.ExecContext(ctx, `UPDATE fulltext SET version=?, item=?, turn=?, items=?, itemwords=?, sources=?, `+
		`sourcewords=?, turns=?, turnwords=?`, s.numbers()...)
	return err
}

// fulltext is one transaction's view of the posting lists.
type fulltext struct {
	tx    transaction
	read  *cache // shared by searches of this state of the index; nil for a writer
	state state
	sizes sizes
	known map[string]*found // looked-up stems
}

// found holds the posting lists of a stem. It isn't changed after the lookup.
type found struct {
	places []place
	merged bool // of several words: a document may be in several lists
}

// place holds a word's lists in one segment.
type place struct {
	segment int64
	lists   postings.Lists
}

func (x *Index) fulltext(ctx context.Context, tx *sql.Tx) (*fulltext, error) {
	f := &fulltext{tx: tx, known: map[string]*found{}}
	if err := tx.QueryRowContext(ctx, readState).Scan(f.state.numbers()...); err != nil {
		return nil, err
	}
	var err error
	f.read, err = x.cacheOf(ctx, f)
	f.sizes = sizes{tx: tx, pieces: &f.read.pieces}
	return f, err
}

// docs returns how many items and turns there are.
func (f *fulltext) docs() corpus {
	return corpus{items: int(f.state.docs[ofItems]), turns: int(f.state.docs[ofTurns])}
}

// lookUp reads the posting lists of stems. A stem with a trailing "*" is a prefix.
func (f *fulltext) lookUp(ctx context.Context, stems []string) error {
	stems = slices.DeleteFunc(slices.Clone(stems), func(s string) bool { return f.known[s] != nil })
	if len(stems) == 0 {
		return nil
	}
	slices.Sort(stems)
	stems = slices.Compact(stems)
	whole := slices.DeleteFunc(slices.Clone(stems), func(s string) bool { return strings.HasSuffix(s, "*") })
	for _, s := range stems {
		f.known[s] = &found{merged: strings.HasSuffix(s, "*")}
	}
	err := f.blocks(ctx, func(i int, segment int64, block []byte) error {
		if i >= len(whole) {
			return fmt.Errorf("word %d of %d: %w", i, len(whole), ErrRebuild)
		}
		return postings.Each(block, func(word []byte, lists postings.Lists) bool {
			order := strings.Compare(string(word), whole[i])
			if order == 0 {
				f.known[whole[i]].add(segment, lists)
			}
			return order < 0
		})
	}, blocksOf, jsonList(whole))
	if err != nil {
		return err
	}
	for _, s := range stems {
		if w, ok := strings.CutSuffix(s, "*"); ok {
			if err := f.withPrefix(ctx, w, func(_ string, segment int64, lists postings.Lists) {
				f.known[s].add(segment, lists)
			}); err != nil {
				return err
			}
		}
		slices.SortFunc(f.known[s].places, func(a, b place) int { return cmp.Compare(a.segment, b.segment) })
	}
	return nil
}

// add copies the lists, whose bytes are only valid during the call.
func (w *found) add(segment int64, l postings.Lists) {
	for i := range l {
		l[i].Data = slices.Clone(l[i].Data)
	}
	w.places = append(w.places, place{segment, l})
}

// blocks calls do for each block in a query's result, with its segment and the index of the word that it was
// looked up for. The block's bytes are valid only during the call.
func (f *fulltext) blocks(ctx context.Context, do func(i int, segment int64, block []byte) error, query string,
	args ...any) error {
	return scan(ctx, f.tx, func(rows *sql.Rows) error {
		var i uint
		var segment int64
		var data sql.RawBytes
		if err := rows.Scan(&i, &segment, &data); err != nil {
			return err
		}
		return do(int(i), segment, data)
	}, query, args...)
}

// withPrefix calls do for each word with a prefix, segment by segment.
func (f *fulltext) withPrefix(ctx context.Context, with string,
	do func(word string, segment int64, lists postings.Lists)) error {
	return f.blocks(ctx, func(_ int, segment int64, block []byte) error {
		return postings.Each(block, func(word []byte, lists postings.Lists) bool {
			if strings.HasPrefix(string(word), with) {
				do(string(word), segment, lists)
			}
			return true
		})
	}, blocksFrom, with, with+postings.Last)
}

// count returns how many documents of each table contain a word. Where there are more than a search may touch, it
// estimates how many of them were deleted.
func (f *fulltext) count(ctx context.Context, stem string) (n counts, err error) {
	for k := range tableCount {
		kind, there := tables[k].kind, f.state.docs[k]
		n[k] = f.listedDocs(stem, k)
		switch {
		case f.state.next[kind]-1 == there: // nothing was ever deleted
		case n[k] > tables[k].rows: // a merge has dropped some of the deleted ones
			n[k] = int(int64(n[k]) * there / max(f.read.listed[kind], there, 1))
		default:
			list, err := f.holders(ctx, k, stem, nil)
			if err != nil {
				return n, err
			}
			n[k] = len(list)
		}
		n[k] = min(n[k], int(there)) // a prefix may count a document several times
	}
	return n, nil
}

// listedDocs returns how many documents of a table contain a word, including deleted ones.
func (f *fulltext) listedDocs(stem string, table int) (n int) {
	if of := f.known[stem]; of != nil {
		for _, p := range of.places {
			n += p.lists[table].Docs
		}
	}
	return n
}

// termOf returns the form in which a word is looked up.
func termOf(w string) string {
	if isSingleCJK(w) {
		return w + "*" // a single Chinese character is the start of many pairs
	}
	return text.Stem(w)
}
