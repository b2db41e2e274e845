package rank

import (
	"math"
	"strings"
	"testing"

	"recall/payload"
)

// compared gives what is seen of items beside one another.
func compared(q *Question, first []float64, items ...payload.Item) []Features {
	looks := make([]Features, len(items))
	var of []*payload.Item
	var at []*Features
	for i := range items {
		of, at = append(of, &items[i]), append(at, &looks[i])
	}
	if first == nil {
		first = make([]float64, len(items))
	}
	q.CompareItems(of, at, first, 50, true)
	return looks
}

// A word that few of the items hold tells more than one that most do, and a small
// word that few hold is no small word.
func TestBesideRareWords(t *testing.T) {
	q := Ask("does the worker try again?", []Term{{"worker", 2}}, nil, nil)
	got := compared(q, nil, payload.Item{Text: "The worker stops."}, payload.Item{Text: "The worker waits."},
		payload.Item{Text: "The mail goes out again."}, payload.Item{Text: "The worker sleeps."})
	if !(got[2][Whole] > got[0][Whole] && got[0][Whole] > 0) {
		t.Errorf("got %.2f for the one with \"again\" and %.2f for those with \"worker\", want it above", got[2][Whole],
			got[0][Whole])
	}
	if got[2][LikeText] <= got[0][LikeText] || got[2][InText] != got[2][Whole] {
		t.Errorf("got likeness %.2f and %.2f, share in the text %.2f of %.2f", got[2][LikeText], got[0][LikeText],
			got[2][InText], got[2][Whole])
	}
}

func TestBesideAliases(t *testing.T) {
	q := Ask("retry interval", []Term{{"retri", 3}, {"interv", 3}}, nil, nil)
	got := compared(q, nil,
		payload.Item{Text: "It waits.", Aliases: []string{"retry interval", "backoff"}},
		payload.Item{Text: "It waits.", Aliases: []string{"retry of everything that failed at some interval", "the interval",
			"retry policy", "interval timer"}},
		payload.Item{Text: "It stops."})
	if !(got[0][LikeAlias] > 0.9 && got[1][LikeAlias] < 0.9 && got[1][LikeAlias] > 0 && got[2][LikeAlias] == 0) {
		t.Errorf("got likeness %.2f, %.2f and %.2f, want the first's alias alike, the others' less", got[0][LikeAlias],
			got[1][LikeAlias], got[2][LikeAlias])
	}
	if got[0][InAliases] != 1./3 || got[1][InAliases] != 1 || got[2][InAliases] != 0 {
		t.Errorf("got %v, %v, %v for one, four and no aliases with a word of the question", got[0][InAliases],
			got[1][InAliases], got[2][InAliases])
	}
}

// What the lexicon knows of a phrase counts where it stands as a phrase, and a
// word that begins alike counts some.
func TestBesideOtherWords(t *testing.T) {
	q := Ask("do we try again after compression?", []Term{{"compress", 4}}, nil,
		[]Concept{{Own: []string{"try", "again"}, Others: [][]string{{"retri"}, {"have", "anoth", "go"}}}})
	got := compared(q, nil, payload.Item{Text: "Retries are capped."}, payload.Item{Text: "We have another go."},
		payload.Item{Text: "Another one has to go."},
		payload.Item{Text: "One compressor runs."}, payload.Item{Text: "We try again."})
	for i, want := range []float64{1, 1, 0, 0, 1} {
		if got[i][Concepts] != want {
			t.Errorf("item %d: got %v of the concepts, want %v", i, got[i][Concepts], want)
		}
	}
	if got[0][OtherWords] != 1 || got[4][OtherWords] != 0 {
		t.Errorf("in other words: got %v and %v, want 1 and, in the question's own, 0", got[0][OtherWords],
			got[4][OtherWords])
	}
	if got[3][Whole] <= 0 || got[3][Whole] >= got[4][Whole] {
		t.Errorf("got %.2f for a word that begins alike, want something, and less than %.2f", got[3][Whole], got[4][Whole])
	}
}

// What speaks of the same as the best ones is in good company.
func TestBesideCompany(t *testing.T) {
	q := Ask("retries?", []Term{{"retri", 3}}, nil, nil)
	got := compared(q, []float64{1, 0.9, 0.1, 0.1},
		payload.Item{Text: "Retries wait for the broker and the ledger."}, payload.Item{Text: "The broker fills the ledger."},
		payload.Item{Text: "The ledger of the broker is full."}, payload.Item{Text: "A blue button."})
	if !(got[2][Company] > got[3][Company] && got[3][Company] == 0) {
		t.Errorf("got company %.2f and %.2f, want it for what speaks of broker and ledger alone", got[2][Company],
			got[3][Company])
	}
}

func TestBesideNumber(t *testing.T) {
	items := []payload.Item{{Text: "At most 5 retries."}, {Text: "Retries are capped."}}
	if got := compared(Ask("how many retries?", nil, nil, nil), nil, items...); got[0][Number] != 1 ||
		got[1][Number] != 0 {
		t.Errorf("asked how many, got %v and %v for the one with a number and the one without", got[0][Number],
			got[1][Number])
	}
	if got := compared(Ask("which retries?", nil, nil, nil), nil, items...); got[0][Number] != 0 {
		t.Errorf("asked for none, got %v for a number", got[0][Number])
	}
}

// Nothing to compare, or more than is looked at, does no harm.
func TestBesideOdd(t *testing.T) {
	long := strings.Repeat("alpha beta gamma delta ", 300)
	var concepts []Concept
	for range 200 {
		concepts = append(concepts, Concept{Own: []string{"alpha"}, Others: [][]string{{"beta"}, {}}})
	}
	many := make([]payload.Item, 70)
	for i := range many {
		many[i].Text = long[:i*20]
	}
	for _, c := range []struct {
		q     *Question
		items []payload.Item
	}{{Ask("", nil, nil, nil), many[:3]}, {Ask("alpha", nil, nil, nil), nil}, {Ask(long, nil, nil, concepts), many},
		{Ask("alpha", nil, nil, nil), make([]payload.Item, 2)}} {
		for i, f := range compared(c.q, nil, c.items...) {
			for k, x := range f {
				if math.IsNaN(x) || x < 0 || x > 100 {
					t.Errorf("item %d: %s is %v", i, names[k], x)
				}
			}
		}
	}
}
