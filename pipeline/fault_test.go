package pipeline_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"recall/distill"
	"recall/distill/offline"
	"recall/ingest"
	"recall/ingest/claudecode"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
)

var second = talk{id: "bbbbbbbb-0000-4000-8000-000000000001", start: day.AddDate(0, 0, 1), said: []string{
	"Serve the metrics on port 9100 instead of 8080, because the proxy owns that one.", "The metrics are on port 9100."}}

var third = talk{id: "cccccccc-0000-4000-8000-000000000003", start: day.AddDate(0, 0, 2), said: []string{
	"Leave the tracing for later, the collector isn't decided.", "Left out."}}

// picky distills all but one session.
type picky struct {
	refuses string
	err     error // why, if not that it makes no sense
	panics  bool
	calls   atomic.Int32
}

func (*picky) Name() string { return offline.Distiller{}.Name() }

func (d *picky) Distill(ctx context.Context, s *ingest.Session) (*payload.Payload, error) {
	d.calls.Add(1)
	if string(s.ID) == d.refuses {
		if d.panics {
			panic("no such thing")
		}
		return nil, cmp.Or(d.err, errors.New("makes no sense"))
	}
	return offline.Distiller{}.Distill(ctx, s)
}

var _ distill.Distiller = (*picky)(nil)

// A session that somebody else had at that moment is tried again by the next sync.
func TestSessionThatWasTaken(t *testing.T) {
	for _, fault := range []error{library.ErrBusy, library.ErrNoSession} {
		root := t.TempDir()
		p := open(t, t.TempDir())
		p.Distiller = &picky{refuses: first.id, err: fault}
		first.write(t, root)
		if r, err := p.Sync(t.Context(), pipeline.Options{From: []string{root}}); err != nil || len(r.Problems) != 1 {
			t.Errorf("%v: %v, problems %v, want one", fault, err, r.Problems)
		}
		p.Distiller = &picky{}
		r, err := p.Sync(t.Context(), pipeline.Options{From: []string{root}})
		if err != nil || len(r.Problems) != 0 || r.Distilled != 1 {
			t.Errorf("after %v: %v, %+v, want it distilled", fault, err, r)
		}
	}
}

// A session that can't be distilled is tried, and reported, by every sync until it can be, and costs no other.
func TestSessionThatAlwaysFails(t *testing.T) {
	for _, panics := range []bool{false, true} {
		t.Run(fmt.Sprintf("panics=%t", panics), func(t *testing.T) {
			root := t.TempDir()
			d := &picky{refuses: second.id, panics: panics}
			p := open(t, t.TempDir())
			p.Distiller = d
			first.write(t, root)
			second.write(t, root)
			third.write(t, root)
			try := func(what string, calls int) {
				t.Helper()
				d.calls.Store(0)
				r, err := p.Sync(context.Background(), pipeline.Options{From: []string{root}})
				if err != nil || len(r.Problems) != 1 {
					t.Errorf("%s: %v, problems %v, want one", what, err, r.Problems)
				}
				if int(d.calls.Load()) != calls {
					t.Errorf("%s: distilled %d times, want %d", what, d.calls.Load(), calls)
				}
			}
			try("first", 3)
			if len(items(t, p.Library, second.id)) != 2 {
				t.Errorf("the others have no payload: %v", items(t, p.Library, second.id))
			}
			try("nothing new", 1)
			more := first
			more.said = append(slices.Clone(first.said), "Also keep failed jobs for 30 days.", "Done.")
			more.write(t, root)
			try("another has grown", 2)
			changed := second
			changed.said = append(slices.Clone(second.said), "And the health check too.", "Done.")
			changed.write(t, root)
			try("it has grown", 1)
			p2 := *p
			p2.Roots = map[ingest.Source][]string{ingest.ClaudeCode: {root}, ingest.Cowork: nil}
			d.refuses = ""
			if r, err := p2.Sync(context.Background(), pipeline.Options{}); err != nil || len(r.Problems) != 0 ||
				r.Distilled != 1 {
				t.Errorf("mended: %v, %+v", err, r)
			}
			if r, err := p2.Sync(context.Background(), pipeline.Options{}); err != nil || r.Skipped() || r.Distilled != 0 {
				t.Errorf("after that: %v, %+v", err, r)
			}
		})
	}
}

