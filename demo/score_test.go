package demo

import (
	"context"
	"testing"

	"recall/distill/offline"
	"recall/eval"
	"recall/ingest"
)

// How well the offline rules do on the samples: they were written by nobody who
// wrote the rules' training sets. The table is logged; the floor is what was
// reached once, less a little.
func TestOfflinePayloads(t *testing.T) {
	sessions := map[ingest.SessionID]*ingest.Session{}
	for _, s := range parseAll(t) {
		sessions[s.ID] = s
	}
	set, err := eval.LoadSet(goldDir)
	if err != nil {
		t.Fatal(err)
	}
	var all eval.Score
	for _, g := range set.Golds {
		s := sessions[ingest.SessionID(g.Session)]
		p, err := offline.Distiller{}.Distill(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		all.Add(eval.NewCase(s, g).Score(p.Items))
	}
	t.Logf("\n%s", all.Table())
}
