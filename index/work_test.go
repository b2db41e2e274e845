package index

import (
	"runtime"
	"testing"
)

// What putting a session in writes and allocates doesn't grow with the index, and no
// put does much more than the others.
func TestPutWorkIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of puts, and the race detector allocates as well")
	}
	const most = 200 // pages; a session of 20 items and 100 turns takes 70 without its lists of words
	var pages, bytes [2]int
	for i, before := range []int{0, 400} {
		x := openWith(t)
		s := newSynth(15)
		var docs []Doc
		for n := range before {
			docs = append(docs, s.doc(n, perSession, turnsASession))
		}
		if err := x.PutAll(t.Context(), docs); err != nil {
			t.Fatal(err)
		}
		x.folding.wait()
		x.folding.under = make(chan struct{}) // nobody resets what is counted
		for n := range 90 {
			d := s.doc(2_000_000+n, 20, 100)
			var from, to runtime.MemStats
			runtime.ReadMemStats(&from)
			x.folding.fresh = 0
			if err := x.Put(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&to)
			if n >= 10 { // some have been merged
				pages[i] = max(pages[i], x.folding.fresh)
				bytes[i] = max(bytes[i], int(to.TotalAlloc-from.TotalAlloc))
			}
		}
		close(x.folding.under)
		x.folding.under = nil
		t.Logf("in an index of %d sessions: at most %d pages written, %d KB allocated", before, pages[i], bytes[i]>>10)
		if pages[i] > most {
			t.Errorf("a put has written %d pages, want %d at most", pages[i], most)
		}
		if bytes[i] > 3<<20 {
			t.Errorf("a put has allocated %d bytes", bytes[i])
		}
	}
	if pages[1]*4 > pages[0]*5 || bytes[1]*4 > bytes[0]*5 {
		t.Errorf("the larger index took a quarter more: pages %d, bytes %d", pages, bytes)
	}
}
