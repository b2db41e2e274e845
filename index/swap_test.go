package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"recall/payload"
)

// swapped is an index of which each table and each index of SQLite's takes several
// pages, and what it answers.
type swapped struct {
	path  string
	good  []byte
	asked []Query
	right []string
}

func newSwapped(t *testing.T) *swapped {
	path := filepath.Join(t.TempDir(), "index.db")
	x, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	s := newSynth(4)
	var docs []Doc
	for i := range 500 {
		docs = append(docs, s.doc(i, 2, 3))
	}
	if err := x.PutAll(t.Context(), docs[:400]); err != nil {
		t.Fatal(err)
	}
	for _, d := range docs[400:] {
		if err := x.Put(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	w := &swapped{path: path}
	if w.good, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		w.asked = append(w.asked, Query{Text: s.question()},
			Query{Text: s.question(), Project: fmt.Sprintf("project-%d", i)},
			Query{Text: s.question(), Kinds: []payload.Kind{payload.Decision, payload.Next}},
			Query{Text: s.question() + " in project project-7"},
			Query{Text: s.question(), Since: day.AddDate(0, 0, 5), Project: "project-2"})
	}
	for i := range w.asked {
		a, err := w.ask(i)
		if err != nil || len(a.Ranked) == 0 {
			t.Fatalf("%q: %d results, %v", w.asked[i].Text, len(a.Ranked), err)
		}
		w.right = append(w.right, w.told(a))
	}
	return w
}

func (w *swapped) told(a Answer) string {
	return told(a) + fmt.Sprint(a.SearchedItems, a.SearchedSessions, a.Projects, a.Unknown, a.Missing, a.Narrowed)
}

func (w *swapped) ask(i int) (Answer, error) {
	x, err := OpenRead(w.path)
	if err != nil {
		return Answer{}, err
	}
	defer x.Close()
	return x.Search(context.Background(), w.asked[i])
}

// Wherever a whole page stands in another's place, has bits flipped or is empty: an
// answer is right, or says that the index must be rebuilt. RECALL_PAGES is how often
// that is tried:
//
//	RECALL_PAGES=5000 go test ./index -run TestDamagedPages -v -timeout 60m
func TestDamagedPages(t *testing.T) {
	t.Parallel()
	w := newSwapped(t)
	pages := len(w.good) / pageSize
	n := 20
	switch {
	case os.Getenv("RECALL_LONG") != "":
		n = 100
	case testing.Short(): // also under the race detector
		n = 5
	}
	if s := os.Getenv("RECALL_PAGES"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.OpenFile(w.path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := rand.New(rand.NewPCG(11, 3))
	counts := map[string]int{}
	for i := range n {
		at := r.IntN(pages)
		page := bytes.Clone(w.good[pageSize*at:][:pageSize])
		what := [...]string{"another page", "another page", "bits", "zeros", "cut"}[i%5]
		switch what {
		case "another page":
			other := r.IntN(pages)
			copy(page, w.good[pageSize*other:])
		case "bits":
			for range 1 + r.IntN(8) {
				page[r.IntN(len(page))] ^= byte(1 << r.IntN(8))
			}
		case "zeros":
			clear(page[r.IntN(len(page)):])
		}
		if _, err := f.WriteAt(page, int64(pageSize*at)); err != nil {
			t.Fatal(err)
		}
		if what == "cut" {
			if err := f.Truncate(int64(pageSize * at)); err != nil {
				t.Fatal(err)
			}
		}
		verdict := "right"
		for q := range w.asked {
			a, err := w.ask(q)
			switch {
			case errors.Is(err, ErrRebuild):
				if verdict == "right" {
					verdict = "said so"
				}
			case err != nil:
				t.Errorf("%d, %s at page %d, %+v: got %v, want ErrRebuild", i, what, at, w.asked[q], err)
			case w.told(a) != w.right[q]:
				verdict = "WRONG"
				t.Errorf("%d, %s at page %d, %+v: another answer, and no word of damage", i, what, at, w.asked[q])
			}
		}
		counts[what+": "+verdict]++
		if _, err := f.WriteAt(w.good[pageSize*at:], int64(pageSize*at)); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("of %d pages: %v", pages, counts)
}

// Each page has its checksum: when it was put in, and when the file was written anew.
func TestPagesAreChecked(t *testing.T) {
	x := openWith(t, billing()...)
	s := newSynth(2)
	for i := range 20 {
		if err := x.Put(t.Context(), s.doc(i, 5, 10)); err != nil {
			t.Fatal(err)
		}
	}
	check := func(when string) {
		t.Helper()
		if err := x.shrink(t.Context()); err != nil { // empties the log
			t.Fatal(err)
		}
		b, err := os.ReadFile(x.path)
		if err != nil {
			t.Fatal(err)
		}
		if len(b) < 20*pageSize || b[20] != pageSum {
			t.Fatalf("%s: %d bytes, %d free at the end of each page", when, len(b), b[20])
		}
		for at := 0; at < len(b); at += pageSize {
			page := b[at:][:pageSize]
			if !intact(page, int64(at)) {
				t.Errorf("%s: page %d has another checksum", when, at/pageSize)
			}
			if page[7] ^= 1; intact(page, int64(at)) {
				t.Errorf("%s: page %d is sound with a bit flipped", when, at/pageSize)
			}
		}
	}
	check("put in")
	if err := x.Forget(t.Context(), "s2"); err != nil {
		t.Fatal(err)
	}
	check("written anew")
}

// Rows of several pages are read whole: SQLite else reads such pages in part, without
// their checksum.
func TestRowsOfManyPages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	x, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	d := Doc{Session: "long", Project: "p"}
	for i := range 9000 {
		d.Turns = append(d.Turns, Turn{ID: fmt.Sprint(i), N: i + 1, Role: "user", Text: "lighthouse " + fmt.Sprint(i)})
	}
	if err := x.Put(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if x, err = Open(path); err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if a := search(t, x, Query{Text: "lighthouse 8765"}); len(turnsOf(a)) == 0 {
		t.Error("nothing found")
	}
	if err := x.Put(t.Context(), Doc{Session: "long", Project: "p", Turns: d.Turns[:50]}); err != nil {
		t.Error(err)
	}
	if err := x.Tidy(t.Context()); err != nil {
		t.Error(err)
	}
}
