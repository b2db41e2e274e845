package library_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"recall/ingest"
	. "recall/library"
	"recall/library/check"
	"recall/library/disk"
	"recall/library/forget"
	"recall/library/merge"
	"recall/payload"
)

// everything is what a library holds, apart from how: each version of each
// file by its content, edits, notes, threads, projects, tombstones.
func everything(t testing.TB, l *Library) map[string]string {
	t.Helper()
	l = again(t, l)
	all := map[string]string{}
	entries, err := l.Sessions()
	if err != nil {
		t.Fatal(err)
	}
	if b := l.Broken(); len(b) > 0 {
		t.Fatalf("broken: %v", b)
	}
	for _, e := range entries {
		versions, err := l.Versions(e.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range versions {
			r, _, err := l.OpenVersion(e.ID, v.Name, v.Version)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(r)
			r.Close()
			if err != nil {
				t.Fatal(err)
			}
			all[fmt.Sprintf("%s %s %s", e.ID, v.Name, text)] = fmt.Sprint(v.Role)
			if v.Current {
				all[fmt.Sprintf("%s %s is", e.ID, v.Name)] = string(text)
			}
		}
		for _, name := range []string{"edits.jsonl", "notes.jsonl"} {
			text, _ := os.ReadFile(filepath.Join(e.Folder, name))
			all[string(e.ID)+" "+name] = string(text)
		}
	}
	ids, err := l.Tombstones()
	if err != nil {
		t.Fatal(err)
	}
	corrections, err := l.Corrections()
	if err != nil {
		t.Fatal(err)
	}
	projects, err := l.Projects()
	if err != nil {
		t.Fatal(err)
	}
	all["tombstones"], all["threads"], all["projects"] = fmt.Sprint(ids), fmt.Sprint(corrections), fmt.Sprint(projects)
	return all
}

// holdsAll says what of a isn't in b: but a version that another one begins
// with.
func holdsAll(a, b map[string]string) (lost []string) {
	for key, text := range a {
		switch {
		case strings.HasSuffix(key, " is") || key == "threads" || key == "projects" || key == "tombstones":
		case strings.HasSuffix(key, ".jsonl") && strings.Contains(key, "s.jsonl"): // edits, notes
			for _, line := range disk.SplitLines([]byte(text)) {
				if !strings.Contains(b[key], string(line)) {
					lost = append(lost, string(line))
				}
			}
		default:
			found := false
			for have := range b {
				found = found || strings.HasPrefix(have, key)
			}
			if !found {
				lost = append(lost, key)
			}
		}
	}
	return lost
}

// someLibrary has random sessions of a small world in which libraries meet.
func someLibrary(t *rapid.T, tb testing.TB, name string) *Library {
	l := newLib(tb)
	texts := []string{"one\n", "one\ntwo\n", "one\ntwo\nthree\n", "rewritten\n", "uno\ndos\n", ""}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, n := range rapid.SliceOfN(rapid.IntRange(0, 3), 1, 5).Draw(t, name+" sessions") {
		id := fmt.Sprintf("%d0000000-0000-4000-8000-000000000000", n)
		p, err := l.ProjectFor(ingest.Project{Root: "/home/" + []string{"ann", "bea"}[n%2] + "/app", Name: "app"})
		if err != nil {
			t.Fatal(err)
		}
		src := filepath.Join(tb.TempDir(), "src")
		for k, text := range rapid.SliceOfN(rapid.SampledFrom(texts), 1, 4).Draw(t, name+" texts") {
			path := filepath.Join(src, "transcript.jsonl")
			write(tb, path, text)
			mod := at.Add(time.Duration(rapid.IntRange(0, 3).Draw(t, name+" mod")+k) * time.Hour)
			if err := os.Chtimes(path, mod, mod); err != nil {
				t.Fatal(err)
			}
			f := find(tb, id, src)
			f.Root = "/gone"
			f.Files[0].Path = "" // as if from another machine
			f.Files[0].Open = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
			archive(tb, l, f)
		}
		if err := l.Place(ingest.SessionID(id), Meta{Project: p.ID, Title: "about " + id[:1], Start: at,
			Settled: true}); err != nil {
			t.Fatal(err)
		}
		var edits []payload.Edit
		for _, k := range rapid.SliceOfN(rapid.IntRange(0, 4), 0, 3).Draw(t, name+" edits") {
			text := fmt.Sprintf("text %d of %s", k, name)
			if k < 2 {
				text = "the same everywhere"
			}
			edits = append(edits, payload.Edit{Op: payload.OpSet, ID: payload.ItemID(fmt.Sprintf("item%d", k)),
				At: at.Add(time.Duration(k) * time.Minute), Who: name, Set: &payload.Fields{Text: &text}})
		}
		if err := l.AppendEdits(ingest.SessionID(id), edits); err != nil {
			t.Fatal(err)
		}
	}
	if rapid.Bool().Draw(t, name+" thread") {
		if err := l.Correct(payload.Correction{Op: "join", A: "a", B: "b", At: at}); err != nil {
			t.Fatal(err)
		}
	}
	if rapid.Bool().Draw(t, name+" forgets") {
		if err := forget.Sessions(l, []ingest.SessionID{"30000000-0000-4000-8000-000000000000"}, nil); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// In any order, and repeated, uniting libraries gives the same, and nothing of
// any is lost but what was forgotten.
func TestMergeInAnyOrder(t *testing.T) {
	// each case waits for the disk a hundred times
	for name, value := range map[string]string{"rapid.checks": "12", "rapid.shrinktime": "3s"} {
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		libs := []*Library{someLibrary(rt, t, "a"), someLibrary(rt, t, "b"), someLibrary(rt, t, "c")}
		var was []map[string]string
		for _, l := range libs {
			was = append(was, everything(t, l))
		}
		var outcomes []map[string]string
		for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 0, 2, 1, 0}} {
			into := newLib(t)
			for _, i := range order {
				if _, err := merge.Merge(context.Background(), into, again(t, libs[i]), merge.Options{Forget: true}); err != nil {
					rt.Fatal(err)
				}
			}
			outcomes = append(outcomes, everything(t, into))
		}
		forgotten := strings.Contains(outcomes[0]["tombstones"], "30000000")
		for i, w := range was {
			if diff := cmp.Diff(w, everything(t, libs[i])); diff != "" {
				rt.Fatalf("library %d was changed by being read:\n%s", i, diff)
			}
			lost := slices.DeleteFunc(holdsAll(w, outcomes[0]), func(s string) bool {
				return forgotten &&
					strings.HasPrefix(s, "30000000")
			})
			if len(lost) > 0 && !forgotten {
				rt.Fatalf("lost of library %d: %q", i, lost)
			}
		}
		for i := range outcomes {
			if lost := append(holdsAll(outcomes[0], outcomes[i]), holdsAll(outcomes[i], outcomes[0])...); len(lost) > 0 {
				rt.Fatalf("order %d holds something else: %q", i, lost)
			}
			for _, key := range []string{"threads", "projects", "tombstones"} {
				if outcomes[0][key] != outcomes[i][key] {
					rt.Fatalf("order %d: %s are %s, not %s; %v", i, key, outcomes[i][key], outcomes[0][key],
						slices.Sorted(maps.Keys(outcomes[i])))
				}
			}
		}
	})
}

