package library_test

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	. "recall/library"
	"recall/library/disk"
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
	before := l.LinksStamp()
	back := linkLine(payload.OpRetract, "cccccccccc", "aaaaaaaaaa")
	if err := l.AppendLinks([]payload.Link{back}); err != nil {
		t.Fatal(err)
	}
	wantLinks(t, l, append(want, back))
	if after := l.LinksStamp(); after == before {
		t.Errorf("stamp after a new line: got %q as before", after)
	}
	away := linkLine(payload.OpLink, "dddddddddd", "aaaaaaaaaa")
	away.FromSession, away.ToSession = "nobody", "nothing"
	if err := l.AppendLinks([]payload.Link{away}); !errors.Is(err, ErrNoSession) {
		t.Errorf("link between unknown sessions: got %v, want ErrNoSession", err)
	}
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
