package library_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "recall/library"
	"recall/library/check"
	"recall/library/disk"
	"recall/library/inbox"
	"recall/payload"
)

// everyKind makes a library that has a file of every kind, and gives the folder
// of its sources.
func everyKind(t testing.TB) (l *Library, src string) {
	t.Helper()
	l, src = newLib(t), t.TempDir()
	dir := filepath.Join(src, "home", "billing", id)
	rng := rand.New(rand.NewPCG(1, 5))
	main := filepath.Join(dir, "transcript.jsonl")
	text := line(rng, 3000)
	write(t, main, text)
	write(t, filepath.Join(dir, "tool-results", "a.txt"), "spilled\n")
	archive(t, l, find(t, id, dir))
	write(t, main, text+line(rng, 500)) // grown
	archive(t, l, find(t, id, dir))
	write(t, main, line(rng, 700)) // rewritten
	if err := syncOne(l, dir); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"edits":   l.AppendEdits(id, []payload.Edit{{Op: "drop", ID: "k3v9t2m8qa", At: tick, Who: "ann"}}),
		"notes":   l.AppendNotes(id, []json.RawMessage{json.RawMessage(`{"text":"mind the cache"}`)}),
		"inbox":   inbox.Add(l, map[string]string{"session": id, "text": "remember"}),
		"journal": l.Journal("sync", map[string]any{"sessions": 1}),
		"threads": l.Correct(payload.Correction{Op: "join", A: "a", B: "b", At: tick}),
		"links": l.AppendLinks([]payload.Link{{Op: payload.OpLink, Relation: payload.Refines, Maker: payload.ByRule,
			From: "k3v9t2m8qa", FromSession: id, To: "b7xw4c5d2e", ToSession: id, At: tick}}),
		"tombstone": disk.AppendShared(filepath.Join(l.Dir(), "tombstones.jsonl"), []byte(`{"id":"forgotten-1"}`+"\n")),
	} {
		if err != nil {
			t.Fatal(name, err)
		}
	}
	other := filepath.Join(src, "home", "billing", "8f3c1a2b-0000-4000-8000-000000000002")
	write(t, filepath.Join(other, "transcript.jsonl"), line(rng, 200))
	archive(t, l, find(t, filepath.Base(other), other))
	return l, src
}

func verify(t testing.TB, l *Library) check.Verified {
	t.Helper()
	v, err := check.Verify(context.Background(), l, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func said(v check.Verified) string {
	var b strings.Builder
	for _, f := range v.Findings {
		fmt.Fprintf(&b, "%s %s: %s (%s)\n", f.State, f.Path, f.What, f.Mend)
	}
	return b.String()
}

// files lists the library's files, without those of processes at work.
func files(t testing.TB, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == ".locks" || d.Name() == ".tmp") {
			return fs.SkipDir
		}
		if err == nil && !d.IsDir() {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A flipped bit in any file is found, and told with the file's name.
func TestFlippedBit(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("skipped: -short, and a long walk of one goroutine")
	}
	l, _ := everyKind(t)
	if v := verify(t, l); len(v.Findings) > 0 || v.Sessions != 2 {
		t.Fatalf("before any damage, %d sessions: %s", v.Sessions, said(v))
	}
	kinds := []string{"README.md", "library.toml", "projects.toml", "tombstones.jsonl", "threads.jsonl", "journal.jsonl",
		"events.jsonl",
		"links.jsonl", "session.json", "versions.jsonl", ".zst", "payload.md", "edits.jsonl", "notes.jsonl",
		"transcript.md"}
	rng := rand.New(rand.NewPCG(2, 5))
	seen := map[string]bool{}
	flips := 0
	for _, path := range files(t, l.Dir()) {
		kind := slices.IndexFunc(kinds, func(k string) bool { return strings.HasSuffix(path, k) })
		if kind < 0 {
			t.Errorf("%s: a kind of file that this test doesn't know", path)
			continue
		}
		seen[kinds[kind]] = true
		good, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		rel, _ := filepath.Rel(l.Dir(), path)
		step := max(1, len(good)/40)
		for at := 0; at < len(good); at += step {
			spot := min(len(good)-1, at+rng.IntN(step))
			if at+step >= len(good) {
				spot = len(good) - 1 // the last byte too: a line's end
			}
			bit := rng.IntN(8)
			bad := slices.Clone(good)
			bad[spot] ^= 1 << bit
			if err := os.WriteFile(path, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			flips++
			fresh, err := Open(l.Dir())
			if err != nil && strings.Contains(err.Error(), filepath.Base(path)) {
				continue // it doesn't open, and says which file it is
			}
			if err != nil {
				t.Fatal(err)
			}
			v := verify(t, fresh)
			ok := slices.ContainsFunc(v.Findings, func(f check.Finding) bool {
				return f.Path == filepath.ToSlash(rel) && (f.State == check.Damaged || f.State == check.Edited &&
					kinds[kind] == "payload.md")
			})
			if !ok {
				t.Errorf("bit %d of byte %d of %d of %s: not found; said: %s", bit, spot, len(good), rel, said(v))
			}
		}
		if err := os.WriteFile(path, good, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if len(seen) != len(kinds) {
		t.Errorf("the library had only the kinds %v", seen)
	}
	t.Logf("%d flips", flips)
	if v := verify(t, again(t, l)); len(v.Findings) > 0 {
		t.Errorf("after it was undone: %s", said(v))
	}
}
