package redact

import (
	"slices"
	"testing"
)

// The rows of weights.tsv are those of the signs, in their order.
func TestWeightsAreInOrder(t *testing.T) {
	want := append([]string{"any"}, read[:]...)
	for _, s := range seen {
		want = append(want, s.name)
	}
	var got []string
	for _, f := range rowsOf(weightTable) {
		got = append(got, f[0])
	}
	if !slices.Equal(got, want) {
		t.Errorf("weights.tsv has the rows %q, want %q", got, want)
	}
}
