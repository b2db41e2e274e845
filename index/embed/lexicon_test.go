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
			groups := shipped.lookup(strings.Join(stems(p), " "))
			if !slices.ContainsFunc(groups, func(g int) bool { return line(lexicon, g) == l }) {
				t.Fatalf("%q: its group %q isn't found", p, l)
			}
		}
	}
	for _, p := range []string{"", "zzzz", "a b c d", "\x00", "quux"} {
		if got := shipped.lookup(p); got != nil {
			t.Errorf("lookup(%q) = %v, want nothing", p, got)
		}
	}
}

// related lists the phrases of all groups that a text mentions.
func related(text string, own Groups) (out []string) {
	for _, m := range Mentions(text, own) {
		out = append(out, m.Others...)
	}
	return out
}

func TestRelated(t *testing.T) {
	got := related("how do people log in?", Groups{})
	for _, want := range []string{"sign in", "auth"} {
		if !slices.Contains(got, want) {
			t.Errorf("related(log in) = %v, want %q among them", got, want)
		}
	}
}

func BenchmarkRelated(b *testing.B) {
	for b.Loop() {
		related("why did we drop the confirmation prompt when the cleanup removes old sessions?", Groups{})
	}
}

func TestOwnLexicon(t *testing.T) {
	own, err := ParseGroups("\ufeff# ours\r\nzorble | Quux machine|login\r\n\r\n")
	if err != nil {
		t.Fatal(err)
	}
	if got := related("quux machines", own); !slices.Equal(got[len(got)-3:], []string{"zorble", "Quux machine", "login"}) {
		t.Errorf("got %q, want the group of the own lexicon last", got)
	}
	both := related("zorble sign in", own)
	for _, want := range []string{"login", "auth"} {
		if !slices.Contains(both, want) {
			t.Errorf("got %q, want %q of one lexicon or the other among them", both, want)
		}
	}
	for text, want := range map[string]string{
		"a|b\nalone\n":               `line 2: "alone"`,
		"one|\n":                     `line 1: "one|"`,
		strings.Repeat("a|b\n", 1e5): "400000 bytes, 262144 at most",
	} {
		if _, err := ParseGroups(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s in it", err, want)
		}
	}
}
