package history

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/index"
	"recall/payload"
)

// What was replaced by something outside of a timeline is no reversal on it: there is nothing to show of the later one.
func TestChangedOfPart(t *testing.T) {
	at := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	old := Dated{Placed: index.Placed{Item: payload.Item{ID: "old", Kind: payload.Decision, At: at}},
		Link: payload.Link{From: "new", To: "old", Relation: payload.Supersedes, At: at.Add(time.Hour)}}
	later := Dated{Placed: index.Placed{Item: payload.Item{ID: "new", Kind: payload.Decision, At: at.Add(time.Hour)}}}
	all := func(Dated) bool { return true }
	if c := ChangedOf([]Dated{old}, at, all); len(c.Reversed) != 0 {
		t.Errorf("reversed by what isn't there: %+v", c.Reversed)
	}
	if c := ChangedOf([]Dated{old, later}, at, all); len(c.Reversed) != 1 || c.Reversed[0].Later.Item.ID != "new" {
		t.Errorf("reversed: %+v", c.Reversed)
	}
}

// Only files that are there, inside the project, are asked of git.
func TestFilesOf(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"src/a.go", "Makefile", "../outside.go"} {
		path := filepath.Join(root, "p", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	it := payload.Item{About: []string{"src/a.go:44", "src/gone.go", "../outside.go", "ProcessQueue", "Makefile", "src",
		"--all", "-x/../src/a.go", filepath.Join(root, "p", "src", "a.go")}}
	got := slices.Compact(filesOf(filepath.Join(root, "p"), it))
	if diff := cmp.Diff([]string{"src/a.go"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"src/a.go": 2},
		countCommits("\x00\n\nsrc/a.go\n\x00\n\nsrc/a.go\nsrc/b.go\n\x00\n\nsrc/b.go\n",
			map[string]string{"src/a.go": "src/a.go"})); diff != "" {
		t.Errorf("commits (-want +got)\n%s", diff)
	}
}
