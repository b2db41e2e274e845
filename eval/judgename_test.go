package eval_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"testing"

	"recall/eval"
)

// What the judge of that name says of the bundled gold set, hashed. Runs and
// baselines are compared by the judge's name: who changes what it says gives it
// the next number here and in Words.Name.
const (
	judgeName = "words/5"
	judgeSays = "9d979a3c916ab052"
)

func TestJudgeIsWhatItsNameSays(t *testing.T) {
	set, err := eval.LoadSet()
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.New()
	asked := 0
	for _, g := range set.Golds {
		var claims []eval.Claim
		for _, it := range g.Items {
			claims = append(claims, eval.Claim{Kind: it.Kind, Text: it.Text, Why: it.Why, Turns: it.Turns})
			for _, f := range eval.Forms {
				if turned, ok := f.Make(it.Text, it.Text); ok {
					claims = append(claims, eval.Claim{Kind: it.Kind, Text: turned, Why: it.Why, Turns: it.Turns})
				}
			}
		}
		var pairs [][2]int
		for i := range claims {
			for j := range i {
				pairs = append(pairs, [2]int{i, j})
			}
		}
		alike, err := eval.Words{}.Alike(context.Background(), claims, pairs)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range alike {
			fmt.Fprintf(sum, "%.3f\n", x)
		}
		asked += len(pairs)
	}
	if asked < 1000 {
		t.Fatalf("asked about %d pairs, want more", asked)
	}
	if name, says := (eval.Words{}).Name(), fmt.Sprintf("%.8x", sum.Sum(nil)); name != judgeName || says != judgeSays {
		t.Errorf("%s judges %d pairs as %s; %s judged them as %s. Its name changes with what it says", name, asked, says,
			judgeName, judgeSays)
	}
}
