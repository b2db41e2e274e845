// Package vector holds vectors in memory for processes that live long: an
// index.VectorStore on chromem-go.
package vector

import (
	"context"
	"fmt"
	"sync"

	chromem "github.com/philippgille/chromem-go"

	"recall/index"
	"recall/payload"
)

// Memory is a store with one chromem collection a project. It is filled from
// the index (index.Fill); nothing of it is on disk, as chromem's own files lose
// documents whose names' hashes collide, and are not written safely.
//
// What chromem takes and then chokes on is kept from it here: vectors of
// another length, zeros and NaN, more results asked for than there are
// documents, filters that are empty but not nil (with which Delete deletes
// everything).
type Memory struct {
	mu   sync.RWMutex
	db   *chromem.DB
	by   map[string]*chromem.Collection // by project
	in   map[payload.ItemID]string      // project of each item
	dims int                            // of all vectors, 0 before the first
}

var _ index.VectorStore = (*Memory)(nil)

// New returns an empty store.
func New() *Memory {
	return &Memory{db: chromem.NewDB(), by: map[string]*chromem.Collection{}, in: map[payload.ItemID]string{}}
}

// Upsert implements index.VectorStore.
func (m *Memory) Upsert(ctx context.Context, list []index.Vector) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	dims := m.dims
	for _, v := range list {
		if err := index.CheckVector(v.V); err != nil {
			return fmt.Errorf("item %s: %w", v.Item, err)
		}
		if dims == 0 {
			dims = len(v.V)
		}
		if len(v.V) != dims {
			return fmt.Errorf("item %s: %d dimensions beside %d: %w", v.Item, len(v.V), dims, index.ErrVector)
		}
	}
	for _, v := range list {
		if was, ok := m.in[v.Item]; ok && was != v.Project {
			if err := m.by[was].Delete(ctx, nil, nil, string(v.Item)); err != nil {
				return err
			}
			delete(m.in, v.Item)
		}
		c, err := m.collection(v.Project)
		if err != nil {
			return err
		}
		if err := c.AddDocument(ctx, chromem.Document{ID: string(v.Item), Embedding: v.V}); err != nil {
			return fmt.Errorf("item %s: %w", v.Item, err)
		}
		m.in[v.Item], m.dims = v.Project, dims
	}
	return nil
}

func (m *Memory) collection(project string) (*chromem.Collection, error) {
	if c := m.by[project]; c != nil {
		return c, nil
	}
	never := func(context.Context, string) ([]float32, error) { return nil, index.ErrVector }
	c, err := m.db.CreateCollection("project "+project, nil, never) // a name may not be empty
	if err != nil {
		return nil, err
	}
	m.by[project] = c
	return c, nil
}

// Delete implements index.VectorStore.
func (m *Memory) Delete(ctx context.Context, ids ...payload.ItemID) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range ids {
		project, ok := m.in[id]
		if !ok {
			continue
		}
		if err := m.by[project].Delete(ctx, nil, nil, string(id)); err != nil {
			return err
		}
		delete(m.in, id)
	}
	return nil
}

// Query implements index.VectorStore.
func (m *Memory) Query(ctx context.Context, project string, v []float32, n int) ([]index.Near, error) {
	if err := index.CheckVector(v); err != nil {
		return nil, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.dims != 0 && len(v) != m.dims {
		return nil, fmt.Errorf("a question of %d dimensions for vectors of %d: %w", len(v), m.dims, index.ErrVector)
	}
	var out []index.Near
	for name, c := range m.by {
		if project != "" && name != project {
			continue
		}
		k := min(n, c.Count())
		if k <= 0 {
			continue
		}
		found, err := c.QueryEmbedding(ctx, v, k, nil, nil)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			out = append(out, index.Near{Item: payload.ItemID(f.ID), Cosine: float64(f.Similarity)})
		}
	}
	return index.Nearest(out, n), nil
}
