package learn

import (
	"math"
	"sort"

	"recall/distill/offline"
)

// sample is one candidate with its label and weight.
type sample struct {
	features []offline.Feature
	yes      bool
	weight   float64
}

const (
	ridge      = 40.0 // L2 penalty; for files, 10 to 80 do the same and 5 does worse
	rounds     = 25
	minSamples = 8 // features in fewer samples are ignored
)

// fit computes the logistic regression of the samples by coordinate descent.
func fit(samples []sample) offline.Weights {
	columns, names := columnsOf(samples)
	w := make([]float64, len(names))
	margin := make([]float64, len(samples))
	bias := 0.0
	step := func(g, h float64) float64 { return max(-1, min(1, g/h)) }
	for range rounds {
		var g, h float64
		for i, s := range samples {
			p := sigmoid(margin[i])
			g += s.weight * (p - label(s))
			h += s.weight * p * (1 - p)
		}
		d := step(g, h+1e-9)
		bias -= d
		for i := range margin {
			margin[i] -= d
		}
		for j, col := range columns {
			g, h := ridge*w[j], ridge
			for _, e := range col {
				s := samples[e.row]
				p := sigmoid(margin[e.row])
				g += s.weight * (p - label(s)) * e.value
				h += s.weight * p * (1 - p) * e.value * e.value
			}
			d := step(g, h)
			w[j] -= d
			for _, e := range col {
				margin[e.row] -= d * e.value
			}
		}
	}
	m := offline.Weights{Bias: round(bias), Weights: map[string]float64{}}
	for j, name := range names {
		if x := round(w[j]); x != 0 {
			m.Weights[name] = x
		}
	}
	return m
}

type entry struct {
	row   int
	value float64
}

// columnsOf transposes samples into columns by feature, in order of name.
func columnsOf(samples []sample) ([][]entry, []string) {
	by := map[string][]entry{}
	for i, s := range samples {
		for _, f := range s.features {
			by[f.Name] = append(by[f.Name], entry{i, f.Value})
		}
	}
	var names []string
	for name, col := range by {
		if len(col) >= minSamples {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	columns := make([][]entry, len(names))
	for j, name := range names {
		columns[j] = by[name]
	}
	return columns, names
}

func label(s sample) float64 {
	if s.yes {
		return 1
	}
	return 0
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func round(x float64) float64 { return math.Round(x*1000) / 1000 }
