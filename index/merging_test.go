package index

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
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

// However many sessions were put in one by one, the next one merges no more than a few
// times what it brings itself, and a search has no more than some dozen lists to
// look a word up in.
func TestPutMergesLittle(t *testing.T) {
	x := openWith(t)
	s := newSynth(8)
	size := map[int64]int64{}
	most, underWay := 0, 0
	n := 700
	if testing.Short() {
		n = 150
	}
	for i := range n {
		if err := x.Put(t.Context(), s.doc(i, 2, 12)); err != nil {
			t.Fatal(err)
		}
		all := listsNow(t, x)
		var fresh, merged int64
		for _, l := range all {
			switch before, there := size[l.id]; {
			case there || l.low < l.high && l.place < l.id: // merged into
				merged += max(0, l.bytes-before)
			default:
				fresh = l.bytes
			}
			size[l.id] = l.bytes
			if l.into != 0 {
				underWay++
			}
		}
		if merged > leastMerged*3/2+timesMerged*fresh { // it ends with a whole word
			t.Errorf("put %d: %d bytes were merged beside %d new ones", i, merged, fresh)
		}
		most = max(most, len(all))
	}
	if underWay == 0 {
		t.Error("no merge took more than one put: this shows nothing")
	}
	if most > 40 {
		t.Errorf("up to %d segments, want some dozen at most", most)
	}
	t.Logf("up to %d segments", most)
}

// A merge that is under way changes no answer: nor if something of it goes
// meanwhile, is replaced, or all is merged at once.
func TestMergeUnderWay(t *testing.T) {
	ctx := context.Background()
	x := openWith(t)
	s := newSynth(9)
	var kept []Doc
	put := func(i int) {
		d := s.doc(i, 6, 30)
		if err := x.Put(ctx, d); err != nil {
			t.Fatal(err)
		}
		kept = append(kept, d)
	}
	under := func() bool {
		for _, l := range listsNow(t, x) {
			if l.into != 0 {
				return true
			}
		}
		return false
	}
	questions := []string{"数"}
	for range 15 {
		questions = append(questions, s.question())
	}
	same := func(when string) {
		t.Helper()
		want := openWith(t, kept...)
		for _, q := range questions {
			if diff := cmp.Diff(ids(search(t, want, Query{Text: q})), ids(search(t, x, Query{Text: q}))); diff != "" {
				t.Errorf("%s, %q (-made at once +as it is):\n%s", when, q, diff)
			}
		}
	}
	i := 0
	for ; i < 100 && !under(); i++ {
		put(i)
	}
	if !under() {
		t.Fatal("no merge is under way")
	}
	same("under way")
	for _, gone := range []int{1, 5} {
		if err := x.Delete(ctx, kept[gone].Session); err != nil {
			t.Fatal(err)
		}
		kept = append(kept[:gone:gone], kept[gone+1:]...)
	}
	kept[3].Items = kept[3].Items[:2]
	if err := x.Put(ctx, kept[3]); err != nil {
		t.Fatal(err)
	}
	var went int64
	for _, l := range listsNow(t, x) {
		went += l.gone[items]
	}
	if went == 0 {
		t.Error("nobody counted what went")
	}
	for range 30 {
		put(i)
		i++
	}
	if !under() {
		put(i)
	}
	if err := x.Forget(ctx, kept[2].Session); err != nil {
		t.Fatal(err)
	}
	kept = append(kept[:2:2], kept[3:]...)
	if all := listsNow(t, x); len(all) != 1 || all[0].gone != [2]int64{} {
		t.Errorf("%d segments after forgetting", len(all))
	}
	same("after forgetting")
	var blocks, lists, ofBlocks, ofLists int64
	if err := x.db.QueryRow(`SELECT (SELECT count(*) FROM block), (SELECT count(*) FROM list)`).Scan(&blocks, &lists); err != nil {
		t.Fatal(err)
	}
	for _, l := range listsNow(t, x) {
		ofBlocks, ofLists = ofBlocks+l.blocks.to-l.blocks.from, ofLists+l.lists.to-l.lists.from
	}
	if blocks != ofBlocks || lists != ofLists {
		t.Errorf("%d blocks and %d lists, want %d and %d: some are nobody's", blocks, lists, ofBlocks, ofLists)
	}
}

// What is tidied while a merge is under way is as if none had been.
func TestTidyUnderWay(t *testing.T) {
	ctx := context.Background()
	x := openWith(t)
	s := newSynth(10)
	for i := range 60 {
		if err := x.Put(ctx, s.doc(i, 6, 30)); err != nil {
			t.Fatal(err)
		}
		if i%7 != 0 {
			continue
		}
		q := s.question()
		before := ids(search(t, x, Query{Text: q}))
		if i%2 == 0 {
			if err := x.Tidy(ctx); err != nil {
				t.Fatal(err)
			}
			for _, l := range listsNow(t, x) {
				if l.into != 0 {
					t.Fatal("a merge is under way still")
				}
			}
		}
		if diff := cmp.Diff(before, ids(search(t, x, Query{Text: q}))); diff != "" {
			t.Errorf("%s (-before +after):\n%s", fmt.Sprint(i, " ", q), diff)
		}
	}
}

// Sessions that go while a merge is under way leave no hole in it: what is looked for
// there isn't found, instead of being taken for damage.
func TestGoneWhileMerging(t *testing.T) {
	ctx := context.Background()
	x := openWith(t)
	s := newSynth(16)
	n := 0
	for ; n < 60; n++ {
		if err := x.Put(ctx, s.doc(n, 6, 60)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range n {
		if err := x.Delete(ctx, fmt.Sprintf("session-%06d", i)); err != nil {
			t.Fatal(err)
		}
	}
	for range 30 {
		if err := x.Put(ctx, s.doc(n, 2, 12)); err != nil {
			t.Fatal(err)
		}
		n++
		for range 5 {
			search(t, x, Query{Text: s.question()})
		}
	}
}
