package library_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "recall/library"
	"recall/library/check"
	"recall/library/merge"
)

// What is damaged in a library never takes the place of what a backup of it
// has, and is told of.
func TestBackupKeepsWhatIsDamagedHere(t *testing.T) {
	ctx := context.Background()
	one, two := strings.Repeat("one\n", 2000), strings.Repeat("two\n", 2000)
	flip := func(path string) error {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text[len(text)/2] ^= 1
		return os.WriteFile(path, text, 0o600)
	}
	for name, c := range map[string]struct {
		merged bool
		harm   func(path string) error
	}{
		"gone":               {false, os.Remove},
		"cut":                {false, func(path string) error { return os.Truncate(path, 20) }},
		"merged and gone":    {true, os.Remove},
		"merged and flipped": {true, flip},
	} {
		t.Run(name, func(t *testing.T) {
			l, src, dir := newLib(t), t.TempDir(), filepath.Join(t.TempDir(), "backup")
			write(t, filepath.Join(src, "transcript.jsonl"), one)
			archive(t, l, find(t, id, src))
			write(t, filepath.Join(src, "transcript.jsonl"), one+two)
			archive(t, l, find(t, id, src))
			if _, err := merge.Backup(ctx, l, dir, nil); err != nil {
				t.Fatal(err)
			}
			if c.merged {
				growUntilMerged(t, l, src)
			}
			if err := c.harm(segmentsOf(t, l)[0]); err != nil {
				t.Fatal(err)
			}
			l = again(t, l)
			m, err := merge.Backup(ctx, l, dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(m.Problems) == 0 && c.merged {
				t.Error("nothing was told of the damage")
			}
			b, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			if v := verify(t, b); v.Damage() > 0 {
				t.Errorf("the backup:\n%s", said(v))
			}
			if got := content(t, b, id, "transcript.jsonl"); got != one+two {
				t.Errorf("the backup has %d bytes, want %d", len(got), len(one+two))
			}
		})
	}
}

// growUntilMerged lets the transcript grow until its segments are stored again as one.
func growUntilMerged(t *testing.T, l *Library, src string) {
	t.Helper()
	main := filepath.Join(src, "transcript.jsonl")
	text, err := os.ReadFile(main)
	if err != nil {
		t.Fatal(err)
	}
	for range 6 {
		text = append(text, strings.Repeat("six\n", 2000)...)
		write(t, main, string(text))
		archive(t, l, find(t, id, src))
	}
	if n := len(segmentsOf(t, l)); n != 1 {
		t.Fatalf("it has %d segments", n)
	}
}

// segmentsOf are the segments' files of a library with one session.
func segmentsOf(t *testing.T, l *Library) []string {
	t.Helper()
	segs, err := filepath.Glob(filepath.Join(l.Dir(), "*", "*", "raw", "*.zst"))
	if err != nil || len(segs) == 0 {
		t.Fatalf("%d segments, %v", len(segs), err)
	}
	return segs
}

// Bytes that are nowhere else any more come back from a backup, though it is
// segmented otherwise.
func TestRepairFromBackup(t *testing.T) {
	ctx := context.Background()
	one, two := strings.Repeat("one\n", 2000), strings.Repeat("two\n", 2000)
	steps, whole := []string{}, []string{one + two}
	for n := range 8 {
		steps = append(steps, one+two[:n*len(two)/7]) // the last is stored as one segment
	}
	for name, c := range map[string]struct{ library, backup []string }{
		"as it is":           {whole, whole},
		"the backup merged":  {whole, steps},
		"the library merged": {steps, whole},
	} {
		t.Run(name, func(t *testing.T) {
			l, src, to := newLib(t), t.TempDir(), filepath.Join(t.TempDir(), "backup")
			main := filepath.Join(src, "transcript.jsonl")
			grow := func(l *Library, texts ...string) {
				for _, text := range texts {
					write(t, main, text)
					archive(t, l, find(t, id, src))
				}
			}
			grow(l, one)
			if _, err := merge.Backup(ctx, l, to, nil); err != nil {
				t.Fatal(err)
			}
			b, err := merge.OpenBackup(l, to)
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			grow(l, append(c.library, "rewritten\n")...)
			grow(b, append(c.backup, "rewritten\n")...)
			if err := os.Remove(main); err != nil {
				t.Fatal(err)
			}
			for _, path := range segmentsOf(t, l) {
				if err := os.WriteFile(path, []byte("not what it was"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if r, err := check.Repair(ctx, l, verify(t, l).Findings, b); err != nil {
				t.Fatal(r, err)
			}
			if v := verify(t, l); v.Damage() > 0 {
				t.Errorf("after the repair:\n%s", said(v))
			}
			r, _, err := l.OpenVersion(id, "transcript.jsonl", 1)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if text, err := io.ReadAll(r); err != nil || string(text) != one+two {
				t.Errorf("version 1 has %d bytes, %v", len(text), err)
			}
		})
	}
}

// A damaged line isn't taken for a new one, nor sealed as if it were good.
func TestMergeLeavesDamagedLines(t *testing.T) {
	ctx := context.Background()
	l, _ := everyKind(t)
	dir := filepath.Join(t.TempDir(), "backup")
	if _, err := merge.Backup(ctx, l, dir, nil); err != nil {
		t.Fatal(err)
	}
	e, err := l.Session(id)
	if err != nil {
		t.Fatal(err)
	}
	flip := func(path, from, to string) {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), from) {
			t.Fatalf("%s: %v", text, err)
		}
		if err := os.WriteFile(path, []byte(strings.Replace(string(text), from, to, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	flip(filepath.Join(e.Folder, "notes.jsonl"), "mind the cache", "mine the cache")
	flip(filepath.Join(l.Dir(), "threads.jsonl"), "join", "jojn")
	if _, err := merge.Backup(ctx, l, dir, nil); err != nil {
		t.Fatal(err)
	}
	b, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if v := verify(t, b); v.Damage() > 0 {
		t.Errorf("the backup:\n%s", said(v))
	}
	notes, err := b.Notes(id)
	if err != nil || len(notes) != 1 || !strings.Contains(string(notes[0]), "mind the cache") {
		t.Errorf("its notes: %s, %v", notes, err)
	}
	if got, err := b.Corrections(); err != nil || len(got) != 1 || got[0].Op != "join" {
		t.Errorf("its threads: %v, %v", got, err)
	}
}

// A session without its bytes isn't imported in silence, and repair brings them back from its source.
func TestImportWithoutBytes(t *testing.T) {
	l, e, dir, text := alone(t)
	if err := os.RemoveAll(filepath.Join(e.Folder, "raw")); err != nil {
		t.Fatal(err)
	}
	to := newLib(t)
	done, err := merge.Merge(t.Context(), to, l, merge.Options{})
	if err != nil || len(done.Problems) != 1 {
		t.Errorf("%+v, %v; want the missing segment told", done, err)
	}
	there, err := to.Session(id)
	if state, _ := there.State(nil); err != nil || state != Behind {
		t.Errorf("imported: it is %q, %v", state, err)
	}
	if _, err := check.Repair(t.Context(), l, verify(t, l).Findings, nil); err != nil {
		t.Fatal(err)
	}
	if got := content(t, again(t, l), id, "transcript.jsonl"); got != text {
		t.Errorf("repaired: %d bytes, want %d", len(got), len(text))
	}
	os.RemoveAll(dir)
	os.RemoveAll(filepath.Join(e.Folder, "raw"))
	if state, _ := e.State(nil); state != Lost {
		t.Errorf("with neither bytes nor source it is %q", state)
	}
}
