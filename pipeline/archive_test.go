package pipeline_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"

	"recall/ingest"
	"recall/ingest/synthtest"
	"recall/library"
	"recall/library/inbox"
	"recall/pipeline"
	"recall/pipeline/guard"
)

// own has the pipeline look in one folder as the sources' own place.
func own(p *pipeline.Pipeline, root string) *pipeline.Pipeline {
	p.Roots = map[ingest.Source][]string{ingest.ClaudeCode: {root}, ingest.Cowork: nil}
	return p
}

func archiveAll(t testing.TB, p *pipeline.Pipeline) pipeline.Report {
	t.Helper()
	r, err := p.Archive(context.Background(), nil)
	if err != nil || r.Skipped() {
		t.Fatal(err, r.Problems)
	}
	return r
}

// Archive takes bytes and makes nothing of them; the sync that follows gives
// the library that it gives alone.
func TestArchiveThenSync(t *testing.T) {
	root := t.TempDir()
	for _, k := range crowd() {
		k.write(t, root)
	}
	alone := own(open(t, t.TempDir()), root)
	if _, err := alone.Sync(context.Background(), pipeline.Options{}); err != nil {
		t.Fatal(err)
	}
	p := own(open(t, t.TempDir()), root)
	if r := archiveAll(t, p); r.New != len(crowd()) || r.Distilled != 0 {
		t.Errorf("got %+v", r)
	}
	_ = filepath.WalkDir(p.Library.Dir(), func(path string, d os.DirEntry, err error) error {
		if name := d.Name(); strings.HasSuffix(name, ".md") && name != "README.md" {
			t.Errorf("archive made %s", path)
		}
		return err
	})
	if r := archiveAll(t, p); r.New+r.Grown+r.Vanished != 0 || r.Bytes != 0 {
		t.Errorf("again: %+v", r)
	}
	if r, err := p.Sync(context.Background(), pipeline.Options{}); err != nil || r.Distilled < len(crowd()) {
		t.Errorf("sync after it: %v, %+v", err, r)
	}
	if d := cmp.Diff(tree(t, alone.Library.Dir()), tree(t, p.Library.Dir())); d != "" {
		t.Errorf("(-sync alone +archive and sync): %s", d)
	}
	if r := archiveAll(t, p); r.New+r.Grown+r.Vanished != 0 {
		t.Errorf("after the sync: %+v", r)
	}
}

