package payload

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func handed() *Payload {
	at := time.Date(2026, 4, 17, 14, 0, 0, 0, time.UTC)
	return &Payload{Schema: Schema, Session: "7f3c1a2b-0000", Project: "billing", Title: "Duplicate jobs", Start: at,
		End: at, Items: []Item{
			{ID: "k3v9t2m8qa", Kind: Goal, Text: "Find the race", By: ByUser, Maker: ByRule, State: Stands, At: at,
				Evidence: []Evidence{{"t1", 1, "find the <!-- --> race"}}},
			{ID: "b7xw4c5d2e", Kind: Decision, Text: "Min-heap, not a sorted list", Why: "4x slower", By: ByBoth, Maker: ByModel,
				State: Stands, At: at, Evidence: []Evidence{{"t2", 2, "ok do that"}}},
			{ID: "c8zr5k2wdn", Kind: Lead, Hint: Next, Text: "the log comes next", By: ByUser, Maker: ByRule,
				Rule: AskedRule, Since: WorkedOn,
				State: Stands, At: at, Evidence: []Evidence{{"t3", 3, "the log comes next"}}},
			{ID: "5hq2n6r3ya", Kind: Decision, Text: "Overtaken", State: Superseded, At: at},
		}}
}

// What one writes the other reads; what is pasted has none of the comment.
func TestHandover(t *testing.T) {
	at := time.Date(2026, 4, 18, 9, 0, 0, 0, time.UTC)
	text, err := EncodeHandover(handed(), Handover{To: "Bob --> <b>", From: "ann", At: at})
	if err != nil {
		t.Fatal(err)
	}
	h, err := DecodeHandover(strings.ReplaceAll(text, "\n", "\r\n"))
	if err != nil {
		t.Fatalf("%v of\n%s", err, text)
	}
	if h.From != "ann" || h.Project != "billing" || !h.At.Equal(at) || len(h.Items) != 3 {
		t.Errorf("got %+v", h)
	}
	want := handed().Items[1:3] // with what says where on a page they stand
	for i := range want {
		want[i].Maker, want[i].Handed = ByModel, true
	}
	if diff := cmp.Diff(want, h.Items[1:]); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
	page := HandoverPage(handed(), Handover{To: "Bob --> <b>", From: "ann", At: at}, 0)
	if !strings.Contains(page, "\nHandoff to Bob --> <b> · from ann · 2026-04-18\n") ||
		!strings.HasSuffix(page, "<!-- /recall -->\n") || !strings.Contains(page, "## Decisions locked in") {
		t.Errorf("to be pasted:\n%s", page)
	}
}

// A handoff comes from outside: nothing in it is believed to be well made.
func TestHandoverFromOutside(t *testing.T) {
	good, err := EncodeHandover(handed(), Handover{To: "Bob", From: "ann", At: time.Time{}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"cut short":    good[:len(good)/2],
		"another kind": strings.Replace(good, `"kind": "goal"`, `"kind": "command"`, 1),
		"another id":   strings.Replace(good, `"id": "k3v9t2m8qa"`, `"id": "../../etc"`, 1),
		"newer":        strings.Replace(good, `"recall_handoff": 1`, `"recall_handoff": 9`, 1),
		"no text":      strings.Replace(good, `"text": "Find the race"`, `"text": "\u0007"`, 1),
	} {
		if _, err := DecodeHandover(text); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := DecodeHandover("# Notes\n"); !errors.Is(err, ErrNoHandover) {
		t.Errorf("any file: %v", err)
	}
	h, err := DecodeHandover(strings.Replace(good, "Find the race", `a\u001b[31m\nb \u202e`+strings.Repeat("x", 5000), 1))
	if err != nil || strings.ContainsAny(h.Items[0].Text, "\x1b\n\u202e") || len(h.Items[0].Text) > 700 {
		t.Errorf("%v, %q", err, h.Items[0].Text)
	}
}

// Who says yes to one item says it to no other.
func TestHandoverIDs(t *testing.T) {
	text, err := EncodeHandover(handed(), Handover{To: "Bob", From: "ann",
		At: time.Date(2026, 4, 18, 9, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := DecodeHandover(strings.ReplaceAll(text, "b7xw4c5d2e", "k3v9t2m8qa")); err == nil ||
		!strings.Contains(err.Error(), "a second item k3v9t2m8qa") {
		t.Errorf("two items with one id: got %v", err)
	}
	h, err := DecodeHandover(strings.NewReplacer("b7xw4c5d2e", "", "k3v9t2m8qa", "").Replace(text))
	if err != nil {
		t.Fatal(err)
	}
	if !IsID(string(h.Items[0].ID)) || h.Items[0].ID == h.Items[1].ID {
		t.Errorf("items without ids: got %q and %q", h.Items[0].ID, h.Items[1].ID)
	}
}
