package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	chromem "github.com/philippgille/chromem-go"

	"recall/internal/llm"
)

// vectorSearch is how a search uses vectors.
type vectorSearch struct {
	embedder llm.Embedder
	weight   float64
}

// embedTimeout is the time limit for embedding a question; beyond it the question is answered without vectors.
const embedTimeout = 300 * time.Millisecond

// UseVectors makes Search add the cosines of items' vectors from the embedder's model to their scores, at the given
// weight, 0 to 1, of what the best words count. It must not be called while searches run.
func (x *Index) UseVectors(e llm.Embedder, weight float64) {
	x.near = &vectorSearch{e, min(max(weight, 0), 1)}
}

// nearest returns the cosines of the items nearest to the question; none if there are no vectors, or the embedder
// fails.
func (r *reader) nearest(ctx context.Context, docs map[int64]*held) (map[int64]float64, error) {
	if r.near == nil {
		return nil, nil
	}
	within, cancel := context.WithTimeout(ctx, embedTimeout)
	defer cancel()
	vs, err := r.near.embedder.Embed(within, []string{r.q.Text})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil || len(vs) != 1 || CheckVector(vs[0]) != nil {
		r.withoutVectors = true
		return nil, nil
	}
	near, err := r.nearItems(ctx, rowsOfDocs(byScore(docs, items)), vs[0])
	if errors.Is(err, ErrVector) { // other dimensions than the items': the service has another model of that name
		r.withoutVectors = true
		return nil, nil
	}
	return near, err
}

// maxFlat is up to how many items one question reads all vectors, which takes about ten milliseconds for
// 10,000 of 384 dimensions; beyond, it reads only those of the items that the words found.
const maxFlat = 20_000

// nearItems returns the items nearest to a vector that pass the query's filters, with their cosines.
func (r *reader) nearItems(ctx context.Context, found []int64, v []float32) (map[int64]float64, error) {
	conds, more := r.conditions(items)
	args := append([]any{r.near.embedder.Model()}, more...)
	if r.size > maxFlat {
		conds, args = append(conds, `e.id IN (SELECT value FROM json_each(?))`), append(args, jsonList(found))
	}
	conds = append([]string{`v.model=?`}, conds...)
	all, err := chromem.NewDB().CreateCollection("items", nil, nil)
	if err != nil {
		return nil, err
	}
	other := 0 // dimensions that don't match; the collection itself doesn't check
	err = scan(ctx, r.tx, func(rows *sql.Rows) error {
		var id int64
		var data sql.RawBytes
		if err := rows.Scan(&id, &data); err != nil {
			return err
		}
		of := vectorOf(data)
		if len(of) == len(v) {
			return all.AddDocument(ctx, chromem.Document{ID: strconv.FormatInt(id, 10), Embedding: of})
		}
		other = max(other, len(of))
		return nil
	}, `SELECT e.id, v.data FROM item e JOIN vec v ON v.iid=e.iid WHERE `+strings.Join(conds, ` AND `), args...)
	switch {
	case err != nil || all.Count() == 0 && other == 0:
		return nil, err
	case all.Count() == 0:
		return nil, fmt.Errorf("%d dimensions where the items have %d: %w", len(v), other, ErrVector)
	}
	near, err := all.QueryEmbedding(ctx, v, min(candidates, all.Count()), nil, nil)
	out := map[int64]float64{}
	for _, m := range near {
		id, _ := strconv.ParseInt(m.ID, 10, 64) // as it was written above
		out[id] = float64(m.Similarity)
	}
	return out, err
}
