package library_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
	. "recall/library"
	"recall/library/raw"
)

const id = "7f3c1a2b-0000-4000-8000-000000000001"

// A session's files change step by step; after each, Archive says what
// happened, and the archive has exactly the source's bytes.
func TestArchiveFollowsTheSource(t *testing.T) {
	src := filepath.Join(t.TempDir(), "projects", "-home-ann-app")
	main, side := filepath.Join(src, "transcript.jsonl"), filepath.Join(src, "tool-results", "a.txt")
	big := strings.Repeat("a long line of a transcript\n", 100)
	l := newLib(t)
	steps := []struct {
		name string
		do   func()
		want Change
	}{
		{"new", func() { write(t, main, big); write(t, side, "out") },
			Change{New: []string{"tool-results/a.txt", "transcript.jsonl"}, Bytes: int64(len(big)) + 3}},
		{"nothing", func() {}, Change{Unchanged: true}},
		{"touched", func() { write(t, main, big) }, Change{Unchanged: true}},
		{"grown", func() { write(t, main, big+"{\"half") }, Change{Grown: []string{"transcript.jsonl"}, Bytes: 6}},
		{"grown again", func() { write(t, main, big+"{\"half\":1}\n") },
			Change{Grown: []string{"transcript.jsonl"}, Bytes: 5}},
		{"tail rewritten", func() { write(t, main, big+"{\"other\":1}\n") },
			Change{Rewritten: []string{"transcript.jsonl"}, Bytes: 12}},
		{"truncated to a segment", func() { write(t, main, big) }, Change{Shrunk: []string{"transcript.jsonl"}}},
		{"truncated inside one", func() { write(t, main, big[:50]) },
			Change{Shrunk: []string{"transcript.jsonl"}, Bytes: 50}},
		{"emptied", func() { write(t, main, "") }, Change{Shrunk: []string{"transcript.jsonl"}}},
		{"an old content again", func() { write(t, main, big+"{\"other\":1}\n") },
			Change{Rewritten: []string{"transcript.jsonl"}}},
		{"grown from the old content", func() { write(t, main, big+"{\"other\":1}\nmore\n") },
			Change{Grown: []string{"transcript.jsonl"}, Bytes: 5}},
	}
	for _, s := range steps {
		s.do()
		l = again(t, l)
		if diff := cmp.Diff(s.want, archive(t, l, find(t, id, src))); diff != "" {
			t.Errorf("%s: change (-want +got):\n%s", s.name, diff)
		}
		source, err := os.ReadFile(main)
		if err != nil {
			t.Fatal(err)
		}
		if got := content(t, l, id, "transcript.jsonl"); got != string(source) {
			t.Errorf("%s: archived %d bytes, want the source's %d", s.name, len(got), len(source))
		}
	}
	os.RemoveAll(src)
	got := archive(t, l, ingest.Found{ID: id, Source: ingest.ClaudeCode})
	if diff := cmp.Diff(Change{Vanished: []string{"tool-results/a.txt", "transcript.jsonl"}}, got); diff != "" {
		t.Errorf("vanished: change (-want +got):\n%s", diff)
	}
	if got, want := content(t, l, id, "transcript.jsonl"), big+"{\"other\":1}\nmore\n"; got != want {
		t.Errorf("after it vanished: %d bytes, want %d", len(got), len(want))
	}
	if e, _ := l.Session(id); !e.Files[0].Sources[0].Gone {
		t.Error("the entry doesn't say that the source is gone")
	}
}

// Every version that ever was can be put together again.
func TestEveryVersionStays(t *testing.T) {
	src := t.TempDir()
	path := filepath.Join(src, "transcript.jsonl")
	l := newLib(t)
	texts := []string{"one\ntwo\nthree\n", "one\ntwo\nthree\nfour\n", "one\n", "other\n", ""}
	for _, text := range texts {
		write(t, path, text)
		archive(t, l, find(t, id, src))
	}
	e, err := l.Session(id)
	if err != nil {
		t.Fatal(err)
	}
	v, err := e.Versions()
	if err != nil || len(v.Lost) > 0 {
		t.Fatal(err, v.Lost)
	}
	var got []string
	for _, ver := range v.Files["transcript.jsonl"] {
		text, err := io.ReadAll(raw.Read(e.Folder, ver.Segs...))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(text))
	}
	if diff := cmp.Diff(texts[1:], got); diff != "" { // the first grew into the second
		t.Errorf("versions (-want +got):\n%s", diff)
	}
}

