package payload

import (
	"testing"
	"time"
)

// What became of the values that a text names, and of a pull request, is noted if it can't be another's.
func TestOutlive(t *testing.T) {
	said := time.Date(2026, 8, 1, 9, 0, 0, 0, time.UTC)
	value := func(day int, was, is string) Deed {
		return Deed{Text: was, Now: is, Of: "grams = jar", At: said.AddDate(0, 0, day)}
	}
	merged := Deed{Text: "/pull/12", Fate: "merged since", At: said.AddDate(0, 0, 1)}
	for _, tt := range []struct {
		text, had string
		deeds     []Deed
		want      string
	}{
		{"a jar has 12 grams", "", []Deed{value(1, "12", "14"), value(2, "14", "15")}, "since changed: 12 → 15"},
		{"a jar has 12 grams", "since changed: 12 → 14", []Deed{value(1, "12", "14"), value(2, "14", "12")}, ""},
		{"a jar has 12 grams", "since changed: 12 → 14", []Deed{value(2, "14", "12")}, ""},
		{"a jar has 12 grams", "", []Deed{value(-1, "12", "14")}, ""},
		{"a lid has 12 holes. It is red. Each jar has 20 grams.", "", []Deed{value(1, "12", "14")}, ""},
		{"a jar has never 12 grams", "", []Deed{value(1, "12", "14")}, ""},
		{"pushed, PR #12 is open", "", []Deed{merged}, "#12 merged since"},
		{"it is at x/pull/12", "", []Deed{merged}, "#12 merged since"},
		{"PR #12 is merged", "", []Deed{merged}, ""},
		{"12 files, PR 1 and #120", "", []Deed{merged}, ""},
	} {
		it := Item{Kind: Lead, Text: tt.text, Since: tt.had, At: said, State: Stands}
		if it.Outlive(tt.deeds); it.Since != tt.want {
			t.Errorf("%s: got %q, want %q", tt.text, it.Since, tt.want)
		}
	}
}
