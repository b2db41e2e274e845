package terminal

import (
	"testing"

	"recall/ingest"
	"recall/library"
	"recall/pipeline"
)

// A session's id is somebody's file name: it is a word of the command, never a flag nor more than a word.
func TestResumeCommand(t *testing.T) {
	for id, want := range map[ingest.SessionID]string{
		"01b0":          "codex resume 01b0",
		"a$(touch b);c": "codex resume 'a$(touch b);c'",
		"--yolo":        "",
	} {
		r := pipeline.RestorePlan{Session: library.Entry{ID: id, Source: ingest.Codex}, Own: true}
		if got := ResumeCommand(r); got != want {
			t.Errorf("%s: got %q, want %q", id, got, want)
		}
	}
}
