package index

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/payload"
)

func TestNearest(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 200 {
		var list []Near
		for i := range r.IntN(300) {
			list = append(list, Near{payload.ItemID(fmt.Sprintf("i%03d", i)), float64(r.IntN(20)) / 20})
		}
		n := r.IntN(40)
		want := slices.Clone(list)
		slices.SortFunc(want, nearer)
		want = want[:min(n, len(want))]
		if got := Nearest(list, n); !cmp.Equal(want, got) && len(want)+len(got) > 0 {
			t.Fatalf("the nearest %d of %d: got %v, want %v", n, len(list), got, want)
		}
	}
	if got := Nearest(nil, -1); len(got) != 0 {
		t.Errorf("of none: got %v", got)
	}
}

// What words found is compared by vectors as a whole scan would compare it.
func TestAmong(t *testing.T) {
	x := openWith(t, billing()...)
	f := Flat{x, "tiny/2"}
	ctx := t.Context()
	if err := f.Upsert(ctx, []Vector{{Item: "aaaaaaaaaa", V: []float32{1, 0}}, {Item: "cccccccccc", V: []float32{0, 1}}}); err != nil {
		t.Fatal(err)
	}
	rows := map[string]int64{}
	rs, err := x.db.Query(`SELECT iid, id FROM item`)
	if err != nil {
		t.Fatal(err)
	}
	defer rs.Close()
	for rs.Next() {
		var iid string
		var id int64
		if err := rs.Scan(&iid, &id); err != nil {
			t.Fatal(err)
		}
		rows[iid] = id
	}
	got, err := f.among(ctx, []float32{0.6, 0.8}, []candidate{{id: rows["cccccccccc"]}, {id: rows["bbbbbbbbbb"]}})
	if err != nil {
		t.Fatal(err)
	}
	if want := map[int64]float64{rows["cccccccccc"]: float64(float32(0.8))}; !cmp.Equal(want, got) {
		t.Errorf("got %v, want %v: the one item asked for that has a vector", got, want)
	}
	if got, err := (Flat{x, "other"}).among(ctx, []float32{1, 0}, []candidate{{id: rows["cccccccccc"]}}); err != nil || len(got) != 0 {
		t.Errorf("of another model: got %v, %v, want none", got, err)
	}
}
