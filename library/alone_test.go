package library_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "recall/library"
	"recall/library/check"
	"recall/library/disk"
	"recall/library/merge"
	"recall/library/raw"
)

// alone makes a library with a session of one file, stored once.
func alone(t *testing.T) (l *Library, e Entry, dir, text string) {
	t.Helper()
	l, dir = newLib(t), filepath.Join(t.TempDir(), id)
	text = line(rand.New(rand.NewPCG(3, 9)), 2000)
	write(t, filepath.Join(dir, "transcript.jsonl"), text)
	archive(t, l, find(t, id, dir))
	e, err := l.Session(id)
	if err != nil {
		t.Fatal(err)
	}
	return l, e, dir, text
}

func hasList(e Entry) bool { return disk.Exists(raw.ListPath(e.Folder)) }

// A session of one file, stored once, has no list of versions; the list comes with the first
// growth, and what was there before stays readable.
func TestAlone(t *testing.T) {
	l, e, dir, text := alone(t)
	if hasList(e) || e.Files[0].CRC == "" {
		t.Fatalf("it has a list, or its segment no checksum: %+v", e.Files)
	}
	write(t, filepath.Join(dir, "transcript.jsonl"), text+"{}\n")
	archive(t, l, find(t, id, dir))
	if e, _ = l.Session(id); !hasList(e) || e.Files[0].CRC != "" {
		t.Errorf("grown: it has no list, or a checksum beside it: %+v", e.Files)
	}
	if got := content(t, l, id, "transcript.jsonl"); got != text+"{}\n" {
		t.Errorf("grown: %d bytes, want %d", len(got), len(text)+3)
	}
	if v := verify(t, again(t, l)); len(v.Findings) > 0 {
		t.Error(said(v))
	}
}

// Another recall moves its folder while it is being read: it is found where it went.
func TestAloneMoved(t *testing.T) {
	l, e, _, text := alone(t)
	r, _, err := l.OpenVersion(id, "transcript.jsonl", 1)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := os.Rename(e.Folder, e.Folder+" moved"); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != nil || string(got) != text {
		t.Errorf("%d bytes, want %d: %v", len(got), len(text), err)
	}
}

// A backup of it has no list either, follows when it grows, and gives back what is lost.
func TestAloneCopied(t *testing.T) {
	l, e, dir, text := alone(t)
	to := filepath.Join(t.TempDir(), "backup")
	backup := func() *Library {
		t.Helper()
		if _, err := merge.Backup(t.Context(), l, to, nil); err != nil {
			t.Fatal(err)
		}
		b, err := Open(to)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { b.Close() })
		return b
	}
	b := backup()
	there, err := b.Session(id)
	if err != nil || hasList(there) || content(t, b, id, "transcript.jsonl") != text {
		t.Errorf("copied: %v, a list %v", err, hasList(there))
	}
	os.RemoveAll(dir)
	for _, s := range raw.In(e.Folder) {
		os.Remove(raw.Path(e.Folder, s))
	}
	if v := verify(t, l); v.Damage() != 1 || !strings.Contains(said(v), ".zst") {
		t.Errorf("without its segment: %s", said(v))
	}
	if _, err := check.Repair(t.Context(), l, verify(t, l).Findings, b); err != nil {
		t.Fatal(err)
	}
	if got := content(t, again(t, l), id, "transcript.jsonl"); got != text {
		t.Errorf("from the backup: %d bytes, want %d", len(got), len(text))
	}
	write(t, filepath.Join(dir, "transcript.jsonl"), text+"{}\n")
	archive(t, l, find(t, id, dir))
	if got := content(t, backup(), id, "transcript.jsonl"); got != text+"{}\n" {
		t.Errorf("followed: %d bytes, want %d", len(got), len(text)+3)
	}
}

// With session.json gone or a digit of it flipped, the segment still is the conversation.
func TestAloneWithoutEntry(t *testing.T) {
	for name, spoil := range map[string]func(path, text string) error{
		"gone": func(path, _ string) error { return os.Remove(path) },
		"flipped": func(path, text string) error {
			at := strings.Index(text, `"sha256": "`) + 12
			return os.WriteFile(path, []byte(text[:at]+string(text[at]^1)+text[at+1:]), 0o600)
		},
	} {
		l, e, dir, text := alone(t)
		os.RemoveAll(dir)
		path := SessionFile(e.Folder)
		was, _ := os.ReadFile(path)
		if err := spoil(path, string(was)); err != nil {
			t.Fatal(err)
		}
		l = again(t, l)
		if _, err := check.Repair(t.Context(), l, verify(t, l).Findings, nil); err != nil {
			t.Fatal(err)
		}
		if got := content(t, again(t, l), id, "transcript.jsonl"); got != text {
			t.Errorf("%s: %d bytes, want %d", name, len(got), len(text))
		}
	}
}

// line is JSON of about n bytes that does not compress to nothing.
func line(rng *rand.Rand, n int) string {
	var b strings.Builder
	b.WriteString(`{"text":"`)
	for b.Len() < n {
		fmt.Fprintf(&b, "word%d ", rng.Uint32N(50000))
	}
	b.WriteString("\"}\n")
	return b.String()
}
