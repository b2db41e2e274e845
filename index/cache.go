package index

import (
	"context"
	"sync"
)

// cache holds what searches of one state of the index have read, for later ones in the same process.
type cache struct {
	version int64    // see state
	listed  [2]int64 // items and turns in the posting lists, including deleted ones until a merge
	pieces  pieces

	mu       sync.Mutex                // guards what follows
	sessions map[string]map[int64]bool // rows of projects' sessions
	counts   map[string]searchedIn     // by project, "" for all
	projects map[string][]string       // all of them, by ""
}

// cached returns a value from one of a cache's maps, reading it first if it isn't there.
func cached[V any](c *cache, in map[string]V, of string, read func() (V, error)) (V, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := in[of]
	if ok {
		return v, nil
	}
	v, err := read()
	if err == nil {
		in[of] = v
	}
	return v, err
}

// cacheOf returns the cache of one state of the index.
func (x *Index) cacheOf(ctx context.Context, of *fulltext) (*cache, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.read != nil && x.read.version == of.state.version {
		return x.read, nil
	}
	c := &cache{version: of.state.version, pieces: pieces{of: map[int64]*sizePiece{}},
		sessions: map[string]map[int64]bool{}, counts: map[string]searchedIn{}, projects: map[string][]string{}}
	err := of.tx.QueryRowContext(ctx, `SELECT ifnull(sum(items),0), ifnull(sum(turns),0) FROM segment`).
		Scan(&c.listed[items], &c.listed[turns])
	if err != nil {
		return c, err
	}
	x.read = c
	return c, nil
}
