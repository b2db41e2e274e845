package index

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3/driver"
	"github.com/ncruces/go-sqlite3/ext/fts5"

	"recall/internal/text"
)

// Our stemmer is FTS5's, which is well tried.
func TestStemIsFTS5s(t *testing.T) {
	db, err := driver.Open("file:"+filepath.ToSlash(filepath.Join(t.TempDir(), "stems.db")), fts5.Register)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, q := range []string{`CREATE VIRTUAL TABLE f USING fts5(body, tokenize='porter unicode61')`,
		`CREATE VIRTUAL TABLE v USING fts5vocab(f, 'row')`} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	var vocab []string
	seen := map[string]bool{}
	for _, w := range text.Split(strings.ReplaceAll(lexicon, "|", " , ")) {
		if !seen[w] {
			seen[w] = true
			vocab = append(vocab, w)
		}
	}
	vocab = append(vocab, "relational", "conditional", "rationalize", "valenci", "hesitanci", "digitizer", "conformabli",
		"radicalli", "differentli", "vileli", "analogousli", "vietnamization", "predication", "operator", "feudalism",
		"decisiveness", "hopefulness", "callousness", "formaliti", "sensitiviti", "sensibiliti", "triplicate", "formative",
		"electriciti", "electrical", "goodness", "revival", "allowance", "inference", "airliner", "gyroscopic",
		"adjustable", "defensible", "irritant", "replacement", "adoption", "homologou", "communism", "activate",
		"angulariti", "effective", "bowdlerize", "probate", "rate", "cease", "controll", "roll", "skies", "agreed",
		"plastered", "bled", "motoring", "sing", "conflated", "troubled", "sized", "hopping", "tanned", "falling",
		"hissing", "fizzed", "failing", "filing", "happy", "sky", "v2138", "a1b2c3s", "x86ing", "sses", "ies", "eed",
		"ing",
		"cafés", "naïve", "über", "ångström", "déjà", "résumés", "straße", "чай", "нельзя", "日本語")
	if _, err := db.Exec(`INSERT INTO f(body) VALUES(?)`, strings.Join(vocab, " ")); err != nil {
		t.Fatal(err)
	}
	stems := map[string]bool{}
	rows, err := db.Query(`SELECT term FROM v`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var stem string
		if err := rows.Scan(&stem); err != nil {
			t.Fatal(err)
		}
		stems[stem] = true
	}
	if err := rows.Err(); err != nil || len(stems) == 0 {
		t.Fatal(len(stems), err)
	}
	bad := 0
	for _, w := range vocab {
		if !stems[text.Stem(w)] {
			if bad++; bad < 30 {
				t.Errorf("FTS5 stems %q otherwise than to %q", w, text.Stem(w))
			}
		}
	}
	t.Logf("%d words, %d differ", len(vocab), bad)
}
