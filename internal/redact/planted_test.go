package redact_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"recall/internal/redact"
	"recall/internal/redact/plantedtest"
	_ "recall/library/ramdisk"
)

// leaked plants each kind a few times in a text and returns those that are left, and how many were planted.
func leaked(kinds []plantedtest.Kind, draws int) (left []string, n int) {
	random := rand.New(rand.NewPCG(7, 11))
	for _, k := range kinds {
		for range draws {
			text, secrets := k.Draw(random)
			n++
			got := redact.Text("I looked at it:\n\n" + text + "\n\nand went on.")
			if slices.ContainsFunc(secrets, func(s string) bool { return strings.Contains(got, s) }) {
				left = append(left, fmt.Sprintf("%s/%s: %q", k.Class, k.Name, got[17:len(got)-14]))
			}
		}
	}
	return left, n
}

// Of the kinds that the rules were made with, of those that they were mended after, and of
// those that they never were, no more than this is left.
func TestPlantedKindsAreMasked(t *testing.T) {
	for _, c := range []struct {
		name  string
		kinds []plantedtest.Kind
		draws int
		most  float64 // of a hundred
	}{
		{"held out", plantedtest.Parse(heldOut), 5, 10}, {"known", plantedtest.Kinds(), 5, 1},
		{"printed and told", plantedtest.Parse(contact), 3, 5}, {"by name and way", crossed(t, "grid", grid), 1, 4},
		{"keys of services", crossed(t, "services", services), 1, 27},
	} {
		left, n := leaked(c.kinds, c.draws)
		t.Logf("%s: %d of %d left, %.1f %%", c.name, len(left), n, 100*float64(len(left))/float64(n))
		if 100*float64(len(left)) > c.most*float64(n) {
			t.Errorf("%s: %d of %d left, want at most %v %%\n%s", c.name, len(left), n, c.most,
				strings.Join(left, "\n"))
		}
	}
}
