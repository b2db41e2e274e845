package demo

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
	"recall/ingest/claudecode"
	"recall/ingest/cowork"
	"recall/internal/redact"
)

// The parsers understand every line of the samples and get what the scripts
// mean to say.
func TestParsersUnderstandEveryLine(t *testing.T) {
	sessions := parseAll(t)
	if len(sessions) != 12 {
		t.Errorf("got %d sessions, want 12", len(sessions))
	}
	for title, s := range sessions {
		r := s.Report
		if r.SkippedTotal > 0 || len(r.Unknown) > 0 || r.Tail {
			t.Errorf("%s: skipped %v, unknown %v, tail %v", title, r.Skipped, r.Unknown, r.Tail)
		}
		if r.Duplicates > 0 && s.Source == ingest.ClaudeCode {
			t.Errorf("%s: %d duplicates", title, r.Duplicates)
		}
	}
}

// parseAll gives the sample sessions by title.
func parseAll(t *testing.T) map[string]*ingest.Session {
	t.Helper()
	claude, work, err := Write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	sessions := map[string]*ingest.Session{}
	for root, r := range map[string]ingest.Reader{claude: claudecode.Reader{}, work: cowork.Reader{}} {
		found, problems := r.Find(t.Context(), root, nil)
		if len(problems) > 0 {
			t.Errorf("%s: %v", root, problems)
		}
		for _, f := range found {
			s, err := r.Parse(t.Context(), f)
			if err != nil {
				t.Fatalf("%s: %v", f.ID, err)
			}
			sessions[s.Title] = s
		}
	}
	return sessions
}

// What the scripts tell arrives: refusals with their words, answers, plans,
// commits, tasks left open.
func TestWhatTheSamplesHold(t *testing.T) {
	sessions := parseAll(t)
	got := map[string][]string{}
	for title, s := range sessions {
		for _, turn := range s.Turns {
			if turn.Abandoned {
				got[title] = append(got[title], "abandoned "+string(turn.Kind))
				continue
			}
			if turn.Kind == ingest.Prompt && turn.Queued {
				got[title] = append(got[title], "queued "+turn.Text)
			}
			for _, c := range turn.Calls {
				got[title] = append(got[title], told(c)...)
			}
		}
		for _, task := range s.Tasks {
			if task.Status != "completed" {
				got[title] = append(got[title], "open "+task.Subject)
			}
		}
		for _, turn := range s.Turns {
			if turn.Kind == ingest.Summary {
				got[title] = append(got[title], "compaction")
			}
		}
		for _, a := range s.Subagents {
			got[title] = append(got[title], "sub-agent "+a.Type)
		}
		for _, f := range s.Outputs {
			got[title] = append(got[title], "output "+f.Name)
		}
	}
	want := map[string][]string{
		"Job queue for invoice runs": {
			"refused ExitPlanMode: no redis for this. ops runs postgres and nothing else, I'm not adding a second store that has to be backed up and paged for. queue in postgres please",
			"answered Poll every 2 seconds (Recommended)", "answered Inside ledgerd", "plan", "failed Bash", "commit 4be17d0",
			"open Queue metrics"},
		"Cache for exchange rates": {
			"refused Edit: no, don't put redis in compose. forget redis: it's another server to run for a table that fits into memory. do it in process", "commit a90c3fe"},
		"Retry storm after the gateway outage": {"failed Bash", "commit e81b52c", "sub-agent Explore"},
		"Dead-letter page": {"answered Retry + Discard, with a note", "answered All of support",
			"queued show the cause in the list, not only in the drawer. thats the first thing they look for",
			"failed Bash", "commit 7d2f6a1", "open Audit log entry for retry and discard", "open Paging beyond 200 rows",
			"compaction"},
		"Two charges for one invoice": {"refused Edit: leave the timeout alone, a longer one only hides it", "failed Bash",
			"commit c03d9e7"},
		"Workers wake by LISTEN/NOTIFY": {"abandoned prompt", "abandoned message", "abandoned message",
			"answered One direct connection per node, past pgbouncer", "commit 19fa0bd", "open Queue metrics"},
		"Archive for finished jobs": {"abandoned prompt", "abandoned message", "abandoned message",
			"answered One direct connection per node, past pgbouncer", "commit 19fa0bd"}, // the fork's copy
		"Tides without a network": {"answered SQLite (expo-sqlite)", "answered Show with a warning", "commit b7713ad"},
		"Tide data providers compared": {"answered Tidemark, 1,900 EUR",
			"refused mcp__workspace__bash: keep the losing offers, we may need them again",
			"output provider-decision.md"},
		"Chart with soundings": {"refused Bash: no mapbox. maplibre, we need the offline packs and no per-load price. make a plan for the swap first", "plan", "failed Bash", "commit 5e09c41", "open Night mode of the chart"},
		"Beta launch plan": {"answered 19 October", "answered iOS only at first", "answered 40, twenty of each club",
			"output beta-plan.md"},
		"Tidemark's licence": {"output provider-decision-2.md"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("samples differ (-want +got):\n%s", diff)
	}
}

// told says in words what came of a call, nothing if it just ran.
func told(c ingest.ToolCall) []string {
	switch {
	case c.Verdict == ingest.Rejected:
		return []string{"refused " + c.Name + ": " + c.Reason}
	case c.Plan != nil:
		return []string{"plan"}
	case c.Commit != "":
		return []string{"commit " + c.Commit}
	case c.Failed:
		return []string{"failed " + c.Name}
	}
	var out []string
	for _, a := range c.Answers {
		out = append(out, "answered "+strings.Join(a.Chosen, " + "))
	}
	return out
}

// The made-up secrets are of the forms that redaction knows.
func TestSecretsAreRedacted(t *testing.T) {
	r := redact.New()
	seen := 0
	for _, turn := range parseAll(t)["Dead-letter page"].Turns {
		texts := []string{turn.Text}
		for _, c := range turn.Calls {
			texts = append(texts, c.Command)
		}
		for _, text := range texts {
			clean := r.Text(text)
			for _, secret := range []string{"sk_" + "live_51QwZr8KpTn3VbYdLm6HsXc2RfJg9AeUo4Ni7Bt", "vK9" + "rTq2mXw7Lp4Zs"} {
				if strings.Contains(text, secret) {
					seen++
				}
				if strings.Contains(clean, secret) {
					t.Errorf("%s stands in %q", secret, clean)
				}
			}
		}
	}
	if seen != 3 {
		t.Errorf("got %d secrets in the session, want 3", seen)
	}
}
