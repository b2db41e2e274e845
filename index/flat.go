package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"recall/payload"
)

// Flat is the VectorStore for a process that asks one question: it reads the
// vectors kept in the index from end to end. At 10,000 items of 384 dimensions
// that is some ten milliseconds, less than filling a store in memory takes.
// Where there are over 20,000, a search compares what its words found alone.
type Flat struct {
	Index *Index
	Model string
}

var _ VectorStore = Flat{}

// Upsert implements VectorStore.
func (f Flat) Upsert(ctx context.Context, list []Vector) error {
	for _, v := range list {
		if len(v.V) != len(list[0].V) {
			return fmt.Errorf("item %s: %d dimensions beside %d: %w", v.Item, len(v.V), len(list[0].V), ErrVector)
		}
	}
	return f.Index.PutVectors(ctx, f.Model, list)
}

// Delete implements VectorStore.
func (f Flat) Delete(ctx context.Context, ids ...payload.ItemID) error {
	for _, id := range ids {
		if _, err := f.Index.db.ExecContext(ctx, `DELETE FROM vec WHERE iid=? AND model=?`, string(id), f.Model); err != nil {
			return f.Index.fail("delete vector", err)
		}
	}
	return nil
}

// Query implements VectorStore.
func (f Flat) Query(ctx context.Context, project string, v []float32, n int) ([]Near, error) {
	if err := CheckVector(v); err != nil {
		return nil, err
	}
	rows, err := f.Index.db.QueryContext(ctx, `SELECT v.iid, v.data FROM vec v JOIN item i ON i.iid=v.iid JOIN session s ON s.id=i.session
		WHERE v.model=?1 AND (?2='' OR s.project=?2)`, f.Model, project)
	if err != nil {
		return nil, f.Index.fail("scan vectors", err)
	}
	defer rows.Close()
	var out []Near
	other := 0 // of another length
	for rows.Next() {
		var id string
		var data []byte
		if err := rows.Scan(&id, &data); err != nil {
			return nil, f.Index.fail("scan vectors", err)
		}
		if len(data) != 4*len(v) {
			other = len(data) / 4
			continue
		}
		out = append(out, Near{payload.ItemID(id), dot(v, vectorOf(data))})
	}
	if err := rows.Err(); err != nil {
		return nil, f.Index.fail("scan vectors", err)
	}
	return Nearest(out, n), noneLike(v, other, len(out))
}

// noneLike is an error where vectors are there, and all of another length.
func noneLike(v []float32, other, alike int) error {
	if alike == 0 && other > 0 {
		return fmt.Errorf("%d dimensions where the items have %d: %w", len(v), other, ErrVector)
	}
	return nil
}

// dot is in four sums, which a processor makes side by side.
func dot(a, b []float32) float64 {
	var s0, s1, s2, s3 float32
	b = b[:len(a)]
	i := 0
	for ; i+4 <= len(a); i += 4 {
		x, y := a[i:i+4:i+4], b[i:i+4:i+4]
		s0 += x[0] * y[0]
		s1 += x[1] * y[1]
		s2 += x[2] * y[2]
		s3 += x[3] * y[3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return float64(s0 + s1 + s2 + s3)
}

// Nearest sorts by cosine, ties by id, and cuts at n.
func Nearest(list []Near, n int) []Near {
	n = min(max(n, 0), len(list))
	if n > 0 && len(list) > 4*n {
		list = append([]Near(nil), list...)
		selectNearest(list, n)
		list = list[:n]
	}
	slices.SortFunc(list, nearer)
	return list[:n]
}

func nearer(a, b Near) int {
	return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(a.Item, b.Item))
}

// selectNearest brings the n nearest to the front, in any order: a heap of
// them, the farthest on top, takes what is nearer than that.
func selectNearest(list []Near, n int) {
	heap := list[:n]
	down := func(i int) {
		for {
			far := i
			for _, c := range [2]int{2*i + 1, 2*i + 2} {
				if c < n && nearer(heap[c], heap[far]) > 0 {
					far = c
				}
			}
			if far == i {
				return
			}
			heap[i], heap[far] = heap[far], heap[i]
			i = far
		}
	}
	for i := n/2 - 1; i >= 0; i-- {
		down(i)
	}
	for i := n; i < len(list); i++ {
		if nearer(list[i], heap[0]) < 0 {
			heap[0] = list[i]
			down(0)
		}
	}
}

// flatMost is up to how many items all vectors are read for one question; of more, those of
// what the words found alone.
const flatMost = 20_000

// among gives the cosines of some items, by row.
func (f Flat) among(ctx context.Context, v []float32, list []candidate) (map[int64]float64, error) {
	if len(list) == 0 {
		return nil, nil
	}
	var b strings.Builder
	for _, c := range list {
		fmt.Fprintf(&b, ",%d", c.id)
	}
	rows, err := f.Index.db.QueryContext(ctx, `SELECT i.id, v.data FROM item i JOIN vec v ON v.iid=i.iid AND v.model=? WHERE i.id IN (`+b.String()[1:]+`)`, f.Model)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[int64]float64{}
	other := 0
	for rows.Next() {
		var id int64
		var data []byte
		if err := rows.Scan(&id, &data); err != nil {
			return nil, err
		}
		if len(data) != 4*len(v) {
			other = len(data) / 4
			continue
		}
		out[id] = dot(v, vectorOf(data))
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return out, noneLike(v, other, len(out))
}
