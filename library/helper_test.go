package library_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recall/ingest"
	. "recall/library"
)

// newLib makes a library in a folder of its own.
func newLib(t testing.TB) *Library {
	t.Helper()
	l, err := Create(filepath.Join(t.TempDir(), "Recall"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func again(t testing.TB, l *Library) *Library {
	t.Helper()
	o, err := Open(l.Dir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.Close() })
	return o
}

// tick gives every written source another time, as a clock would.
var tick = time.Date(2026, 4, 17, 14, 0, 0, 0, time.UTC)

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	tick = tick.Add(time.Second)
	if err := os.Chtimes(path, tick, tick); err != nil {
		t.Fatal(err)
	}
}

// find is a session as a reader would find it: every file under dir, the
// conversation first.
func find(t testing.TB, id, dir string) ingest.Found {
	t.Helper()
	f := ingest.Found{ID: ingest.SessionID(id), Source: ingest.ClaudeCode, Root: dir}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		fi, err := os.Stat(path)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		role := ingest.ToolResult
		if strings.HasSuffix(name, ".jsonl") {
			role = ingest.Transcript
		}
		f.Files = append(f.Files, ingest.File{Name: filepath.ToSlash(name), Role: role, Path: path, Size: fi.Size(),
			Mod:  fi.ModTime(),
			Open: func() (io.ReadCloser, error) { return os.Open(path) }})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func archive(t testing.TB, l *Library, f ingest.Found) Change {
	t.Helper()
	c, err := l.Archive(context.Background(), f)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// content reads one archived file through Found.
func content(t testing.TB, l *Library, id, name string) string {
	t.Helper()
	f, err := l.Found(ingest.SessionID(id))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range f.Files {
		if file.Name == name {
			text, err := readAll(file)
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
	}
	t.Fatalf("session %s has no file %s", id, name)
	return ""
}

func readAll(f ingest.File) (string, error) {
	r, err := f.Open()
	if err != nil {
		return "", err
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	return string(text), err
}

// tree is every file under dir with the hash of its content; wall-clock files
// and the library's random id are left out.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	got := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		switch filepath.ToSlash(name) {
		case ".locks", ".tmp":
			return fs.SkipDir
		case "library.toml", "journal.jsonl":
			return nil
		}
		if d.IsDir() {
			got[filepath.ToSlash(name)+"/"] = ""
			return nil
		}
		text, err := os.ReadFile(path)
		got[filepath.ToSlash(name)] = fmt.Sprintf("%x", sha256.Sum256(text))[:16]
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// meta is a placed session's, in project billing.
func meta(t testing.TB, l *Library, title string) Meta {
	t.Helper()
	p, err := l.ProjectFor(ingest.Project{Root: "/home/ann/billing", Name: "billing"})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 4, 17, 14, 32, 0, 0, time.UTC)
	return Meta{Project: p.ID, Title: title, Start: start, End: start.Add(time.Hour), Settled: true}
}
