package postings

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// memory is a Store.
type memory struct {
	firsts []string
	blocks [][]byte
	rows   [][]byte
}

func (m *memory) Block(first string, data []byte) error {
	m.firsts = append(m.firsts, first)
	m.blocks = append(m.blocks, slices.Clone(data))
	return nil
}

func (m *memory) Row(data []byte) (int64, error) {
	m.rows = append(m.rows, slices.Clone(data))
	return int64(len(m.rows)), nil
}

func (m *memory) row(n int64) ([]byte, error) {
	if n < 1 || n > int64(len(m.rows)) {
		return nil, ErrDamaged
	}
	return m.rows[n-1], nil
}

// take has a builder add a segment.
func (m *memory) take(b *Builder, alive func(table int, doc int64) bool) error {
	for _, block := range m.blocks {
		if err := b.Take(block, m.row, alive); err != nil {
			return err
		}
	}
	return nil
}

func whole(int, int64) bool { return true }

// find looks a word up as an index does.
func (m *memory) find(t *testing.T, word string) map[int][]Posting {
	i := sort.SearchStrings(m.firsts, word)
	if i == len(m.firsts) || m.firsts[i] != word {
		i--
	}
	if i < 0 {
		return nil
	}
	lists, ok, err := Find(m.blocks[i], word)
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		return nil
	}
	out := map[int][]Posting{}
	for table, l := range lists {
		data := l.Data
		if l.Row != 0 {
			data = m.rows[l.Row-1]
		}
		r := Read(data)
		for p, ok := r.Next(); ok; p, ok = r.Next() {
			out[table] = append(out[table], p)
		}
		if len(out[table]) != l.Docs || r.Err() != nil {
			t.Fatalf("%q in table %d: %d documents, %v, want %d", word, table, len(out[table]), r.Err(), l.Docs)
		}
	}
	return out
}

// texts are some words with the documents that hold them.
type texts map[string]map[int][]Posting

// random makes the words of documents from one number on, up to another.
func random(r *rand.Rand, from, to int64) texts {
	all := texts{}
	for table := range Tables {
		for doc := from; doc < to; doc++ {
			for n := range 30 {
				w := fmt.Sprintf("w%x", r.IntN(1+r.IntN(4000)))
				switch n {
				case 0:
					w = fmt.Sprintf("only%d%s", doc, strings.Repeat("x", r.IntN(60)))
				case 1:
					w = "everywhere"
				}
				if all[w] == nil {
					all[w] = map[int][]Posting{}
				}
				list := all[w][table]
				if len(list) > 0 && list[len(list)-1].Doc == doc {
					continue
				}
				p := Posting{Doc: doc}
				for p.Counts == [Columns]uint32{} {
					p.Counts = [Columns]uint32{uint32(r.IntN(3)), uint32(r.IntN(2) * r.IntN(200))}
				}
				all[w][table] = append(list, p)
			}
		}
	}
	return all
}

func (s texts) build(t *testing.T) *memory {
	b := NewBuilder()
	for w, tables := range s {
		for table, list := range tables {
			for _, p := range list {
				b.Word(w).Add(table, p)
			}
		}
	}
	m := new(memory)
	if err := b.Write(m); err != nil {
		t.Fatal(err)
	}
	return m
}

func (s texts) check(t *testing.T, m *memory) {
	t.Helper()
	for w, want := range s {
		if diff := cmp.Diff(want, m.find(t, w)); diff != "" {
			t.Fatalf("%q (-want +got):\n%s", w, diff)
		}
	}
	for _, w := range []string{"", "a", "w", "w1x", "wzzz", "zz", "only", "only5y"} {
		if _, there := s[w]; !there && m.find(t, w) != nil {
			t.Errorf("found %q, which stands nowhere", w)
		}
	}
}

func TestBuild(t *testing.T) {
	s := random(rand.New(rand.NewPCG(1, 1)), 1, 400)
	m := s.build(t)
	if len(m.blocks) < 10 || len(m.rows) < 3 {
		t.Fatalf("%d blocks and %d rows: too few to show anything", len(m.blocks), len(m.rows))
	}
	s.check(t, m)
	var words int
	for _, b := range m.blocks {
		err := Each(b, "only", func(word []byte, lists Lists) {
			if diff := cmp.Diff(s[string(word)][0] != nil, lists[0].Docs > 0); diff != "" {
				t.Errorf("%q in the first table: %s", word, diff)
			}
			words++
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if want := len(slices.DeleteFunc(slices.Collect(maps.Keys(s)),
		func(w string) bool { return !strings.HasPrefix(w, "only") })); words != want {
		t.Errorf("%d words begin with only, want %d", words, want)
	}
}

// Merged segments hold what they held apart, without what is gone.
func TestMerge(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	parts := []texts{random(r, 1, 200), random(r, 200, 230), random(r, 230, 500)}
	gone := func(table int, doc int64) bool { return doc < 230 && (doc+int64(table))%7 == 0 || doc == 215 }
	want := texts{}
	merged := NewBuilder()
	for _, s := range parts {
		if err := s.build(t).take(merged, func(table int, doc int64) bool { return !gone(table, doc) }); err != nil {
			t.Fatal(err)
		}
		for w, tables := range s {
			for table, list := range tables {
				for _, p := range list {
					if gone(table, p.Doc) {
						continue
					}
					if want[w] == nil {
						want[w] = map[int][]Posting{}
					}
					want[w][table] = append(want[w][table], p)
				}
			}
		}
	}
	m := new(memory)
	if err := merged.Write(m); err != nil {
		t.Fatal(err)
	}
	want.check(t, m)
	for w := range parts[1] {
		if want[w] == nil && m.find(t, w) != nil {
			t.Errorf("%q is still there, of a document that is gone", w)
		}
	}
	if err := parts[1].build(t).take(merged, whole); !errors.Is(err, ErrDamaged) {
		t.Errorf("segments out of order: got %v, want ErrDamaged", err)
	}
}

// Whatever bytes are read: an error or some lists, and no panic.
func FuzzBlock(f *testing.F) {
	s := random(rand.New(rand.NewPCG(3, 3)), 1, 20)
	b := NewBuilder()
	for w, tables := range s {
		for table, list := range tables {
			for _, p := range list {
				b.Word(w).Add(table, p)
			}
		}
	}
	m := new(memory)
	if err := b.Write(m); err != nil {
		f.Fatal(err)
	}
	f.Add(m.blocks[0], "w1")
	f.Fuzz(func(t *testing.T, block []byte, word string) {
		lists, ok, err := Find(block, word)
		if ok && err != nil {
			t.Errorf("found, and %v", err)
		}
		for _, l := range lists {
			r := Read(l.Data)
			for _, ok := r.Next(); ok; _, ok = r.Next() {
			}
		}
		Each(block, word, func([]byte, Lists) {})
		(&memory{blocks: [][]byte{block}}).take(NewBuilder(), whole)
	})
}
