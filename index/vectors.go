package index

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"recall/index/rank"
	"recall/llm"
	"recall/payload"
)

// A VectorStore finds items by vector. Vectors of one store are of one model.
//
// Upsert adds or replaces; a vector that CheckVector refuses, or of another
// length than those before, is an error and nothing of the call is kept.
// Delete of what isn't there is no error. Query returns at most n items of the
// project (all projects if ""), the nearest first, ties by id; fewer or none
// is no error. Safe for concurrent use.
type VectorStore interface {
	Upsert(ctx context.Context, list []Vector) error
	Delete(ctx context.Context, ids ...payload.ItemID) error
	Query(ctx context.Context, project string, v []float32, n int) ([]Near, error)
}

// Vector is an item's vector.
type Vector struct {
	Item    payload.ItemID
	Project string
	V       []float32 // of length 1
}

// Near is an item and how near it is.
type Near struct {
	Item   payload.ItemID
	Cosine float64 // -1 to 1
}

// ErrVector means that a vector can't be compared with any other.
var ErrVector = errors.New("not a usable vector")

// CheckVector refuses vectors that poison what they are compared with: empty,
// all zero, or with a component that is no number.
func CheckVector(v []float32) error {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return fmt.Errorf("%d dimensions, squares sum to %v: %w", len(v), sum, ErrVector)
	}
	return nil
}

