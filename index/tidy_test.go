package index

import (
	"context"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Tidy makes the file smaller and searches quicker, and changes no answer.
func TestTidy(t *testing.T) {
	ctx := context.Background()
	s := newSynth(5)
	var docs []Doc
	for i := range 60 {
		docs = append(docs, s.doc(i, 6, 12))
	}
	x := openWith(t)
	for range 2 {
		for _, d := range docs {
			d.Items[0].Text += " again" // something to replace
			if err := x.Put(ctx, d); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, d := range docs[40:] {
		if err := x.Delete(ctx, d.Session); err != nil {
			t.Fatal(err)
		}
	}
	questions := make([]string, 20)
	var before [][]string
	for i := range questions {
		questions[i] = s.question()
		before = append(before, ids(search(t, x, Query{Text: questions[i]})))
	}
	size := func() int64 {
		fi, err := os.Stat(x.path)
		if err != nil {
			t.Fatal(err)
		}
		return fi.Size()
	}
	was := size()
	for range 2 {
		if err := x.Tidy(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for i, q := range questions {
		// What stands further down may change: how many documents hold a frequent word
		// is guessed while lists hold some that are gone.
		if diff := cmp.Diff(before[i][:5], ids(search(t, x, Query{Text: q}))[:5]); diff != "" {
			t.Errorf("%q (-before +after):\n%s", q, diff)
		}
	}
	if now := size(); now >= was {
		t.Errorf("the file has %d bytes, and had %d before", now, was)
	}
}
