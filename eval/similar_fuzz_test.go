package eval

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"recall/payload"
)

// Whatever two statements hold: their similarity is a share, the same both ways,
// and a statement is like itself.
func FuzzSimilarity(f *testing.F) {
	file, err := os.Open("testdata/invented-pairs.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	defer file.Close()
	for sc := bufio.NewScanner(file); sc.Scan(); {
		var p LabelledPair
		if err := json.Unmarshal(sc.Bytes(), &p); err != nil {
			f.Fatal(err)
		}
		f.Add(p.A, p.B)
	}
	f.Add("(no", "no no not don't :")
	f.Add("a → b (c → d)) from to", "`x` 5k v1.2-3, 0x -1m")
	f.Add("\xff\x00", "é “ ” … —")
	f.Fuzz(func(t *testing.T, one, two string) {
		for _, kind := range []payload.Kind{payload.Decision, payload.Eliminated, ""} {
			a, b := newSide(Claim{Kind: kind, Text: one, Why: two}), newSide(Claim{Kind: kind, Text: two})
			x, y := similarity(a, b), similarity(b, a)
			if !(x >= 0 && x <= 1) || x != y {
				t.Errorf("%q and %q: %v one way, %v the other", one, two, x, y)
			}
			if x := similarity(b, b); len(b.words.Bag) > 0 && x != 1 {
				t.Errorf("%q: %v like itself", two, x)
			}
		}
		for _, form := range Forms {
			form.Make(one, two)
		}
	})
}
