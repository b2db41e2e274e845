package main

import (
	"strings"
	"testing"

	"recall/serve/hooks"
)

// Whoever clears a session, or whose client was killed, is told in the next one what was said in it, though no hook
// took it in; a fork and a resume, whose conversations hold their page, aren't told it twice.
func TestStartAfterAnUnfinishedSession(t *testing.T) {
	d := newDesk(t)
	d.recall("sync")
	const heap = "Let's use a heap for the scheduler, because inserts are faster."
	d.says(session(1), heap, "The heap is in.")
	start := func(id, source string) string {
		t.Helper()
		return d.context(d.hook(hooks.SessionStart, id, "source", source))
	}
	if got := start(session(2), "clear"); !strings.Contains(got, "heap for the scheduler") {
		t.Errorf("after /clear:\n%s", got)
	}
	d.says(session(2), "Let's use SQLite for the readings, because one file ships.", "SQLite it is.")
	if got := start(session(3), "startup"); !strings.Contains(got, "SQLite for the readings") {
		t.Errorf("after a kill:\n%s", got)
	}
	if got := start(session(4), "fork"); got != "" {
		t.Errorf("a fork is told again:\n%s", got)
	}
	d.says(session(5), "Let's use TOML for the settings of the scheduler, because it has comments.", "TOML it is.")
	got := start(session(3), "resume")
	if !strings.Contains(got, "TOML for the settings") || strings.Contains(got, "heap for the scheduler") {
		t.Errorf("a resume is told of more or less than what is new:\n%s", got)
	}
	if got := start(session(3), "resume"); got != "" {
		t.Errorf("the second resume:\n%s", got)
	}
}