// With nothing new, nothing is written: neither library nor cache.
func TestIdleWritesNothing(t *testing.T) {
	root := t.TempDir()
	for _, k := range crowd() {
		k.write(t, root)
	}
	dir := t.TempDir()
	p := own(open(t, dir), root)
	for range 2 {
		if _, err := p.Sync(context.Background(), pipeline.Options{}); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Archive(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
	}
	stamps := func() map[string]string {
		all := map[string]string{}
		_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			// a glance that was taken within two seconds of a change is taken once more
			cache := strings.Contains(path, "index.db") || strings.Contains(path, "state.db")
			if fi, err := d.Info(); err == nil && !d.IsDir() && !cache {
				all[path] = fmt.Sprint(fi.Size(), fi.ModTime())
			}
			return nil
		})
		return all
	}
	before := stamps()
	if _, err := p.Archive(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Sync(context.Background(), pipeline.Options{}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(before, stamps()); d != "" {
		t.Errorf("(-before +after an idle archive and sync): %s", d)
	}
}

// What archive remembers never hides that the library lost a session.
func TestArchiveOfALostFolder(t *testing.T) {
	root := t.TempDir()
	first.write(t, root)
	p := own(open(t, t.TempDir()), root)
	archiveAll(t, p)
	e, err := p.Library.Session(ingest.SessionID(first.id))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(e.Folder); err != nil {
		t.Fatal(err)
	}
	lib, err := library.Open(p.Library.Dir())
	if err != nil {
		t.Fatal(err)
	}
	defer lib.Close()
	p.Library = lib
	if r := archiveAll(t, p); r.New != 1 {
		t.Errorf("got %+v, want it archived again", r)
	}
}

// A sync folds what hooks left in the inbox, with nothing else new too, and
// what is of a session that arrives in the same sync.
func TestSyncFolds(t *testing.T) {
	root := t.TempDir()
	p := own(open(t, t.TempDir()), root)
	note := func(text string) {
		if err := inbox.Add(p.Library, map[string]string{"session": first.id, "text": text}); err != nil {
			t.Fatal(err)
		}
	}
	note("before it is there")
	first.write(t, root)
	for _, text := range []string{"while nothing else is new", ""} {
		if _, err := p.Sync(context.Background(), pipeline.Options{}); err != nil {
			t.Fatal(err)
		}
		if text != "" {
			note(text)
		}
	}
	if notes, err := p.Library.Notes(ingest.SessionID(first.id)); err != nil || len(notes) != 2 {
		t.Errorf("got %s, %v", notes, err)
	}
}

// BenchmarkArchiveNothingNew is an archive over 10,000 sessions that are all
// known, as a process of its own does it: 300 ms at most.
func BenchmarkArchiveNothingNew(b *testing.B) {
	root := b.TempDir()
	if _, err := synthtest.Write(root, synthtest.Options{Sessions: 10_000, BytesEach: 2 << 10, Seed: 2}); err != nil {
		b.Fatal(err)
	}
	p := own(open(b, b.TempDir()), root)
	look := func() pipeline.Report {
		l, err := library.Open(p.Library.Dir())
		if err != nil {
			b.Fatal(err)
		}
		defer l.Close()
		q := *p
		q.Library = l
		r, err := q.Archive(context.Background(), nil)
		if err != nil {
			b.Fatal(err)
		}
		return r
	}
	if r := look(); r.New != 10_000 {
		b.Fatalf("%+v", r)
	}
	for b.Loop() {
		if r := look(); r.New+r.Grown != 0 || r.Found != 10_000 {
			b.Fatalf("%+v", r)
		}
	}
}

// What can't be taken in because somebody else holds the lock isn't called safe.
func TestLockedIsNotSafe(t *testing.T) {
	root := t.TempDir()
	k := crowd()[0]
	k.write(t, root)
	p := own(open(t, t.TempDir()), root)
	found, _ := p.Readers[0].Find(context.Background(), root, nil)
	if len(found) == 0 {
		t.Fatal("nothing found")
	}
	locks := filepath.Join(p.Library.Dir(), ".locks")
	if err := os.MkdirAll(locks, 0o700); err != nil {
		t.Fatal(err)
	}
	held := flock.New(filepath.Join(locks, "folders.lock"))
	if ok, err := held.TryLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	p.Library.LockWait(5 * time.Millisecond)
	for name, take := range map[string]func() (pipeline.Report, error){
		"archive": func() (pipeline.Report, error) { return p.Archive(context.Background(), nil) },
		"sync":    func() (pipeline.Report, error) { return p.Sync(context.Background(), pipeline.Options{}) },
	} {
		if r, err := take(); err != nil || r.New > 0 || !r.Skipped() {
			t.Errorf("%s: %v, %+v", name, err, r)
		}
		if state, err := p.Library.Safe(found[0]); state != library.Behind || err == nil {
			t.Errorf("%s: the session is %s", name, state)
		}
		if _, unsafe, _ := p.Exposed(context.Background()); len(unsafe) != 1 {
			t.Errorf("%s: %d are said not to be safe, want 1", name, len(unsafe))
		}
		if g, err := guard.Look(context.Background(), p.Sources, p.Library, []string{root}, guard.Options{}); err != nil ||
			g.Safe() {
			t.Errorf("%s: guard calls it safe, %v", name, err)
		}
	}
	if err := held.Unlock(); err != nil {
		t.Fatal(err)
	}
	p.Library.LockWait(time.Minute) // what a sync does at once waits for one another
	if r, err := p.Sync(context.Background(), pipeline.Options{}); err != nil || r.New != 1 || r.Skipped() {
		t.Errorf("given back: %v, %+v", err, r)
	}
}
