package main

import (
	"strings"
	"testing"

	"recall/serve/hooks"
)

// What a person forbade in plain words is quoted where a prompt would do it, as what was said; no record claims it.
func TestPromptAgainstAnOrderInProse(t *testing.T) {
	d := newDesk(t)
	d.says(sessionA, "Store the greetings of the kiosk. Don't use Redis here.", "They are in greetings.json.",
		"Batch the writes to the disk as well.", "An asyncio queue batches them, though it blocks at the end.",
		"OK, drop the asyncio queue and never again.", "It is dropped; writes are batched by a timer.",
		"Don't touch the fare table, the operator signs it.", "I won't.")
	d.recall("sync")
	n := 0
	prompt := func(text string) string {
		n++
		return d.context(d.hook(hooks.UserPromptSubmit, session(n), "prompt", text))
	}
	for text, order := range map[string]string{"Put the greetings into Redis instead": "Don't use Redis here.",
		"Use an asyncio queue to batch the writes": "OK, drop the asyncio queue and never again.",
		"Add a column to the fare table":           "Don't touch the fare table"} {
		if got := prompt(text); !strings.Contains(got, "said 20") || !strings.Contains(got, "“"+order) ||
			strings.Contains(got, "Warning") {
			t.Errorf("%s: %q", text, got)
		}
	}
	for _, text := range []string{"Rename greetings.json to hello.json", "Remove Redis from the compose file",
		"Is Redis still in the compose file?", "Write the table of contents", "Batch the log lines by a timer"} {
		if got := prompt(text); strings.Contains(got, "Redis here") || strings.Contains(got, "asyncio") ||
			strings.Contains(got, "fare table") {
			t.Errorf("%s: %q", text, got)
		}
	}
}
