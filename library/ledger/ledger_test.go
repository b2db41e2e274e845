package ledger

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"recall/library/disk"
)

type record struct {
	Name string `json:"name"`
}

// What was added is there in order; a line that was changed, one that says nothing and
// one that is none are named, and cost no other; a torn last one is no line.
func TestLog(t *testing.T) {
	g := Log[record]{Path: filepath.Join(t.TempDir(), "below", "log.jsonl"),
		Check: func(r record) error {
			if r.Name == "" {
				return errors.New("it says nothing")
			}
			return nil
		}}
	if all, err := g.All(); err != nil || all != nil {
		t.Fatalf("without a file: %v, %v", all, err)
	}
	if err := g.Share(record{"a"}); err != nil {
		t.Fatal(err)
	}
	if err := g.Add(record{"b"}, record{"c"}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(g.Path)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), `"b"`, `"x"`, 1) + `{"name":""}` + "\nno JSON\n" + `{"name":"to`
	if err := os.WriteFile(g.Path, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := g.Add(record{"d"}); err != nil {
		t.Fatal(err)
	}
	all, err := g.All()
	if want := []record{{"a"}, {"c"}, {"d"}}; !slices.Equal(all, want) {
		t.Errorf("got %v, want %v", all, want)
	}
	if !errors.Is(err, disk.ErrDamaged) {
		t.Fatalf("got error %v", err)
	}
	for _, line := range []string{":2:", ":4:", ":5:"} {
		if !strings.Contains(err.Error(), line) {
			t.Errorf("line %s isn't named in %v", line, err)
		}
	}
	if n := strings.Count(err.Error(), "\n"); n != 2 {
		t.Errorf("%d errors, want 3: %v", n+1, err)
	}
}
