package index

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	chromem "github.com/philippgille/chromem-go"

	"recall/index/vectorfile"
	"recall/internal/llm"
)

// Vectors finds the windows of an index by meaning. It reads their file once, and later what was added, also if the
// index is opened again; as long as all questions are about some of the windows, it reads only these. Safe for
// concurrent use.
type Vectors struct {
	model llm.Embedder
	file  *vectorfile.File

	mu   sync.Mutex // guards the rest
	read os.FileInfo
	end  int64
	all  *chromem.Collection // each under its key; nil until they are wanted
}

// VectorsOf returns the vectors that a model made of the index at path. Nothing is read yet.
func VectorsOf(path string, model llm.Embedder) *Vectors {
	return &Vectors{model: model, file: vectorfile.Of(path, model.Model())}
}

// Are reports whether they are a model's, of the index at path; nil are nobody's.
func (v *Vectors) Are(path string, model llm.Embedder) bool {
	return v != nil && v.file.Path == vectorfile.Of(path, "").Path && v.file.Model == model.Model()
}

// embedTimeout is the time limit for embedding a question; beyond it the question is answered without vectors.
const embedTimeout = 300 * time.Millisecond

// UseVectors makes Search find windows by meaning too, as far as they have vectors. It must not be called while
// searches run.
func (x *Index) UseVectors(v *Vectors) { x.near = v }

// load returns the vectors with the wanted keys, all if these are nil.
func (v *Vectors) load(ctx context.Context, wanted map[int64]bool) (*chromem.Collection, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	some := newCollection()
	info, err := os.Stat(v.file.Path)
	if none := errors.Is(err, fs.ErrNotExist); none || v.all == nil && wanted != nil {
		_, err = v.collect(ctx, some, 0, wanted)
		return some, err
	} else if err != nil {
		return nil, err
	}
	if v.all == nil || !os.SameFile(v.read, info) || info.Size() < v.end {
		v.all, v.end = some, 0
	}
	v.read = info
	if v.end, err = v.collect(ctx, v.all, v.end, nil); err != nil || wanted == nil {
		return v.all, err
	}
	for key := range wanted {
		d, missing := v.all.GetByID(ctx, nameOf(key))
		if missing == nil && err == nil {
			err = some.AddDocument(ctx, d)
		}
	}
	return some, err
}

// collect adds the wanted vectors from a place in the file on, and returns the end of what was read.
func (v *Vectors) collect(ctx context.Context, to *chromem.Collection, from int64, wanted map[int64]bool) (int64,
	error) {
	var failed error
	end, err := v.file.Read(from, wanted, func(one vectorfile.Vector) {
		failed = cmp.Or(failed, to.AddDocument(ctx, chromem.Document{ID: nameOf(one.Key), Embedding: one.V}))
	})
	none := errors.Is(err, vectorfile.ErrOther) || errors.Is(err, fs.ErrNotExist)
	if none || errors.Is(err, vectorfile.ErrUnusable) { // damaged ones are missing until sync
		err = nil
	}
	return end, cmp.Or(failed, err)
}

func newCollection() *chromem.Collection {
	c, _ := chromem.NewDB().CreateCollection("windows", nil, nil) // fails only without a name
	return c
}

func nameOf(key int64) string { return strconv.FormatInt(key, 36) }

// nearest adds to docs the windows nearest to the question by their vectors, and to those that the words found how near
// they are.
func (r *reader) nearest(ctx context.Context, docs map[int64]*held) error {
	wanted, err := r.wanted(ctx)
	if err != nil {
		return err
	}
	all, err := r.near.load(ctx, wanted)
	if err != nil || all.Count() == 0 {
		return err
	}
	within, cancel := context.WithTimeout(ctx, embedTimeout)
	defer cancel()
	asked, err := r.near.model.Embed(within, []string{r.q.Text})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil || len(asked) != 1 || vectorfile.Check(asked[0], r.near.file.Dims) != nil {
		r.withoutVectors = true
		return nil
	}
	found, err := all.QueryEmbedding(ctx, asked[0], min(nearest, all.Count()), nil, nil)
	if err != nil {
		return err
	}
	cosines := map[int64]float64{}
	var keys []int64
	for _, f := range found {
		key, _ := strconv.ParseInt(f.ID, 36, 64) // as nameOf writes it
		keys, cosines[key] = append(keys, key), float64(f.Similarity)
	}
	conds, args := r.conditions(windows)
	err = scan(ctx, r.tx, func(rows *sql.Rows) error {
		var id, key int64
		err := rows.Scan(&id, &key)
		doc := docOf(windows, id)
		if docs[doc] == nil {
			docs[doc] = &held{}
		}
		docs[doc].near = cosines[key]
		return err
	}, `SELECT e.id, e.key FROM window e WHERE e.key IN (SELECT value FROM json_each(?)) AND `+
		strings.Join(conds, ` AND `), append([]any{jsonList(keys)}, args...)...)
	return cmp.Or(err, r.assume(ctx, docs))
}

// assume takes windows that have no vector yet to be as near as their words say, so that what was said last isn't
// last among the results until the model has read it.
func (r *reader) assume(ctx context.Context, docs map[int64]*held) error {
	var some bool
	err := r.tx.QueryRowContext(ctx, `SELECT EXISTS(SELECT 1 FROM unembedded)`).Scan(&some)
	if err != nil || !some {
		return err
	}
	var score, near float64 // the highest
	var ids []int64
	for doc, h := range docs {
		if doc%2 == docOf(windows, 0) {
			ids, score, near = append(ids, doc/2), max(score, h.score), max(near, h.near)
		}
	}
	return scan(ctx, r.tx, func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		h := docs[docOf(windows, id)]
		h.near = max(h.near, near*h.score/max(score, 1e-9))
		return err
	}, `SELECT id FROM unembedded WHERE id IN (SELECT value FROM json_each(?))`, jsonList(ids))
}

// wanted returns the keys of the windows that pass the query's filters, nil if these leave all or most.
func (r *reader) wanted(ctx context.Context) (map[int64]bool, error) {
	if r.q.Project == "" && r.q.Since.IsZero() && r.q.Until.IsZero() && r.q.AsOf.IsZero() {
		return nil, nil
	}
	conds, args := r.conditions(windows)
	return columnSet[int64](ctx, r.tx, `SELECT e.key FROM window e WHERE `+strings.Join(conds, ` AND `), args...)
}
