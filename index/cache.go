package index

import (
	"context"
	"database/sql"
	"sync"
)

// cache is what searches of one state of the index have read, for those that
// come after them in the same process.
type cache struct {
	version int64 // see state

	mu       sync.Mutex
	lists    *listsIn
	pieces   map[int64]*sizePiece
	runs     map[int64][]run           // of owners, by pieceID
	sessions map[string]map[int64]bool // rows of projects' sessions
	words    map[string]*found
	counts   map[string]searchedIn // by project, "" for all
	projects []string
}

// mostWords is how many words a cache holds, of about a kilobyte each.
const mostWords = 8192

// cacheOf gives what searches of one state of the index share.
func (x *Index) cacheOf(version int64) *cache {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.read == nil || x.read.version != version {
		x.read = &cache{version: version, pieces: map[int64]*sizePiece{}, runs: map[int64][]run{}, sessions: map[string]map[int64]bool{}, words: map[string]*found{}, counts: map[string]searchedIn{}}
	}
	return x.read
}

// take adds what is known of words to what a search knows.
func (c *cache) take(stems []string, to map[string]*found) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range stems {
		if of := c.words[s]; of != nil {
			to[s] = of
		}
	}
}

// keep remembers what was looked up.
func (c *cache) keep(stems []string, known map[string]*found) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.words)+len(stems) > mostWords {
		clear(c.words)
	}
	for _, s := range stems {
		c.words[s] = known[s]
	}
}

// listsIn is what all segments together hold.
type listsIn struct {
	docs [2]int64 // items and turns whose words stand in them: those that are gone too, until a merge
}

// listsIn says what all segments hold.
func (c *cache) listsIn(ctx context.Context, tx *sql.Tx) (listsIn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lists == nil {
		all, err := segments(ctx, tx)
		if err != nil {
			return listsIn{}, err
		}
		var of listsIn
		for _, s := range all {
			for kind, n := range s.listed {
				of.docs[kind] += n
			}
		}
		c.lists = &of
	}
	return *c.lists, nil
}
