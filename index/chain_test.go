package index

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/payload"
)

// tides is a project that changed its provider twice, a session a month.
func tides() []Doc {
	var docs []Doc
	for i, text := range []string{
		"Tide data comes from Tidemark",
		"Tide data comes from Norrsken instead of Tidemark",
		"Tide data comes from Coastal instead of Norrsken",
		"Tide data comes from Harbour, a cheaper provider of tide data, tide data",
	} {
		at := day.AddDate(0, i, 0)
		id := string(rune('a' + i))
		docs = append(docs, Doc{Session: "s" + id, Project: "tidewise", Start: at, End: at,
			Items: []Item{{Item: payload.Item{ID: payload.ItemID(id), Kind: payload.Decision, Text: text, At: at,
				State:    payload.Stands,
				Evidence: []payload.Evidence{{Turn: "t1", N: 1, Quote: text}}}}},
			Turns: []Turn{{ID: "t1", N: 1, Role: "user", At: at, Text: strings.Repeat("tide data provider, ", i+1) + text}}})
	}
	return docs
}

func linkOf(from, to string, rel payload.Relation, sure bool) payload.Link {
	return payload.Link{Op: payload.OpLink, Relation: rel, From: payload.ItemID(from), To: payload.ItemID(to),
		FromSession: "s" + from, ToSession: "s" + to,
		Maker: payload.ByRule, Rule: "revokes", Collapses: sure, At: day.AddDate(0, int(from[0]-'a'), 0)}
}

// page shows an answer's items: what stands, < what it took the place of,
// ! what contradicts it, ~ what may bear on it.
func page(a Answer) string {
	var lines []string
	for _, h := range a.Items() {
		line := string(h.Item.ID)
		for _, part := range []struct {
			sign string
			list []Linked
		}{
			{"<", h.History}, {"!", h.Conflict}, {"~", h.Related},
		} {
			for _, l := range part.list {
				line += part.sign + string(l.Item.ID)
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, " ")
}

func TestChains(t *testing.T) {
	ctx := context.Background()
	sure := func(from, to string) payload.Link { return linkOf(from, to, payload.Supersedes, true) }
	unsure := func(from, to string) payload.Link { return linkOf(from, to, payload.Supersedes, false) }
	for _, c := range []struct {
		name   string
		links  []payload.Link
		change func([]Doc)
		q      Query
		want   string // of the chain of a, b, c; d stands apart where it isn't linked
	}{
		{name: "none", want: "a b c d"},
		{name: "one took another's place", links: []payload.Link{sure("b", "a")}, want: "b<a c d"},
		{name: "a chain", links: []payload.Link{sure("b", "a"), sure("c", "b")}, want: "c<b<a d"},
		{name: "a chain, as of before its end", links: []payload.Link{sure("b", "a"), sure("c", "b")},
			q: Query{AsOf: day.AddDate(0, 2, 0)}, want: "b<a"},
		{name: "as of the beginning", links: []payload.Link{sure("b", "a"), sure("c", "b")},
			q: Query{AsOf: day.AddDate(0, 1, 0)}, want: "a"},
		{name: "until is a filter, not a view back", links: []payload.Link{sure("b", "a")},
			q: Query{Until: day.AddDate(0, 1, 0)}, want: "b<a"},
		{name: "two successors are a conflict, shown as one", links: []payload.Link{sure("b", "a"), sure("c", "a")},
			want: "c<a!b d"},
		{name: "what its session began with is no conflict with its own words",
			links: []payload.Link{sure("b", "a"), sure("g", "a")}, change: func(docs []Doc) {
				goal := docs[1].Items[0]
				goal.ID, goal.Kind = "g", payload.Goal
				docs[1].Items = append(docs[1].Items, goal)
			}, want: "b<a c d"},
		{name: "a conflict that a person settles", links: []payload.Link{sure("b", "a"), sure("c", "a"),
			{Op: payload.OpLink, Relation: payload.Supersedes, From: "b", To: "c", Maker: payload.ByHuman}}, want: "b<c<a d"},
		{name: "not sure: both, the newer first", links: []payload.Link{unsure("d", "a")}, want: "b c d~a a~d"},
		{name: "contradicts: the newer first", links: []payload.Link{linkOf("d", "a", payload.Contradicts, true)},
			want: "b c d!a a!d"},
		{name: "a refinement hides nothing", links: []payload.Link{linkOf("b", "a", payload.Refines, true)},
			want: "a~b b~a c d"},
		{name: "a dropped successor", links: []payload.Link{sure("b", "a"), sure("c", "b")},
			change: func(docs []Doc) { docs[2].Items = nil }, want: "b<a d"},
		{name: "a successor that was taken back", links: []payload.Link{sure("b", "a")},
			change: func(docs []Doc) { docs[1].Items[0].State = payload.Revoked }, want: "a b c d"},
		{name: "a circle", links: []payload.Link{sure("b", "a"), {Op: payload.OpLink, Relation: payload.Supersedes,
			From: "a", To: "b", Maker: payload.ByRule, Collapses: true}}, want: "b<a c d"},
		{name: "of another kind than asked for", links: []payload.Link{unsure("b", "a")},
			change: func(docs []Doc) { docs[1].Items[0].Kind = payload.Eliminated },
			q:      Query{Kinds: []payload.Kind{payload.Decision}}, want: "a~b c d"},
	} {
		docs := tides()
		if c.change != nil {
			c.change(docs)
		}
		x := openWith(t, docs...)
		if err := x.PutLinks(ctx, c.links, "now", nil, nil); err != nil {
			t.Fatal(err)
		}
		q := c.q
		q.Text = "where does the tide data come from"
		got := strings.Fields(page(search(t, x, q)))
		want := strings.Fields(c.want)
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.name, diff)
		}
	}
}

