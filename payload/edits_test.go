package payload

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEditsReadBack(t *testing.T) {
	text, none, kind := "new <text>", "", Flag
	edits := []Edit{
		{Op: OpSet, ID: "k3v9t2m8qa", At: editedAt, Who: "ada", Set: &Fields{Text: &text, Why: &none, Kind: &kind}},
		{Op: OpDrop, ID: "b7xw4c5d2e", At: editedAt},
		{Op: OpAdd, ID: "5hq2n6r3ya", At: editedAt, Item: &Item{ID: "5hq2n6r3ya", Kind: Flag, Text: "own", By: ByUser,
			Maker: ByHuman, State: Stands, At: editedAt}},
		{Op: OpTitle, Title: "The queue", At: editedAt}, {Op: OpPin, ID: "w2m7f4k6tc", At: editedAt},
		{Op: OpUnpin, ID: "w2m7f4k6tc", At: editedAt},
	}
	var got []Edit
	data, err := json.Marshal(edits)
	if err := errors.Join(err, json.Unmarshal(data, &got)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(edits, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBadEditsAreNamed(t *testing.T) {
	for line, want := range map[string]string{
		`{"op":"drop","id":"k3v9t2m8qa"}`: "",
		`{"op":"bend","id":"k3v9t2m8qa"}`: `unknown edit "bend" of k3v9t2m8qa`,
		`{"op":"set","id":"k3v9t2m8qa"}`:  "set of k3v9t2m8qa without what to set",
		`{"op":"pin"}`:                    "edit without an item's id",
		`{"op":"add","id":"k3v9t2m8qa"}`:  "add of k3v9t2m8qa without its item",
		`{"op":"pin","id":"b7xw4c5d2e"}`:  "",
		`{"op":"title"}`:                  "title without a title",
	} {
		var e Edit
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if err := e.Check(); want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%s: got %v, want %s", line, err, want)
		}
	}
}

func TestApply(t *testing.T) {
	p := example()
	text, kind := "Log first", Flag
	got := Apply(p, []Edit{
		{Op: OpSet, ID: "b7xw4c5d2e", Set: &Fields{Text: &text, Kind: &kind}},
		{Op: OpDrop, ID: "5hq2n6r3ya"},
		{Op: OpAdd, ID: "a2a2a2a2a2", At: editedAt, Item: &Item{Kind: Decision, Text: "Own"}},
		{Op: OpDrop, ID: "w2m7f4k6tc"}, {Op: OpPin, ID: "w2m7f4k6tc"}, // taken back
		{Op: OpDrop, ID: "nosuchitem"},
	})
	var lines []string
	for _, it := range got.Items {
		lines = append(lines, strings.Join([]string{string(it.ID), string(it.Kind), it.Text, string(it.Maker),
			string(it.State)}, "|"))
	}
	want := []string{
		"k3v9t2m8qa|goal|Find and fix the race that duplicates jobs under high concurrency.|rule|stands",
		"a2a2a2a2a2|decision|Own|human|stands",
		"b7xw4c5d2e|flag|Log first|human|stands",
		"w2m7f4k6tc|next|Add logging at ProcessQueue.acquire() lines 44–47, then run the load test at 200 workers.|rule|stands",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(got.Retired) != 1 || got.Retired[0].ID != "5hq2n6r3ya" || got.Retired[0].State != Retired {
		t.Errorf("got retired %v, want the dropped one", got.Retired)
	}
	if diff := cmp.Diff(example(), p); diff != "" {
		t.Errorf("Apply changed what it was given:\n%s", diff)
	}
}
