package index

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/payload"
)

// steady is an embedder that gives the same vectors for anything.
type steady struct {
	v   [][]float32
	err error
	lag time.Duration
}

func (steady) Model() string { return "steady/2" }

func (s steady) Embed(ctx context.Context, _ []string) ([][]float32, error) {
	select {
	case <-time.After(s.lag):
		return s.v, s.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func put(t *testing.T, x *Index, model string, vectors map[payload.ItemID][]float32) {
	t.Helper()
	var list []Embedded
	for id, v := range vectors {
		list = append(list, Embedded{Item: id, V: v})
	}
	if err := x.PutVectors(t.Context(), model, list); err != nil {
		t.Fatal(err)
	}
}

// nearest are the items nearest to a vector, and their cosines, where so many items are indexed.
func nearest(t *testing.T, x *Index, q Query, v []float32, of int, found ...candidate) map[int64]float64 {
	t.Helper()
	ctx := t.Context()
	tx, err := x.db.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	full, err := x.fulltext(ctx, tx)
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{fulltext: full, q: q, size: corpus{items: of}}
	list, err := r.nearItems(ctx, found, x.near, v)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSortedFunc(list, func(a, b candidate) int { return int(math.Copysign(1, b.near-a.near)) }) {
		t.Errorf("got %v, want the nearest first", list)
	}
	out := map[int64]float64{}
	for _, c := range list {
		out[c.id] = math.Round(c.near*1e6) / 1e6
	}
	return out
}

func TestNearItems(t *testing.T) {
	x := openWith(t, billing()...)
	rows := map[payload.ItemID]int64{}
	rs, err := x.db.Query(`SELECT iid, id FROM item`)
	if err != nil {
		t.Fatal(err)
	}
	defer rs.Close()
	for rs.Next() {
		var iid payload.ItemID
		var id int64
		if err := rs.Scan(&iid, &id); err != nil {
			t.Fatal(err)
		}
		rows[iid] = id
	}
	const a, b, c = "aaaaaaaaaa", "bbbbbbbbbb", "cccccccccc"
	put(t, x, "steady/2", map[payload.ItemID][]float32{a: {1, 0}, b: {0.6, 0.8}, c: {0, 1}})
	put(t, x, "other/2", map[payload.ItemID][]float32{a: {0, 1}})
	x.UseVectors(steady{}, 0.2)
	up := []float32{0, 1}
	for _, test := range []struct {
		name  string
		q     Query
		of    int
		found []candidate
		want  map[int64]float64
	}{
		{"all", Query{}, 3, nil, map[int64]float64{rows[a]: 0, rows[b]: 0.8, rows[c]: 1}},
		{"of a kind", Query{Kinds: []payload.Kind{payload.Eliminated}}, 3, nil, map[int64]float64{rows[b]: 0.8}},
		{"of another project", Query{Project: "nowhere"}, 3, nil, map[int64]float64{}},
		{"of many, what words found", Query{}, maxFlat + 1, []candidate{{id: rows[c]}}, map[int64]float64{rows[c]: 1}},
		{"of many, nothing", Query{}, maxFlat + 1, nil, map[int64]float64{}},
	} {
		if got := nearest(t, x, test.q, up, test.of, test.found...); !cmp.Equal(test.want, got) {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

func TestPutVectorsKeepsNothingOfWhatItRefuses(t *testing.T) {
	x := openWith(t, billing()...)
	for _, bad := range [][]float32{nil, {0, 0}, {float32(math.NaN()), 1}, {float32(math.Inf(1)), 0}} {
		if err := x.PutVectors(t.Context(), "m/2", []Embedded{{Item: "aaaaaaaaaa", V: []float32{1, 0}},
			{Item: "bbbbbbbbbb", V: bad}}); !errors.Is(err, ErrVector) {
			t.Errorf("%v: got %v, want ErrVector", bad, err)
		}
	}
	if has, err := x.HasVectors(t.Context(), "m/2"); has || err != nil {
		t.Errorf("got %v, %v, want none kept", has, err)
	}
}

func TestVectorsGoWithTheirItem(t *testing.T) {
	x := openWith(t, billing()...)
	put(t, x, "m/2", map[payload.ItemID][]float32{"aaaaaaaaaa": {1, 0}})
	if err := x.Delete(t.Context(), "s1"); err != nil {
		t.Fatal(err)
	}
	if has, err := x.HasVectors(t.Context(), "m/2"); has || err != nil {
		t.Errorf("got %v, %v, want none left", has, err)
	}
}

// An item that shares no word with the question is found by its vector.
func TestSearchByVectors(t *testing.T) {
	x := openWith(t, billing()...)
	put(t, x, "steady/2", map[payload.ItemID][]float32{"aaaaaaaaaa": {1, 0}})
	q := Query{Text: "zzyzx"}
	if a := search(t, x, q); len(a.Items()) > 0 {
		t.Fatalf("without vectors: got %v, want nothing", a.Items())
	}
	x.UseVectors(steady{v: [][]float32{{1, 0}}}, 0.2)
	if a := search(t, x, q); len(a.Items()) == 0 || a.Items()[0].Item.ID != "aaaaaaaaaa" || a.WithoutVectors {
		t.Errorf("got %v, without vectors %v, want the item that is near", a.Items(), a.WithoutVectors)
	}
}

func TestSearchOutlivesEmbedder(t *testing.T) {
	x := openWith(t, billing()...)
	put(t, x, "steady/2", map[payload.ItemID][]float32{"cccccccccc": {1, 0}})
	for name, e := range map[string]steady{
		"down":             {err: errors.New("no route to host")},
		"slow":             {lag: 5 * time.Second},
		"too many":         {v: [][]float32{{1, 0}, {0, 1}}},
		"zeros":            {v: [][]float32{{0, 0}}},
		"of another model": {v: [][]float32{{0, 1, 0}}},
	} {
		x.UseVectors(e, 0.2)
		start := time.Now()
		a := search(t, x, Query{Text: "which lock does acquire take?"})
		if len(a.Items()) == 0 || a.Items()[0].Item.ID != "aaaaaaaaaa" {
			t.Errorf("%s: got %v, want the item found by its words", name, a.Items())
		}
		if !a.WithoutVectors {
			t.Errorf("%s: it isn't said that vectors were left out", name)
		}
		if took := time.Since(start); took > 3*time.Second {
			t.Errorf("%s: took %v", name, took)
		}
	}
}
