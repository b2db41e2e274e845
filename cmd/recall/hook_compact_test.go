package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"recall/serve/hooks"
)

// What a session was told before its client cut it down is put before it again, in its own words, whatever the
// client's summary kept of it. What only the summary says is a model's word: the payload has it as such, and no
// hook puts it before a session.
func TestAfterACompaction(t *testing.T) {
	d := newDesk(t)
	lost := []string{
		"The culprit is the post-commit hook: it changes the index while the harness commits.",
		"don't touch the retry loop before the hook is out of the way",
		"The workaround is git read-tree HEAD before each commit.",
	}
	d.recall("sync") // makes the library
	path := d.says(sessionA,
		"The importer loses files in every tenth run. Find out why and mend it.",
		"I looked at ten runs. "+lost[0]+" The lock file has nothing to do with it.",
		"Good. But "+lost[1]+", because both would hide each other.",
		lost[2]+" The importer has run a hundred times since without a loss.")
	if got := d.hook(hooks.PreCompact, sessionA, "trigger", "auto"); got != "" {
		t.Errorf("PreCompact says %s", got)
	}
	const only = "Remove the stale lock that the nightly run leaves behind; it is not mended yet."
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	must(t, err)
	for _, r := range []map[string]any{
		{"type": "system", "subtype": "compact_boundary", "uuid": "cut", "parentUuid": nil,
			"content": "Conversation compacted", "compactMetadata": map[string]any{"trigger": "auto", "preTokens": 160_000}},
		{"type": "user", "uuid": "sum", "parentUuid": "cut", "isCompactSummary": true, "isVisibleInTranscriptOnly": true,
			"message": map[string]any{"role": "user", "content": "This session is being continued from a " +
				"previous conversation that ran out of context. The summary below covers the earlier portion of the " +
				"conversation.\n\nSummary:\n" +
				"1. Primary Request and Intent:\n   Mend the importer.\n\n9. Optional Next Step:\n   - " + only + "\n\n" +
				"If you need specific details from before compaction (like exact code snippets, error messages, or content you " +
				"generated), read the full transcript at: /home/ann/s.jsonl\nPlease continue the conversation from where we " +
				"left it off without asking the user any further questions."}},
	} {
		r["sessionId"], r["cwd"], r["timestamp"] = sessionA, d.project, d.at.Add(time.Minute).Format(time.RFC3339)
		line, err := json.Marshal(r)
		must(t, err)
		_, err = f.Write(append(line, '\n'))
		must(t, err)
	}
	must(t, f.Close())
	again := d.context(d.hook(hooks.SessionStart, sessionA, "source", "compact"))
	for _, words := range lost {
		if !strings.Contains(again, words) {
			t.Errorf("%q isn't said again:\n%s", words, again)
		}
	}
	d.recall("sync")
	for _, text := range []string{again, d.context(d.hook(hooks.SessionStart, sessionA, "source", "compact")),
		d.context(d.hook(hooks.SessionStart, sessionB, "source", "startup"))} {
		if strings.Contains(text, "stale lock") {
			t.Errorf("the summary's own words are put before a session:\n%s", text)
		}
	}
	page := d.recall("resume", "--no-sync")
	for _, words := range []string{only, "is being continued", "earlier portion", "specific details",
		"Please continue"} {
		if strings.Contains(page, words) {
			t.Errorf("what the client says in its summary is in the payload (%s):\n%s", words, page)
		}
	}
}
