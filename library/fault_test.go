package library_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"recall/ingest"
	. "recall/library"
	"recall/library/check"
	"recall/library/disk"
	"recall/payload"
)

// some says at which changes of the disk a test strikes: at every one with
// RECALL_FAULTS=all, else at one in eight, others each time.
func some(t testing.TB) (from, each int) {
	if os.Getenv("RECALL_FAULTS") == "all" {
		return 1, 1
	}
	each = 8
	if testing.Short() { // also under the race detector
		each = 64
	}
	from = 1 + int(time.Now().UnixNano()%int64(each))
	t.Logf("one change of the disk in %d, from %d; RECALL_FAULTS=all takes each", each, from)
	return from, each
}

// story is a day in the life of a library: a session that arrives, grows, is
// placed, distilled, rewritten, noted on, edited, and whose source goes.
// Each step may fail; the others are taken all the same, as by the next run.
type story struct {
	src   string
	steps []func(l *Library) error
}

// newStory prepares the sources as they are at each archive: files of their
// own, so that the same story can be told again.
func newStory(t testing.TB) *story {
	s := &story{src: t.TempDir()}
	rng := rand.New(rand.NewPCG(7, 5))
	a, b, c, e := line(rng, 2000), line(rng, 900), line(rng, 1500), line(rng, 700)
	for i, text := range []string{a, a + b, c, c + e} {
		dir := filepath.Join(s.src, fmt.Sprint(i), id)
		write(t, filepath.Join(dir, "transcript.jsonl"), text)
		if i > 0 { // until then it is one file, which takes no list of versions
			write(t, filepath.Join(dir, "tool-results", "a.txt"), "spilled\n")
		}
	}
	s.steps = []func(*Library) error{
		s.archive(0), s.place, s.save, s.archive(1), s.save,
		func(l *Library) error {
			return l.AppendEdits(id, []payload.Edit{{Op: "drop", ID: "k3v9t2m8qa", At: tick, Who: "ann"}})
		},
		func(l *Library) error {
			return l.AppendNotes(id, []json.RawMessage{json.RawMessage(`{"text":"mind the cache"}`)})
		},
		s.archive(2), s.archive(3), s.save,
		func(l *Library) error {
			return l.Correct(payload.Correction{Op: "join", A: "a", B: "b", At: tick})
		},
		func(l *Library) error {
			_, err := l.Archive(context.Background(), ingest.Found{ID: id})
			return err
		},
		(*Library).Settle,
	}
	return s
}

// archive takes the sources as they are at a moment, found where they always are.
func (s *story) archive(at int) func(*Library) error {
	return func(l *Library) error {
		f := find(panicker{}, id, filepath.Join(s.src, fmt.Sprint(at), id))
		for i := range f.Files {
			f.Files[i].Mod = f.Files[i].Mod.Add(time.Duration(at) * time.Minute)
		}
		here := filepath.Join(s.src, "now", id)
		os.RemoveAll(here)
		if err := os.CopyFS(here, os.DirFS(filepath.Join(s.src, fmt.Sprint(at), id))); err != nil {
			return err
		}
		now := find(panicker{}, id, here)
		_, err := l.Archive(context.Background(), now)
		return err
	}
}

func (s *story) place(l *Library) error {
	p, err := l.ProjectFor(ingest.Project{Root: "/home/ann/billing", Name: "billing"})
	if err != nil {
		return err
	}
	start := time.Date(2026, 4, 17, 14, 32, 0, 0, time.UTC)
	return l.Place(id, Meta{Project: p.ID, Title: "Fix the queue", Start: start, End: start, Settled: true})
}

func (s *story) save(l *Library) error {
	e, err := l.Session(id)
	if err != nil {
		return err
	}
	seen, err := l.Markdown(id)
	if err != nil && !errors.Is(err, ErrNoPayload) {
		return err
	}
	made := &payload.Payload{Session: id, Made: payload.Provenance{Distiller: "test/1", Input: e.Input}}
	return l.SavePayload(id, Derived{Payload: made, Markdown: []byte(e.Input + "\n"),
		Transcript: []byte("transcript of " + e.Input), Seen: seen})
}

// tell takes all steps and returns what went wrong.
func (s *story) tell(l *Library, after func(step int, err error)) {
	for i, step := range s.steps {
		err := step(l)
		if after != nil {
			after(i, err)
		}
	}
}

// calmly has nothing synced in earnest: what is tested is the order of things.
func calmly(op disk.Op, do func() error) error {
	if op.Kind == disk.OpSync || op.Kind == disk.OpSyncDir {
		return nil
	}
	return do()
}

// missing are the contents of before that can't be read any more, and what
// can't be read at all. A file that has grown since holds what it was.
func missing(t testing.TB, l *Library, before map[string]string) []string {
	t.Helper()
	var now, lost []string
	all, err := l.Versions(id)
	if err != nil && !errors.Is(err, ErrNoSession) {
		t.Fatal(err)
	}
	for _, f := range all {
		r, _, err := l.OpenVersion(id, f.Name, f.Version)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		r.Close()
		if err != nil {
			lost = append(lost, fmt.Sprintf("%s, version %d: %v", f.Name, f.Version, err))
		}
		now = append(now, string(text))
	}
	for name, text := range before {
		if !slices.ContainsFunc(now, func(have string) bool { return strings.HasPrefix(have, text) }) {
			lost = append(lost, name)
		}
	}
	return lost
}

