package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// With openat2 and without it, as on an older kernel or in a sandbox that refuses it, the same is done and refused.
func TestWithoutOpenat2(t *testing.T) {
	defer noOpenat2.Store(noOpenat2.Load())
	var outcomes [2][]string
	for i, without := range []bool{false, true} {
		noOpenat2.Store(without)
		dir, outside := t.TempDir(), t.TempDir()
		Guard(dir)
		said := func(what string, err error) {
			kind := "done"
			for name, of := range map[string]error{"not plain": ErrNotPlain, "not there": fs.ErrNotExist,
				"there": fs.ErrExist} {
				if errors.Is(err, of) {
					kind = name
				}
			}
			if kind == "done" && err != nil {
				kind = "refused"
			}
			outcomes[i] = append(outcomes[i], what+": "+kind)
		}
		in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
		said("make a folder", MakeDir(in("a")))
		said("make it again", MakeDir(in("a")))
		said("make one below", MakeDir(in("a/b")))
		said("write a new file", WritePlain(in("a/b/c"), []byte("text")))
		said("read none", errOf(ReadPlain(in("a/b/none"))))
		said("read in no folder", errOf(ReadPlain(in("none/c"))))
		_, err := OpenPlain(in("a/b/c"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		said("make one that is there", err)
		if err := errors.Join(os.WriteFile(filepath.Join(outside, "c"), []byte("theirs"), 0o600),
			os.Symlink(outside, in("out")), os.Symlink("a", in("within")), os.Symlink("c", in("a/b/l")),
			unix.Mkfifo(in("pipe"), 0o600)); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"out/c", "within/b/c", "a/b/l", "pipe", "a/b"} {
			said("read "+name, errOf(ReadPlain(in(name))))
			said("write "+name, WritePlain(in(name), []byte("text")))
		}
		said("move out", Rename(in("a/b/c"), in("out/d")))
		said("move in", Rename(in("out/c"), in("d")))
		said("make a folder out there", MakeDir(in("out/e")))
		said("remove out there", Unlink(in("out/c")))
		said("move", Rename(in("a/b/c"), in("f")))
		said("move none", Rename(in("a/b/c"), in("f")))
		said("make two", errors.Join(MakeDir(in("one")), MakeDir(in("two"))))
		said("move a folder over an empty one", Rename(in("one"), in("two")))
		said("move a folder", Rename(in("one"), in("three")))
		said("remove a link", Unlink(in("out")))
		said("remove a folder with something in it", Unlink(in("a")))
		said("remove none", Unlink(in("none")))
		if text, err := os.ReadFile(filepath.Join(outside, "c")); err != nil || string(text) != "theirs" {
			t.Errorf("without openat2 %v: what lies outside is %q: %v", without, text, err)
		}
		if text, err := ReadPlain(in("f")); err != nil || string(text) != "text" {
			t.Errorf("without openat2 %v: what was moved is %q: %v", without, text, err)
		}
	}
	for k, with := range outcomes[0] {
		if without := outcomes[1][k]; with != without {
			t.Errorf("with openat2 %s; without %s", with, without)
		}
		t.Log(with)
	}
	for _, want := range []string{"read out/c: not plain", "read a/b/l: not plain", "read pipe: not plain",
		"read none: not there", "make one that is there: there", "move a folder over an empty one: there"} {
		found := false
		for _, got := range outcomes[0] {
			found = found || got == want
		}
		if !found {
			t.Errorf("not so: %s", want)
		}
	}
}

func errOf(_ []byte, err error) error { return err }

// No more is opened for a file deep in a library than for one at its top.
func TestOpensInOneCall(t *testing.T) {
	dir := t.TempDir()
	Guard(dir)
	deep := filepath.Join(dir, "a", "b", "c")
	if err := os.MkdirAll(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(deep, "file")
	if err := WritePlain(path, []byte("text")); err != nil {
		t.Fatal(err)
	}
	if fd, err := noLinks(dir, os.O_RDONLY, 0); err != nil {
		t.Skip("this kernel has no openat2, or refuses it: ", err)
	} else {
		unix.Close(fd)
	}
	f, done, err := openQuick(path, os.O_RDONLY, 0)
	if err != nil || !done {
		t.Fatalf("it was left to os.Root: %v", err)
	}
	f.Close()
}
