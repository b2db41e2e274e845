package library

import (
	"bytes"
	"errors"
	"fmt"
	"html"

	"recall/ingest"
	"recall/library/render"
)

// ErrNoTurn: no rendered transcript has a turn of that id.
var ErrNoTurn = errors.New("no such turn in the transcript")

// TurnLink is where a turn, or the record that evidence cites, stands in a session's rendered transcript: its file and
// the anchor to jump to, "transcript-2.md#u17". The error is ErrNoTurn if it isn't rendered (yet).
func (l *Library) TurnLink(id ingest.SessionID, turn string) (string, error) {
	anchor := []byte(`<a id="` + html.EscapeString(turn) + `">`)
	for i := 0; turn != ""; i++ {
		text, err := l.readFile(id, render.TranscriptName(i))
		if err != nil {
			return "", err
		}
		if text == nil {
			break
		}
		if bytes.Contains(text, anchor) {
			return render.TranscriptName(i) + "#" + turn, nil
		}
	}
	return "", fmt.Errorf("session %s: %q: %w", id, turn, ErrNoTurn)
}