// Of what may have superseded an item, a decision comes before what only rules the item out.
func TestChoiceBeforeWhatItRulesOut(t *testing.T) {
	for _, out := range []string{"b", "c"} { // whichever is linked first
		docs := tides()[:3]
		for i := range docs {
			docs[i].Turns = nil
		}
		docs[1].Items[0].Text, docs[2].Items[0].Text = "Constants are by Norrsken", "Constants are by Norrsken"
		docs[out[0]-'a'].Items[0].Kind = payload.Eliminated
		docs[1].Items, docs = append(docs[1].Items, docs[2].Items...), docs[:2] // said in one session
		x := openWith(t, docs...)
		links := []payload.Link{linkOf("b", "a", payload.Supersedes, false), linkOf("c", "a", payload.Supersedes, false)}
		if err := x.PutLinks(t.Context(), links, "now", nil, nil); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, h := range search(t, x, Query{Text: "where does the tide data come from"}).Items() {
			got = append(got, string(h.Item.ID))
		}
		want := map[string][]string{"b": {"c", "b", "a"}, "c": {"b", "c", "a"}}[out]
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s is ruled out (-want +got)\n%s", out, diff)
		}
	}
}

// However long a chain is, or however dense a web of such links, what stands is found, and not
// all of it is read.
func TestLongChains(t *testing.T) {
	const n = 250
	var docs []Doc
	for i := range n {
		at := day.Add(time.Duration(i) * time.Hour)
		text := fmt.Sprintf("Tide data comes from mirror %d", i)
		docs = append(docs, Doc{Session: fmt.Sprintf("s%d", i), Project: "tidewise", Start: at, End: at,
			Items: []Item{{Item: payload.Item{ID: payload.ItemID(fmt.Sprintf("i%d", i)), Kind: payload.Decision,
				Text: text, At: at, State: payload.Stands,
				Evidence: []payload.Evidence{{Turn: "t1", N: 1, Quote: text}}}}}})
	}
	for _, back := range []int{1, 4, 40} { // how many earlier ones each takes the place of
		x := openWith(t, docs...)
		var links []payload.Link
		for i := range n {
			for j := max(0, i-back); j < i; j++ {
				links = append(links, payload.Link{Op: payload.OpLink, Relation: payload.Supersedes, Maker: payload.ByRule,
					From: docs[i].Items[0].ID, To: docs[j].Items[0].ID, FromSession: docs[i].Session, ToSession: docs[j].Session,
					Collapses: true, At: docs[i].Start})
			}
		}
		if err := x.PutLinks(context.Background(), links, "now", nil, nil); err != nil {
			t.Fatal(err)
		}
		got := search(t, x, Query{Text: "where does the tide data come from"}).Items()
		if len(got) != 1 || got[0].Item.ID != docs[n-1].Items[0].ID || len(got[0].Conflict) > 0 {
			t.Errorf("back %d: %d results, the first %s with %d conflicts", back, len(got), got[0].Item.ID, len(got[0].Conflict))
		} else if past := len(got[0].History); back > 1 && past > 3*maxLinked {
			t.Errorf("back %d: history of %d", back, past)
		}
	}
}