// PutVectors keeps items' vectors of a model in the index. They are a copy of
// the library's, gone with the index and with their items.
func (x *Index) PutVectors(ctx context.Context, model string, list []Vector) error {
	op := "put vectors of " + model
	tx, err := x.db.BeginTx(ctx, nil)
	if err != nil {
		return x.fail(op, err)
	}
	defer tx.Rollback()
	for _, v := range list {
		if err := CheckVector(v.V); err != nil {
			return fmt.Errorf("%s: item %s: %w", op, v.Item, err)
		}
		if _, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO vec(iid, model, data) VALUES(?,?,?)`, string(v.Item), model, vectorBytes(v.V)); err != nil {
			return x.fail(op, err)
		}
	}
	return x.fail(op, tx.Commit())
}

// HasVectors says whether any item has a vector of a model.
func (x *Index) HasVectors(ctx context.Context, model string) (has bool, err error) {
	err = x.db.QueryRowContext(ctx, `SELECT EXISTS(SELECT 1 FROM vec WHERE model=?)`, model).Scan(&has)
	return has, x.fail("look for vectors", err)
}

// Fill gives a store the vectors of all items: those kept for the embedder's
// model, and where none is kept and the embedder needs no service (see
// Instant), new ones. An item that has no vector is found by its words alone.
func (x *Index) Fill(ctx context.Context, s VectorStore, e llm.Embedder) error {
	rows, err := x.db.QueryContext(ctx, `SELECT i.iid, s.project, i.data, ifnull(v.data, x'') FROM item i JOIN session s ON s.id=i.session
		LEFT JOIN vec v ON v.iid=i.iid AND v.model=? ORDER BY i.id`, e.Model())
	if err != nil {
		return x.fail("fill vectors", err)
	}
	defer rows.Close()
	var batch []Vector
	for rows.Next() {
		var iid, project string
		var data, vec []byte
		if err := rows.Scan(&iid, &project, &data, &vec); err != nil {
			return x.fail("fill vectors", err)
		}
		v := vectorOf(vec)
		if _, instant := e.(Instant); instant && v == nil {
			it, err := unpackItem(data)
			if err != nil {
				return x.fail("fill vectors", err)
			}
			list, err := e.Embed(ctx, []string{TextToEmbed(it)})
			if err != nil {
				return fmt.Errorf("fill vectors: %w", err)
			}
			v = list[0]
		}
		if CheckVector(v) != nil {
			continue
		}
		if batch = append(batch, Vector{payload.ItemID(iid), project, v}); len(batch) == 500 {
			if err := s.Upsert(ctx, batch); err != nil {
				return fmt.Errorf("fill vectors: %w", err)
			}
			batch = batch[:0]
		}
	}
	if err := rows.Err(); err != nil {
		return x.fail("fill vectors", err)
	}
	return s.Upsert(ctx, batch)
}

// Instant is an embedder that works in this process, in well under a
// millisecond a text: its vectors needn't be kept.
type Instant interface {
	llm.Embedder
	Instant()
}

// TextToEmbed is what an item's vector is made of: its text twice, so that it
// leads, then what belongs to it.
func TextToEmbed(it payload.Item) string {
	s := it.Text + ".\n" + it.Text + ".\n" + it.Why
	for _, a := range it.Aliases {
		s += ".\n" + a
	}
	for _, e := range it.Evidence {
		s += ".\n" + e.Quote
	}
	return s
}

// nearness is how a search uses vectors.
type nearness struct {
	embedder llm.Embedder
	store    VectorStore
	weight   float64
}

// slowest is how long a question's embedding may take; one that takes longer
// is answered without.
const slowest = 300 * time.Millisecond

// UseVectors makes Search fuse its scores for items with cosines from a store
// at the given weight, 0 to 1. Not to be called while searches run.
//
// With the embedded concepts the gain is none: on perfect items, weights 0, .1
// and .2 find the right one at 1 and 5 for .34/.69, .33/.69 and .33/.67 of
// entireio-cli's questions, for .30/.53, .30/.53 and .27/.57 of
// entireio-git-sync's; with aliases for .47/.83, .43/.81, .43/.79 and .60/.83,
// .63/.83, .63/.83. The lexicon's words, which these vectors are made of, are
// searched for anyway. They keep this way open for a real model.
func (x *Index) UseVectors(e llm.Embedder, s VectorStore, weight float64) {
	x.near = &nearness{e, s, min(max(weight, 0), 1)}
	x.weights[rank.Near] = nearScale * x.near.weight
}

// nearScale makes of a weight what a cosine counts in the second look, where
// the question's words in an item, all of them, count some seven.
const nearScale = 10

// fuseNear adds items near the question to those that its words found.
func (r *reader) fuseNear(ctx context.Context, found []candidate, n *nearness) ([]candidate, error) {
	within, cancel := context.WithTimeout(ctx, slowest)
	defer cancel()
	vs, err := n.embedder.Embed(within, []string{r.q.Text})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil || len(vs) != 1 || CheckVector(vs[0]) != nil {
		r.leftOut = true
		return found, nil
	}
	at, err := r.nearItems(ctx, found, n, vs[0])
	if errors.Is(err, ErrVector) { // of another length than the items': the service has another model by that name
		r.leftOut = true
		return found, nil
	}
	if err != nil {
		return nil, err
	}
	return convex(found, at, n.weight), nil
}

// nearItems gives the cosines of the items nearest to a vector, by row; where
// there are many items, of those that were found.
func (r *reader) nearItems(ctx context.Context, found []candidate, n *nearness, v []float32) (map[int64]float64, error) {
	if f, ok := n.store.(Flat); ok && r.size[items] > flatMost {
		return f.among(ctx, v, found)
	}
	near, err := n.store.Query(ctx, r.q.Project, v, candidates)
	if err != nil {
		return nil, err
	}
	return r.rowsOfItems(ctx, near)
}

// convex mixes scores, as shares of the highest, with cosines.
func convex(found []candidate, near map[int64]float64, weight float64) []candidate {
	top := 1.0
	if len(found) > 0 {
		top = found[0].score
	}
	all := gathered{list: found, at: map[int64]int{}}
	for i := range found {
		found[i].score *= 1 - weight
		all.at[found[i].id] = i
	}
	for id, cos := range near {
		if cos > 0 {
			all.entry(id).score += weight * cos * top
			all.entry(id).near = cos
		}
	}
	return all.best(candidates)
}

func vectorBytes(v []float32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

func vectorOf(b []byte) []float32 {
	if len(b) < 4 {
		return nil
	}
	v := make([]float32, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v
}
