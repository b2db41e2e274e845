package index

import (
	"strings"
	"testing"

	"recall/index/embed"
	"recall/index/words"
)

// Our stemmer must be FTS5's: words are looked up by stem in what it indexed.
func TestStemIsFTS5s(t *testing.T) {
	x := openWith(t)
	var vocab []string
	seen := map[string]bool{}
	for _, w := range words.Split(strings.ReplaceAll(embed.Lexicon(), "|", " , ")) {
		if !seen[w] {
			seen[w] = true
			vocab = append(vocab, w)
		}
	}
	vocab = append(vocab, "relational", "conditional", "rationalize", "valenci", "hesitanci", "digitizer", "conformabli", "radicalli", "differentli", "vileli", "analogousli", "vietnamization", "predication", "operator", "feudalism", "decisiveness", "hopefulness", "callousness", "formaliti", "sensitiviti", "sensibiliti", "triplicate", "formative", "electriciti", "electrical", "goodness", "revival", "allowance", "inference", "airliner", "gyroscopic", "adjustable", "defensible", "irritant", "replacement", "adoption", "homologou", "communism", "activate", "angulariti", "effective", "bowdlerize", "probate", "rate", "cease", "controll", "roll", "skies", "agreed", "plastered", "bled", "motoring", "sing", "conflated", "troubled", "sized", "hopping", "tanned", "falling", "hissing", "fizzed", "failing", "filing", "happy", "sky", "v2138", "a1b2c3s", "x86ing", "sses", "ies", "eed", "ing")
	for i, w := range vocab {
		if _, err := x.db.Exec(`INSERT INTO fitem(rowid, body, alias) VALUES(?,?,'')`, i+1, w); err != nil {
			t.Fatal(err)
		}
	}
	bad := 0
	for _, w := range vocab {
		var n int
		if err := x.db.QueryRow(`SELECT count(*) FROM vitem WHERE term=?`, words.Stem(w)).Scan(&n); err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			if bad++; bad < 30 {
				t.Errorf("FTS5 stems %q otherwise than to %q", w, words.Stem(w))
			}
		}
	}
	t.Logf("%d words, %d differ", len(vocab), bad)
}
