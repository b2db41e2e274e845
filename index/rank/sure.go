package rank

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
)

// What tells a question that has an answer from one that has none. None of it
// does well alone.
const (
	SureBase        = iota // always 1
	SureScore              // of the best result
	SureMargin             // to the next of another session
	SureSpread             // of scores: 1 if one result has all, 0 if all are alike
	SureKindred            // share of the question that stands in the best result in other words
	SureRare               // weight of the rarest word there
	SureMissing            // share that stands in no item or turn at all
	SureItem               // the best is a claim
	SureAliased            // 1 where items have aliases, and from here on all that is seen of them
	SureAlike              // how like the question an alias of the best item is, beside the others
	SureAlikeText          // and its text
	SureGone               // missing, again
	SureLine               // not seen: an answer that is less sure is doubtful
	SureAliasedLine        // and so where items have aliases
	SureCount
)

var sureNames = [SureCount]string{"base", "score", "margin", "spread", "kindred", "rare", "missing", "item",
	"aliased", "alike", "alike-text", "gone", "line", "aliased-line"}

// Signs are what an answer as a whole shows.
type Signs [SureCount]float64

// SureWeights say what each sign counts; at SureLine stands the line.
type SureWeights [SureCount]float64

// A Line is one result as Read sees it.
type Line struct {
	Look    Features
	Session string
	Score   float64 // by Weights
	Aliased bool    // an item that has aliases
}

// widest is how many results the spread is read from.
const widest = 20

// Read reads the signs of an answer, best result first; missing is the share of
// the question's weight that stands nowhere. Where items have aliases, whether
// one of them is like the question tells more than all other signs together,
// which then only blur it.
func Read(lines []Line, missing float64) (s Signs) {
	if i := slices.IndexFunc(lines[:min(len(lines), 5)], func(l Line) bool { return l.Aliased }); i >= 0 {
		best := lines[i].Look
		s[SureAliased], s[SureAlike], s[SureAlikeText], s[SureGone] = 1, best[LikeAlias], best[LikeText], missing
		return s
	}
	s[SureBase], s[SureMissing] = 1, missing
	if len(lines) == 0 {
		return s
	}
	best := lines[0].Look
	s[SureScore] = lines[0].Score / 5 // about 0 to 1, as the others
	s[SureMargin] = 1
	for _, l := range lines[1:] {
		if l.Session != lines[0].Session {
			s[SureMargin] = min(max(lines[0].Score-l.Score, 0), 2) / 2
			break
		}
	}
	s[SureSpread] = spread(lines[:min(len(lines), widest)])
	s[SureKindred] = best.Kindred()
	s[SureRare] = best[Rare] + best[PassageRare]
	s[SureItem] = 1 - best[APassage]
	return s
}

// spread is one less the entropy of the results' shares, which go by e to
// their scores.
func spread(lines []Line) float64 {
	if len(lines) < 2 {
		return 1
	}
	var sum, entropy float64
	for _, l := range lines {
		sum += math.Exp(l.Score - lines[0].Score)
	}
	for _, l := range lines {
		p := math.Exp(l.Score-lines[0].Score) / sum
		if p > 0 {
			entropy -= p * math.Log(p)
		}
	}
	return 1 - entropy/math.Log(float64(len(lines)))
}

// Chance is that a question with these signs has an answer, 0 to 1, where half of
// all have one.
func (w *SureWeights) Chance(s Signs) float64 {
	var sum float64
	for i, x := range s {
		sum += w[i] * x
	}
	return 1 / (1 + math.Exp(-sum))
}

// Doubtful reports whether the chance is under the line.
func (w *SureWeights) Doubtful(s Signs) bool { return w.Chance(s) < w[LineOf(s)] }

// LineOf is where the line stands that an answer with these signs is held to.
func LineOf(s Signs) int {
	if s[SureAliased] > 0 {
		return SureAliasedLine
	}
	return SureLine
}

//go:embed sure.txt
var shippedSure string

// DefaultSure are the shipped weights.
var DefaultSure = func() (w SureWeights) {
	if err := parse(shippedSure, sureNames[:], w[:]); err != nil {
		panic(err) // it is in the program; a test reads it
	}
	return w
}()

// String writes weights as they are shipped.
func (w SureWeights) String() string { return write(sureNames[:], w[:], "%-12s %7.3f\n") }

func write(names []string, w []float64, form string) (s string) {
	for i, x := range w {
		if x != 0 {
			s += fmt.Sprintf(form, names[i], x)
		}
	}
	return s
}
