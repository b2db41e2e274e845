package offline_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"recall/distill/offline"
	"recall/ingest"
	"recall/payload"
	"recall/prompts"
)

// What recall asks behind a payload is told for its own by its text.
func TestConfirmationIsRecalls(t *testing.T) {
	if prompts.Confirm() != ingest.Confirmation {
		t.Errorf("got %q, want %q", ingest.Confirmation, prompts.Confirm())
	}
}

// What a transcript states outright must be found in a short, plain session
// too, whatever the words of the projects that the weights were trained on.
func TestStatedOutright(t *testing.T) {
	type want struct {
		kind payload.Kind
		text string // each word of it stands in the item's text, why or alternatives
	}
	for _, c := range []struct {
		name string
		said []string // the person first, then alternating
		want []want
		not  []want // no item of the kind has all these words
	}{
		{"user chooses with a reason", []string{
			"Make the job queue survive a restart. Let's go with Postgres for the queue instead of Redis, because the staging cluster has it already.",
			"The queue is in Postgres now.",
		}, []want{{payload.Goal, "queue survive restart"}, {payload.Decision, "Postgres Redis staging"}}, nil},
		{"closing message decides and rules out", []string{
			"Workers claim the same job twice, fix that.",
			"Fixed.\n\n**Decided**: jobs are claimed with `FOR UPDATE SKIP LOCKED` rather than with advisory locks, because a crashed worker releases its row by itself.\n\nRuled out: a table lock, it blocked all workers in the load test.\n\nNext steps:\n- add the dead-letter table\n- raise the alert threshold",
			"great, thanks. now the readme",
			"The readme is updated.",
		}, []want{{payload.Decision, "SKIP LOCKED advisory"}, {payload.Eliminated, "table lock"}}, nil},
		{"an order isn't what is wrong with the thing before", []string{
			"Celery beat runs every job twice after a deploy.",
			"Confirmed: the old beat survives the deploy.",
			"We throw out celery. Replace it with RQ and rq-scheduler, beat is too fragile with our deploys.",
			"Celery is replaced by RQ and rq-scheduler.",
			"good",
			"Thanks.",
		}, nil, []want{{payload.Eliminated, "RQ"}}},
		{"use X instead of Y", []string{
			"Retries hammer the provider.",
			"I can space them out.",
			"Use exponential backoff for retries instead of the fixed delay, we saw the thundering herd last week.",
			"Retries use exponential backoff now.",
		}, []want{{payload.Decision, "exponential backoff fixed"}}, nil},
		{"no X, we go with Y", []string{
			"Cache the price lookups. Start with Redis.",
			"I'll add a Redis client.",
			"Stop, no Redis. We go with an in-process LRU cache, we do not want another server to run.",
			"The LRU cache is in place and the build passes.",
		}, []want{{payload.Decision, "LRU cache"}, {payload.Eliminated, "Redis"}}, nil},
		{"a rule of the person's", []string{
			"We only consider vendors with EU hosting.",
			"Noted.",
			"Compare the two offers and pick one.",
			"Offer A it is; decision.md is written. Next step: tell vendor B.",
		}, []want{{payload.Decision, "EU hosting"}, {payload.Next, "vendor B"}}, nil},
		{"a prohibition", []string{
			"Make the tests faster.",
			"I'll clear the fixtures first.",
			"Never delete testdata, it is hand-made.",
			"Understood, it stays.",
		}, []want{{payload.Decision, "never delete testdata"}}, nil},
		{"decided on X, not Y", []string{
			"Where do we move? We decided on Leipzig, not Berlin.",
			"Leipzig, then. I look for offices.",
		}, []want{{payload.Decision, "Leipzig Berlin"}}, nil},
		{"choice of a store in the goal", []string{
			"Decide how we store sessions. Use SQLite, not Postgres.",
			"Sessions go to SQLite. Migration 0001 is written. The index is still open.",
		}, []want{{payload.Decision, "SQLite Postgres"}}, nil},
		{"deferred and flagged", []string{
			"Add an export to CSV.",
			"CSV export is in. **Careful**: the export holds the whole table in memory, above 2 GB it will fail.",
			"fine for now. XLSX is out of scope, we do that after the release",
			"Understood, XLSX stays out until after the release.",
		}, []want{{payload.Deferred, "XLSX release"}, {payload.Flag, "memory"}}, nil},
		{"hypothesis ruled out by evidence", []string{
			"jobs are processed twice under load, find out why",
			"I checked the database writes first. It's not the writes: the insert is idempotent, and the duplicates show up before it. The lock is taken after the job is read, that is the cause.",
			"ok so add logging at acquire() first, don't change the lock order yet",
			"Logging is in at acquire().",
		}, []want{{payload.Eliminated, "writes idempotent"}, {payload.Decision, "logging acquire"}}, nil},
		{"few words, next behind the report", []string{
			"Repair to_f.",
			"All done. Next steps:\n1. Prove to_f with the table of 1990\n2. Write nightly backups to the second disk",
		}, []want{{payload.Goal, "repair to_f"}, {payload.Next, "prove table"}, {payload.Next, "nightly backups"}}, nil},
		{"next in few words", []string{"Who uses to_f?", "Only the test. Next: add to_c."}, []want{{payload.Goal, "who uses to_f"}, {payload.Next, "add to_c"}}, nil},
		{"a greeting is no goal", []string{"hi there", "Hello! What shall I do?", "thanks", "Any time."}, nil, []want{{payload.Goal, ""}}},
		{"talk is no item", []string{
			"hey, can you have a look at the tests?",
			"Let me look at the tests first. I'll run them now. All 12 tests pass. Let me know if you need anything else!",
			"thanks!",
			"You're welcome.",
		}, nil, []want{{payload.Decision, ""}, {payload.Eliminated, ""}, {payload.Next, ""}, {payload.Deferred, ""}}},
		{"the question after a payload is no goal", []string{
			prompts.Confirm(),
			"Understood. I would start with the next action.",
		}, nil, []want{{payload.Goal, ""}, {payload.Status, ""}, {payload.Next, ""}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := offline.Distiller{}.Distill(context.Background(), spoken(c.said))
			if err != nil {
				t.Fatal(err)
			}
			has := func(w want) bool {
				for _, it := range p.Items {
					all := strings.ToLower(strings.Join(append([]string{it.Text, it.Why, it.Scope}, it.Alternatives...), " "))
					ok := it.Kind == w.kind
					for _, word := range strings.Fields(strings.ToLower(w.text)) {
						ok = ok && strings.Contains(all, word)
					}
					if ok {
						return true
					}
				}
				return false
			}
			var got strings.Builder
			for _, it := range p.Items {
				fmt.Fprintf(&got, "\n  %s: %s (why: %s; not: %v; rule %s)", it.Kind, it.Text, it.Why, it.Alternatives, it.Rule)
			}
			for _, w := range c.want {
				if !has(w) {
					t.Errorf("no %s with %q; got%s", w.kind, w.text, got.String())
				}
			}
			for _, w := range c.not {
				if has(w) {
					t.Errorf("a %s that isn't one; got%s", w.kind, got.String())
				}
			}
		})
	}
}

func spoken(said []string) *ingest.Session {
	s := &ingest.Session{ID: "s1", Source: ingest.ClaudeCode, Start: time.Date(2026, 4, 17, 9, 0, 0, 0, time.UTC)}
	for i, text := range said {
		t := ingest.Turn{ID: ingest.TurnID(fmt.Sprintf("t%d", i+1)), N: i + 1, Role: ingest.User, Kind: ingest.Prompt, Text: text, At: s.Start.Add(time.Duration(i) * time.Minute)}
		if i%2 == 1 {
			t.Role, t.Kind = ingest.Assistant, ingest.Message
		}
		t.Records = []string{string(t.ID)}
		s.Turns = append(s.Turns, t)
		s.End = t.At
	}
	return s
}