// Two files with the same bytes are two sessions.
func TestSameBytesTwice(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{first.id, second.id, third.id} {
		path := filepath.Join(root, "projects", "p", name+".jsonl")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("{\"type\":\"summary\",\"summary\":\"x\",\"leafUuid\":\"y\"}\n"),
			0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := open(t, t.TempDir())
	if r := syncAll(t, p, root); r.Distilled != 3 {
		t.Errorf("%+v, want 3 distilled", r)
	}
}

// A file that can't be read is reported each time, and taken as soon as it can be.
func TestUnreadableSideFile(t *testing.T) {
	root := t.TempDir()
	path := first.write(t, root)
	side := filepath.Join(strings.TrimSuffix(path, ".jsonl"), "subagents", "agent-a1.jsonl")
	if err := os.MkdirAll(filepath.Dir(side), 0o700); err != nil {
		t.Fatal(err)
	}
	line := `{"uuid":"s1","parentUuid":null,"sessionId":"` + first.id +
		`","agentId":"a1","isSidechain":true,"type":"user","timestamp":"2026-04-13T09:01:00.000Z","message":{"role":"user","content":"look"}}` + "\n"
	if err := os.WriteFile(side, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	p := open(t, t.TempDir())
	locked := true
	p.Readers = []ingest.Reader{lockable{claudecode.Reader{}, side, &locked}}
	for i := range 2 {
		r, err := p.Sync(context.Background(), pipeline.Options{From: []string{root}})
		if err != nil || len(r.Problems) != 1 || r.Problems[0].Path != side {
			t.Errorf("sync %d: %v, %v; want one problem with %s", i+1, err, r.Problems, side)
		}
		if want := 1 - i; r.Distilled != want {
			t.Errorf("sync %d distilled %d, want %d", i+1, r.Distilled, want)
		}
	}
	locked = false // its size and time are as before
	if r := syncAll(t, p, root); r.Grown != 1 || r.Distilled != 1 {
		t.Errorf("readable again: %+v", r)
	}
	syncAll(t, p, root)
}

// lockable is a reader one of whose files can't be opened for a while: chmod
// doesn't stop root.
type lockable struct {
	ingest.Reader
	path   string
	locked *bool
}

func (l lockable) Find(ctx context.Context, path string, seen ingest.Seen) ([]ingest.Found, []ingest.Problem) {
	found, problems := l.Reader.Find(ctx, path, seen)
	for _, f := range found {
		for i, file := range f.Files {
			if file.Path == l.path && *l.locked {
				f.Files[i].Open = func() (io.ReadCloser, error) { return nil, fs.ErrPermission }
			}
		}
	}
	return found, problems
}

// Sources that went away are noted, in the sources' own places alone.
func TestVanishedSource(t *testing.T) {
	root, other := t.TempDir(), t.TempDir()
	p := open(t, t.TempDir())
	p.Roots = map[ingest.Source][]string{ingest.ClaudeCode: {root}, ingest.Cowork: nil}
	path := first.write(t, root)
	second.write(t, root)
	elsewhere := third.write(t, other)
	run := func(o pipeline.Options) pipeline.Report {
		t.Helper()
		r, err := p.Sync(context.Background(), o)
		if err != nil || r.Skipped() {
			t.Fatal(err, r.Problems)
		}
		return r
	}
	run(pipeline.Options{})
	run(pipeline.Options{From: []string{other}})
	if err := errors.Join(os.Remove(path), os.Remove(elsewhere)); err != nil {
		t.Fatal(err)
	}
	gone := func(k talk) bool {
		e, err := p.Library.Session(ingest.SessionID(k.id))
		if err != nil {
			t.Fatal(err)
		}
		return e.Files[0].Sources[0].Gone
	}
	run(pipeline.Options{From: []string{other}})
	if gone(first) || gone(third) {
		t.Error("a sync of another folder noted that sources are gone")
	}
	if r := run(pipeline.Options{}); r.Vanished != 1 || r.Distilled != 0 {
		t.Errorf("%+v, want one vanished", r)
	}
	if !gone(first) || gone(second) || gone(third) {
		t.Errorf("gone: %t %t %t, want the first alone", gone(first), gone(second), gone(third))
	}
	if r := run(pipeline.Options{}); r.Vanished+r.Distilled+r.Grown != 0 {
		t.Errorf("after that: %+v", r)
	}
	first.write(t, root)
	if r := run(pipeline.Options{}); gone(first) || r.Distilled != 0 {
		t.Errorf("back again: gone %t, %+v", gone(first), r)
	}
}

func TestForgottenStaysAway(t *testing.T) {
	root := t.TempDir()
	p := open(t, t.TempDir())
	first.write(t, root)
	second.write(t, root)
	if err := os.WriteFile(filepath.Join(p.Library.Dir(), "tombstones.jsonl"), []byte(`{"id":"`+first.id+`"}`+"\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		syncAll(t, p, root)
		if entries, err := p.Library.Sessions(); err != nil || len(entries) != 1 || string(entries[0].ID) != second.id {
			t.Errorf("%v, %v; want the second session alone", entries, err)
		}
	}
}

// writeTwenty writes twenty sessions like the second.
func writeTwenty(t *testing.T, root string) int {
	const n = 20
	for i := range n {
		k := second
		k.id = fmt.Sprintf("%08d-0000-4000-8000-000000000001", i)
		k.start = day.Add(time.Duration(i) * time.Hour)
		k.write(t, root)
	}
	return n
}

// When the time is up, the rest waits for the next sync, and the report says so.
func TestTimeBudget(t *testing.T) {
	root := t.TempDir()
	p := open(t, t.TempDir())
	n := writeTwenty(t, root)
	for range 2 * n {
		r, err := p.Sync(context.Background(), pipeline.Options{From: []string{root}, Budget: time.Nanosecond})
		if err != nil || r.Skipped() {
			t.Fatal(err, r.Problems)
		}
		if r.Left != 0 && r.Left+r.Distilled > n {
			t.Fatalf("%d distilled and %d left, of %d", r.Distilled, r.Left, n)
		}
	}
	r, err := p.Sync(context.Background(), pipeline.Options{From: []string{root}})
	if err != nil || r.Left != 0 {
		t.Fatal(err, r)
	}
	if got := items(t, p.Library); len(got) != n {
		t.Errorf("%d sessions have payloads, want %d", len(got), n)
	}
}

// After an upgrade all is to be made again: a question that has no time for it asks what is there, is told
// how much of that is as it was and what is new, counts no session twice, and nothing is lost.
func TestUpgradeWithinBudget(t *testing.T) {
	root := t.TempDir()
	p := open(t, t.TempDir())
	n := writeTwenty(t, root)
	syncAll(t, p, root)
	before := items(t, p.Library)
	p.Distiller = newer{p.Distiller}
	first.write(t, root) // meanwhile
	o := pipeline.Options{From: []string{root}, Budget: time.Nanosecond}
	r, err := p.Sync(context.Background(), o)
	if err != nil || r.Skipped() {
		t.Fatal(err, r.Problems)
	}
	if r.Left-r.Outdated != 1 || r.Outdated+r.Distilled != n || r.Outdated == 0 {
		t.Errorf("%d left, %d of them as they were, %d distilled; want 1 new, %d in all", r.Left, r.Outdated,
			r.Distilled, n+1)
	}
	now := items(t, p.Library, first.id)
	for id := range before {
		if len(now[id]) != len(before[id]) {
			t.Errorf("%s has %d items, %d before", id, len(now[id]), len(before[id]))
		}
	}
	o.Budget = 0
	if r, err = p.Sync(context.Background(), o); err != nil || r.Left != 0 || r.Unrelated || r.New != 1 {
		t.Fatal(err, r)
	}
	if all := items(t, p.Library); len(all) != n+1 {
		t.Errorf("%d sessions have payloads, want %d", len(all), n+1)
	}
	if err := p.Index.AllDue(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, o.Budget = range []time.Duration{time.Nanosecond, 0} {
		if r, err = p.Sync(context.Background(), o); err != nil || r.Left != 0 || r.Unrelated != (o.Budget > 0) {
			t.Errorf("%v: %v, %d left, links put off: %v", o.Budget, err, r.Left, r.Unrelated)
		}
	}
}

func edit(t *testing.T, path, line string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const heading = "\n## In their own words (as of then: may be done or changed since)\n"
	if !strings.Contains(string(text), heading) {
		t.Fatalf("no decisions in\n%s", text)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), heading, heading+line+"\n", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}

func folder(t *testing.T, l *library.Library, id string) string {
	t.Helper()
	e, err := l.Session(ingest.SessionID(id))
	if err != nil {
		t.Fatal(err)
	}
	return e.Folder
}

// A fork that can't be distilled is tried once a sync, with its parent, and has no other session distilled again.
func TestForkThatFails(t *testing.T) {
	root := t.TempDir()
	fork := talk{id: "cccccccc-0000-4000-8000-000000000001", start: day, fork: &first, turns: 4,
		said: append(slices.Clone(first.said), "Never delete rows from the jobs table, mark them instead.",
			"Rows are marked as deleted now.")}
	first.write(t, root)
	fork.write(t, root)
	second.write(t, root)
	d := &picky{refuses: fork.id}
	p := open(t, t.TempDir())
	p.Distiller = d
	for _, calls := range []int{3, 2, 2} {
		d.calls.Store(0)
		r, err := p.Sync(context.Background(), pipeline.Options{From: []string{root}})
		if err != nil || len(r.Problems) != 1 || int(d.calls.Load()) != calls {
			t.Errorf("%v, %v, distilled %d times, want one problem and %d", err, r.Problems, d.calls.Load(), calls)
		}
	}
	third.write(t, root)
	d.calls.Store(0)
	if r, err := p.Sync(context.Background(), pipeline.Options{From: []string{root}}); err != nil ||
		len(r.Problems) != 1 || d.calls.Load() != 3 {
		t.Errorf("another session: %v, %v, distilled %d times, want 3", err, r.Problems, d.calls.Load())
	}
}

// What is archived is distilled from the library: its source may go away meanwhile,
// and its project may get another name.
func TestChangesWhileSyncing(t *testing.T) {
	root := t.TempDir()
	for _, k := range crowd() {
		k.write(t, root)
	}
	p := open(t, t.TempDir())
	renamed := false
	p.Progress = func(s pipeline.Progress) {
		if s.Stage == "archive" && s.Done == s.Total {
			if err := os.RemoveAll(filepath.Join(root, "projects")); err != nil {
				t.Error(err)
			}
		}
		if projects, err := p.Library.Projects(); s.Stage == "distill" && s.Done > 3 && !renamed && err == nil &&
			len(projects) > 0 {
			renamed = true
			if err := p.Library.RenameProject(projects[0].ID, "queue"); err != nil {
				t.Error(err)
			}
		}
	}
	r := syncAll(t, p, root)
	if r.Distilled < len(crowd()) || !renamed {
		t.Errorf("%d distilled, want %d; renamed %t", r.Distilled, len(crowd()), renamed)
	}
	folders, err := filepath.Glob(filepath.Join(p.Library.Dir(), "queue", "*", "payload.md"))
	if err != nil || len(folders) != len(crowd()) {
		t.Errorf("%d payloads under the new name, want %d", len(folders), len(crowd()))
	}
	if left, _ := filepath.Glob(filepath.Join(p.Library.Dir(), "app")); len(left) > 0 {
		t.Errorf("the folder of the old name is still there")
	}
	p.Progress = nil
	if r, err := p.Sync(context.Background(), pipeline.Options{From: []string{root}}); err != nil ||
		r.Distilled+r.Indexed != 0 {
		t.Errorf("after that: %+v, %v", r, err)
	}
}

// A session whose files can't be written is reported like one that can't be
// read, and written when it can be.
func TestFolderThatCantBeWritten(t *testing.T) {
	root := t.TempDir()
	p := open(t, t.TempDir())
	now := time.Now()
	p.Now = func() time.Time { return now }
	first.write(t, root)
	syncAll(t, p, root)
	// A folder in the way, as chmod doesn't stop root.
	path := filepath.Join(folder(t, p.Library, first.id), "payload.md")
	if err := errors.Join(os.Remove(path), os.MkdirAll(filepath.Join(path, "x"), 0o700)); err != nil {
		t.Fatal(err)
	}
	second.write(t, root)
	for i := range 3 {
		r, err := p.Sync(context.Background(), pipeline.Options{From: []string{root}})
		if err != nil || len(r.Problems) != 1 {
			t.Errorf("sync %d: %v, %v, want one problem", i+1, err, r.Problems)
		}
		if i > 0 && r.Distilled+r.Indexed != 0 {
			t.Errorf("sync %d: %+v", i+1, r)
		}
	}
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if r := syncAll(t, p, root); r.Distilled != 1 {
		t.Errorf("out of the way: %+v", r)
	}
	if r := syncAll(t, p, root); r.Distilled != 0 {
		t.Errorf("after that: %+v", r)
	}
}
