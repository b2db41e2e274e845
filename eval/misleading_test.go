package eval

import (
	"testing"

	"recall/ingest"
)

// A line misleads if it says what is wrong, whoever says it. What only asks says nothing, and a commit of what is said
// to be still to do says the contrary.
func TestMisleading(t *testing.T) {
	c := NewCase(&ingest.Session{ID: "s"}, &Gold{Session: "s", Not: []string{
		"The retry limit of the uploader is still to be added.", "The thumbnail cache was moved to Redis."}})
	for line, want := range map[string]bool{
		"- “Add the retry limit of the uploader” — commit, turn 9":                                        false,
		"- “Fix the login page · Add the retry limit of the uploader” — commits, the last in turn 9":      false,
		"- “The retry limit of the uploader is still to be added.” — assistant, turn 9":                   true,
		"- “add the retry limit of the uploader, still to do” — user, turn 9":                             true,
		"- “Move the thumbnail cache to Redis” — commit, turn 4":                                          true,
		"- “could we move the thumbnail cache to Redis?” — user, turn 3":                                  false,
		"- “The thumbnail cache was moved to Redis. Shall I delete the old one?” — assistant, turn 4":     true,
		"- “shall I delete the old one? The thumbnail cache was moved to Redis” — user, turn 4":           true,
		"- “Moved the thumbnail cache to Redis · Wrote its tests” — assistant, turn 4; answered “go on?”": true,
		"- “The thumbnail cache stays in memory.” — assistant, turn 4":                                    false,
	} {
		m, err := c.page(t.Context(), Words{}, line)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Misleading > 0; got != want {
			t.Errorf("%q misleads: %v", line, got)
		}
	}
}
