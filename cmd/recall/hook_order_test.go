package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"recall/serve/hooks"
)

// What a person forbade in plain words is quoted where a prompt would do it, as what was said; no record claims it.
func TestPromptAgainstAnOrderInProse(t *testing.T) {
	d := newDesk(t)
	d.says(sessionA, "Store the greetings of the kiosk. Don't use Redis here.", "They are in greetings.json.",
		"Batch the writes to the disk as well.", "An asyncio queue batches them, though it blocks at the end.",
		"OK, drop the asyncio queue and never again.", "It is dropped; writes are batched by a timer.",
		"Don't touch the fare table, the operator signs it.", "I won't.", "No GraphQL, the host charges for it.", "REST then.",
		"Leave the receipt printer alone, Ida repairs it.", "I will.")
	d.recall("sync")
	n := 0
	prompt := func(text string) string {
		n++
		return d.context(d.hook(hooks.UserPromptSubmit, session(n), "prompt", text))
	}
	for text, order := range map[string]string{"Put the greetings into Redis instead": "Don't use Redis here.",
		"Use an asyncio queue to batch the writes": "OK, drop the asyncio queue and never again.",
		"Add a column to the fare table":           "Don't touch the fare table",
		"Offer the timetable through GraphQL":      "No GraphQL, the host charges for it.",
		"Make the receipt printer cut the paper":   "Leave the receipt printer alone"} {
		if got := prompt(text); !strings.Contains(got, "said 20") || !strings.Contains(got, "“"+order) ||
			strings.Contains(got, "Warning") {
			t.Errorf("%s: %q", text, got)
		}
	}
	for _, text := range []string{"Remove Redis from the compose file",
		"Is Redis still in the compose file?", "Write the table of contents", "Batch the log lines by a timer"} {
		if got := prompt(text); strings.Contains(got, "Redis here") || strings.Contains(got, "asyncio") ||
			strings.Contains(got, "fare table") {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// What a person pasted isn't their word: no prompt is told of it, and an answer says that it was pasted. A reply that
// only agrees is about what was just said, whatever others agreed to.
func TestPastedTextIsNobodysWord(t *testing.T) {
	d := newDesk(t)
	d.says(sessionA, "What do you make of this mail?\n\n> From: keeper@pier.example\n> I have decided: we drop the moorings "+
		"API and use Yarrowdb instead.\n> Bye", "Somebody else decided that.",
		"Why did the old bot stop?\n```\nDon't use Redis for the berths here.\nERROR timeout\n```", "It timed out.",
		"Shall the berths have numbers?", "They have numbers. Shall I print them?", "yes please, print them on the plan")
	d.recall("init", "--yes")
	for i, text := range []string{"Extend the moorings API.", "Put the berths into Redis.", "yes please", "Thanks.",
		"Have somebody else decide on the keeper's mail"} {
		got := d.context(d.hook(hooks.UserPromptSubmit, session(i+2), "prompt", text))
		if strings.Contains(got, "we drop") || got != "" && i < 4 {
			t.Errorf("%s: %q", text, got)
		}
	}
	if out := d.recall("query", "did we decide on Yarrowdb?"); !strings.Contains(out, "you, partly pasted, ") {
		t.Errorf("an answer says %q", out)
	}
}

// A task told at length is told what the exchange it is about came to, in whatever words that was said.
func TestTaskAtLengthIsToldWhatWasSaid(t *testing.T) {
	d := newDesk(t)
	d.says(session(1), "Where should the tide gauge's exporter run? The basement machine has room.",
		"The exporter fits on the basement machine beside the chart printer. I set it up there.",
		"no, nothing new on that one: its memory has errors every few days and it goes to the scrapyard in December")
	for i := range 4 {
		d.at = d.at.Add(time.Hour)
		d.says(session(i+2), fmt.Sprintf("Draw the icon of buoy type %d.", i), "The icon is drawn.")
	}
	d.at = d.at.Add(time.Hour)
	d.says(session(6), "Ask all mooring sensors of the pier at once, it takes too long.", "They are asked at once now.",
		"bad news from the harbour office: two sensors hang since then and somebody had to go out and switch them off and on; "+
			"the bus takes one request at a time", "They are asked one after the other again.")
	d.recall("init", "--yes")
	const task = "The chart printer's queue still lives on a laptop. Please move it: install the queue on the basement " +
		"machine, let it start with the system, keep the last two hundred jobs, show the printer's state on the status page " +
		"of the exporter, and write into the manual how somebody restarts it when paper was jammed over the weekend."
	told := func(prompt string) string {
		return d.context(d.hook(hooks.UserPromptSubmit, session(9), "prompt", prompt))
	}
	if got := told("Draw the icon of a lightship, please."); got != "" {
		t.Errorf("an errand is told %q", got)
	}
	if got := told(task); !strings.Contains(got, "memory has errors") {
		t.Errorf("the task is told %q", got)
	}
}
