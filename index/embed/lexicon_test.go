package embed

import (
	"flag"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write lexicon.idx anew")

// indexLexicon builds lexicon.idx from lexicon.txt.
func indexLexicon(text string) string {
	where := map[string][]string{}
	at := 0
	for _, l := range strings.SplitAfter(text, "\n") {
		group := strings.TrimSuffix(l, "\n")
		if group != "" && group[0] != '#' {
			for _, p := range strings.Split(group, "|") {
				key := strings.Join(stems(p), " ")
				o := strconv.Itoa(at)
				if list := where[key]; key != "" && (len(list) == 0 || list[len(list)-1] != o) {
					where[key] = append(list, o)
				}
			}
		}
		at += len(l)
	}
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(where)) {
		b.WriteString(k + "\t" + strings.Join(where[k], " ") + "\n")
	}
	return b.String()
}

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

// related lists the phrases of all groups that a text mentions.
func related(text string) (out []string) {
	for _, m := range Mentions(text) {
		out = append(out, m.Others...)
	}
	return out
}

func TestRelated(t *testing.T) {
	got := related("how do people log in?")
	for _, want := range []string{"sign in", "auth"} {
		if !slices.Contains(got, want) {
			t.Errorf("related(log in) = %v, want %q among them", got, want)
		}
	}
}

func BenchmarkRelated(b *testing.B) {
	for b.Loop() {
		related("why did we drop the confirmation prompt when the cleanup removes old sessions?")
	}
}
