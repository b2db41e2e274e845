package payload

import (
	"testing"

	"pgregory.net/rapid"
)

func TestMintIsTheSameOnAnyMachine(t *testing.T) {
	items := []Item{
		{Kind: Decision, Text: "Use a min-heap.", Evidence: []Evidence{{Turn: "t1", Quote: "min-heap"}}},
		{Kind: Flag, Text: "The mock fails; expected."},
	}
	Mint("7f3c", items, map[ItemID]bool{})
	// Stored libraries hold these ids: a change here breaks them.
	for i, want := range []ItemID{"rttmix5puf", "58p2iguh3n"} {
		if items[i].ID != want {
			t.Errorf("item %d: got id %s, want %s", i, items[i].ID, want)
		}
	}
}

func TestMintNeverReuses(t *testing.T) {
	taken := map[ItemID]bool{}
	var seen []ItemID
	for range 5 {
		items := []Item{{Kind: Goal, Text: "same"}}
		Mint("s", items, taken)
		seen = append(seen, items[0].ID)
	}
	unique := map[ItemID]bool{}
	for _, id := range seen {
		if unique[id] {
			t.Errorf("id %s was given twice: %v", id, seen)
		}
		unique[id] = true
	}
}

func TestMintKeepsAnIDThatIsThere(t *testing.T) {
	items := []Item{{Kind: Goal, Text: "a"}}
	Mint("s", items, map[ItemID]bool{})
	id := items[0].ID
	// The new first item would get the id that the second one already has.
	items = []Item{{Kind: Goal, Text: "a"}, {ID: id, Kind: Goal, Text: "a"}}
	Mint("s", items, map[ItemID]bool{})
	if items[1].ID != id || items[0].ID == id {
		t.Errorf("got ids %s and %s, want another and %s", items[0].ID, items[1].ID, id)
	}
}

func TestIDsHaveTheirForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := []Item{{Kind: Decision, Text: rapid.String().Draw(t, "text")}}
		Mint(rapid.String().Draw(t, "session"), items, map[ItemID]bool{})
		if !IsID(string(items[0].ID)) {
			t.Fatalf("%q is not an id", items[0].ID)
		}
	})
	for _, bad := range []string{"", "k3v9t2m8q", "k3v9t2m8qab", "K3v9t2m8qa", "k3v9t2m8q0", "k3v9t2m8ql", "k3v9t2m8-a"} {
		if IsID(bad) {
			t.Errorf("IsID(%q): got true, want false", bad)
		}
	}
}

func TestProjectIn(t *testing.T) {
	for _, c := range [][3]string{
		{"what's left on git-sync (devenv)?", "git-sync (devenv)", "git-sync (devenv)"},
		{"did the tests pass on git-sync-devenv?", "git-sync (devenv)", "git-sync-devenv"},
		{"what did we decide in git-sync?", "git-sync (devenv)", "git-sync"},
		{"what did we decide in git-sync?", "Git-Sync", "git-sync"},
		{"what's left on git-sync (devenv)?", "git-sync", ""},
		{"what's left on git-sync (devenv)?", "git-sync (entire)", ""},
		{"what's left on git-sync now", "git-sync", "git-sync"},
		{"the git-syncer", "git-sync", ""},
		{"the my-git-sync", "git-sync (devenv)", ""},
		{"is it up", "it", ""},
	} {
		if got := ProjectIn(c[0], c[1]); got != c[2] {
			t.Errorf("%q names %s as %q, want %q", c[0], c[1], got, c[2])
		}
	}
}
