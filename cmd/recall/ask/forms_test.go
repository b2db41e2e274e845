package ask

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"recall/answer"
	"recall/answer/history"
	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
	"recall/index"
	"recall/payload"
)

// The layouts that samples and scripts never reach work too: a form that names a missing field would panic.
func TestFormsOfWhatIsRare(t *testing.T) {
	var out bytes.Buffer
	a := &app.App{Console: terminal.Console{Out: &out}}
	it := payload.Item{ID: "abcdefghij", Kind: payload.Decision, Text: "use it", Why: "why", At: time.Now(),
		State: payload.Stands, Evidence: []payload.Evidence{{Turn: "1", N: 1, Quote: "q"}, {Turn: "2", N: 2, Quote: "r"}}}
	l := index.Linked{Relation: payload.Supersedes, Sure: true, Placed: index.Placed{Item: it}}
	a.Form("why-item", &answer.Item{Item: it, Standing: &l, Earlier: []index.Linked{l}, Later: []index.Linked{l}})
	written := it
	written.Evidence, written.Maker = nil, payload.ByHuman
	a.Form("why-item", &answer.Item{Item: written})
	a.Form("why-line", &history.Why{Verdict: "several", Note: "n", Sessions: []history.Behind{{By: "text"},
		{Wrote: true}}})
	for _, want := range []string{" superseded ", "\n    turn 2\n", "\nlater:\n", "A person wrote it;",
		"It could be any of 2 sessions:\n", "  it made no such commit, but wrote this text; the commit, turn 0\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("lacks %q:\n%s", want, out.String())
		}
	}
}
