package index

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"recall/payload"
)

// What was left out is said whatever was archived: sessions, their items, and the projects that have no others.
func TestArchivedLeftOut(t *testing.T) {
	x := openWith(t, billing()...)
	all := search(t, x, Query{Text: "retries"})
	for _, d := range billing() {
		if err := x.SetArchived(t.Context(), d.Session, true); err != nil {
			t.Fatal(err)
		}
	}
	a := search(t, x, Query{Text: "retries"})
	got := []int{a.SearchedSessions, a.SearchedItems, a.Projects, a.Archived, len(a.Ranked)}
	if want := []int{0, 0, 0, all.SearchedSessions, 0}; !slices.Equal(got, want) {
		t.Errorf("sessions, items, projects, archived, results: got %v, want %v", got, want)
	}
}

// A project all of whose many sessions were archived costs a search no more than reading them once.
func TestArchivedMany(t *testing.T) {
	x := openWith(t, billing()...)
	if _, err := x.db.Exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<20000)
		INSERT INTO session SELECT 1000+i, 'old'||i, 'old', '', '', '', '', i, i, 1, x'', 1 FROM n`); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	a, err := x.Search(ctx, Query{Text: "retries"})
	if err != nil || a.Archived != 20000 {
		t.Errorf("%d archived left out, want 20000, %v", a.Archived, err)
	}
}

// What was said in an archived session stands in no answer by the side of another, neither before nor after it. What
// surely took another's place holds.
func TestArchivedBeside(t *testing.T) {
	x := openWith(t, tides()...)
	links := []payload.Link{linkOf("b", "a", payload.Supersedes, true), linkOf("b", "c", payload.Refines, false),
		linkOf("d", "b", payload.Supersedes, false)}
	if err := x.PutLinks(t.Context(), links, "", nil, nil); err != nil {
		t.Fatal(err)
	}
	q := Query{Text: "tide data Norrsken instead of Tidemark"}
	for _, c := range []struct{ archived, want string }{
		{"", "b<a~c~d"}, {"sc", "b<a~d"}, {"sd", "b<a"}, {"sa", "b<a"}} {
		if err := x.SetArchived(t.Context(), cmp.Or(c.archived, "none"), true); err != nil {
			t.Fatal(err)
		}
		got := page(search(t, x, q))
		if !slices.Contains(strings.Fields(got), c.want) {
			t.Errorf("%q archived: got %s, want %s in it", c.archived, got, c.want)
		}
	}
}
