package rank

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
)

// The signs by which a question with an answer is distinguished from one without. None of them is enough alone.
const (
	SureBase        = iota // always 1
	SureScore              // of the best result
	SureMargin             // to the next of another session
	SureSpread             // of scores: 1 if one result has all, 0 if all are alike
	SureKindred            // share of the question that the best result contains in other words
	SureRare               // weight of the rarest word there
	SureMissing            // share that occurs in no item or turn
	SureItem               // the best is a claim
	SureAliased            // 1 if items have aliases; then only the following signs are set
	SureAlike              // similarity of the question to an alias of the best item, relative to the others
	SureAlikeText          // and to its text
	SureGone               // as SureMissing
	SureLine               // not a sign: a lower chance is doubtful
	SureAliasedLine        // the same if items have aliases
	SureCount
)

var sureNames = [SureCount]string{"base", "score", "margin", "spread", "kindred", "rare", "missing", "item",
	"aliased", "alike", "alike-text", "gone", "line", "aliased-line"}

// Signs are the signs of an answer as a whole.
type Signs [SureCount]float64

// SureWeights are the weights of the signs, and the lines below which an answer is doubtful.
type SureWeights [SureCount]float64

// Line is one result as Read sees it.
type Line struct {
	Look    Features
	Session string
	Score   float64 // by Weights
	Aliased bool    // an item that has aliases
}

// widest is how many results the spread covers.
const widest = 20

// Read computes the signs of an answer, best result first; missing is the share of the question's weight that
// occurs nowhere. If items have aliases, the similarity to one of them tells more than all other signs
// together, which would only add noise.
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

// spread is one minus the normalized entropy of the softmax of the results' scores.
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

// Chance is the probability, 0 to 1, that a question with these signs has an answer, given even prior odds.
func (w *SureWeights) Chance(s Signs) float64 {
	var sum float64
	for i, x := range s {
		sum += w[i] * x
	}
	return 1 / (1 + math.Exp(-sum))
}

// Doubtful reports whether the chance is under the line.
func (w *SureWeights) Doubtful(s Signs) bool { return w.Chance(s) < w[LineOf(s)] }

// LineOf is the index of the line that applies to an answer with these signs.
func LineOf(s Signs) int {
	if s[SureAliased] > 0 {
		return SureAliasedLine
	}
	return SureLine
}

//go:embed sure.txt
var shippedSure string

// DefaultSure holds the shipped weights.
var DefaultSure = func() (w SureWeights) {
	if err := parse(shippedSure, sureNames[:], w[:]); err != nil {
		panic(err) // can't happen: a test reads the embedded file
	}
	return w
}()

// String formats weights as in sure.txt.
func (w SureWeights) String() string { return write(sureNames[:], w[:], "%-12s %7.3f\n") }

func write(names []string, w []float64, form string) (s string) {
	for i, x := range w {
		if x != 0 {
			s += fmt.Sprintf(form, names[i], x)
		}
	}
	return s
}
