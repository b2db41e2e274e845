package offline_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"recall/distill"
	"recall/distill/offline"
	"recall/ingest/claudecode"
	"recall/payload"
)

// An approved plan is a decision even if no line of it chooses between things;
// the one that was refused before it is not.
func TestApprovedPlanIsDecided(t *testing.T) {
	reader := claudecode.Reader{}
	found, problems := reader.Find(context.Background(), filepath.Join("..", "..", "ingest", "testdata", "samples", "05-plan"), nil)
	if len(found) != 1 || len(problems) > 0 {
		t.Fatalf("found %d sessions, problems %v; want one and none", len(found), problems)
	}
	s, err := reader.Parse(context.Background(), found[0])
	if err != nil {
		t.Fatal(err)
	}
	p, err := offline.Distiller{}.Distill(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	if dropped := distill.Ground(s, p); len(dropped) > 0 {
		t.Errorf("ungrounded: %v", dropped)
	}
	var decided []string
	for _, it := range p.Items {
		if it.Kind == payload.Decision {
			decided = append(decided, it.Text)
		}
	}
	if len(decided) != 1 {
		t.Fatalf("decisions %q, want the approved plan", decided)
	}
	for _, want := range []string{"Poll the folder every minute", "arse only changed files", "eep payloads when the source is gone"} {
		if !strings.Contains(strings.ToLower(decided[0]), strings.ToLower(want)) {
			t.Errorf("%q isn't in the decision %q", want, decided[0])
		}
	}
	if strings.Contains(decided[0], "fsnotify") {
		t.Errorf("the refused plan was decided: %q", decided[0])
	}
}
