package demo

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestWriteIsPrivateAndRepeatable(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	claude, cowork, err := Write(first)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Write(second); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{claude, cowork} {
		if _, err := os.Stat(dir); err != nil {
			t.Errorf("root isn't there: %v", err)
		}
	}
	n := 0
	err = filepath.WalkDir(first, func(p string, e os.DirEntry, err error) error {
		if err != nil || p == first {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		want := os.FileMode(0o600)
		if e.IsDir() {
			want = 0o700
		}
		if got := info.Mode().Perm(); runtime.GOOS != "windows" && got != want {
			t.Errorf("%s: mode %o, want %o", p, got, want)
		}
		if e.IsDir() {
			return nil
		}
		n++
		rel, _ := filepath.Rel(first, p)
		a, _ := os.ReadFile(p)
		b, err := os.ReadFile(filepath.Join(second, rel))
		if err != nil || string(a) != string(b) {
			t.Errorf("%s differs between two runs (%v)", rel, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n < 30 {
		t.Errorf("got %d files, want at least 30", n)
	}
}
