package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recall/payload"
	"recall/serve/hooks"
)

// What a person says of which sessions belong together is heeded by the next
// session that starts, though nothing else of the project changed.
func TestStartAfterThreadsAreCorrected(t *testing.T) {
	d := newDesk(t)
	one, other := "5d000001-0000-4000-8000-000000000001", "5d000002-0000-4000-8000-000000000002"
	d.says(one, "Let's use a heap for the scheduler instead of a sorted list, because inserts are faster.",
		"The heap is in.")
	d.recall("init", "--yes")
	d.says(other, "Let's keep the weather feed in memory rather than in Redis, because ten minutes old is fine.",
		"In memory, then.")
	d.recall("sync")
	told := func(id string) (n int) {
		t.Helper()
		start := d.context(d.hook(hooks.SessionStart, id, "source", "startup"))
		return strings.Count(start, "\nSession 5d00000") + strings.Count(start, "… and 1 before it")
	}
	apart := "join"
	before := told("5d000008-0000-4000-8000-000000000008")
	if before == 2 {
		apart = "split"
	}
	d.recall("review", apart, one, other)
	if after := told("5d000009-0000-4000-8000-000000000009"); before == 0 || after != 3-before {
		t.Errorf("after recall thread %s a start tells of %d sessions, before of %d", apart, after, before)
	}
}

// starts is a session as the client holds it: the start's hook is asked, what it
// says stands in an attachment, then the person and the assistant take turns.
func (d *desk) starts(session, source string, texts ...string) (context string) {
	d.t.Helper()
	context = d.context(d.hook(hooks.SessionStart, session, "source", source))
	var list []any
	if context != "" {
		list = append(list, injected("SessionStart", context))
	}
	for i, text := range texts {
		if i%2 == 0 {
			list = append(list, typed(text))
		} else {
			list = append(list, spoken(text))
		}
	}
	d.records(session, list)
	d.hook(hooks.SessionEnd, session, "reason", "other")
	return context
}

// injected is the record of what a hook put before the model.
func injected(event, text string) map[string]any {
	return map[string]any{"type": "attachment", "attachment": map[string]any{"type": "hook_additional_context",
		"hookEvent": event, "content": []string{text}}}
}

func session(n int) string { return fmt.Sprintf("5e550000-0000-4000-8000-%012d", n) }

var storage = []string{
	"Find a place for the readings of the sensors.",
	"We could use SQLite or Postgres for the readings. Which one do you prefer?",
	"Let's use SQLite for the readings, not Postgres, because one file ships with the station.",
	"SQLite it is.",
}

// On the default branch a session that continues what its start was told is of
// the same thread, however little it says itself and however much later it is.
func TestThreadGoesOn(t *testing.T) {
	d := newDesk(t)
	d.at = d.at.Add(-60 * 24 * time.Hour)
	d.recall("sync")
	d.starts(session(1), "startup", storage...)
	for i, prompt := range []string{"Continue where we left off.", "Where were we?", "Hello.",
		"Fix the typo in the README.", "Now go on with the storage for the readings."} {
		d.at = d.at.Add(time.Hour)
		if i == 2 {
			d.at = d.at.Add(20 * 24 * time.Hour)
		}
		if got := d.starts(session(i+2), "startup", prompt, "Yes."); !strings.Contains(got,
			"SQLite for the readings, not Postgres") {
			t.Errorf("before %q the start says:\n%s", prompt, got)
		}
	}
	if got := d.context(d.hook(hooks.SessionStart, session(6), "source", "resume")); got != "" {
		t.Errorf("a resume with nothing new says:\n%s", got)
	}
	for _, source := range []string{"clear", "compact"} {
		if got := d.context(d.hook(hooks.SessionStart, session(6), "source", source)); !strings.Contains(got,
			"SQLite for the readings, not Postgres") {
			t.Errorf("after /%s:\n%s", source, got)
		}
	}
}

