package history

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// What is added to a person's file is a paragraph at its end; the file, and a link to it, stay what they are.
func TestAddLines(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ had, want string }{
		"new":       {"", "- one\n- two\n"},
		"whole":     {"# Rules\n", "# Rules\n\n- one\n- two\n"},
		"unended":   {"# Rules", "# Rules\n\n- one\n- two\n"},
		"paragraph": {"a\n\n", "a\n\n\n- one\n- two\n"},
	} {
		file, link := filepath.Join(dir, name), filepath.Join(dir, name+".md")
		if err := os.WriteFile(file, []byte(c.had), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(file, link); err != nil {
			t.Skip("no links here:", err)
		}
		before, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := AddLines(link, []string{"- one", "- two"}, 1<<20); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(file)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: got %q (%v), want %q", name, got, err, c.want)
		}
		after, err := os.Stat(link)
		if err != nil || !os.SameFile(before, after) || after.Mode() != before.Mode() {
			t.Errorf("%s: it is another file, or has other rights (%v)", name, err)
		}
	}
}

// Nobody ever sees the file without what stood in it: ended by a kill at any moment, that is still there.
func TestAddLinesWritesNothingAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "CLAUDE.md")
	had := bytes.Repeat([]byte("a rule\n"), 10_000)
	if err := os.WriteFile(file, had, 0o600); err != nil {
		t.Fatal(err)
	}
	ended, least := make(chan bool), make(chan int64)
	go func() {
		size := int64(len(had))
		for {
			if fi, err := os.Stat(file); err == nil {
				size = min(size, fi.Size())
			}
			select {
			case <-ended:
				least <- size
				return
			default:
			}
		}
	}()
	for range 300 {
		if err := AddLines(file, []string{"- one"}, 1<<20); err != nil {
			t.Fatal(err)
		}
	}
	close(ended)
	if size := <-least; size < int64(len(had)) {
		t.Errorf("it had %d bytes, and %d meanwhile", len(had), size)
	}
}
