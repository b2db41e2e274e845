package pipeline

import (
	"runtime/debug"
	"sync"
)

// seldom is how much garbage a sync lets gather, in percent of what lives: what it
// holds is bounded (see inHand), and most of it lives but for a moment. GOGC, where
// somebody set it, counts instead.
const seldom = 150

var collecting struct {
	mu    sync.Mutex
	syncs int // at work
	usual int
}

// collectLess lets garbage gather until the returned function is called.
func collectLess() (asUsual func()) {
	c := &collecting
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.syncs++; c.syncs == 1 {
		if c.usual = debug.SetGCPercent(seldom); c.usual != 100 {
			debug.SetGCPercent(c.usual)
		}
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.syncs--; c.syncs == 0 {
			debug.SetGCPercent(c.usual)
		}
	}
}
