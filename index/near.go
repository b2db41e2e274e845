package index

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	chromem "github.com/philippgille/chromem-go"

	"recall/index/rank"
	"recall/internal/llm"
)

// vectorSearch is how a search uses vectors.
type vectorSearch struct {
	embedder llm.Embedder
	weight   float64
}

// embedTimeout is the time limit for embedding a question; beyond it the question is answered without vectors.
const embedTimeout = 300 * time.Millisecond

// UseVectors makes Search fuse its scores for items with the cosines of their vectors from the embedder's
// model, at the given weight, 0 to 1. It must not be called while searches run.
func (x *Index) UseVectors(e llm.Embedder, weight float64) {
	x.near = &vectorSearch{e, min(max(weight, 0), 1)}
	x.weights[rank.Near] = nearScale * x.near.weight
}

// nearScale converts a weight to a cosine's weight in the second look, where all of the question's words in an
// item count about seven.
const nearScale = 10

// fuseNear adds items near the question to those that its words found.
func (r *reader) fuseNear(ctx context.Context, found []candidate, n *vectorSearch) ([]candidate, error) {
	within, cancel := context.WithTimeout(ctx, embedTimeout)
	defer cancel()
	vs, err := n.embedder.Embed(within, []string{r.q.Text})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil || len(vs) != 1 || CheckVector(vs[0]) != nil {
		r.withoutVectors = true
		return found, nil
	}
	near, err := r.nearItems(ctx, found, n, vs[0])
	if errors.Is(err, ErrVector) { // other dimensions than the items': the service has another model of that name
		r.withoutVectors = true
		return found, nil
	}
	if err != nil {
		return nil, err
	}
	return convex(found, near, n.weight), nil
}

// maxFlat is up to how many items one question reads all vectors, which takes about ten milliseconds for
// 10,000 of 384 dimensions; beyond, it reads only those of the items that the words found.
const maxFlat = 20_000

// nearItems returns the items nearest to a vector that pass the query's filters, with their cosines.
func (r *reader) nearItems(ctx context.Context, found []candidate, n *vectorSearch, v []float32) ([]candidate, error) {
	conds, more := r.conditions(documents[items])
	args := append([]any{n.embedder.Model()}, more...)
	if r.q.Project != "" {
		conds, args = append(conds, `e.session IN (`+sessionsIn+`)`), append(args, r.q.Project, r.q.Project)
	}
	if r.size[items] > maxFlat {
		ids := make([]int64, len(found))
		for i, c := range found {
			ids[i] = c.id
		}
		conds, args = append(conds, `e.id IN (SELECT value FROM json_each(?))`), append(args, jsonList(ids))
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
	var out []candidate
	for _, m := range near {
		id, _ := strconv.ParseInt(m.ID, 10, 64) // as it was written above
		out = append(out, candidate{id: id, near: float64(m.Similarity)})
	}
	slices.SortFunc(out, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.near, a.near), cmp.Compare(a.id, b.id))
	})
	return out, err
}

// convex mixes scores, scaled by the highest, with cosines.
func convex(found, near []candidate, weight float64) []candidate {
	top := 1.0
	if len(found) > 0 {
		top = found[0].score
	}
	all := gathered{}
	for i := range found {
		found[i].score *= 1 - weight
		all[found[i].id] = &found[i]
	}
	for _, c := range near {
		if c.near > 0 {
			all.entry(c.id).score += weight * c.near * top
			all.entry(c.id).near = c.near
		}
	}
	return all.best(candidates)
}
