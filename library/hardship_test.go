package library_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	. "recall/library"
	"recall/library/disk"
)

// A file system that refuses to sync keeps what is written all the same. One that
// fails to is a fault.
func TestSyncRefused(t *testing.T) {
	for _, c := range []struct {
		err  error
		want bool
	}{{syscall.EINVAL, true}, {syscall.ENOTSUP, true}, {syscall.EIO, false}} {
		s, l := newStory(t), newLib(t)
		disk.Through(l.Dir(), func(op disk.Op, do func() error) error {
			if op.Kind == disk.OpSync || op.Kind == disk.OpSyncDir {
				return &fs.PathError{Op: "sync", Path: op.Path, Err: c.err}
			}
			return do()
		})
		var failed error
		s.tell(l, func(_ int, err error) { failed = errors.Join(failed, err) })
		disk.Through(l.Dir(), nil)
		if c.want && failed != nil || !c.want && !errors.Is(failed, syscall.EIO) {
			t.Errorf("%v: %v", c.err, failed)
		}
		if v := verify(t, again(t, l)); c.want && len(v.Findings) > 0 {
			t.Errorf("%v: %s", c.err, said(v))
		}
	}
}

// What was written under a clock that was ahead, before it was set back, is
// found, grows and is listed like anything else.
func TestClockBackwards(t *testing.T) {
	l, cache := newLib(t), t.TempDir()
	dir := filepath.Join(t.TempDir(), id)
	write(t, filepath.Join(dir, "transcript.jsonl"), "one\n")
	archive(t, l, find(t, id, dir))
	addSession(t, l, "8f3c1a2b-0000-4000-8000-000000000002", meta(t, l, "T"))
	l.KeepListIn(cache)
	if _, err := l.Sessions(); err != nil {
		t.Fatal(err)
	}
	l.Close()
	ahead := time.Now().Add(48 * time.Hour)
	for _, root := range []string{l.Dir(), cache, dir} {
		for _, path := range files(t, root) {
			if err := os.Chtimes(path, ahead, ahead); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range 3 {
		l = again(t, l)
		l.KeepListIn(cache)
		tick = tick.Add(-time.Hour) // and the source's too
		if err := os.WriteFile(filepath.Join(dir, "transcript.jsonl"), []byte(strings.Repeat("one\n", i+2)),
			0o600); err != nil {
			t.Fatal(err)
		}
		os.Chtimes(filepath.Join(dir, "transcript.jsonl"), tick, tick)
		if c := archive(t, l, find(t, id, dir)); len(c.Grown) != 1 {
			t.Errorf("growth under an earlier time: %+v", c)
		}
		all, err := l.Sessions()
		if err != nil || len(all) != 2 {
			t.Errorf("%d sessions, %v", len(all), err)
		}
		if err := l.Settle(); err != nil {
			t.Error(err)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	l = again(t, l)
	l.KeepListIn(cache)
	if got := content(t, l, id, "transcript.jsonl"); got != strings.Repeat("one\n", 4) {
		t.Errorf("got %q", got)
	}
	if v := verify(t, l); len(v.Findings) > 0 {
		t.Error(said(v))
	}
}

// A lock goes with the process that held it, however it ended.
func TestLockOfTheDead(t *testing.T) {
	if dir, ok := os.LookupEnv("RECALL_TEST_LOCK"); ok {
		l, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{SessionLock(id), "folders"} {
			if _, err := Acquire(l, name, time.Second); err != nil {
				t.Fatal(err)
			}
		}
		fmt.Println("locked")
		time.Sleep(time.Minute)
		return
	}
	l := newLib(t)
	addSession(t, l, id, meta(t, l, "T"))
	cmd := exec.Command(os.Args[0], "-test.run=^TestLockOfTheDead$")
	cmd.Env = append(os.Environ(), "RECALL_TEST_LOCK="+l.Dir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "locked\n" {
		t.Fatal(line, err)
	}
	hook := again(t, l)
	hook.LockWait(20 * time.Millisecond)
	if err := hook.SavePayload(id, derived("one\n")); !errors.Is(err, ErrBusy) {
		t.Errorf("while it lives: got %v, want ErrBusy", err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	if err := hook.SavePayload(id, derived("one\n")); err != nil {
		t.Errorf("when it is dead: %v", err)
	}
	hook.Close()
}

// A source that shrinks, or goes, between being found and being read is taken
// as it is then, and costs nothing that is archived.
func TestSourceChangesAfterItWasFound(t *testing.T) {
	l := newLib(t)
	dir := filepath.Join(t.TempDir(), id)
	main := filepath.Join(dir, "transcript.jsonl")
	write(t, main, "one\ntwo\n")
	archive(t, l, find(t, id, dir))
	write(t, main, "one\ntwo\nthree\nfour\n")
	found := find(t, id, dir)
	write(t, main, "one\n")
	if c := archive(t, l, found); len(c.Shrunk) != 1 {
		t.Errorf("shortened: %+v", c)
	}
	if c := archive(t, l, find(t, id, dir)); !c.Unchanged {
		t.Errorf("the next look: %+v", c)
	}
	found = find(t, id, dir)
	os.Remove(main)
	if c, err := l.Archive(context.Background(), found); err != nil || len(c.Problems) > 1 {
		t.Errorf("gone: %+v, %v", c, err)
	}
	got := contents(t, l, id)
	if got["transcript.jsonl 1"] != "one\ntwo\n" || got["transcript.jsonl 2"] != "one\n" {
		t.Errorf("got %q", got)
	}
	if v := verify(t, l); len(v.Findings) > 0 {
		t.Error(said(v))
	}
}

// Folders of the library that can't be written, or read, are errors that name
// them; nothing else is touched, and with the permission back all goes on.
func TestPermissionDenied(t *testing.T) {
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		t.Skip("permissions don't hold here")
	}
	l := newLib(t)
	dir := filepath.Join(t.TempDir(), id)
	write(t, filepath.Join(dir, "transcript.jsonl"), "one\n")
	archive(t, l, find(t, id, dir))
	raw := rawOf(t, l)
	if err := os.Chmod(raw, 0o500); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "transcript.jsonl"), "one\ntwo\n")
	if _, err := l.Archive(context.Background(), find(t, id, dir)); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
	if v := verify(t, again(t, l)); v.Damage() > 0 {
		t.Error(said(v))
	}
	os.Chmod(raw, 0o700)
	if c := archive(t, again(t, l), find(t, id, dir)); len(c.Grown) != 1 {
		t.Errorf("with the permission back: %+v", c)
	}
}

// Where another folder takes the place of the library's, as a copy that is brought back does, whoever
// had it open goes on in that one: what is new isn't lost, nor written into the folder that went.
func TestFolderReplaced(t *testing.T) {
	l, src := newLib(t), t.TempDir()
	take := func(id string) error {
		write(t, filepath.Join(src, id, "transcript.jsonl"), "{}\n")
		_, err := l.Archive(t.Context(), find(t, id, filepath.Join(src, id)))
		return err
	}
	const first, second, third = "00000001-aaaa", "00000002-aaaa", "00000003-aaaa"
	if err := take(first); err != nil {
		t.Fatal(err)
	}
	old := l.Dir() + " before"
	if err := os.Rename(l.Dir(), old); err != nil {
		t.Skip(err) // Windows moves no folder in which a lock is held
	}
	if err := take(second); err == nil || disk.Exists(l.Dir()) {
		t.Error("archived though the library's folder was gone")
	}
	if err := os.CopyFS(l.Dir(), os.DirFS(old)); err != nil {
		t.Fatal(err)
	}
	for _, own := range []string{".tmp", ".locks"} {
		os.RemoveAll(filepath.Join(l.Dir(), own))
	}
	for _, id := range []string{second, third} {
		if err := take(id); err != nil {
			t.Error(err)
		}
	}
	for dir, want := range map[string]int{l.Dir(): 3, old: 1} {
		o, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer o.Close()
		if all, err := o.Sessions(); err != nil || len(all) != want {
			t.Errorf("%s: got %d sessions, %v, want %d", dir, len(all), err, want)
		}
	}
}
