package eval

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"recall/distill/offline"
	"recall/payload"
)

// A floor is what the shipped models reached when they were written, a little
// less. The models were fitted to these sessions: what they reach on others is
// printed by "go run ./eval/train", which is the figure to quote.
type floor struct {
	F1        map[payload.Kind]float64 `json:"f1"`
	Precision map[payload.Kind]float64 `json:"precision"`
	Micro     float64                  `json:"micro"`
	Seconds   float64                  `json:"seconds"` // for all sessions, parsing left out
}

func TestOfflineAgainstGold(t *testing.T) {
	shared := os.Getenv("RECALL_SHARED")
	if shared == "" {
		t.Skip("RECALL_SHARED isn't set: no gold sets")
	}
	b, err := os.ReadFile("testdata/floor.json")
	if err != nil {
		t.Fatal(err)
	}
	var want floor
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	cases, err := LoadCases(context.Background(), filepath.Join(shared, "eval", "gold"), filepath.Join(shared, "transcripts"))
	if err != nil {
		t.Fatal(err)
	}
	scores := map[string]*Score{}
	var total Score
	start, ungrounded := time.Now(), 0
	for _, c := range cases {
		p, err := offline.Distiller{}.Distill(context.Background(), c.Session)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range p.Dropped {
			ungrounded += n
		}
		sc := c.Score(p.Items)
		if scores[c.Gold.Project] == nil {
			scores[c.Gold.Project] = &Score{}
		}
		scores[c.Gold.Project].Add(sc)
		total.Add(sc)
	}
	took := time.Since(start)
	for name, sc := range scores {
		t.Logf("%s (%d sessions)\n%s", name, sc.Sessions, sc.Table())
	}
	t.Logf("total (%d sessions, %v, %d ungrounded)\n%s", total.Sessions, took.Round(time.Millisecond), ungrounded, total.Table())
	for kind, f := range want.F1 {
		if got := total.Kinds[kind].F1(); got < f {
			t.Errorf("%s: F1 %.3f, want at least %.3f", kind, got, f)
		}
	}
	for kind, f := range want.Precision {
		if got := total.Kinds[kind].Precision(); got < f {
			t.Errorf("%s: precision %.3f, want at least %.3f", kind, got, f)
		}
	}
	if got := total.Micro.F1(); got < want.Micro {
		t.Errorf("micro F1 %.3f, want at least %.3f", got, want.Micro)
	}
	if ungrounded > 0 {
		t.Errorf("%d items dropped for want of evidence, want none: a rule quotes what isn't there", ungrounded)
	}
	if took.Seconds() > want.Seconds {
		t.Errorf("took %v, want at most %.0f s", took, want.Seconds)
	}
}
