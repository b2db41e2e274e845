package main

import (
	"math"
	"slices"
	"testing"

	"recall/eval"
	"recall/index/rank"
	"recall/payload"
)

func askedOf(p *project, ask int, expect ...string) question {
	return question{eval.Question{Expect: expect}, p, ask}
}

// made are questions in which the right candidate is the one with more of
// feature good and less of bad; word has nothing to do with it.
func made(n int) []sample {
	var out []sample
	for i := range n {
		s := sample{person: true, source: perfect, weight: 1, q: askedOf(nil, 0, "s#1")}
		for k := range 5 {
			var f rank.Features
			f[rank.All], f[rank.OfFile] = 0.3, 1
			if k == i%5 {
				f[rank.All], f[rank.OfFile] = 0.6, 0
			}
			f[rank.Words] = float64((i*7+k*3)%5) / 5
			f[rank.Past] = 1
			s.lines, s.right = append(s.lines, rank.Line{Look: f, Session: string(rune('a' + k))}), append(s.right, k == i%5)
		}
		out = append(out, s)
	}
	return out
}

func TestFit(t *testing.T) {
	w := fit(made(50))
	if w[rank.All] < 1 || w[rank.OfFile] > -1 {
		t.Errorf("got weights %.2f and %.2f for what tells right from wrong, want them well above and below 0", w[rank.All],
			w[rank.OfFile])
	}
	if math.Abs(w[rank.Words]) > 0.7 {
		t.Errorf("got weight %.2f for what tells nothing, want about 0", w[rank.Words])
	}
	if w[rank.Past] != fixedWeights[rank.Past] || w[rank.Human] != fixedWeights[rank.Human] {
		t.Errorf("got %v and %v for what is set by hand, want it kept", w[rank.Past], w[rank.Human])
	}
	for _, s := range made(10) {
		best, at := math.Inf(-1), 0
		for i, l := range s.lines {
			if x := w.Score(l.Look); x > best {
				best, at = x, i
			}
		}
		if !s.right[at] {
			t.Errorf("the right candidate isn't first: %d is", at)
		}
	}
	if again := fit(made(50)); again != w {
		t.Error("fitted twice to the same, the weights differ")
	}
	wrong := made(50) // what must not count against a candidate doesn't, even if a sample says so
	for _, s := range wrong {
		for i := range s.lines {
			s.lines[i].Look[rank.All] = 1 - s.lines[i].Look[rank.All]
		}
	}
	if w := fit(wrong); w[rank.All] != 0 {
		t.Errorf("got weight %v for a share of the question, want none below 0", w[rank.All])
	}
}

func TestFitSure(t *testing.T) {
	samples := made(60)
	weights := fit(samples)
	for _, s := range made(60) { // the same without what answers them
		for i, right := range s.right {
			if right {
				s.lines = slices.Delete(s.lines, i, i+1)
				break
			}
		}
		s.q.Expect = nil
		samples = append(samples, s)
	}
	list := signsOf(samples, &weights)
	sure := fitSure(list)
	var chance [2][]float64
	refused := 0
	for _, c := range list {
		k := indicator(c.answerable)
		chance[k] = append(chance[k], sure.Chance(c.signs))
		refused += k * indicator(sure.Doubtful(c.signs))
	}
	if got := auc(chance); got < 0.95 {
		t.Errorf("got AUC %.2f where the answer is there or not, want it told", got)
	}
	if refused > 3 {
		t.Errorf("%d of 60 answerable questions are under the line, want a twentieth at most", refused)
	}
}

func TestAUC(t *testing.T) {
	for _, c := range []struct {
		no, yes []float64
		want    float64
	}{{[]float64{1, 2}, []float64{3, 4}, 1}, {[]float64{3}, []float64{1}, 0}, {[]float64{1}, []float64{1}, 0.5},
		{[]float64{1, 3}, []float64{2, 4}, 0.75}} {
		if got := auc([2][]float64{c.no, c.yes}); got != c.want {
			t.Errorf("auc(%v, %v) = %v, want %v", c.no, c.yes, got, c.want)
		}
	}
}

// Questions beside items count as people ask for their kinds.
func TestAsksFor(t *testing.T) {
	p := &project{kinds: map[string]payload.Kind{"d": payload.Decision, "f": payload.File}}
	w := &world{asked: []question{askedOf(p, 0, "d"), askedOf(p, 0, "d"), askedOf(p, 0), askedOf(p, 1, "d"),
		askedOf(p, 1, "f")}}
	got := w.kindWeights(func(*project) bool { return true })
	// Three questions, with one more of each kind, for one item of two; and one.
	all := float64(len(payload.Kinds) + 2)
	if math.Abs(got[payload.Decision]-6/all) > 1e-9 || math.Abs(got[payload.File]-2/all) > 1e-9 {
		t.Errorf("got %v, want decisions at %v, files at %v", got, 6/all, 2/all)
	}
}
