package library_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "recall/library"
	"recall/library/merge"
	"recall/payload"
)

// What a person changed in the other library's payload.md, and no sync has
// taken in, comes over as an edit.
func TestMergeTakesInHandEdits(t *testing.T) {
	build := func(text string) *Library {
		l := newLib(t)
		src := t.TempDir()
		write(t, filepath.Join(src, "transcript.jsonl"), text)
		archive(t, l, find(t, id, src))
		if err := l.Place(id, meta(t, l, "Fix jobs")); err != nil {
			t.Fatal(err)
		}
		e, err := l.Session(id)
		if err != nil {
			t.Fatal(err)
		}
		at := time.Date(2026, 4, 17, 14, 32, 0, 0, time.UTC)
		p := &payload.Payload{Schema: payload.Schema, Session: id, Title: "Fix jobs", Start: at, End: at,
			Made: payload.Provenance{Input: e.Input, Distiller: "test/1"}}
		for _, words := range []string{"Log at acquire before changing the lock order",
			"Keep the interface as it is for now"} {
			p.Items = append(p.Items, payload.Item{ID: payload.ItemID(fmt.Sprintf("item%06d", len(words))),
				Kind: payload.Decision, Text: words, State: payload.Stands, At: at,
				Evidence: []payload.Evidence{{Turn: "u1", N: 1, Quote: words}}})
		}
		md := payload.Render(p, payload.Options{Budget: 1000})
		p.Written, p.WrittenIDs = md.Text, md.Shown
		if err := l.SavePayload(id, Derived{Payload: p, Markdown: []byte(md.Text)}); err != nil {
			t.Fatal(err)
		}
		return l
	}
	mine, theirs := build("one\nmine\n"), build("one\ntheirs\n")
	e, err := theirs.Session(id)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(e.Folder, "payload.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), "Keep the interface as it is for now",
		"Keep the interface until the release", 1)
	if changed == string(text) {
		t.Fatalf("nothing to edit in %s", text)
	}
	write(t, path, changed)
	for range 2 {
		if _, err := merge.Merge(context.Background(), mine, again(t, theirs), merge.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	edits, err := again(t, mine).Edits(id)
	if err != nil || len(edits) != 1 || edits[0].Set == nil || edits[0].Set.Text == nil ||
		*edits[0].Set.Text != "Keep the interface until the release" {
		t.Errorf("edits: %+v, %v", edits, err)
	}
	if e, err := again(t, mine).Session(id); err != nil || !e.Behind() {
		t.Errorf("it isn't rendered again: %v, %v", e.Distilled, err)
	}
}