// What was decided or ordered on another branch is told with the branch, and ties nobody who was told of it to that
// thread.
func TestStartTellsOfOtherBranches(t *testing.T) {
	d := newDesk(t)
	d.branch = "feat/theme"
	d.says(session(1), "Let's use the dark theme for the dashboard.", "Dark it is.")
	d.branch = "feat/menu"
	d.at = d.at.Add(time.Hour)
	d.starts(session(4), "startup", "Move the menu to the left, but take no new package for it.", "Moved.")
	d.branch = "main"
	d.at = d.at.Add(time.Hour)
	d.says(session(2), "Let's use port 8080 for the metrics.", "Port 8080 it is.")
	d.recall("init", "--yes")
	start := d.starts(session(3), "startup", "Write the release notes.", "Written.")
	for _, want := range []string{"Let's use port 8080 for the metrics (not: Two) (session 3, ",
		"no new package for it.” — user, turn 1 (session 2 on feat/menu, ",
		"Is point 0 settled? → Let's use the dark theme for the dashboard (not: Two) (session 1 on feat/theme, "} {
		if strings.Count(start, want) != 1 {
			t.Errorf("the start doesn't say once %q:\n%s", want, start)
		}
	}
	if got := d.recall("thread"); !strings.HasPrefix(got, "3 threads") {
		t.Errorf("who was told of another branch was joined with it:\n%s", got)
	}
}

// A question joins no threads: what an answer quotes isn't continued.
func TestAnswersTieNothing(t *testing.T) {
	d := newDesk(t)
	d.recall("sync")
	d.starts(session(1), "startup", storage...)
	d.at = d.at.Add(20 * 24 * time.Hour)
	start := d.context(d.hook(hooks.SessionStart, session(3), "source", "startup"))
	marker, _, ok := strings.Cut(start, "\n")
	if !ok {
		t.Fatal("the start says nothing")
	}
	answer := marker + "\nThe user decided: use SQLite for the readings.\n<!-- /recall -->" // as recall_query words it
	d.records(session(2), []any{typed("Draw the logo of the station."),
		called("mcp__recall__recall_query", map[string]any{"question": "Which database for the readings?"}),
		came(answer), spoken("Drawn.")})
	d.hook(hooks.SessionEnd, session(2), "reason", "other")
	if got := d.recall("thread"); !strings.HasPrefix(got, "2 threads") {
		t.Errorf("a question joined two threads:\n%s", got)
	}
}

// A start says what recall resume prints, without what only a person makes use of.
func TestStartIsThePage(t *testing.T) {
	d := newDesk(t)
	d.recall("sync")
	d.says(session(1), "Jobs run twice under load. Find out why.",
		"The database isn't it: the write is idempotent.", "And the queue?",
		"Deduplication by message id works, I have tried it. That leaves the lock.", "What about the timeout?",
		"The worker's timeout isn't it either: the first attempt is duplicated already.")
	draft := filepath.Join(d.home, "draft.md")
	must(t, os.WriteFile(draft, []byte("## Hypotheses eliminated\n- The database — the write is idempotent\n"+
		"- Deduplication by message id\n- The worker's timeout — the first attempt is duplicated already\n"+
		"## Don't forget\n- Celery was given up long ago\n"), 0o600))
	d.hook(hooks.SessionEnd, session(1), "reason", "other")
	d.recall("wrap-up", session(1), "--no-review", "--draft", draft)
	start := d.context(d.hook(hooks.SessionStart, session(9), "source", "startup"))
	_, page, _ := strings.Cut(start, "\n\n")
	printed := d.recall("resume", "harborlight")
	if _, whole, _ := strings.Cut(printed, "\n\n"); !strings.HasPrefix(whole, page) || page == "" {
		t.Errorf("the start says\n%s\nthe page is\n%s", start, printed)
	}
	for _, words := range []string{"Rehydration payload", "payload.json", "distilled by", "recall init", "`recall why"} {
		if strings.Contains(start, words) {
			t.Errorf("a start says %q:\n%s", words, start)
		}
	}
	if n := strings.Count(page, "; by the agent)"); n != 3 || !strings.Contains(page, "long ago” — said by the agent") {
		t.Errorf("%d of 3 ruled-out causes:\n%s", n, page)
	}
}

