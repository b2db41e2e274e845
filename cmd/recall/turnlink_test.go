package main

import (
	"os"
	"strings"
	"testing"

	"recall/library"
)

// Every piece of evidence leads to a place in a rendered transcript.
func TestEvidenceLinksJumpToTheirTurn(t *testing.T) {
	dir, _ := demoLibrary(t)
	l, err := library.Open(dir)
	must(t, err)
	defer l.Close()
	entries, err := l.Sessions()
	must(t, err)
	links := 0
	for _, e := range entries {
		p, err := l.Payload(e.ID)
		must(t, err)
		for _, it := range p.Items {
			for _, ev := range it.Evidence {
				path, line, err := l.TurnPlace(e.ID, ev.Turn, 0)
				if err != nil {
					t.Errorf("%s, item %s: %v", e.Title, it.ID, err)
					continue
				}
				links++
				text, err := os.ReadFile(path)
				lines := strings.Split(string(text), "\n")
				if err != nil || !strings.Contains(lines[line-1], `<a id="`+ev.Turn+`"></a>`) {
					t.Errorf("%s:%d leads nowhere: %v", path, line, err)
				}
			}
		}
	}
	if links < 50 {
		t.Errorf("%d links, want many more", links)
	}
}