func TestMovedToAnotherSlug(t *testing.T) {
	root := t.TempDir()
	old, moved := filepath.Join(root, "-home-ann-app"), filepath.Join(root, "-home-ann-shop")
	write(t, filepath.Join(old, "transcript.jsonl"), "one\n")
	l := newLib(t)
	archive(t, l, find(t, id, old))
	if err := os.Rename(old, moved); err != nil {
		t.Fatal(err)
	}
	if c := archive(t, l, find(t, id, moved)); !c.Unchanged || len(c.Problems) > 0 {
		t.Errorf("moved: got %+v, want unchanged", c)
	}
	e, _ := l.Session(id)
	if s := e.Files[0].Sources; len(s) != 1 || s[0].Path != filepath.Join(moved, "transcript.jsonl") || s[0].Gone {
		t.Errorf("sources: got %+v, want the new place alone", s)
	}
	if c := archive(t, l, find(t, id, moved)); !c.Unchanged {
		t.Errorf("second time: got %+v", c)
	}
}

// Two files that claim one id: both are kept, the longer is current whichever
// came first, and it is said.
func TestTwoFilesOfOneID(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	write(t, filepath.Join(a, "transcript.jsonl"), "one\nlonger\n")
	write(t, filepath.Join(b, "transcript.jsonl"), "two\n")
	for _, order := range [][]string{{a, b}, {b, a}} {
		l := newLib(t)
		archive(t, l, find(t, id, order[0]))
		if c := archive(t, l, find(t, id, order[1])); len(c.Problems) != 1 {
			t.Errorf("second file: got problems %v, want one", c.Problems)
		}
		if got := content(t, l, id, "transcript.jsonl"); got != "one\nlonger\n" {
			t.Errorf("current content: got %q, want the longer", got)
		}
		for _, dir := range order {
			if c := archive(t, l, find(t, id, dir)); !c.Unchanged || len(c.Problems) > 0 {
				t.Errorf("again: got %+v, want unchanged", c)
			}
		}
	}
}

