package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// No link in a library is followed, and nothing but plain files is opened.
func TestOnlyPlainFiles(t *testing.T) {
	outcomes := map[string]string{}
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
		outcomes[what] = kind
	}
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	written := func(path string) error {
		f, err := OpenPlain(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err == nil {
			_, err = f.WriteString("text")
			f.Close()
		}
		return err
	}
	said("make a folder", MakeDir(in("a")))
	said("make it again", MakeDir(in("a")))
	said("make one below", MakeDir(in("a/b")))
	said("write a new file", written(in("a/b/c")))
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
		said("write "+name, written(in(name)))
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
		t.Errorf("what lies outside is %q: %v", text, err)
	}
	if text, err := ReadPlain(in("f")); err != nil || string(text) != "text" {
		t.Errorf("what was moved is %q: %v", text, err)
	}
	for what, want := range map[string]string{"read out/c": "not plain", "write out/c": "not plain",
		"read within/b/c": "done", "read a/b/l": "not plain", "read pipe": "not plain", "read a/b": "not plain", "read none": "not there",
		"move out": "not plain", "move in": "not plain", "make one that is there": "there",
		"move a folder over an empty one": "there", "remove a link": "done"} {
		if outcomes[what] != want {
			t.Errorf("%s: %s, want %s", what, outcomes[what], want)
		}
	}
}

func errOf(_ []byte, err error) error { return err }
