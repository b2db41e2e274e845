package eval

import (
	"context"
	"math"
	"testing"

	"recall/ingest"
	"recall/payload"
)

func fixture() (*ingest.Session, *Gold) {
	s := &ingest.Session{Turns: []ingest.Turn{{ID: "t1", Records: []string{"t1"}},
		{ID: "t2", Records: []string{"t2", "t2b"}}}}
	g := &Gold{Items: []GoldItem{
		{ID: "d1", Kind: payload.Decision, Text: "Use a min-heap for the priority queue, not a sorted list.", Must: true,
			Turns: []string{"t1"}},
		{ID: "d2", Kind: payload.Decision, Text: "Retries use exponential backoff with jitter, at most 5.", Must: false,
			Turns: []string{"t2b"}},
		{ID: "e1", Kind: payload.Eliminated, Text: "Redis for the price cache was ruled out: another server to run.",
			Must: true, Turns: []string{"t2"}},
		{ID: "f1", Kind: payload.File, Text: "queue/heap.go: new, holds the heap.", Must: true, Turns: []string{"t1"}},
	}}
	return s, g
}

func perfect(g *Gold) []payload.Item {
	var items []payload.Item
	for _, it := range g.Items {
		p := payload.Item{Kind: it.Kind, Text: it.Text, Evidence: []payload.Evidence{{Turn: it.Turns[0]}}}
		if it.Kind == payload.File {
			p.Path = "/home/ann/app/queue/heap.go"
		}
		items = append(items, p)
	}
	return items
}

// Score compares a payload's items with the session's gold set, by their words.
func (c *Case) Score(items []payload.Item) Score {
	strict, lenient, err := c.matchBy(context.Background(), Words{}, c.claims(items))
	if err != nil {
		panic(err) // can't happen: words are always comparable
	}
	var kinds []payload.Kind
	for _, it := range items {
		kinds = append(kinds, it.Kind)
	}
	return scoreOf(kinds, c.Gold.Items, strict, lenient)
}

func TestPerfectAndEmpty(t *testing.T) {
	s, g := fixture()
	if sc := NewCase(s, g).Score(perfect(g)); sc.Micro.F1() != 1 || sc.Lenient.F1() != 1 || sc.Micro.Wanted != 3 ||
		sc.Micro.Pred != 3 {
		t.Errorf("perfect payload: got %+v", sc)
	}
	if sc := NewCase(s, g).Score(nil); sc.Micro.F1() != 0 || sc.Micro.Wanted != 3 {
		t.Errorf("empty payload: got %+v", sc)
	}
}

func TestNeutralItemsCountOnNeitherSide(t *testing.T) {
	s, g := fixture()
	all := perfect(g)
	without := append(all[:1:1], all[2:]...)
	if a, b := NewCase(s, g).Score(all).Micro, NewCase(s, g).Score(without).Micro; a != b {
		t.Errorf("with the neutral item %+v, without %+v, want the same", a, b)
	}
}

// Gold sets have no findings: one that a set has as a hypothesis is right, one that
// says what another item says counts on neither side, any other is wrong.
func TestFindingsAgainstSetsWithoutThem(t *testing.T) {
	s, g := fixture()
	g.Items = append(g.Items, GoldItem{ID: "h1", Kind: payload.Hypothesis,
		Text: "The lock is taken after the job is read.", Must: true, Turns: []string{"t2"}})
	c := NewCase(s, g)
	for _, tt := range []struct {
		text string
		want Count
	}{
		{"The lock is taken after the job is read.", Count{Hits: 1, Pred: 1, Wanted: 4}},
		{"Use a min-heap for the priority queue, not a sorted list.", Count{Wanted: 4}},
		{"The moon is full on Tuesday.", Count{Pred: 1, Wanted: 4}},
	} {
		sc := c.Score([]payload.Item{{Kind: payload.Finding, Text: tt.text, Evidence: []payload.Evidence{{Turn: "t2"}}}})
		if sc.Micro != tt.want {
			t.Errorf("%q: got %+v, want %+v", tt.text, sc.Micro, tt.want)
		}
	}
}

func TestDuplicatesAndOrder(t *testing.T) {
	s, g := fixture()
	all := perfect(g)
	twice := append(all[:len(all):len(all)], all[0])
	if sc := NewCase(s, g).Score(twice); sc.Micro.Hits != 3 || sc.Micro.Pred != 4 {
		t.Errorf("a duplicate: got %+v, want 3 hits of 4", sc.Micro)
	}
	back := []payload.Item{all[3], all[2], all[1], all[0]}
	if a, b := NewCase(s, g).Score(all).Micro, NewCase(s, g).Score(back).Micro; a != b {
		t.Errorf("reversed order: got %+v, want %+v", b, a)
	}
}

func TestKindsStrictAndLenient(t *testing.T) {
	s, g := fixture()
	items := perfect(g)[2:3]
	items[0].Kind = payload.Flag
	sc := NewCase(s, g).Score(items)
	if sc.Micro.Hits != 0 || sc.Lenient.Hits != 1 {
		t.Errorf("a fact under another kind: got strict %+v, lenient %+v", sc.Micro, sc.Lenient)
	}
}

func TestNegationAndNumbersCount(t *testing.T) {
	base := newBag("The retry limit is 5 attempts per job")
	same := textSimilarity(base, newBag("Retry limit: 5 attempts for each job"))
	for _, other := range []string{"The retry limit is not 5 attempts per job", "The retry limit is 50 attempts per job"} {
		if got := textSimilarity(base, newBag(other)); got >= same {
			t.Errorf("%q: similarity %.2f, want under %.2f", other, got, same)
		}
	}
}

func TestSamePath(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"queue/heap.go", "/home/ann/app/queue/heap.go", true},
		{"heap.go", "minheap.go", false},
		{"./a/b.md", "a/b.md", true},
		{"", "a", false},
		{".git/hooks/pre-push", "/w/.git/hooks/pre-push", true},
	} {
		if got := samePath(tt.a, tt.b); got != tt.want {
			t.Errorf("samePath(%q, %q) = %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestF1(t *testing.T) {
	c := Count{Hits: 3, Pred: 4, Wanted: 6}
	if got := c.F1(); math.Abs(got-0.6) > 1e-9 {
		t.Errorf("F1 of 3 of 4, 3 of 6 = %v, want 0.6", got)
	}
}
