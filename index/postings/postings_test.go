package postings

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// texts are some words with the documents that hold them, by table.
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

func (s texts) words() Words {
	w := Words{}
	for word, tables := range s {
		for table, list := range tables {
			for _, p := range list {
				w.Of(word)[table].Add(p)
			}
		}
	}
	return w
}

// read reads blocks as they were written.
func read(t *testing.T, block []byte, into texts) {
	t.Helper()
	err := Each(block, func(word []byte, lists Lists) bool {
		tables := map[int][]Posting{}
		for table, l := range lists {
			r := Read(l.Data)
			for p, ok := r.Next(); ok; p, ok = r.Next() {
				tables[table] = append(tables[table], p)
			}
			if len(tables[table]) != l.Docs || r.Err() != nil {
				t.Fatalf("%q in table %d: %d documents, %v, want %d", word, table, len(tables[table]), r.Err(), l.Docs)
			}
		}
		into[string(word)] = tables
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What is read of the blocks is what was added, in order, each block no longer than it may be.
func TestBlocks(t *testing.T) {
	want, got := random(rand.New(rand.NewPCG(1, 1)), 1, 400), texts{}
	n, last := 0, ""
	for first, block := range want.words().Blocks() {
		of := texts{}
		read(t, block, of)
		words := slices.Sorted(maps.Keys(of))
		if words[0] != first || first <= last {
			t.Fatalf("a block behind %q begins with %q, named %q", last, words[0], first)
		}
		if len(words) > 1 && len(first)+len(block) > maxBlock {
			t.Errorf("%d words in a block of %d bytes", len(words), len(block))
		}
		maps.Copy(got, of)
		n, last = n+1, words[len(words)-1]
	}
	if n < 10 {
		t.Fatalf("%d blocks: too few to show anything", n)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Who has found a word reads no further.
func TestEachStops(t *testing.T) {
	for _, block := range random(rand.New(rand.NewPCG(2, 2)), 1, 3).words().Blocks() {
		n := 0
		if err := Each(block, func([]byte, Lists) bool { n++; return n < 2 }); err != nil || n != 2 {
			t.Fatalf("%d words, %v, want 2", n, err)
		}
	}
}

// A document that isn't higher than those before it is refused.
func TestOrder(t *testing.T) {
	var l List
	if !l.Add(Posting{Doc: 3}) || l.Add(Posting{Doc: 3}) || l.Add(Posting{Doc: 2}) || l.Docs != 1 {
		t.Errorf("%d documents, want the first alone", l.Docs)
	}
}

// Whatever bytes are read: an error or some lists, and no panic.
func FuzzBlock(f *testing.F) {
	for _, block := range random(rand.New(rand.NewPCG(3, 3)), 1, 20).words().Blocks() {
		f.Add(block)
		break
	}
	f.Fuzz(func(t *testing.T, block []byte) {
		if err := Each(block, func(_ []byte, lists Lists) bool {
			for _, l := range lists {
				r := Read(l.Data)
				for _, ok := r.Next(); ok; _, ok = r.Next() {
				}
			}
			return true
		}); err != nil && err != ErrDamaged {
			t.Errorf("got %v", err)
		}
	})
}
