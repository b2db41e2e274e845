package payload

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What a person kept isn't shown again until it says something else; keeping
// changes nothing and takes no drop back.
func TestUnreviewed(t *testing.T) {
	p := &Payload{Items: []Item{
		{ID: "a", Kind: Decision, Text: "Use the min-heap", Why: "four times faster", State: Stands},
		{ID: "b", Kind: Flag, Text: "The mock lies", State: Stands},
		{ID: "c", Kind: Decision, Text: "Old", State: Superseded},
		{ID: "d", Kind: Decision, Text: "Mine", State: Stands, Maker: ByHuman},
	}}
	list := func(edits []Edit) (got []string) {
		for _, u := range Unreviewed(p, edits) {
			word := string(u.ID)
			if u.Changed {
				word += " changed"
			}
			got = append(got, word)
		}
		return got
	}
	edits := []Edit{{Op: OpKeep, ID: "a", Seen: Fingerprint(&p.Items[0])}, {Op: OpKeep, ID: "b", Seen: "of before"}}
	if diff := cmp.Diff([]string{"a", "b"}, list(nil)); diff != "" {
		t.Errorf("never reviewed (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"b changed"}, list(edits)); diff != "" {
		t.Errorf("a kept, b kept as it was (-want +got):\n%s", diff)
	}
	p.Items[0].Pinned = true
	if diff := cmp.Diff([]string{"b changed"}, list(edits)); diff != "" {
		t.Errorf("pinned since (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(p, Apply(p, edits)); diff != "" {
		t.Errorf("keeping changed something:\n%s", diff)
	}
	gone := Apply(p, []Edit{{Op: OpDrop, ID: "a"}, {Op: OpKeep, ID: "a"}})
	if gone.find("a") != nil {
		t.Error("a kept item that was dropped stands again")
	}
	var back []Edit
	text, err := json.Marshal(edits)
	if err = errors.Join(err, json.Unmarshal(text, &back)); err != nil || len(back) != 2 || back[0].Seen != edits[0].Seen {
		t.Errorf("read back %v, %v", back, err)
	}
}

func TestReword(t *testing.T) {
	at := time.Date(2026, 4, 17, 0, 0, 0, 0, time.UTC)
	p := &Payload{Items: []Item{{ID: "a", Kind: Decision, Text: "Use the min-heap", Why: "faster", Pinned: true,
		Alternatives: []string{"sorted list"}, Evidence: []Evidence{{Turn: "t", Quote: "q"}}}}}
	edits, err := Reword(p, "a", "- Use a pairing heap (not: sorted list) — because inserts dominate",
		Edit{Who: "ann", At: at})
	if err != nil {
		t.Fatal(err)
	}
	got := Apply(p, edits).Items[0]
	if got.Text != "Use a pairing heap" || got.Why != "inserts dominate" || !got.Pinned ||
		got.Was != "Use the min-heap" || got.Maker != ByHuman {
		t.Errorf("reworded to %+v", got)
	}
	if edits, err := Reword(p, "a", LineOf(&p.Items[0]), Edit{}); err != nil || len(edits) != 0 {
		t.Errorf("its own line: %v, %v, want no edit", edits, err)
	}
	for _, line := range []string{"", " - ", "—"} {
		if _, err := Reword(p, "a", line, Edit{}); err == nil && line != "—" {
			t.Errorf("%q makes an item", line)
		}
	}
}
