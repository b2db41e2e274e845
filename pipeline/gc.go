package pipeline

import (
	"math"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// How much garbage a sync lets accumulate. Most of what it allocates is short-lived, and what
// it holds is bounded (see InHand): letting memory grow to memoryLimit before collecting saves
// a tenth of a sync's time. If GOGC or GOMEMLIMIT is set, that counts instead.
const (
	gcPercent   = 400
	memoryLimit = 224 << 20 // bytes
	// what is known of each session while many are distilled; the limit has room for that of the first ones
	perSession   = 5 << 10 // bytes
	sessionsHeld = 10_000
)

// collecting is the state of garbage collection while syncs are at work.
var collecting struct {
	mu    sync.Mutex
	syncs int
	usual int   // percent
	limit int64 // bytes; 0 if GOGC or GOMEMLIMIT is set
}

// collectLess makes garbage collection rarer until the returned function is called.
func collectLess() (asUsual func()) {
	c := &collecting
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.syncs++; c.syncs == 1 {
		if c.usual = debug.SetGCPercent(gcPercent); c.usual != 100 || debug.SetMemoryLimit(-1) != math.MaxInt64 {
			debug.SetGCPercent(c.usual)
		} else {
			c.limit = memoryLimit
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

// makeRoom raises the memory limit if it leaves little room beside the live heap: otherwise most of the time would
// go into collecting.
func makeRoom() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	raiseLimit(int64(live[0].Value.Uint64()) * 4 / 3)
}

// makeRoomFor raises the memory limit for what is known of so many sessions, so that as much is left for the work as
// with few.
func makeRoomFor(sessions int) {
	raiseLimit(memoryLimit + perSession*int64(max(0, sessions-sessionsHeld)))
}

func raiseLimit(need int64) {
	c := &collecting
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.limit > 0 && need > c.limit {
		c.limit = need
		debug.SetMemoryLimit(need)
	}
}