// A session's conversation in two folders: whichever is gone, and whichever came
// first, the other doesn't stand in its place.
func TestTwoFoldersOfOneSession(t *testing.T) {
	root := t.TempDir()
	paths := map[string]string{}
	for slug, text := range map[string]string{"-a": "first\n", "-b": "second, longer\n"} {
		paths[slug] = filepath.Join(root, slug, id+".jsonl")
		write(t, paths[slug], text)
	}
	named := func(names ...string) ingest.Found { // name, slug, name, slug, …
		f := ingest.Found{ID: id, Source: ingest.ClaudeCode, Root: root}
		for i := 0; i < len(names); i += 2 {
			path := paths[names[i+1]]
			fi, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			f.Files = append(f.Files, ingest.File{Name: names[i], Role: ingest.Transcript, Path: path, Size: fi.Size(),
				Mod:  fi.ModTime(),
				Open: func() (io.ReadCloser, error) { return os.Open(path) }})
		}
		return f
	}
	both := named("transcript.jsonl", "-a", "transcripts/-b.jsonl", "-b")
	for name, story := range map[string][]ingest.Found{
		"the first is gone":     {both, named("transcript.jsonl", "-b")},
		"an earlier one comes":  {named("transcript.jsonl", "-b"), both},
		"comes, and both again": {named("transcript.jsonl", "-b"), both, both, named("transcript.jsonl", "-b")},
	} {
		l := newLib(t)
		for _, f := range story {
			if c := archive(t, l, f); len(c.Problems) > 0 || len(c.Rewritten) > 0 {
				t.Errorf("%s: got %+v, want nothing rewritten", name, c)
			}
		}
		for _, f := range story[len(story)-1].Files {
			if err := l.Held(context.Background(), id, f); err != nil {
				t.Errorf("%s: %s: %v, want it held", name, f.Name, err)
			}
		}
		var got []string
		e, err := l.Session(id)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range e.Files {
			got = append(got, content(t, l, id, f.Name))
		}
		slices.Sort(got)
		if want := []string{"first\n", "second, longer\n"}; !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestUnreadableCostsNothingElse(t *testing.T) {
	src := t.TempDir()
	write(t, filepath.Join(src, "transcript.jsonl"), "one\n")
	f := find(t, id, src)
	f.Files = append(f.Files, ingest.File{Name: "tool-results/x", Path: filepath.Join(src, "nowhere"), Size: 1, Mod: tick,
		Open: func() (io.ReadCloser, error) { return os.Open(filepath.Join(src, "nowhere")) }})
	l := newLib(t)
	c := archive(t, l, f)
	if len(c.New) != 1 || len(c.Problems) != 1 || !strings.Contains(c.Problems[0].Path, "nowhere") {
		t.Errorf("got %+v, want one new file and one problem", c)
	}
	f.Files = f.Files[1:]
	f.ID = "7f3c1a2b-0000-4000-8000-000000000002"
	if c := archive(t, l, f); len(c.Problems) != 1 {
		t.Errorf("nothing readable: got %+v", c)
	}
	if _, err := l.Session(f.ID); !errors.Is(err, ErrNoSession) {
		t.Errorf("a session without a byte: got %v, want ErrNoSession", err)
	}
}

// A link inside the session's folder is followed, one out of it never.
func TestLinks(t *testing.T) {
	base := t.TempDir()
	src := filepath.Join(base, "projects")
	write(t, filepath.Join(src, "transcript.jsonl"), "one\n")
	write(t, filepath.Join(src, "real.txt"), "in")
	write(t, filepath.Join(base, "secret.txt"), "out")
	for name, target := range map[string]string{"in.txt": "real.txt", "out.txt": "../secret.txt", "dir": ".."} {
		if err := os.Symlink(target, filepath.Join(src, name)); err != nil {
			t.Skip("no links here:", err)
		}
	}
	f := ingest.Found{ID: id, Source: ingest.ClaudeCode, Root: src}
	for _, name := range []string{"transcript.jsonl", "in.txt", "out.txt", "dir/secret.txt"} {
		f.Files = append(f.Files, ingest.File{Name: name, Path: filepath.Join(src, filepath.FromSlash(name)), Size: 3,
			Mod: tick})
	}
	l := newLib(t)
	c := archive(t, l, f)
	if diff := cmp.Diff([]string{"transcript.jsonl", "in.txt"}, c.New); diff != "" {
		t.Errorf("archived (-want +got):\n%s", diff)
	}
	if len(c.Problems) != 2 || !strings.Contains(c.Problems[0].Reason(), "link") {
		t.Errorf("problems: got %v, want two about links", c.Problems)
	}
	// The root itself may be a link: its owner put it there.
	root := filepath.Join(base, "elsewhere")
	if err := os.Symlink("projects", root); err != nil {
		t.Fatal(err)
	}
	f.ID, f.Root = "7f3c1a2b-0000-4000-8000-000000000002", root
	f.Files = []ingest.File{{Name: "transcript.jsonl", Path: filepath.Join(root, "transcript.jsonl"), Size: 4, Mod: tick}}
	if c := archive(t, l, f); len(c.New) != 1 || len(c.Problems) != 0 {
		t.Errorf("root is a link: got %+v", c)
	}
	// A loop of links is a problem of that file.
	os.Symlink("loop", filepath.Join(src, "loop"))
	f.Files = append(f.Files, ingest.File{Name: "loop", Path: filepath.Join(root, "loop"), Size: 1, Mod: tick})
	if c := archive(t, l, f); len(c.Problems) != 1 {
		t.Errorf("loop of links: got %+v, want a problem", c)
	}
}

// A source that changes while it is read is taken as it was at one moment.
func TestChangesWhileRead(t *testing.T) {
	src := t.TempDir()
	path := filepath.Join(src, "transcript.jsonl")
	write(t, path, "one\n")
	l := newLib(t)
	f := find(t, id, src)
	opened := 0
	f.Files[0].Open = func() (io.ReadCloser, error) {
		r, err := os.Open(path)
		return &nosy{File: r, then: func() {
			if opened++; opened == 1 {
				write(t, path, "one\ntwo\n") // grows under the reader
			}
		}}, err
	}
	if c := archive(t, l, f); len(c.Problems) > 0 {
		t.Errorf("growing: got problems %v", c.Problems)
	}
	if got := content(t, l, id, "transcript.jsonl"); got != "one\n" {
		t.Errorf("growing: got %q, want what it was at first", got)
	}
	if c := archive(t, l, find(t, id, src)); len(c.Grown) != 1 {
		t.Errorf("next time: got %+v, want grown", c)
	}
}

// nosy calls then before its first read.
type nosy struct {
	*os.File
	then func()
}

func (n *nosy) Read(p []byte) (int, error) {
	if n.then != nil {
		n.then()
		n.then = nil
	}
	return n.File.Read(p)
}

func TestTombstonesAndFormats(t *testing.T) {
	src := t.TempDir()
	write(t, filepath.Join(src, "transcript.jsonl"), "one\n")
	f := find(t, id, src)
	l := newLib(t)
	write(t, filepath.Join(l.Dir(), "tombstones.jsonl"), `{"id":"`+id+`"}`+"\n")
	if _, err := l.Archive(context.Background(), f); !errors.Is(err, ErrForgotten) {
		t.Errorf("forgotten session: got %v, want ErrForgotten", err)
	}
	os.Remove(filepath.Join(l.Dir(), "tombstones.jsonl"))
	archive(t, l, f)

	text, _ := os.ReadFile(filepath.Join(l.Dir(), "library.toml"))
	write(t, filepath.Join(l.Dir(), "library.toml"), strings.Replace(string(text), "format = 4", "format = 5", 1))
	write(t, filepath.Join(src, "transcript.jsonl"), "one\ntwo\n")
	if _, err := l.Archive(context.Background(), find(t, id, src)); !errors.Is(err, ErrNewer) {
		t.Errorf("newer format since it was opened: got %v, want ErrNewer", err)
	}
	l = again(t, l)
	if _, err := l.Archive(context.Background(), find(t, id, src)); !errors.Is(err, ErrNewer) {
		t.Errorf("newer format: got %v, want ErrNewer", err)
	}
	if got := content(t, l, id, "transcript.jsonl"); got != "one\n" {
		t.Errorf("newer format, read: got %q", got)
	}
	if _, err := Open(t.TempDir()); !errors.Is(err, ErrNoLibrary) {
		t.Errorf("empty folder: got %v, want ErrNoLibrary", err)
	}
}

func TestDamageIsNoticed(t *testing.T) {
	src := t.TempDir()
	write(t, filepath.Join(src, "transcript.jsonl"), strings.Repeat("one line\n", 1000))
	l := newLib(t)
	archive(t, l, find(t, id, src))
	e, _ := l.Session(id)
	segs, _ := filepath.Glob(filepath.Join(e.Folder, "raw", "*.zst"))
	good, _ := os.ReadFile(segs[0])
	for i := range good {
		bad := append([]byte(nil), good...)
		bad[i] ^= 1
		os.WriteFile(segs[0], bad, 0o600)
		f, _ := l.Found(id)
		got, err := readAll(f.Files[0])
		if err == nil && got != strings.Repeat("one line\n", 1000) {
			t.Fatalf("byte %d flipped: other content without an error", i)
		}
		if err != nil && !errors.Is(err, ErrDamaged) {
			t.Fatalf("byte %d flipped: got %v, want ErrDamaged", i, err)
		}
	}
	os.Remove(segs[0])
	// The source still has the bytes: they are taken again.
	os.Chtimes(filepath.Join(src, "transcript.jsonl"), time.Time{}, tick.Add(time.Hour))
	archive(t, l, find(t, id, src))
	if got := content(t, l, id, "transcript.jsonl"); got != strings.Repeat("one line\n", 1000) {
		t.Errorf("after taking it again: got %d bytes", len(got))
	}
}

// A torn last line of versions.jsonl is as if it had not been written.
func TestTornVersions(t *testing.T) {
	src := t.TempDir()
	path := filepath.Join(src, "transcript.jsonl")
	l := newLib(t)
	write(t, path, "one\n")
	archive(t, l, find(t, id, src))
	write(t, path, "one\ntwo\n")
	archive(t, l, find(t, id, src))
	e, _ := l.Session(id)
	want := tree(t, l.Dir())
	versions := filepath.Join(e.Folder, "raw", "versions.jsonl")
	text, _ := os.ReadFile(versions)
	os.WriteFile(versions, text[:len(text)-30], 0o600)
	write(t, path, "one\ntwo\n") // touched
	os.Chtimes(path, e.Files[0].Sources[0].Mod.Add(time.Second), e.Files[0].Sources[0].Mod.Add(time.Second))
	archive(t, l, find(t, id, src))
	os.Chtimes(path, e.Files[0].Sources[0].Mod, e.Files[0].Sources[0].Mod)
	archive(t, l, find(t, id, src))
	if diff := cmp.Diff(want, tree(t, l.Dir())); diff != "" {
		t.Errorf("after repair (-want +got):\n%s", diff)
	}
}

// A source that never stands still is taken as it is read, and read again next time.
func TestNeverStandsStill(t *testing.T) {
	src := t.TempDir()
	path := filepath.Join(src, "transcript.jsonl")
	write(t, path, "one\n")
	l := newLib(t)
	f := find(t, id, src)
	n := 0
	f.Files[0].Open = func() (io.ReadCloser, error) {
		r, err := os.Open(path)
		return &nosy{File: r, then: func() {
			n++
			write(t, path, strings.Repeat(string(rune('a'+n)), 5+n%3)+"\n") // other bytes, sometimes fewer
		}}, err
	}
	archive(t, l, f)
	want, _ := os.ReadFile(path)
	fi, _ := os.Stat(path)
	again := find(t, id, src)
	if c := archive(t, l, again); c.Unchanged && content(t, l, id, "transcript.jsonl") != string(want) {
		t.Errorf("next time: %+v with other bytes", c)
	}
	if got := content(t, l, id, "transcript.jsonl"); got != string(want) || fi.Size() != int64(len(got)) {
		t.Errorf("next time: got %q, want %q", got, want)
	}
}

// What a version has lost in versions.jsonl costs that version alone, and
// archiving goes on.
func TestDamagedVersions(t *testing.T) {
	src := t.TempDir()
	path := filepath.Join(src, "transcript.jsonl")
	l := newLib(t)
	for _, text := range []string{"one\n", "two\n", "three\n"} {
		write(t, path, text)
		archive(t, l, find(t, id, src))
	}
	e, _ := l.Session(id)
	versions := filepath.Join(e.Folder, "raw", "versions.jsonl")
	text, _ := os.ReadFile(versions)
	lines := strings.SplitAfter(string(text), "\n")
	os.WriteFile(versions, []byte(lines[0]+"{\"file\":\n"+lines[2]), 0o600)
	if _, err := again(t, l).Found(id); !errors.Is(err, ErrDamaged) {
		t.Errorf("current version lost: got %v, want ErrDamaged", err)
	}
	write(t, path, "three\n") // touched: read again
	if c := archive(t, l, find(t, id, src)); len(c.Problems) != 2 {
		t.Errorf("problems: got %v, want the two lines that are lost", c.Problems)
	}
	if got := content(t, l, id, "transcript.jsonl"); got != "three\n" {
		t.Errorf("taken again: got %q", got)
	}
}
