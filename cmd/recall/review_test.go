package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/config"
	reviewing "recall/cmd/recall/review"
	"recall/cmd/recall/terminal"
	"recall/library"
	"recall/payload"
	"recall/pipeline/review"
)

// A person goes through one session: each answer is kept, nothing is asked
// twice, and the page shows what they said.
func TestReviewWalk(t *testing.T) {
	dir, _ := demoLibrary(t)
	l, err := library.Open(dir)
	must(t, err)
	defer l.Close()
	walk := func(answers string) string {
		t.Helper()
		var out bytes.Buffer
		a := &app.App{Console: terminal.Console{In: strings.NewReader(answers), Out: &out, Err: &out}}
		defer a.Close()
		cmd := &cobra.Command{}
		cmd.SetContext(t.Context())
		cmd.Flags().String("library", dir, "")
		config.SetsKey(cmd.Flags(), "library", "library.dir")
		must(t, cmd.Flags().Set("library", dir))
		a.Flags = cmd.Flags()
		l, err := a.Library(cmd.Context())
		must(t, err)
		e, err := l.Lookup("Retry storm")
		if err != nil {
			if e, err = l.Lookup("b1047"); err != nil {
				t.Fatal(err)
			}
		}
		w, err := review.ReadOne(t.Context(), l, nil, e)
		must(t, err)
		r := reviewing.NewReviewer(t.Context(), a)
		must(t, r.Walk(w))
		must(t, r.Finish())
		return out.String()
	}
	first := walk("k\nwhat?\nd\ne\nSix tries at most — because five were too few\np\nq\n")
	for _, want := range []string{"1 kept, 1 changed, 1 dropped, 1 pinned", "left for next time",
		"d: drop it from all answers"} {
		if !strings.Contains(first, want) {
			t.Errorf("walk says\n%s\nwant %q", first, want)
		}
	}
	second := walk("")
	if strings.Contains(second, "Six tries") || !strings.Contains(second, " left for next time") {
		t.Errorf("asked again:\n%s", second)
	}
	var ops []payload.Op
	entries, err := l.Sessions()
	must(t, err)
	page := ""
	for _, e := range entries {
		edits, err := l.Edits(e.ID)
		must(t, err)
		for _, edit := range edits {
			ops = append(ops, edit.Op)
			md, err := l.Markdown(e.ID)
			must(t, err)
			page = string(md)
		}
	}
	if got := len(ops); got != 5 { // keep, drop, set, pin and the keep with it
		t.Errorf("edits.jsonl has %v, want five", ops)
	}
	if !strings.Contains(page, "Six tries at most — ") || !strings.Contains(page, "[pinned] ") {
		t.Errorf("payload.md doesn't show it:\n%s", page)
	}
}

// What a model says to be superseded hides nothing: review shows both, and what a
// person says of them holds against the model.
func TestReviewOfAModelsLinks(t *testing.T) {
	dir, _ := demoLibrary(t)
	l, err := library.Open(dir)
	must(t, err)
	defer l.Close()
	entries, err := l.Sessions()
	must(t, err)
	type said struct {
		session, project string
		item             payload.Item
	}
	var two []said
	for _, e := range entries {
		p, err := l.Payload(e.ID)
		must(t, err)
		for _, it := range p.Items {
			if it.Kind == payload.Lead && it.By == payload.ByUser && it.Current() &&
				(len(two) == 0 || len(two) == 1 && two[0].session != string(e.ID) && two[0].project == e.Project &&
					two[0].item.At.Before(it.At)) {
				two = append(two, said{string(e.ID), e.Project, it})
			}
		}
	}
	if len(two) < 2 {
		t.Fatalf("%d decisions in the demo, want 2", len(two))
	}
	older, newer := two[0], two[1]
	ofModel := payload.Link{Op: payload.OpLink, Relation: payload.Supersedes, From: newer.item.ID, To: older.item.ID,
		FromSession: newer.session, ToSession: older.session,
		Maker: payload.ByModel, Rule: "reconcile/x", At: newer.item.At, FromEvidence: &newer.item.Evidence[0],
		ToEvidence: &older.item.Evidence[0]}
	claimed := func(want int, when string) {
		t.Helper()
		if _, _, err := l.ChangeLinks(func([]payload.Link) ([]payload.Link, error) {
			return []payload.Link{ofModel},
				nil
		}); err != nil {
			t.Fatal(err)
		}
		var doc review.Waiting
		must(t, json.Unmarshal(mustRun(t, "--library", dir, "review", "--json"), &doc))
		n := 0
		for _, c := range doc.Conflicts {
			if c.Claimed && c.Newer.Item.ID == newer.item.ID && c.Older.Item.ID == older.item.ID {
				n++
			}
		}
		if n != want {
			t.Errorf("%s: listed %d times, want %d", when, n, want)
		}
	}
	claimed(1, "said by the model")
	if out := string(mustRun(t, "--library", dir, "review")); !strings.Contains(out, "both stand until you decide") {
		t.Errorf("review says nothing of it:\n%s", out)
	}
	mustRun(t, "--library", dir, "review", "link", string(newer.item.ID), "none", string(older.item.ID))
	claimed(0, "taken back by a person, and said by the model again")
}
