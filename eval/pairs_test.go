package eval

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// labelled is one pair of texts that people called the same fact or not. The
// hard ones are true pairs with one text negated, reversed or swapped.
type labelled struct {
	A, B string
	Same bool
	Made bool
}

func readPairs(t *testing.T) []labelled {
	dir := os.Getenv("RECALL_SHARED")
	if dir == "" {
		t.Skip("RECALL_SHARED isn't set: no labelled pairs")
	}
	files, err := filepath.Glob(filepath.Join(dir, "eval/gold/*/pairs-*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no pairs under %s: %v", dir, err)
	}
	var pairs []labelled
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for sc := bufio.NewScanner(f); sc.Scan(); {
			var p labelled
			if err := json.Unmarshal(sc.Bytes(), &p); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			pairs = append(pairs, p)
		}
	}
	return pairs
}

// TestPairs reports how far the similarity agrees with people, and holds it there.
func TestPairs(t *testing.T) {
	pairs := readPairs(t)
	agreement := func(th float64) (same, other, made float64) {
		var right, all [3]float64
		for _, p := range pairs {
			i := 0
			if p.Made {
				i = 2
			} else if !p.Same {
				i = 1
			}
			all[i]++
			if (textSimilarity(newBag(p.A, ""), newBag(p.B, "")) >= th) == p.Same {
				right[i]++
			}
		}
		return right[0] / all[0], right[1] / all[1], right[2] / all[2]
	}
	for th := 0.2; th < 0.8; th += 0.05 {
		same, other, made := agreement(th)
		t.Logf("threshold %.2f: same %.3f, not the same %.3f, reversed %.3f", th, same, other, made)
	}
	same, other, _ := agreement(Threshold)
	if same < 0.93 || other < 0.90 {
		t.Errorf("agreement at %.2f: same %.3f, not the same %.3f; want at least 0.93 and 0.90", Threshold, same, other)
	}
}
