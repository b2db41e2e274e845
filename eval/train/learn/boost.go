package learn

import (
	"math"
	"slices"
	"sort"

	"recall/distill/offline"
)

// growth says how trees are grown: few and small, each a small step.
type growth struct {
	trees, depth    int
	rate, least, l2 float64 // learning rate, least weight in a leaf, penalty
}

var (
	passageGrowth = growth{trees: 40, depth: 2, rate: 0.08, least: 20, l2: 20}
	fileGrowth    = growth{trees: 60, depth: 3, rate: 0.1, least: 6, l2: 5}
)

// maxBins is how many values of a feature are distinguished.
const maxBins = 32

// grower grows trees on what a logistic regression leaves unexplained.
type grower struct {
	growth
	samples []sample
	names   []string
	cuts    [][]float64 // by feature, the upper bounds of its bins
	zero    []uint8     // by feature, the bin of 0
	rows    [][]binned
	margin  []float64
	grad    []float64
	hess    []float64
	gains   []stat // by feature and bin
}

type binned struct {
	feature uint16
	bin     uint8
}

type stat struct{ g, h float64 }

// boost adds trees to the regression of the samples.
func boost(samples []sample, w *offline.Weights, how growth) {
	b := &grower{growth: how, samples: samples}
	b.bin()
	var features [][]offline.Feature
	for _, s := range samples {
		features = append(features, s.features)
	}
	b.margin = w.Margins(features)
	b.grad, b.hess = make([]float64, len(samples)), make([]float64, len(samples))
	b.gains = make([]stat, len(b.names)*maxBins)
	all := make([]int, len(samples))
	for i := range all {
		all[i] = i
	}
	for range how.trees {
		for i, s := range samples {
			p := sigmoid(b.margin[i])
			b.grad[i], b.hess[i] = s.weight*(p-label(s)), s.weight*p*(1-p)
		}
		var tree offline.Tree
		b.grow(&tree, slices.Clone(all), how.depth)
		w.Trees = append(w.Trees, tree)
	}
}

// bin assigns the values of each feature to bins.
func (b *grower) bin() {
	columns, names := columnsOf(b.samples)
	b.names, b.rows = names, make([][]binned, len(b.samples))
	for j, col := range columns {
		values := []float64{0}
		for _, e := range col {
			values = append(values, e.value)
		}
		sort.Float64s(values)
		distinct := slices.Compact(slices.Clone(values))
		if len(distinct) > maxBins {
			var some []float64
			for k := range maxBins {
				some = append(some, values[1+(len(values)-2)*k/(maxBins-1)])
			}
			distinct = slices.Compact(append([]float64{0}, some...))
			sort.Float64s(distinct)
			distinct = slices.Compact(distinct)
			if len(distinct) > maxBins {
				distinct = distinct[:maxBins]
			}
		}
		var cuts []float64
		for k := 0; k+1 < len(distinct); k++ {
			cuts = append(cuts, round((distinct[k]+distinct[k+1])/2))
		}
		b.cuts = append(b.cuts, cuts)
		b.zero = append(b.zero, uint8(sort.SearchFloat64s(cuts, 0)))
		for _, e := range col {
			b.rows[e.row] = append(b.rows[e.row], binned{uint16(j), uint8(sort.SearchFloat64s(cuts, e.value))})
		}
	}
}

// grow adds a node for some rows, and its subtree.
func (b *grower) grow(tree *offline.Tree, rows []int, depth int) int {
	at := len(*tree)
	*tree = append(*tree, offline.Node{})
	var sum stat
	for _, i := range rows {
		sum.g += b.grad[i]
		sum.h += b.hess[i]
	}
	if depth > 0 {
		if f, cut, ok := b.split(rows, sum); ok {
			var low, high []int
			for _, i := range rows {
				if b.binOf(i, f) <= cut {
					low = append(low, i)
				} else {
					high = append(high, i)
				}
			}
			n := offline.Node{Feature: b.names[f], Over: b.cuts[f][cut]}
			n.Low = b.grow(tree, low, depth-1)
			n.High = b.grow(tree, high, depth-1)
			(*tree)[at] = n
			return at
		}
	}
	step := -b.rate * sum.g / (sum.h + b.l2)
	for _, i := range rows {
		b.margin[i] += step
	}
	(*tree)[at] = offline.Node{Step: math.Round(step*1e4) / 1e4}
	return at
}

func (b *grower) binOf(row int, f uint16) uint8 {
	for _, x := range b.rows[row] {
		if x.feature == f {
			return x.bin
		}
	}
	return b.zero[f]
}

func (b *grower) split(rows []int, sum stat) (feature uint16, cut uint8, ok bool) {
	clear(b.gains)
	seen := make([]stat, len(b.names))
	for _, i := range rows {
		for _, x := range b.rows[i] {
			s := &b.gains[int(x.feature)*maxBins+int(x.bin)]
			s.g += b.grad[i]
			s.h += b.hess[i]
			seen[x.feature].g += b.grad[i]
			seen[x.feature].h += b.hess[i]
		}
	}
	worth := func(s stat) float64 { return s.g * s.g / (s.h + b.l2) }
	best := 1e-6
	for f := range b.names {
		hist := b.gains[f*maxBins : (f+1)*maxBins]
		z := &hist[b.zero[f]]
		z.g += sum.g - seen[f].g
		z.h += sum.h - seen[f].h
		var low stat
		for k := range b.cuts[f] {
			low.g += hist[k].g
			low.h += hist[k].h
			high := stat{sum.g - low.g, sum.h - low.h}
			if low.h < b.least/4 || high.h < b.least/4 {
				continue
			}
			if gain := worth(low) + worth(high) - worth(sum); gain > best {
				best, feature, cut, ok = gain, uint16(f), uint8(k), true
			}
		}
	}
	return feature, cut, ok
}
