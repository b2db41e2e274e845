package index

import (
	"math"
	"os"
	"testing"
)

// listsNow reads the segments as they are.
func listsNow(t *testing.T, x *Index) []*segment {
	tx, err := x.db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	all, err := segments(t.Context(), tx)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// However many sessions were put in one by one, and whatever went meanwhile, answers
// are those of an index that was made at once, from a few dozen segments at most.
func TestMerging(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short, and it writes for long")
	}
	ctx := t.Context()
	x := openWith(t)
	s := newSynth(9)
	var kept []Doc
	n := 60
	if os.Getenv("RECALL_LONG") != "" {
		n = 300
	}
	most := 0
	for i := range n {
		d := s.doc(i, 4, 20)
		if err := x.Put(ctx, d); err != nil {
			t.Fatal(err)
		}
		kept = append(kept, d)
		switch i % 20 {
		case 7:
			gone := i * 7 % len(kept)
			if err := x.Delete(ctx, kept[gone].Session); err != nil {
				t.Fatal(err)
			}
			kept = append(kept[:gone:gone], kept[gone+1:]...)
		case 13:
			again := i * 5 % len(kept)
			kept[again].Items = kept[again].Items[:2]
			if err := x.Put(ctx, kept[again]); err != nil {
				t.Fatal(err)
			}
		}
		most = max(most, len(listsNow(t, x)))
	}
	if most < mergeFrom/2 || most > 60 {
		t.Errorf("up to %d segments, want some dozen at most", most)
	}
	questions := []string{"数"}
	for range 15 {
		questions = append(questions, s.question())
	}
	// How many documents hold a frequent word is guessed while lists hold some that are gone: scores
	// then differ by up to a hundredth, and results that are nearer to one another may change places.
	same := func(when string, off float64) {
		t.Helper()
		want := openWith(t, kept...)
		for _, q := range questions {
			a, b := search(t, want, Query{Text: q}), search(t, x, Query{Text: q})
			scores := map[string]float64{}
			for i, id := range ids(b) {
				scores[id] = b.Ranked[i].Score
			}
			names := ids(a)
			for i, id := range names[:min(len(names), len(names)*3/4+1)] { // one of the last may be the next of the other
				if got, want := scores[id], a.Ranked[i].Score; math.Abs(got-want) > off*want {
					t.Errorf("%s, %q: result %d, %s, scores %v, made at once %v", when, q, i+1, id, got, want)
				}
				if off == 0 && ids(b)[i] != id {
					t.Errorf("%s, %q: result %d is %s, made at once %s", when, q, i+1, ids(b)[i], id)
				}
			}
		}
	}
	same("put one by one", 0.01)
	if err := x.Tidy(ctx); err != nil {
		t.Fatal(err)
	}
	same("tidied", 0)
	if err := x.Forget(ctx, kept[2].Session); err != nil {
		t.Fatal(err)
	}
	kept = append(kept[:2:2], kept[3:]...)
	items, turns := int64(0), int64(0)
	for _, d := range kept {
		items, turns = items+int64(len(d.Items)), turns+int64(len(d.Turns))
	}
	if all := listsNow(t, x); len(all) != 1 || all[0].listed != [2]int64{items, turns} {
		t.Errorf("%d segments after forgetting, want one of %d items and %d turns", len(all), items, turns)
	}
	same("after forgetting", 0)
	var nobodys int
	if err := x.db.QueryRow(`SELECT count(*) FROM block WHERE segment NOT IN (SELECT id FROM segment)`).
		Scan(&nobodys); err != nil {
		t.Fatal(err)
	}
	if nobodys > 0 {
		t.Errorf("%d blocks are nobody's", nobodys)
	}
}
