package postings

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// memory is a Store, and what is read of it a Source.
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

type again struct{ *memory }

func (a again) Block() ([]byte, error) { return shift(&a.blocks), nil }
func (a again) Row() ([]byte, error)   { return shift(&a.rows), nil }

func shift(list *[][]byte) []byte {
	if len(*list) == 0 {
		return nil
	}
	one := (*list)[0]
	*list = (*list)[1:]
	return one
}

func (m *memory) source() Source {
	c := *m
	return again{&c}
}

// find looks a word up as an index does.
func (m *memory) find(t *testing.T, word string) map[int][]Posting {
	i := sort.SearchStrings(m.firsts, word)
	if i == len(m.firsts) || m.firsts[i] != word {
		i--
	}
	if i < 0 {
		return nil
	}
	lists, ok, err := Find(m.blocks[i], 0, word)
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
			if data, err = Open(m.rows[l.Row-1]); err != nil {
				t.Fatal(err)
			}
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
	b := NewBuilder(10)
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
		_, err := Each(b, 0, "only", func(word []byte, lists Lists) {
			if diff := cmp.Diff(s[string(word)][0] != nil, lists[0].Docs > 0); diff != "" {
				t.Errorf("%q in the first table: %s", word, diff)
			}
			words++
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if want := len(slices.DeleteFunc(slices.Collect(maps.Keys(s)), func(w string) bool { return !strings.HasPrefix(w, "only") })); words != want {
		t.Errorf("%d words begin with only, want %d", words, want)
	}
}

// Merged segments hold what they held apart, without what is gone.
func TestMerge(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	parts := []texts{random(r, 1, 200), random(r, 200, 230), random(r, 230, 500)}
	gone := func(table int, doc int64) bool { return doc < 230 && (doc+int64(table))%7 == 0 || doc == 215 }
	want := texts{}
	var from []Part
	for i, s := range parts {
		p := Part{Source: s.build(t).source()}
		if i < 2 { // the last is whole
			p.Alive = func(table int, doc int64) bool { return !gone(table, doc) }
		}
		from = append(from, p)
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
	if next, _, err := Merge(m, math.MaxInt64, from...); err != nil || next != Last {
		t.Fatalf("ended before %q: %v", next, err)
	}
	want.check(t, m)
	for w := range parts[1] {
		if want[w] == nil && m.find(t, w) != nil {
			t.Errorf("%q is still there, of a document that is gone", w)
		}
	}
	apart := parts[2].build(t)
	if _, _, err := Merge(new(memory), math.MaxInt64, Part{Source: apart.source()}, Part{Source: parts[1].build(t).source()}); !errors.Is(err, ErrDamaged) {
		t.Errorf("segments out of order: got %v, want ErrDamaged", err)
	}
}

// A merge that stops again and again comes to the same words, and while it is under
// way each word stands on one side.
func TestMergeInSteps(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	parts := []texts{random(r, 1, 200), random(r, 200, 230), random(r, 230, 400)}
	whole := texts{}
	var left []*memory
	for _, s := range parts {
		left = append(left, s.build(t))
		for w, tables := range s {
			if whole[w] == nil {
				whole[w] = map[int][]Posting{}
			}
			for table, list := range tables {
				whole[w][table] = append(whole[w][table], list...)
			}
		}
	}
	sources := make([]*memory, len(left)) // with the rows that aren't used; what names them counts on
	for i, m := range left {
		sources[i] = &memory{firsts: m.firsts, blocks: m.blocks, rows: m.rows}
	}
	m, next, steps := new(memory), "", 0
	for ; next != Last; steps++ {
		var from []Part
		for _, s := range sources {
			from = append(from, Part{Source: s.source(), Low: next})
		}
		low := next
		var used []Used
		var err error
		if next, used, err = Merge(m, int64(1+r.IntN(8000)), from...); err != nil {
			t.Fatal(err)
		}
		if next <= low {
			t.Fatalf("got from %q to %q", low, next)
		}
		for i, u := range used {
			s := sources[i]
			s.firsts, s.blocks, s.rows = s.firsts[u.Blocks:], s.blocks[u.Blocks:], s.rows[u.Rows:]
			if u.All != (len(s.blocks) == 0) {
				t.Fatalf("before %q, part %d: all used is %v, and %d blocks are left", next, i, u.All, len(s.blocks))
			}
			for w, want := range parts[i] {
				if w >= next && (len(s.firsts) == 0 || s.firsts[0] > w && u.Blocks > 0) {
					t.Fatalf("%q (%v) isn't merged, and its block is gone", w, len(want))
				}
			}
		}
	}
	if steps < 5 {
		t.Errorf("%d steps show nothing", steps)
	}
	whole.check(t, m)
}

// An earlier block in another's place isn't one that lacks the word.
func TestAnotherBlock(t *testing.T) {
	s := random(rand.New(rand.NewPCG(1, 1)), 1, 400)
	m := s.build(t)
	m.blocks[5] = m.blocks[3]
	for w := range s {
		i, found := slices.BinarySearch(m.firsts, w)
		if !found {
			i--
		}
		if _, ok, err := Find(m.blocks[i], 0, w); ok == (i == 5) || errors.Is(err, ErrDamaged) != (i == 5) {
			t.Errorf("%q, whose block is number %d: got %v, %v", w, i, ok, err)
		}
	}
}

// Whatever bytes are read: an error or some lists, and no panic.
func FuzzBlock(f *testing.F) {
	s := random(rand.New(rand.NewPCG(3, 3)), 1, 20)
	b := NewBuilder(10)
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
	f.Add(m.blocks[0][sumSize:], "w1")
	f.Fuzz(func(t *testing.T, data []byte, word string) {
		block := seal(append(make([]byte, sumSize), data...))
		lists, ok, err := Find(block, 0, word)
		if ok && err != nil {
			t.Errorf("found, and %v", err)
		}
		for _, l := range lists {
			r := Read(l.Data)
			for _, ok := r.Next(); ok; _, ok = r.Next() {
			}
		}
		Each(block, 0, word, func([]byte, Lists) {})
		Merge(new(memory), math.MaxInt64, Part{Source: (&memory{blocks: [][]byte{block}}).source()})
	})
}
