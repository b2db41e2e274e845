package library_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recall/library/check"
	"recall/library/disk"
)

// The shared transcripts, arriving by 50 KB at a time as they do while a session
// is at work, take at most a quarter of their size; packed, where that saves a fifth, at most 17 %.
// Every byte comes back.
func TestSharedSizes(t *testing.T) {
	shared := os.Getenv("RECALL_SHARED")
	if shared == "" {
		t.Skip("RECALL_SHARED is not set")
	}
	const step = 50 << 10
	l, src := newLib(t), t.TempDir()
	disk.Through(l.Dir(), calmly)
	folders, err := filepath.Glob(filepath.Join(shared, "transcripts", "dev", "*"))
	if err != nil || len(folders) == 0 {
		t.Fatal("no transcripts", err)
	}
	var total int64
	for i, from := range folders {
		sid := fmt.Sprintf("shared-%d", i)
		for at := int64(step); ; at += step {
			more := false
			err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				text, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				rel, _ := filepath.Rel(from, path)
				n := min(int64(len(text)), at)
				more = more || n < int64(len(text))
				to := filepath.Join(src, sid, rel)
				if fi, err := os.Stat(to); err != nil || fi.Size() != n {
					write(t, to, string(text[:n]))
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if fi, err := os.Stat(filepath.Join(src, sid)); err != nil || !fi.IsDir() {
				break // a file beside the folders
			}
			archive(t, l, find(t, sid, filepath.Join(src, sid)))
			if !more {
				break
			}
		}
	}
	stored := func() (n int64) {
		for _, path := range files(t, l.Dir()) {
			if fi, err := os.Stat(path); err == nil && (strings.HasSuffix(path, ".zst") ||
				strings.HasSuffix(path, "versions.jsonl")) {
				n += fi.Size()
			}
		}
		return n
	}
	all, err := l.Sessions()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		for _, f := range e.Files {
			total += f.Size
		}
	}
	live := stored()
	for _, e := range all {
		if _, err := l.Pack(context.Background(), e.ID); err != nil {
			t.Fatal(err)
		}
	}
	packed := stored()
	t.Logf("%d sessions, %d bytes: live %.1f %%, packed %.1f %%", len(all), total, 100*float64(live)/float64(total),
		100*float64(packed)/float64(total))
	if live > total/4 || packed*100 > total*17 {
		t.Errorf("live %d, packed %d bytes of %d", live, packed, total)
	}
	for _, e := range all {
		f, err := l.Found(e.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range f.Files {
			got, err := readAll(file)
			want, err2 := os.ReadFile(filepath.Join(src, string(e.ID), filepath.FromSlash(file.Name)))
			if err != nil || err2 != nil || got != string(want) {
				t.Errorf("%s %s: other bytes: %v %v", e.ID, file.Name, err, err2)
			}
		}
	}
	if v := verify(t, l, check.Options{}); len(v.Findings) > 0 {
		t.Error(said(v))
	}
}