// What may have been overtaken is marked in a start and in a note, with what did it.
func TestStartMarksWhatWasOvertaken(t *testing.T) {
	d := newDesk(t)
	d.says(sessionA, first...)
	d.recall("sync")
	var made payload.Payload
	must(t, json.Unmarshal([]byte(d.recall("show", sessionA, "--json")), &made))
	var ids []payload.ItemID
	for _, it := range made.Items {
		if strings.Contains(it.Text, "settled?") {
			ids = append(ids, it.ID)
		}
	}
	if len(ids) != 2 {
		t.Fatalf("decided: %v", ids)
	}
	d.recall("review", "link", string(ids[1]), "contradicts", string(ids[0]))
	mark := fmt.Sprintf("(contradicted %s by [%s]): Is point 2 settled?", d.at.Format(time.DateOnly), ids[1])
	start := d.context(d.hook(hooks.SessionStart, session(9), "source", "startup"))
	onPage := "; contradicted, " + d.at.Format("Jan 2") + ")"
	if !strings.Contains(start, onPage) || strings.Count(start, "contradicted") != 1 {
		t.Errorf("the start doesn't say %q once:\n%s", onPage, start)
	}
	note := d.context(d.hook(hooks.UserPromptSubmit, session(7), "prompt",
		"Write the timetable index to SQLite at night, for the kiosk."))
	if !strings.Contains(note, mark) {
		t.Errorf("the note doesn't say %q: %s", mark, note)
	}
}

// What a person says although a note told them of what speaks against it is shown
// beside that.
func TestDecidedDespiteANote(t *testing.T) {
	d := newDesk(t)
	d.recall("sync")
	d.says(session(1), "Let's use SQLite for the greetings, not Redis, because one file ships with the kiosk.",
		"SQLite it is.")
	d.hook(hooks.SessionEnd, session(1), "reason", "other")
	d.at = d.at.Add(24 * time.Hour)
	const prompt = "Let's put the greetings into Redis instead, because the kiosks must share them."
	told := d.context(d.hook(hooks.SessionStart, session(2), "source", "startup"))
	note := d.context(d.hook(hooks.UserPromptSubmit, session(2), "prompt", prompt))
	if !strings.Contains(note, "Warning from recall") {
		t.Fatalf("no note: %q", note)
	}
	d.records(session(2), []any{injected("SessionStart", told), typed(prompt), injected("UserPromptSubmit", note),
		spoken("Redis it is.")})
	d.hook(hooks.SessionEnd, session(2), "reason", "other")
	d.recall("sync")
	answer := d.recall("query", "--plain", "where do the greetings go?")
	start := d.context(d.hook(hooks.SessionStart, session(3), "source", "startup"))
	for what, text := range map[string]string{"the answer": answer, "the start": start} {
		if !strings.Contains(text, "Let's put the greetings into Redis instead") || !strings.Contains(text, "SQLite") {
			t.Errorf("%s doesn't say both:\n%s", what, text)
		}
	}
}

// A sub-agent is told what bears on its task, as a prompt is: at its start, once, whichever of several begins first.
func TestSubagentIsTold(t *testing.T) {
	d := newDesk(t)
	d.says(session(1), "Let's use SQLite for the timetable index, not Postgres, because one file ships with the kiosk.",
		"SQLite it is.")
	d.recall("init", "--yes")
	asked := func(kind, task, id string) string {
		return d.hook(hooks.PreToolUse, session(2), "tool_name", "Agent", "tool_use_id", id,
			"tool_input", map[string]any{"subagent_type": kind, "prompt": task})
	}
	started := func(kind string) string {
		return d.context(d.hook(hooks.SubagentStart, session(2), "agent_id", "a1", "agent_type", kind))
	}
	for _, one := range [][3]string{{"Explore", "Count the words of the README.", "toolu_1"},
		{"", "Move the timetable index to Postgres.", "toolu_2"}, {"", "Move the timetable index to Postgres.", "toolu_3"}} {
		if got := asked(one[0], one[1], one[2]); got != "" {
			t.Errorf("who starts a sub-agent is told: %s", got)
		}
	}
	if got := started("Explore"); got != "" {
		t.Errorf("what doesn't bear on a task is told: %s", got)
	}
	for range 2 {
		if got := started("general-purpose"); !strings.Contains(got, "SQLite for the timetable index, not Postgres") {
			t.Errorf("a sub-agent is told: %q", got)
		}
	}
	if got := started("general-purpose"); got != "" {
		t.Errorf("one that nobody asked for is told: %s", got)
	}
	asked("", "Move the timetable index to Postgres.", "toolu_4")
	d.recall("forget", "--yes", session(1))
	if got := started("general-purpose"); got != "" {
		t.Errorf("what was forgotten is told: %s", got)
	}
}