// What is known to be stale is never first, neither as an item nor as the turn
// that it was taken from; what may be stale comes behind what may have made it so.
func TestStaleIsNeverFirst(t *testing.T) {
	ctx := context.Background()
	docs := tides()
	x := openWith(t, docs...)
	ask := func() []string {
		return ids(search(t, x, Query{Text: "Tide data comes from Harbour, a cheaper provider?"}))
	}
	if got := ask()[0]; got != "d" {
		t.Fatalf("without links: got %s first, want d", got)
	}
	late := docs[0]
	late.Session, late.Items = "sz", slices.Clone(late.Items)
	late.Items[0].ID, late.Items[0].Text, late.Items[0].At = "z", "Use the almanac", day.AddDate(0, 9, 0)
	late.Turns = nil
	if err := x.Put(ctx, late); err != nil {
		t.Fatal(err)
	}
	for _, sure := range []bool{true, false} {
		l := linkOf("z", "d", payload.Supersedes, sure)
		l.At = day.AddDate(0, 9, 0)
		if err := x.PutLinks(ctx, []payload.Link{l}, "now", nil, nil); err != nil {
			t.Fatal(err)
		}
		got := ask()
		if got[0] != "z" || slices.Index(got, "sd/t1") == 0 {
			t.Errorf("sure %v: got %v, want z first", sure, got)
		}
		if sure == slices.Contains(got, "d") {
			t.Errorf("sure %v: got %v, want d in it only if it isn't", sure, got)
		}
	}
}

func TestDueAndPutLinks(t *testing.T) {
	ctx := context.Background()
	x := openWith(t, tides()...)
	sessions, made, err := x.Due(ctx)
	if err != nil || made != "" {
		t.Fatalf("made %q, %v", made, err)
	}
	if diff := cmp.Diff([]string{"sa", "sb", "sc", "sd"}, sessions); diff != "" {
		t.Errorf("due (-want +got)\n%s", diff)
	}
	links := []payload.Link{linkOf("b", "a", payload.Supersedes, true), linkOf("c", "b", payload.Refines, false)}
	for i, want := range [][]payload.Link{links, links[1:], nil, links} {
		if err := x.PutLinks(ctx, want, fmt.Sprint("made\n", i), sessions, nil); err != nil {
			t.Fatal(err)
		}
		got, err := x.LinksOf(ctx, "a", "b", "c", "d")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("links %d (-want +got)\n%s", i, diff)
		}
	}
	if sessions, made, _ = x.Due(ctx); len(sessions) != 0 || made != "made\n3" {
		t.Errorf("after: due %v, made %q", sessions, made)
	}
	if err := x.Delete(ctx, "sb"); err != nil {
		t.Fatal(err)
	}
	if left, err := x.LinksOf(ctx, "a", "b", "c", "d"); err != nil || len(left) != 0 {
		t.Errorf("after its session was deleted: %v, %v", left, err)
	}
	if _, made, _ = x.Due(ctx); made != "made\n" {
		t.Errorf("after a session was deleted, made %q", made)
	}
	p, err := x.ItemByID(ctx, "c")
	if err != nil || p.Session != "sc" || p.Turn != 1 || p.SessionN != 2 {
		t.Errorf("item c: %+v, %v", p, err)
	}
	for _, id := range []payload.ItemID{"nothing", "", "%"} {
		if _, err := x.ItemByID(ctx, id); !errors.Is(err, ErrNoItem) {
			t.Errorf("item %q: got %v, want ErrNoItem", id, err)
		}
	}
	in, err := x.ItemsIn(ctx, "tidewise", payload.Decision, "nonsense'")
	if err != nil || len(in) != 3 || in[0].Item.ID != "a" || !in[2].Item.At.Equal(day.AddDate(0, 3, 0).In(time.UTC)) {
		t.Errorf("items: %v, %v", in, err)
	}
}
