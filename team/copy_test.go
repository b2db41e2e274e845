package team

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"recall/payload"
)

// A copy has what a member may read, and no more: what changed is fetched, what is as it was isn't, and what they may
// no longer read goes.
func TestFetch(t *testing.T) {
	c := newCrew(t)
	ana := c.owner()
	bob := c.admit(ana, "bob")
	app := ana.project(t, "app")
	if err := ana.LetIn(t.Context(), app, bob.Member.ID); err != nil {
		t.Fatal(err)
	}
	m := &Membership{Address: "x", Member: bob.Member.ID, Device: bob.device}
	if err := m.Keep(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	real := func(s Session, ids ...payload.ItemID) Session {
		for i, id := range ids {
			s.Items[i].ID = id
		}
		return s
	}
	retry := real(said("s1", app, "Retry five times", "Use a heap"), "k3v9t2m8qa", "k3v9t2m8qb")
	c.put(ana, 1, retry)
	c.put(ana, 1, real(said("s2", app, "Use TOML"), "k3v9t2m8qc"))
	c.put(ana, 1, real(said("s3", ana.project(t, "secret"), "Buy the other company"), "k3v9t2m8qd"))
	c.put(bob, 1, real(said("s4", app, "Bob's own"), "k3v9t2m8qe"))
	fetch := func(want ...string) (names []string) {
		t.Helper()
		if err := m.Fetch(t.Context(), bob.Team); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, one := range copies(m) {
			for _, it := range one.Items {
				got = append(got, one.Author+": "+it.Item.Text)
			}
		}
		slices.Sort(got)
		for i := range want {
			want[i] = ana.Member.Name + ": " + want[i]
		}
		if !slices.Equal(got, want) {
			t.Errorf("Bob has %q, want %q", got, want)
		}
		names, err := m.copies()
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	names := fetch("Retry five times", "Use TOML", "Use a heap")
	for _, name := range names {
		info, err := os.Stat(m.Path(filepath.Join(copyDir, name)))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info, err)
		}
	}
	kept := m.Path(filepath.Join(copyDir, names[1]))
	broken := errors.Join(os.WriteFile(m.Path(filepath.Join(copyDir, names[0])), []byte("{"), 0o600),
		os.Chtimes(kept, noon, noon))
	retry.Items[0].Text, retry.Items[0].Evidence[0].Quote = "Retry never", "Retry never"
	c.put(ana, 2, retry)
	fetch("Retry never", "Use TOML", "Use a heap")
	if info, err := os.Stat(kept); broken != nil || err != nil || !info.ModTime().Equal(noon) {
		t.Errorf("what didn't change was fetched again: %v, %v, %v", info, err, broken)
	}
	if err := ana.Forget(t.Context(), ana.Member.ID, "s2"); err != nil {
		t.Fatal(err)
	}
	fetch("Retry never", "Use a heap")
	// A row with a date that no document can hold stops nobody's copy, and one that is left takes nothing more.
	retry.Start = time.Date(20000, 1, 1, 0, 0, 0, 0, time.UTC)
	c.put(ana, 3, retry)
	fetch("Retry never", "Use a heap")
	away := m.Path(membershipFile) + ".away"
	moved := os.Rename(m.Path(membershipFile), away)
	c.put(ana, 4, real(said("s5", app, "Use JSON"), "k3v9t2m8qf"))
	if err := m.Fetch(t.Context(), bob.Team); !errors.Is(err, ErrNoMembership) || len(copies(m)) != 1 {
		t.Errorf("left, Bob fetches %d sessions: %v, %v", len(copies(m)), err, moved)
	}
	if err := os.Rename(away, m.Path(membershipFile)); err != nil {
		t.Fatal(err)
	}
	if err := ana.LetOut(t.Context(), app, bob.Member.ID); err != nil {
		t.Fatal(err)
	}
	if left := fetch(); len(left) > 0 {
		t.Errorf("let out, Bob still has %q", left)
	}
}