// sound says what verify finds that a next run wouldn't make good by itself.
func sound(t testing.TB, l *Library) string {
	t.Helper()
	v := verify(t, l)
	v.Findings = slices.DeleteFunc(v.Findings, func(f check.Finding) bool {
		return f.State == check.Unfinished || f.State == check.Leftover || f.Mend == check.MendRender &&
			strings.HasSuffix(f.Path, ".md")
	})
	return said(v)
}

// A fault at every write, sync and rename, once with the thing done, once not:
// nothing archived is lost, verify finds no damage, and the next run completes.
func TestFaults(t *testing.T) {
	s := newStory(t)
	fault := errors.New("a fault")
	from, each := some(t)
	for _, done := range []bool{false, true} {
		for at := from; ; at += each {
			l := newLib(t)
			n := 0
			var which disk.Op
			disk.Through(l.Dir(), func(op disk.Op, do func() error) error {
				if n++; n != at {
					return calmly(op, do)
				}
				which = op
				if done {
					if err := do(); err != nil {
						return err
					}
				}
				return fault
			})
			held := map[string]string{}
			s.tell(l, func(step int, err error) {
				if err == nil && (step == 3 || step == 8 || step == 11) {
					if _, err := l.Session(id); err == nil {
						for name, text := range contents(t, l, id) {
							held[name+" "+disk.HexSum([]byte(text))] = text
						}
					}
				}
			})
			l.Close()
			disk.Through(l.Dir(), calmly)
			what := fmt.Sprintf("fault at %d (%s %s, done %v)", at, which.Kind, which.Path, done)
			if n < at {
				t.Logf("done %v: %d changes of the disk, %d faults", done, n, (at-from)/each)
				break
			}
			l = again(t, l)
			if lost := missing(t, l, held); len(lost) > 0 {
				t.Errorf("%s: lost %v", what, lost)
			}
			if bad := sound(t, l); bad != "" {
				t.Errorf("%s: verify says %s", what, bad)
			}
			redo(t, s, l, what)
			if lost := missing(t, l, held); len(lost) > 0 {
				t.Errorf("%s: lost by the next run: %v", what, lost)
			}
			l.Close()
		}
	}
}

// redo takes the story from the top and expects that all of it goes well.
func redo(t testing.TB, s *story, l *Library, what string) {
	t.Helper()
	s.tell(l, func(step int, err error) {
		if err != nil {
			t.Errorf("%s: step %d of the next run: %v", what, step, err)
		}
	})
	if v := verify(t, again(t, l)); len(v.Findings) > 0 {
		t.Errorf("%s: verify after the next run: %s", what, said(v))
	}
}

// logged is a change of the disk with what a power loss may leave of it.
type logged struct {
	disk.Op
	data []byte // content of the file after it
}

// Power is lost after every change of the disk, and of what wasn't synced any
// prefix is there: names in the order they were given, contents cut anywhere.
// Whatever a call that had returned had archived is there, verify finds no
// damage, and the next run completes.
func TestPowerLoss(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short, and a long walk of one goroutine")
	}
	s := newStory(t)
	l := newLib(t)
	start := snapshot(t, l.Dir())
	var log []logged
	type ack struct {
		ops  int
		held map[string]string
	}
	acks := []ack{{0, map[string]string{}}}
	disk.Through(l.Dir(), func(op disk.Op, do func() error) error {
		err := calmly(op, do)
		entry := logged{Op: op}
		if op.Kind == disk.OpWrite || op.Kind == disk.OpAppend {
			entry.data, _ = os.ReadFile(op.Path)
		}
		log = append(log, entry)
		return err
	})
	s.tell(l, func(step int, err error) {
		if err != nil {
			t.Fatalf("step %d: %v", step, err)
		}
		held := map[string]string{}
		for name, text := range contents(t, l, id) {
			held[name+" "+disk.HexSum([]byte(text))] = text
		}
		acks = append(acks, ack{len(log), held})
	})
	l.Close()
	rng := rand.New(rand.NewPCG(8, 5))
	images := 0
	from, each := some(t)
	for at := from; at <= len(log); at += each {
		held := acks[0].held
		for _, a := range acks {
			if a.ops <= at {
				held = a.held
			}
		}
		for _, v := range []struct{ names, content float64 }{{0, 0}, {1, 0}, {1, 0.5}, {rng.Float64(), 1},
			{rng.Float64(), rng.Float64()}} {
			dir := filepath.Join(t.TempDir(), "Recall")
			lostPower(start, log[:at], l.Dir(), v.names, v.content).write(t, dir)
			images++
			what := fmt.Sprintf("power lost after %d (%s %s), %.2f of the names, %.2f of the contents", at, log[at-1].Kind,
				log[at-1].Path, v.names, v.content)
			o, err := Open(dir)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if lost := missing(t, o, held); len(lost) > 0 {
				t.Errorf("%s: lost %v", what, lost)
			}
			if bad := sound(t, o); bad != "" {
				t.Errorf("%s: verify says %s", what, bad)
			}
			redo(t, s, o, what)
			if lost := missing(t, o, held); len(lost) > 0 {
				t.Errorf("%s: lost by the next run: %v", what, lost)
			}
			o.Close()
			os.RemoveAll(dir)
			if t.Failed() && images > 20 {
				t.FailNow()
			}
		}
	}
	t.Logf("%d changes of the disk, %d images", len(log), images)
}

