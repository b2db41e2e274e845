package library_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	. "recall/library"
	"recall/library/disk"
	"recall/library/merge"
	"recall/payload"
)

const otherID = "91ab2c3d-0000"

func linkLine(op payload.LinkOp, from, to string) payload.Link {
	return payload.Link{Op: op, Relation: payload.Supersedes, From: payload.ItemID(from), To: payload.ItemID(to),
		FromSession: otherID, ToSession: id,
		Maker: payload.ByRule, Rule: "back-on", Precision: 0.97, Collapses: true,
		At:           time.Date(2026, 4, 18, 9, 0, 0, 0, time.UTC),
		FromEvidence: &payload.Evidence{Turn: "t9", N: 9, Quote: "drop redis"},
		ToEvidence:   &payload.Evidence{Turn: "t4", N: 4, Quote: "redis then"}}
}

// linked is a library with two sessions and a link between them.
func linked(t *testing.T) (*Library, []payload.Link) {
	l := newLib(t)
	m := meta(t, l, "Cache")
	addSession(t, l, id, m)
	m.Title = "Cache again"
	addSession(t, l, otherID, m)
	want := []payload.Link{linkLine(payload.OpLink, "bbbbbbbbbb", "aaaaaaaaaa"),
		linkLine(payload.OpLink, "cccccccccc", "aaaaaaaaaa")}
	for i := range want {
		if err := l.AppendLinks(want[i : i+1]); err != nil {
			t.Fatal(err)
		}
	}
	return l, want
}

func wantLinks(t *testing.T, l *Library, want []payload.Link) {
	t.Helper()
	got, err := l.Links()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
}

func TestItemLinks(t *testing.T) {
	l, want := linked(t)
	wantLinks(t, again(t, l), want)
	before, err := l.LinksStamp()
	if err != nil {
		t.Fatal(err)
	}
	back := linkLine(payload.OpRetract, "cccccccccc", "aaaaaaaaaa")
	if err := l.AppendLinks([]payload.Link{back}); err != nil {
		t.Fatal(err)
	}
	wantLinks(t, l, append(want, back))
	if after, err := l.LinksStamp(); err != nil || after == before {
		t.Errorf("stamp after a new line: got %q as before (%v)", after, err)
	}
	away := linkLine(payload.OpLink, "dddddddddd", "aaaaaaaaaa")
	away.FromSession, away.ToSession = "nobody", "nothing"
	if err := l.AppendLinks([]payload.Link{away}); !errors.Is(err, ErrNoSession) {
		t.Errorf("link between unknown sessions: got %v, want ErrNoSession", err)
	}
}

// What earlier recalls kept in a project's folder counts, wherever its sessions are by now.
func TestItemLinksOfProjects(t *testing.T) {
	l, want := linked(t)
	e, err := l.Session(id)
	if err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(filepath.Dir(e.Folder), LinksName)
	if err := os.Rename(filepath.Join(l.Dir(), LinksName), old); err != nil {
		t.Fatal(err)
	}
	if err := l.RenameProject(e.Project, "invoicing"); err != nil {
		t.Fatal(err)
	}
	wantLinks(t, again(t, l), want)
	back := linkLine(payload.OpRetract, "cccccccccc", "aaaaaaaaaa")
	if err := l.AppendLinks([]payload.Link{back}); err != nil {
		t.Fatal(err)
	}
	wantLinks(t, again(t, l), append(want, back))
}

// What stands in such a file is earlier than what was said since, also where another library has it elsewhere;
// damage in it hides nothing else.
func TestEarlierLinksStayEarlier(t *testing.T) {
	l, want := linked(t)
	backup := filepath.Join(t.TempDir(), "backup")
	if _, err := merge.Backup(t.Context(), l, backup, nil); err != nil {
		t.Fatal(err)
	}
	e, err := l.Session(id)
	if err != nil {
		t.Fatal(err)
	}
	top, old := filepath.Join(l.Dir(), LinksName), filepath.Join(filepath.Dir(e.Folder), LinksName)
	sound, err := os.ReadFile(top)
	if err == nil {
		err = errors.Join(os.Remove(top), os.WriteFile(old, append(sound, "{\"op\":\"wish\"}\n"...), 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	back := linkLine(payload.OpRetract, "cccccccccc", "aaaaaaaaaa")
	if err := l.AppendLinks([]payload.Link{back}); err != nil {
		t.Fatal(err)
	}
	want = append(want, back)
	if got, err := l.Links(); !errors.Is(err, ErrDamaged) || !cmp.Equal(want, got) {
		t.Errorf("got %v, %v", got, err)
	}
	if err := os.WriteFile(old, sound, 0o600); err != nil {
		t.Fatal(err)
	}
	l = again(t, l)
	wantLinks(t, l, want)
	other, err := Open(backup)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := merge.Merge(t.Context(), l, other, merge.Options{}); err != nil {
		t.Fatal(err)
	}
	wantLinks(t, l, want)
}

// What can't be read is named with its line and costs no other line.
func TestDamagedItemLinks(t *testing.T) {
	l, want := linked(t)
	path := filepath.Join(l.Dir(), LinksName)
	if err := disk.AppendLines(path, []byte("{\"op\":\"wish\"}\n")); err != nil {
		t.Fatal(err)
	}
	got, err := l.Links()
	if !errors.Is(err, ErrDamaged) {
		t.Errorf("got %v, want ErrDamaged", err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
}
