package pipeline_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/pipeline/improve"
)

// What would be asked about what is in the library is told, and nothing of what a model has seen; telling it writes
// nothing.
func TestForesee(t *testing.T) {
	root, dir := t.TempDir(), t.TempDir()
	p := open(t, dir)
	now := day.AddDate(0, 1, 0)
	p.Now = func() time.Time { return now }
	asker(p).Improver = &script{}
	several(t, root, 4)
	look := func() (out [2]int) {
		t.Helper()
		before := files(t, dir)
		f, err := asker(p).Foresee(context.Background(), improve.Options{Quiet: time.Hour})
		if err != nil || len(f.Problems) > 0 {
			t.Fatal(err, f.Problems)
		}
		if diff := cmp.Diff(before, files(t, dir)); diff != "" {
			t.Errorf("something was written:\n%s", diff)
		}
		if sum := f.Sum(); sum.In != 100*len(f.Sessions) || sum.Requests != len(f.Sessions) {
			t.Errorf("sum %+v of %d sessions", sum, len(f.Sessions))
		}
		return [2]int{len(f.Sessions), f.Unripe}
	}
	for _, step := range []struct {
		name string
		do   func()
		want [2]int // sessions, unripe
	}{
		{"at first", func() {}, [2]int{0, 0}},
		{"distilled", func() { syncAll(t, p, root) }, [2]int{3, 1}},
		{"asked about", func() { improved(t, p, root) }, [2]int{0, 0}},
		{"one more, said a moment ago", func() {
			more := first
			more.start = now.Add(-10 * time.Minute)
			more.write(t, root)
			syncAll(t, p, root)
		}, [2]int{0, 0}},
		{"and days later", func() { now = now.AddDate(0, 0, 4) }, [2]int{1, 0}},
	} {
		step.do()
		if got := look(); got != step.want {
			t.Errorf("%s: got %v, want %v", step.name, got, step.want)
		}
	}
}

// files are those of a folder but what SQLite notes of its readers.
func files(t *testing.T, dir string) map[string]string {
	all := tree(t, dir)
	for name := range all {
		if strings.HasSuffix(name, "-shm") {
			delete(all, name)
		}
	}
	return all
}
