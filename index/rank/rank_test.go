package rank

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/payload"
)

func retries() *Question {
	terms := []Term{{"retri", 2}, {"backoff", 5}, {"jitter", 3}}
	kin := []Kin{{Term: 1, Stems: []string{"exponenti", "delai"}}, {Term: 2, Stems: []string{"random"}}}
	return Ask("why retries with backoff and jitter?", terms, kin, nil)
}

func TestLookAtItem(t *testing.T) {
	it := &payload.Item{Kind: payload.File, Text: "Retries back off: random, exponential delays", Why: "a herd",
		Aliases: []string{"jitter", "retry jitter"},
		Path:    "backoff.go", Confidence: 0.9, By: payload.ByUser, State: payload.Superseded}
	got := retries().Look(Candidate{Item: it, Words: 0.5, Source: 0.25, Support: 0.1, Aliased: true})
	want := Features{Words: 0.5, Source: 0.25, Support: 0.1,
		All:     1,                         // retries in the text, jitter in an alias, backoff in the path
		Topic:   0.2,                       // its text begins with retries
		Alias:   2 * 5. / (10 + 5),         // "retry jitter" is 5 of the question's 10 and has no other word
		Like:    2 * 2. / (10 + 2 + 50./3), // one of its six words, the others weigh 10/3 each
		Kindred: 0,                         // what stands there itself isn't counted again
		Rare:    1,
		Many:    1,
		Why:     1, OfFile: 1, Sure: 0.15, Person: 1, Past: 1,
	}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-9 {
			t.Errorf("%s: got %v, want %v", names[i], got[i], want[i])
		}
	}
}

// What is said of a turn and a lead are seen alike; nothing of a claim is seen of them.
func TestLookAtPassage(t *testing.T) {
	said := "we have backoff, and then the jitter, for all of them"
	want := Features{APassage: 1, PassageWords: 0.4, PassageLexicon: 0.1, PassageSupport: 0.2, PassageAll: 0.8,
		PassageRare: 1, PassagePerson: 1, PassageLength: math.Log1p(5) / 5, PassageTaken: 0.3,
		PassageBefore: 0.2, PassageClosing: 1, Claimed: 0.25}
	asked := Spoken{Before: "how do retries wait, with backoff?", Closing: true}
	turn := Candidate{Text: said, Shown: "backoff, and then the jitter", User: true, Taken: 0.3, Spoken: asked,
		Words: 0.4, Lexicon: 0.1, Support: 0.2, Claimed: 0.25}
	lead := Candidate{Item: &payload.Item{Kind: payload.Lead, Text: said, By: payload.ByUser, Confidence: 0.6},
		Spoken: asked, Words: 0.4, Lexicon: 0.1, Support: 0.2, Claimed: 0.25}
	for _, c := range []struct {
		Candidate
		change map[int]float64
	}{{turn, nil}, {lead, map[int]float64{PassageLength: math.Log1p(11) / 5, PassageTaken: 0}}} {
		got := retries().Look(c.Candidate)
		for i, x := range want {
			if changed, ok := c.change[i]; ok {
				x = changed
			}
			if math.Abs(got[i]-x) > 1e-9 {
				t.Errorf("%s: got %v, want %v", names[i], got[i], x)
			}
		}
	}
}

// A word of the question that all candidates say tells a passage from none of them.
func TestAmong(t *testing.T) {
	q := retries()
	shown := []string{"retries with backoff", "retries", "no retries", "retries wait"}
	looks := []*Features{{APassage: 1}, {APassage: 1}, {}, {APassage: 1}}
	q.ComparePassages(shown, looks)
	first, second := looks[0][PassageBeside], looks[1][PassageBeside]
	if first < 2*second || first > 1 || second <= 0 || looks[2][PassageBeside] != 0 {
		t.Errorf("got %.2f where a rare word stands, %.2f where none does, %.2f of a claim", first, second,
			looks[2][PassageBeside])
	}
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
		if got := q.Look(Candidate{Item: &payload.Item{Text: text}})[Kindred]; math.Abs(got-want) > 1e-9 {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

func TestAsked(t *testing.T) {
	for _, c := range []struct {
		q    string
		kind payload.Kind
		want float64
	}{
		{"which files handle retries?", payload.File, 1},
		{"which files handle retries?", payload.Decision, 0},
		{"what did we decide about retries?", payload.File, 0},
		{"where does it retry", payload.File, 1},
		{"what's left on retries?", payload.Next, 1},
		{"what's left on retries?", payload.Goal, 0},
		{"retry progress", payload.Status, 1},
		{"did we try redis?", payload.Eliminated, 1},
		{"why didn't we use redis?", payload.Eliminated, 1},
		{"redis?", payload.Eliminated, 0},
	} {
		got := Ask(c.q, nil, nil, nil).Look(Candidate{Item: &payload.Item{Kind: c.kind}})
		if got[Asked] != c.want {
			t.Errorf("%q, %s: got %v, want %v", c.q, c.kind, got[Asked], c.want)
		}
		if of, ok := ofKind[c.kind]; ok && got[of] != 1-c.want {
			t.Errorf("%q, %s: got %s %v, want %v", c.q, c.kind, names[of], got[of], 1-c.want)
		}
	}
}

// What stands comes before what doesn't, and a person's word before a rule's,
// all else alike.
func TestStanding(t *testing.T) {
	q := retries()
	score := func(it payload.Item) float64 {
		it.Text = "Retries with backoff"
		return Default.Score(q.Look(Candidate{Item: &it}))
	}
	old, stands, human := score(payload.Item{State: payload.Superseded}), score(payload.Item{State: payload.Stands}),
		score(payload.Item{Maker: payload.ByHuman})
	if !(old < stands && stands < human) {
		t.Errorf("superseded %v, standing %v, by hand %v: want them in this order", old, stands, human)
	}
}

func TestWeights(t *testing.T) {
	w, err := Parse(Default.String())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Default, w); diff != "" {
		t.Errorf("written and read again (-want +got):\n%s", diff)
	}
	if _, err := Parse("words 1 # fine\n\nnonsense 2\n"); err == nil ||
		err.Error() != `weights, line 3: "nonsense 2" isn't a feature's name and weight` {
		t.Errorf("got %v for a line that is no weight", err)
	}
	seen := map[string]bool{}
	for i := range int(Count) {
		if n := names[i]; n == "" || seen[n] {
			t.Errorf("feature %d is named %q, not or not it alone", i, n)
		}
		seen[names[i]] = true
	}
}

func TestQuestionWithoutTerms(t *testing.T) {
	f := Ask("", nil, nil, nil).Look(Candidate{Item: &payload.Item{Text: "anything"}})
	for i, x := range f {
		if math.IsNaN(x) {
			t.Errorf("%s is NaN for an empty question", names[i])
		}
	}
}

// What is shown of a turn is whole sentences that say most of the question, verbatim, with
// what stands around them, and no more than there is room for.
func TestPassage(t *testing.T) {
	filler := strings.Repeat("Nothing of this says what is asked here at all. ", 20)
	answer := "The retry waits with jitter.\nFixed delays made the workers meet"
	q := Ask("why does the retry have jitter?", []Term{{"retri", 3}, {"jitter", 4}}, nil, nil)
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
