package team

import (
	"slices"
	"testing"

	"recall/index"
	"recall/payload"
)

// What two people decided and that contradicts is told with each answer, and gone with either of both.
func TestTie(t *testing.T) {
	c := newCrew(t)
	ana := c.owner()
	bob := c.admit(ana, "bob")
	app := bob.project(t, "app")
	if err := bob.LetIn(t.Context(), app, ana.Member.ID); err != nil {
		t.Fatal(err)
	}
	later := said("s2", app, "We decided to use Memcached instead of Redis for the cache.")
	later.Start = noon.AddDate(0, 0, 3)
	later.Items[0].At = later.Start
	c.put(bob, 1, said("s1", app, "We decided to use Redis for the cache.", "The retry limit is five."))
	c.put(ana, 1, later)
	c.put(bob, 1, said("s3", bob.project(t, "fork"), "We decided to use Redis for the cache.")) // of another project
	bears := func(alone bool, item payload.ItemID) (out []string) {
		t.Helper()
		found, err := ana.Candidates(t.Context(), index.Query{Text: "redis cache retry limit"})
		if err != nil {
			t.Fatal(err)
		}
		got := found.Asked.Rank(*found)
		if alone {
			got.Ranked = slices.DeleteFunc(got.Ranked, func(r *index.Result) bool { return r.Item.ID != item })
		}
		Tie(got.Ranked, found.Items)
		for _, r := range got.Ranked {
			for _, l := range append(r.Related, r.Conflict...) {
				if r.Item.ID == item {
					out = append(out, string(l.Relation)+" "+string(l.Item.ID)+" of "+l.Author)
				}
			}
		}
		return out
	}
	want := "supersedes s2000 of " + ana.Member.Name
	for _, alone := range []bool{false, true} { // whether the other is a result too or not
		if got := bears(alone, "s1000"); len(got) != 1 || got[0] != want {
			t.Errorf("alone %v, Ana reads %q, want %q", alone, got, want)
		}
	}
	if got := bears(false, "s1001"); len(got) != 0 {
		t.Errorf("what neither is about: %q", got)
	}
	c.put(ana, 2, said("s2", app))
	if got := bears(false, "s1000"); len(got) != 0 {
		t.Errorf("after Ana took hers back: %q", got)
	}
}