// node is a file or folder of an imagined disk.
type node struct {
	kids    map[string]*node // of a folder
	data    []byte
	durable int // bytes of data that are on the disk for good; of an append-only file the rest is torn
}

func snapshot(t testing.TB, dir string) *node {
	t.Helper()
	n := &node{kids: map[string]*node{}}
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range all {
		path := filepath.Join(dir, d.Name())
		if d.IsDir() {
			if d.Name() != ".tmp" && d.Name() != ".locks" {
				n.kids[d.Name()] = snapshot(t, path)
			}
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		n.kids[d.Name()] = &node{data: text, durable: len(text)}
	}
	return n
}

func (n *node) write(t testing.TB, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, kid := range n.kids {
		path := filepath.Join(dir, name)
		if kid.kids != nil {
			kid.write(t, path)
		} else if err := os.WriteFile(path, kid.data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func (n *node) clone() *node {
	c := &node{data: n.data, durable: n.durable}
	if n.kids != nil {
		c.kids = map[string]*node{}
		for name, kid := range n.kids {
			c.kids[name] = kid.clone()
		}
	}
	return c
}

// parent finds the folder of a path, making those on the way, and its name.
func (n *node) parent(path string) (*node, string) {
	parts := strings.Split(filepath.ToSlash(path), "/")
	at := n
	for _, p := range parts[:len(parts)-1] {
		next := at.kids[p]
		if next == nil || next.kids == nil {
			next = &node{kids: map[string]*node{}}
			at.kids[p] = next
		}
		at = next
	}
	return at, parts[len(parts)-1]
}

// lostPower is what is on the disk after log, if of the changes of names that
// no sync of their folder has made durable this share is there, and of the
// contents that no sync has this share of their bytes.
func lostPower(start *node, log []logged, dir string, names, content float64) *node {
	rel := func(path string) string { r, _ := filepath.Rel(dir, path); return r }
	// Which changes of names are durable: those whose folder, or both, was
	// synced later.
	var loose []int
	for i, op := range log {
		if op.Kind == disk.OpSync || op.Kind == disk.OpSyncDir || op.Kind == disk.OpAppend {
			continue
		}
		target := op.Path
		if op.Kind == disk.OpRename {
			target = op.To
		}
		if !namedForGood(target, op.Kind == disk.OpWrite, log[i+1:]) {
			loose = append(loose, i)
		}
	}
	keep := map[int]bool{}
	for _, i := range loose[:int(names*float64(len(loose))+0.5)] {
		keep[i] = true
	}
	plug := start.clone()
	for i, op := range log {
		if slices.Contains(loose, i) && !keep[i] {
			continue
		}
		at, name := plug.parent(rel(op.Path))
		switch op.Kind {
		case disk.OpWrite:
			at.kids[name] = &node{data: op.data}
		case disk.OpAppend:
			if f := at.kids[name]; f != nil {
				at.kids[name] = &node{data: op.data, durable: min(f.durable, len(op.data))}
			} else {
				at.kids[name] = &node{data: op.data}
			}
		case disk.OpSync:
			if f := at.kids[name]; f != nil {
				f.durable = len(f.data)
			}
		case disk.OpRename:
			if f := at.kids[name]; f != nil {
				to, new := plug.parent(rel(op.To))
				delete(at.kids, name)
				to.kids[new] = f
			}
		case disk.OpRemove:
			delete(at.kids, name)
		case disk.OpMakeDirs:
			if at.kids[name] == nil {
				at.kids[name] = &node{kids: map[string]*node{}}
			}
		}
	}
	plug.tear(content)
	delete(plug.kids, ".tmp")
	delete(plug.kids, ".locks")
	return plug
}

// namedForGood reports whether what log does later makes a name durable: a sync of
// its folder, of a new file itself, or either after it was renamed.
func namedForGood(name string, file bool, log []logged) bool {
	for i, later := range log {
		switch {
		case later.Kind == disk.OpSyncDir && later.Path == filepath.Dir(name), file && later.Kind == disk.OpSync &&
			later.Path == name:
			return true
		case later.Kind == disk.OpRename && later.Path == name:
			return namedForGood(later.To, file, log[i+1:])
		}
	}
	return false
}

// tear cuts what isn't durable of every file.
func (n *node) tear(content float64) {
	for _, kid := range n.kids {
		kid.tear(content)
		if kid.kids == nil {
			kid.data = kid.data[:kid.durable+int(content*float64(len(kid.data)-kid.durable))]
		}
	}
}