// A symbolic link in another library isn't followed, and what is packed too
// small to be true is refused.
func TestMergeSuspects(t *testing.T) {
	from := newLib(t)
	src := t.TempDir()
	write(t, filepath.Join(src, "transcript.jsonl"), "one\n")
	archive(t, from, find(t, id, src))
	e, err := from.Session(id)
	if err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(t.TempDir(), "secret")
	write(t, secret, "of the machine\n")
	if err := os.Symlink(secret, filepath.Join(e.Folder, "notes.md")); err != nil {
		t.Skip(err)
	}
	into := newLib(t)
	if _, err := merge.Merge(context.Background(), into, again(t, from), merge.Options{}); err != nil {
		t.Fatal(err)
	}
	for name := range tree(t, into.Dir()) {
		text, _ := os.ReadFile(filepath.Join(into.Dir(), name))
		if bytes.Contains(text, []byte("of the machine")) {
			t.Errorf("%s has what the link led to", name)
		}
	}
	bomb := fmt.Sprintf("0-%d-%s.zst", int64(1)<<39, strings.Repeat("0", 64))
	write(t, filepath.Join(e.Folder, "raw", bomb), "small")
	m, err := merge.Merge(context.Background(), newLib(t), again(t, from), merge.Options{})
	if err != nil || m.New != 0 || len(m.Problems) != 1 || !strings.Contains(m.Problems[0].Reason(), "unpack to") {
		t.Errorf("a bomb: %+v, %v", m, err)
	}
}

// Whoever has more of a session, the places where it was found are those of
// both afterwards: what is here goes on being told from a stranger.
func TestMergeKeepsSources(t *testing.T) {
	here, there := t.TempDir(), t.TempDir()
	write(t, filepath.Join(here, "transcript.jsonl"), "one\n")
	write(t, filepath.Join(there, "transcript.jsonl"), "one\ntwo\n")
	mine, theirs := newLib(t), newLib(t)
	archive(t, mine, find(t, id, here))
	archive(t, theirs, find(t, id, there))
	if _, err := merge.Merge(context.Background(), mine, theirs, merge.Options{}); err != nil {
		t.Fatal(err)
	}
	e, err := again(t, mine).Session(id)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, s := range e.Files[0].Sources {
		paths = append(paths, s.Path)
	}
	want := []string{filepath.Join(here, "transcript.jsonl"), filepath.Join(there, "transcript.jsonl")}
	slices.Sort(want)
	if diff := cmp.Diff(want, paths); diff != "" || content(t, mine, id, "transcript.jsonl") != "one\ntwo\n" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
	write(t, filepath.Join(here, "transcript.jsonl"), "one\ntwo\nthree\n")
	if c := archive(t, mine, find(t, id, here)); len(c.Problems) > 0 || len(c.Grown) != 1 {
		t.Errorf("the one here has grown: %+v", c)
	}
	v, err := check.Verify(context.Background(), mine, nil)
	if err != nil || v.Damage() > 0 {
		t.Errorf("verify: %v, %v", v.Findings, err)
	}
}
