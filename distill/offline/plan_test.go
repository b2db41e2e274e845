package offline

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
	"recall/payload"
)

// What an approved plan chooses is claimed point by point, a point under "Out of scope" as such. Its steps are quoted
// with its title, whatever became of them; what it explains or checks isn't. Approved again, the former is replaced.
func TestApprovedPlanIsClaimedByItsChoices(t *testing.T) {
	call := func(plan string, verdict ingest.Verdict) ingest.Turn {
		made := ingest.ToolCall{ID: "c", Name: "ExitPlanMode", Done: true, Verdict: verdict, Plan: &ingest.Plan{Text: plan}}
		return ingest.Turn{ID: ingest.TurnID(plan[:9]), Role: ingest.Assistant, Kind: ingest.Message,
			Calls: []ingest.ToolCall{made}}
	}
	for name, tt := range map[string]struct {
		turns []ingest.Turn
		want  []string
		steps string
	}{
		"list below the title": {
			[]ingest.Turn{call("# Alerts\n1. Send alerts by SMS\n2. Poll every minute", ingest.Rejected),
				call("# Alerts2\n1. Send alerts by e-mail\n2. Check when a reading *arrives*\n   - in detail\n"+
					"3. (Optional) Count them", ingest.Approved)},
			[]string{"Send alerts by e-mail", "Check when a reading arrives"}, "",
		},
		"sections": {
			[]ingest.Turn{call("# Cache it\n## Goal\n- An answer in 5 ms\n## Context\n- Redis is slow here\n"+
				"## Approach\n- Keep an LRU cache in memory\n"+
				"```\n- nothing of this listing\n```\n## Out of scope:\n- sharing it between hosts\n"+
				"## Not changing\n- `a/b.go`\n- the wire format\n"+
				"## Changes\n- Add the cache\n- `a/c.go`\n- Count the misses of each host:\n"+
				"## Alternatives (not chosen)\n- memcached on each host\n"+
				"## Verification\n- run all tests\n### Step 1: By hand\n- start two hosts", ingest.Approved)},
			[]string{"Approach: Keep an LRU cache in memory", "Out of scope: sharing it between hosts",
				"Not changing: the wire format"},
			"Cache it · Add the cache",
		},
		"in German": {
			[]ingest.Turn{call("# Lücken zeigen\n## Entscheidungen\n- Der Browser erkennt sie\n"+
				"## Schritte\n- Linie teilen", ingest.Approved)},
			[]string{"Entscheidungen: Der Browser erkennt sie"}, "Lücken zeigen · Linie teilen",
		},
		"numbered headings": {
			[]ingest.Turn{call("# Two steps\n### Step 1: Split the reader\n- a detail of it\n### 2. Drop the old parser\n"+
				"### 3. `a/reader.go`\n### Key points\n- Simple and easy to read\n", ingest.Approved)},
			nil, "Two steps · Split the reader · Drop the old parser",
		},
		"approved again": {
			[]ingest.Turn{call("# Alerts\n- Send alerts by e-mail", ingest.Approved),
				{ID: "u", Role: ingest.User, Kind: ingest.Prompt, Text: "one more thing"},
				call("# Alerts\n\n- Send alerts by pigeon", ingest.Approved)},
			[]string{"Send alerts by pigeon"}, "",
		},
	} {
		s := &ingest.Session{Turns: tt.turns}
		var got []string
		steps := ""
		for _, it := range records(s) {
			if it.Kind == payload.Decision {
				got = append(got, it.Text)
			} else {
				steps = it.Text
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
		if steps != tt.steps {
			t.Errorf("%s: quoted %q, want %q", name, steps, tt.steps)
		}
	}
}
