package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"recall/payload"
)

// Flat is the VectorStore for a process that asks one question: it reads the
// vectors kept in the index from end to end. At 10,000 items of 384 dimensions
// that is some ten milliseconds, less than filling a store in memory takes.
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
	for rows.Next() {
		var id string
		var data []byte
		if err := rows.Scan(&id, &data); err != nil {
			return nil, f.Index.fail("scan vectors", err)
		}
		if len(data) == 4*len(v) {
			out = append(out, Near{payload.ItemID(id), dot(v, vectorOf(data))})
		}
	}
	return Nearest(out, n), f.Index.fail("scan vectors", rows.Err())
}

func dot(a, b []float32) float64 {
	var sum float32
	for i := range a {
		sum += a[i] * b[i]
	}
	return float64(sum)
}

// Nearest sorts by cosine, ties by id, and cuts at n.
func Nearest(list []Near, n int) []Near {
	slices.SortFunc(list, func(a, b Near) int {
		return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(a.Item, b.Item))
	})
	return list[:min(max(n, 0), len(list))]
}
