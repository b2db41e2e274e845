package rank

import (
	"math"
	"strings"
	"testing"

	"recall/payload"
)

func retries() *Question {
	terms := []Term{{"retri", 2}, {"backoff", 5}, {"jitter", 3}}
	kin := []Kin{{Term: 1, Stems: []string{"exponenti", "delai"}}, {Term: 2, Stems: []string{"random"}}}
	return Ask("why retries with backoff and jitter?", terms, kin)
}

// A phrase of several words counts only as a whole.
func TestKindredPhrase(t *testing.T) {
	q := retries()
	for text, want := range map[string]float64{
		"exponential delay between them":  0.5,
		"exponential, and then the delay": 0.5, // small words don't count
		"exponential growth, no delay":    0,
		"random":                          0.3,
		"random, exponential delays":      0.8,
	} {
		if _, _, got := q.Held(text); math.Abs(got-want) > 1e-9 {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

func TestAsked(t *testing.T) {
	for _, c := range []struct {
		q    string
		kind payload.Kind
		want bool
	}{
		{"which files handle retries?", payload.File, true},
		{"which files handle retries?", payload.Decision, false},
		{"what did we decide about retries?", payload.File, false},
		{"where does it retry", payload.File, true},
		{"how exact must the file match be?", payload.File, false},
		{"what's left on retries?", payload.Next, true},
		{"what's left on retries?", payload.Goal, false},
		{"retry progress", payload.Status, true},
		{"did we try redis?", payload.Eliminated, true},
		{"why didn't we use redis?", payload.Eliminated, true},
		{"redis?", payload.Eliminated, false},
	} {
		if got := Ask(c.q, nil, nil).Asks(c.kind); got != c.want {
			t.Errorf("%q, %s: got %v, want %v", c.q, c.kind, got, c.want)
		}
	}
}

// What is shown of a turn is whole sentences that say most of the question, verbatim, with
// what stands around them, and no more than there is room for.
func TestPassage(t *testing.T) {
	filler := strings.Repeat("Nothing of this says what is asked here at all. ", 20)
	answer := "The retry waits with jitter.\nFixed delays made the workers meet"
	q := Ask("why does the retry have jitter?", []Term{{"retri", 3}, {"jitter", 4}}, nil)
	for _, c := range []struct {
		name, turn, want string
	}{
		{"amid others", filler + answer + ". " + filler, answer},
		{"at the end", filler + answer, answer},
		{"short", answer, answer},
		{"a line of data", strings.Repeat("0123456789 ", 200) + "retry=jitter " + strings.Repeat("9876543210 ", 200),
			"retry=jitter"},
		{"a list", "- one\n- " + filler + "\n```\n- the retry\n- jitter\n```", "- the retry\n- jitter"},
	} {
		got, brief := q.Passage(c.turn)
		from := strings.Index(c.turn, got)
		if !strings.Contains(got, c.want) || len(got) > longestPassage {
			t.Errorf("%s: %q, %d bytes, want %q in it", c.name, got, len(got), c.want)
		}
		if c.name != "a line of data" && from > 0 && c.turn[from-2] != '.' && c.turn[from-1] != '\n' {
			t.Errorf("%s: it begins within a sentence: %q", c.name, got)
		}
		if !strings.Contains(brief, c.want) || !strings.Contains(c.turn, brief) || len(brief) > longestPassage/2 {
			t.Errorf("%s, in brief: %q, %d bytes, want %q in it", c.name, brief, len(brief), c.want)
		}
	}
	if got, brief := q.Passage(" \n"); got != " \n" || brief != got {
		t.Errorf("of nothing %q and %q are shown", got, brief)
	}
}
