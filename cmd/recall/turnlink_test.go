package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recall/library"
)

// Every piece of evidence leads to a place in a rendered transcript.
func TestEvidenceLinksJumpToTheirTurn(t *testing.T) {
	dir, _ := demoLibrary(t)
	l, err := library.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	entries, err := l.Sessions()
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	for _, e := range entries {
		p, err := l.Payload(e.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range p.Items {
			for _, ev := range it.Evidence {
				link, err := l.TurnLink(e.ID, ev.Turn)
				if err != nil {
					t.Errorf("%s, item %s: %v", e.Title, it.ID, err)
					continue
				}
				links++
				file, anchor, _ := strings.Cut(link, "#")
				text, err := os.ReadFile(filepath.Join(e.Folder, file))
				if err != nil || !strings.Contains(string(text), `<a id="`+anchor+`"></a>`) {
					t.Errorf("%s leads nowhere: %v", link, err)
				}
			}
		}
	}
	if links < 50 {
		t.Errorf("%d links, want many more", links)
	}
}
