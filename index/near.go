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

	"recall/internal/llm"
)

// Vectors finds the windows of an index by meaning. It reads their file once, and later what was added, also if the
// index is opened again. Safe for concurrent use.
type Vectors struct {
	model llm.Embedder
	file  *vectorFile

	mu   sync.Mutex // guards the rest
	read os.FileInfo
	end  int64
	all  *chromem.Collection // each under its key
}

// VectorsOf returns the vectors that a model made of the index at path. Nothing is read yet.
func VectorsOf(path string, model llm.Embedder) *Vectors {
	return &Vectors{model: model, file: vectorFileOf(path, model.Model())}
}

// Are reports whether they are a model's, of the index at path; nil are nobody's.
func (v *Vectors) Are(path string, model llm.Embedder) bool {
	return v != nil && v.file.path == vectorFileOf(path, "").path && v.file.model == model.Model()
}

// embedTimeout is the time limit for embedding a question; beyond it the question is answered without vectors.
const embedTimeout = 300 * time.Millisecond

// UseVectors makes Search find windows by meaning too, as far as they have vectors. It must not be called while
// searches run.
func (x *Index) UseVectors(v *Vectors) { x.near = v }

// load returns all vectors, nil if there are none.
func (v *Vectors) load(ctx context.Context) (*chromem.Collection, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	info, err := os.Stat(v.file.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	if v.all == nil || !os.SameFile(v.read, info) || info.Size() < v.end {
		if v.all, err = newCollection(); err != nil {
			return nil, err
		}
		v.end = 0
	}
	if info.Size() > v.end {
		var failed error
		v.end, err = v.file.readFrom(v.end, func(one vector) { failed = cmp.Or(failed, addVector(ctx, v.all, one)) })
		if errors.Is(err, errOtherVectors) {
			return nil, nil
		}
		if err = cmp.Or(failed, err); err != nil && !errors.Is(err, ErrVector) { // damaged ones are missing until sync
			return nil, err
		}
	}
	v.read = info
	return v.all, nil
}

func newCollection() (*chromem.Collection, error) {
	return chromem.NewDB().CreateCollection("windows", nil, nil)
}

func addVector(ctx context.Context, to *chromem.Collection, v vector) error {
	return to.AddDocument(ctx, chromem.Document{ID: strconv.FormatInt(v.key, 36), Embedding: v.v})
}

// nearest adds to docs the windows nearest to the question by their vectors, and to those that the words found how near
// they are.
func (r *reader) nearest(ctx context.Context, docs map[int64]*held) error {
	all, err := r.near.load(ctx)
	if err != nil || all == nil || all.Count() == 0 {
		return err
	}
	within, cancel := context.WithTimeout(ctx, embedTimeout)
	defer cancel()
	asked, err := r.near.model.Embed(within, []string{r.q.Text})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil || len(asked) != 1 || checkVector(asked[0], r.near.file.dims) != nil {
		r.withoutVectors = true
		return nil
	}
	if all, err = r.within(ctx, all); err != nil || all.Count() == 0 {
		return err
	}
	found, err := all.QueryEmbedding(ctx, asked[0], min(nearest, all.Count()), nil, nil)
	if err != nil {
		return err
	}
	cosines := map[int64]float64{}
	var keys []int64
	for _, f := range found {
		key, _ := strconv.ParseInt(f.ID, 36, 64) // as it was written above
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

// within returns the vectors of the windows that pass the query's filters, if these may leave few.
func (r *reader) within(ctx context.Context, all *chromem.Collection) (*chromem.Collection, error) {
	if r.q.Project == "" && r.q.Since.IsZero() && r.q.Until.IsZero() && r.q.AsOf.IsZero() {
		return all, nil
	}
	conds, args := r.conditions(windows)
	keys, err := columnSet[int64](ctx, r.tx, `SELECT e.key FROM window e WHERE `+strings.Join(conds, ` AND `), args...)
	if err != nil {
		return nil, err
	}
	some, err := newCollection()
	for key := range keys {
		d, missing := all.GetByID(ctx, strconv.FormatInt(key, 36))
		if missing == nil && err == nil {
			err = some.AddDocument(ctx, d)
		}
	}
	return some, err
}
