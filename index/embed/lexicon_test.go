package embed

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write lexicon.idx anew")

func TestIndexIsCurrent(t *testing.T) {
	want := indexLexicon(lexicon)
	if *update {
		if err := os.WriteFile("lexicon.idx", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if lexiconIndex != want {
		t.Error("lexicon.idx doesn't fit lexicon.txt: run go test ./index/embed -update")
	}
}

func TestEveryPhraseIsFound(t *testing.T) {
	for _, l := range strings.Split(lexicon, "\n") {
		if l == "" || l[0] == '#' {
			continue
		}
		for _, p := range strings.Split(l, "|") {
			groups := lookup(strings.Join(stems(p), " "))
			if !slices.ContainsFunc(groups, func(g int) bool { return line(lexicon, g) == l }) {
				t.Fatalf("%q: its group %q isn't found", p, l)
			}
		}
	}
	for _, p := range []string{"", "zzzz", "a b c d", "\x00", "quux"} {
		if got := lookup(p); got != nil {
			t.Errorf("lookup(%q) = %v, want nothing", p, got)
		}
	}
}

func TestRelated(t *testing.T) {
	got := Related("how do people log in?")
	for _, want := range []string{"sign in", "auth"} {
		if !slices.Contains(got, want) {
			t.Errorf("Related(log in) = %v, want %q among them", got, want)
		}
	}
}

func BenchmarkRelated(b *testing.B) {
	for b.Loop() {
		Related("why did we drop the confirmation prompt when the cleanup removes old sessions?")
	}
}
