package rank

import (
	"math"
	"testing"
)

// line is a result that scores s and holds a share of the question.
func line(session string, s, all float64) Line {
	return Line{Look: Features{All: all, Rare: 1}, Session: session, Score: s}
}

func TestRead(t *testing.T) {
	s := Read([]Line{line("a", 5, 0.4), line("a", 4.8, 0.1), line("b", 4, 0.9)}, 0.25)
	share := []float64{1, math.Exp(-0.2), math.Exp(-1)}
	sum := share[0] + share[1] + share[2]
	var entropy float64
	for _, x := range share {
		entropy -= x / sum * math.Log(x/sum)
	}
	want := Signs{SureBase: 1, SureScore: 1, SureMargin: 0.5, SureSpread: 1 - entropy/math.Log(3),
		SureRare: 1, SureMissing: 0.25, SureItem: 1}
	for i := range want {
		if math.Abs(s[i]-want[i]) > 1e-9 {
			t.Errorf("%s: got %v, want %v", sureNames[i], s[i], want[i])
		}
	}
	if got, want := Read(nil, 1), (Signs{SureBase: 1, SureMissing: 1}); got != want {
		t.Errorf("nothing found: got %v, want %v", got, want)
	}
}

// The more of a question is found, and the clearer the first result leads, the
// surer the answer; nothing found at all is doubtful, all of it is not.
func TestSurer(t *testing.T) {
	w := DefaultSure
	nothing := w.Chance(Read(nil, 1))
	little := w.Chance(Read([]Line{line("a", 1, 0.2), line("b", 0.9, 0.2)}, 0))
	much := w.Chance(Read([]Line{line("a", 6, 0.9), line("b", 3, 0.2)}, 0))
	if !(nothing < little && little < much) {
		t.Errorf("got chances %v, %v, %v, want them to rise", nothing, little, much)
	}
	if !w.Doubtful(Read(nil, 1)) {
		t.Errorf("chance %v of an answer in which nothing was found isn't doubtful", nothing)
	}
	if w.Doubtful(Read([]Line{line("a", 6, 0.9), line("b", 3, 0.2)}, 0)) {
		t.Errorf("chance %v of an answer that holds nearly all of the question is doubtful", much)
	}
}

// Where items have aliases, what is like none of them and partly stands nowhere is
// doubtful.
func TestSureByAliases(t *testing.T) {
	w := DefaultSure
	alike := func(x, missing float64) Signs {
		return Read([]Line{{Look: Features{APassage: 1}, Score: 5},
			{Look: Features{LikeAlias: x}, Score: 4, Aliased: true}}, missing)
	}
	if a, b := w.Chance(alike(0.1, 0)), w.Chance(alike(0.8, 0)); a >= b {
		t.Errorf("got chance %v of what is hardly like an alias, %v of what is much like one", a, b)
	}
	if !w.Doubtful(alike(0, 0.3)) || w.Doubtful(alike(0.8, 0.3)) {
		t.Errorf("doubtful: %v of what is like no alias, %v of what is much like one, want true and false",
			w.Doubtful(alike(0, 0.3)), w.Doubtful(alike(0.8, 0.3)))
	}
}
