package index

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/payload"
)

// A project's name in a question brings its results up and leaves the others'
// there; as a part of a word, or where it is a common one, it is no name.
func TestProjectNamedInQuestion(t *testing.T) {
	docs := billing()
	docs[1].Project = "night-owl"
	x := openWith(t, docs...)
	for _, c := range []struct {
		q    string
		want []string
	}{
		{"how do workers avoid duplicate jobs in night-owl?", []string{"night-owl"}},
		{"what did Night-Owl decide about retries", []string{"night-owl"}},
		{"billing and night-owl: backoff?", []string{"billing", "night-owl"}},
		{"a night-owlish backoff", nil},
		{"backoff of the owl by night", nil},
	} {
		r := reading(t, x, Query{Text: c.q})
		if err := r.measure(t.Context(), &Answer{}); err != nil {
			t.Fatal(err)
		}
		ts := terms(c.q)
		if err := r.weigh(t.Context(), ts); err != nil {
			t.Fatal(err)
		}
		got, err := r.named(t.Context(), ts)
		if err != nil {
			t.Fatal(err)
		}
		if len(got)+len(c.want) > 0 && !cmp.Equal(got, c.want) {
			t.Errorf("%q: got projects %v, want %v", c.q, got, c.want)
		}
	}
	first := func(q string) string { return search(t, x, Query{Text: q}).Items()[0].Project }
	if got := first("queue of the workers?"); got != "billing" {
		t.Errorf("without a name: %s first, want billing; the test shows nothing", got)
	}
	a := search(t, x, Query{Text: "queue of the workers in night-owl?"})
	if got := a.Items()[0].Project; got != "night-owl" || len(a.Missing) > 0 {
		t.Errorf("with its name: %s first and %q missing, want night-owl and nothing", got, a.Missing)
	}
	if len(a.Items()) < 2 {
		t.Error("the other project's items are gone")
	}
}

// Of two projects that say the same, the one comes first that the question is
// asked from, unless it names the other.
func TestAskedFromAProject(t *testing.T) {
	docs := billing()
	other := billing()
	for i := range other {
		other[i].Session += "-owl"
		other[i].Project = "night-owl"
		for k := range other[i].Items {
			other[i].Items[k].ID += "owl"
		}
	}
	x := openWith(t, append(docs, other...)...)
	for _, c := range []struct{ q, here, want string }{
		{"queue of the workers?", "night-owl", "night-owl"},
		{"queue of the workers?", "billing", "billing"},
		{"queue of the workers in night-owl?", "billing", "night-owl"},
		{"queue of the workers?", "", "billing"},
	} {
		a := search(t, x, Query{Text: c.q, Here: c.here})
		if got := a.Items()[0].Project; got != c.want {
			t.Errorf("%q asked from %q: %s first, want %s", c.q, c.here, got, c.want)
		}
		var others bool
		for _, h := range a.Items() {
			others = others || h.Project != c.want
		}
		if !others {
			t.Errorf("%q asked from %q: nothing of the other project", c.q, c.here)
		}
	}
}

// A project's name says where to look: an item that holds the name says no more of the question.
func TestNameIsNoWordToFind(t *testing.T) {
	of := func(project string, texts ...string) Doc {
		d := Doc{Session: project, Project: project, Start: day, End: day}
		for i, text := range texts {
			d.Items = append(d.Items, Item{Item: payload.Item{ID: payload.ItemID(fmt.Sprintf("%s%06d", project[:4], i)),
				Kind: payload.Decision, Text: text, At: day}})
		}
		return d
	}
	x := openWith(t, of("kiln", "Kiln has a rig",
		"The import stopped, as one column of the table had another name than before"),
		of("heron", "The import stops at noon", "Import the list of birds", "No import of pictures",
			"Stop the import by hand", "The export stops at night", "The import has a bar"))
	a := search(t, x, Query{Text: "why did the import stop in kiln?"})
	if got := itemsOf(a); len(got) == 0 || got[0] != "kiln000001" {
		t.Errorf("got %v, want kiln000001 first", got)
	}
	if got := itemsOf(search(t, x, Query{Text: "rig in kiln"})); len(got) == 0 || got[0] != "kiln000000" {
		t.Errorf("got %v, want kiln000000 first", got)
	}
}
