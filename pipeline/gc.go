package pipeline

import (
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
)

// How much garbage a sync lets accumulate. Most of what it allocates is short-lived, and what it holds is bounded (see
// InHand): letting memory grow to memoryLimit before collecting saves a tenth of its time.
const (
	gcPercent   = 400
	memoryLimit = 224 << 20 // bytes
)

// collectionSet reports whether the environment says how to collect garbage; then that counts.
func collectionSet() bool { return os.Getenv("GOGC")+os.Getenv("GOMEMLIMIT") != "" }

// collectLess makes garbage collection rarer until the returned function is called.
func collectLess() (asUsual func()) {
	if collectionSet() {
		return func() {}
	}
	debug.SetGCPercent(gcPercent)
	debug.SetMemoryLimit(memoryLimit)
	return func() {
		debug.SetGCPercent(100)
		debug.SetMemoryLimit(math.MaxInt64)
	}
}

// makeRoom raises the memory limit if it leaves little room beside the live heap: otherwise most of the time would go
// into collecting.
func makeRoom() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	if need := int64(live[0].Value.Uint64()) * 4 / 3; need > debug.SetMemoryLimit(-1) && !collectionSet() {
		debug.SetMemoryLimit(need)
	}
}
