package offline

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
	"recall/payload"
)

// An approved plan's own points are claimed one by one, a point under "Out of scope" as such; what it only explains,
// checks, details or calls optional isn't, nor is a file that it only names. Approved again, the former is replaced.
func TestApprovedPlanIsClaimedByPoints(t *testing.T) {
	call := func(plan string, verdict ingest.Verdict) ingest.Turn {
		made := ingest.ToolCall{ID: "c", Name: "ExitPlanMode", Done: true, Verdict: verdict, Plan: &ingest.Plan{Text: plan}}
		return ingest.Turn{ID: ingest.TurnID(plan[:9]), Role: ingest.Assistant, Kind: ingest.Message,
			Calls: []ingest.ToolCall{made}}
	}
	for name, tt := range map[string]struct {
		turns []ingest.Turn
		want  []string
	}{
		"list below the title": {
			[]ingest.Turn{call("# Alerts\n1. Send alerts by SMS\n2. Poll every minute", ingest.Rejected),
				call("# Alerts2\n1. Send alerts by e-mail\n2. Check when a reading *arrives*\n   - in detail", ingest.Approved)},
			[]string{"Send alerts by e-mail", "Check when a reading arrives"},
		},
		"sections": {
			[]ingest.Turn{call("# Cache it\n## Goal\n- An answer in 5 ms\n## Context\n- Redis is slow here\n"+
				"## Approach\n- Keep an LRU cache in memory\n"+
				"```\n- nothing of this listing\n```\n## Out of scope:\n- sharing it between hosts\n"+
				"## Verification\n- run all tests\n"+
				"- `a/b.go`", ingest.Approved)},
			[]string{"Approach: Keep an LRU cache in memory", "Out of scope: sharing it between hosts"},
		},
		"numbered headings": {
			[]ingest.Turn{call("# Two steps\n### Step 1: Split the reader\n- a detail of it\n### 2. Drop the old parser\n"+
				"### 3. (Optional) Keep its tests\n### 4. Update `a/reader.go` ✅ DONE\n",
				ingest.Approved)},
			[]string{"Split the reader", "Drop the old parser"},
		},
		"approved again": {
			[]ingest.Turn{call("# Alerts\n- Send alerts by e-mail", ingest.Approved),
				{ID: "u", Role: ingest.User, Kind: ingest.Prompt, Text: "one more thing"},
				call("# Alerts\n\n- Send alerts by pigeon", ingest.Approved)},
			[]string{"Send alerts by pigeon"},
		},
	} {
		s := &ingest.Session{Turns: tt.turns}
		var got []string
		for _, it := range records(s) {
			if it.Kind == payload.Decision {
				got = append(got, it.Text)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}
