package main

import (
	"strings"
	"testing"

	"recall/hooks"
)

// What a person says of which sessions belong together is heeded by the next
// session that starts, though nothing else of the project changed.
func TestStartAfterThreadsAreCorrected(t *testing.T) {
	d := newDesk(t)
	one, other := "5d000001-0000-4000-8000-000000000001", "5d000002-0000-4000-8000-000000000002"
	d.says(one, "Let's use a heap for the scheduler instead of a sorted list, because inserts are faster.", "The heap is in.")
	d.recall("init", "--yes")
	d.says(other, "Let's keep the weather feed in memory rather than in Redis, because ten minutes old is fine.", "In memory, then.")
	d.recall("sync")
	told := func(id string) (n int) {
		t.Helper()
		start := d.context(d.hook(hooks.SessionStart, id, "source", "startup"))
		for _, word := range []string{"heap", "weather"} {
			if strings.Contains(start, word) {
				n++
			}
		}
		return n
	}
	apart := "join"
	before := told("5d000008-0000-4000-8000-000000000008")
	if before == 2 {
		apart = "split"
	}
	d.recall("thread", apart, one, other)
	if after := told("5d000009-0000-4000-8000-000000000009"); before == 0 || after != 3-before {
		t.Errorf("after recall thread %s a start tells of %d sessions, before of %d", apart, after, before)
	}
}
