package eval_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"recall/eval"
)

// All shared gold sets with the offline distiller, parsing of every session
// beside them and the baselines included: in seconds, and every quote stands
// where it is said to. What is reached is held by baselines (see .ci/run, step
// eval) and written down in docs/internals/quality.md.
func TestSharedGoldInTime(t *testing.T) {
	shared := os.Getenv("RECALL_SHARED")
	if shared == "" {
		t.Skip("RECALL_SHARED isn't set: no gold sets")
	}
	begun := time.Now()
	r := measure(t, eval.Payloads, eval.Options{Gold: []string{filepath.Join(shared, "eval", "gold")},
		From: filepath.Join(shared, "transcripts")})
	took := time.Since(begun)
	ours := r.Systems[0].Payloads
	t.Logf("%d sessions in %v", len(ours.Sessions), took.Round(time.Millisecond))
	if took > 2*time.Minute {
		t.Errorf("took %v, want at most 2 minutes", took)
	}
	if len(ours.Sessions) != r.Gold.Sessions || len(r.Missing) > 0 {
		t.Errorf("%d of %d sessions measured, missing %v", len(ours.Sessions), r.Gold.Sessions, r.Missing)
	}
	if ours.Grounding.Value != 1 {
		t.Errorf("grounding %v, want 1", ours.Grounding)
	}
	for _, s := range ours.Sessions {
		t.Logf("session %s: %d items that rules made don't keep the contract", s.Session, s.Dropped)
	}
}
