package library_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"recall/ingest"
	. "recall/library"
	"recall/library/disk"
)

var errSwapped = errors.New("the folder was swapped")

// At each change of the disk the folder that it is in is swapped for a link to a
// folder of somebody's, in which a file of that name lies: nothing there is changed,
// added or removed, however late the link came.
func TestSwappedForALinkMeanwhile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights there")
	}
	s := newStory(t)
	from, each := some(t)
	struck := 0
	for n := from; ; n += each {
		dir, victim, aside := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "aside")
		l, err := Create(dir)
		if err != nil {
			t.Fatal(err)
		}
		at := 0
		disk.Through(l.Dir(), func(op disk.Op, do func() error) error {
			if at++; at > n {
				return errSwapped // what comes after it is of no interest
			}
			path := op.Path
			if op.To != "" {
				path = op.To
			}
			name, err := filepath.Rel(l.Dir(), path)
			top, rest, deep := strings.Cut(filepath.ToSlash(name), "/")
			if at < n || err != nil || !filepath.IsLocal(name) || !deep {
				return do()
			}
			folder, mine := filepath.Join(l.Dir(), top), filepath.Join(victim, rest)
			if err := errors.Join(os.MkdirAll(filepath.Dir(mine), 0o700), os.WriteFile(mine, []byte("mine"), 0o600),
				os.Rename(folder, aside), os.Symlink(victim, folder)); err != nil {
				t.Fatal(err)
			}
			before := treeText(t, victim)
			err = do()
			if after := treeText(t, victim); after != before {
				t.Errorf("change %d, %s %s: what the link leads to was\n%sand is\n%s", n, op.Kind, name, before, after)
			}
			struck++
			if err := errors.Join(os.Remove(folder), os.Rename(aside, folder)); err != nil {
				t.Fatal(err)
			}
			return errors.Join(err, errSwapped)
		})
		s.tell(l, nil)
		disk.Through(l.Dir(), nil)
		l.Close()
		if at < n {
			break
		}
	}
	if struck == 0 {
		t.Error("no folder was swapped: this shows nothing")
	}
	t.Logf("%d folders swapped for links", struck)
}

// treeText is what lies below a folder, with the contents.
func treeText(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		b.WriteString(name)
		if d.Type().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			b.WriteString(" " + string(text))
		}
		b.WriteString("\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A lock whose file is a link makes nothing where that leads.
func TestLockIsNoLink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights there")
	}
	l, err := Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	locks, victim := filepath.Join(l.Dir(), ".locks"), t.TempDir()
	if err := errors.Join(os.RemoveAll(locks), os.MkdirAll(locks, 0o700)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"folders", "links", "ask", SessionLock(ingest.SessionID(id))} {
		if err := os.Symlink(filepath.Join(victim, name), filepath.Join(locks, name+".lock")); err != nil {
			t.Fatal(err)
		}
		if unlock, err := Acquire(l, name, time.Second); !errors.Is(err, disk.ErrNotPlain) {
			t.Errorf("%s: %v, want ErrNotPlain", name, err)
			if err == nil {
				unlock()
			}
		}
	}
	l.Close()
	if made := treeText(t, victim); made != ".\n" {
		t.Errorf("made where the links lead:\n%s", made)
	}
}
