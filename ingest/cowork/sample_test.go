package cowork

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recall/ingest"
)

const sampleRoot = "../testdata/samples/08-cowork/local-agent-mode-sessions"

// Any place from which one can point at sessions finds them, each once.
func TestFindFromAnywhere(t *testing.T) {
	account := filepath.Join(sampleRoot, "0a000000-0000-4000-8000-00000000000a", "0b000000-0000-4000-8000-00000000000b")
	c := filepath.Join(account, "local_c0000000-0000-4000-8000-00000000000c")
	for path, want := range map[string]int{
		"../testdata/samples":           3,
		filepath.Dir(sampleRoot):        3,
		sampleRoot:                      3,
		filepath.Dir(account):           3,
		account:                         3,
		c:                               1,
		c + ".json":                     1,
		filepath.Join(c, "audit.jsonl"): 1,
		filepath.Join(c, ".claude"):     1,
		filepath.Join(c, ".claude", "projects", "-sessions-calm-bright-noether",
			"c1000000-0000-4000-8000-0000000000c1.jsonl"): 1,
		filepath.Join(c, "outputs"):                           0,
		filepath.Join(c, "outputs", "local_trap.json"):        0,
		filepath.Join(account, "spaces.json"):                 0,
		filepath.Join(sampleRoot, "..", "..", "01-branching"): 0,
	} {
		found, problems := Reader{}.Find(context.Background(), path, nil)
		if len(found) != want || len(problems) != 0 {
			t.Errorf("%s: %d sessions, problems %v; want %d and none", path, len(found), problems, want)
		}
	}
}

func TestHead(t *testing.T) {
	found, _ := Reader{}.Find(context.Background(), sampleRoot, nil)
	for _, f := range found {
		h, err := ingest.HeadOf(context.Background(), Reader{}, f)
		empty := strings.HasPrefix(string(f.ID), "local_e")
		if err != nil || h.Started.IsZero() || len(h.Keys) == 0 != empty {
			t.Errorf("%s: head %+v, %v", f.ID, h, err)
		}
	}
}

// A record that is known isn't opened again.
func TestFindOpensNothingKnown(t *testing.T) {
	asked := 0
	seen := func(path string, size int64, mod time.Time) (ingest.SessionID, bool) {
		asked++
		return ingest.SessionID(strings.TrimSuffix(filepath.Base(path), ".json")), true
	}
	if found, _ := (Reader{}).Find(context.Background(), sampleRoot, seen); len(found) != 3 || asked != 3 {
		t.Errorf("%d found, asked for %d; want 3 and 3", len(found), asked)
	}
}
