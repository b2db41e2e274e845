package pipeline

import (
	"math"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// How much garbage a sync lets gather. Most of what it makes lives but for a
// moment, and what it holds is bounded (see inHand): memory is let fill up to
// roomy before it is collected, which saves a tenth of a sync's time. GOGC and
// GOMEMLIMIT, where somebody set one of them, count instead.
const (
	seldom = 400       // percent of what lives
	roomy  = 224 << 20 // bytes, all that Go holds
)

// collecting is how garbage is collected while syncs are at work.
var collecting struct {
	mu    sync.Mutex
	syncs int
	usual int   // percent
	limit int64 // bytes; 0 where ours doesn't count
}

// collectLess lets garbage gather until the returned function is called.
func collectLess() (asUsual func()) {
	c := &collecting
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.syncs++; c.syncs == 1 {
		if c.usual = debug.SetGCPercent(seldom); c.usual != 100 || debug.SetMemoryLimit(-1) != math.MaxInt64 {
			debug.SetGCPercent(c.usual)
		} else {
			c.limit = roomy
			debug.SetMemoryLimit(c.limit)
		}
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.syncs--; c.syncs == 0 && c.limit > 0 {
			c.limit = 0
			debug.SetGCPercent(c.usual)
			debug.SetMemoryLimit(math.MaxInt64)
		}
	}
}

// makeRoom raises the limit where it leaves little beside what lives: most of the
// time would go into collecting.
func makeRoom() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	need := int64(live[0].Value.Uint64()) * 4 / 3
	c := &collecting
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.limit > 0 && need > c.limit {
		c.limit = need
		debug.SetMemoryLimit(need)
	}
}
