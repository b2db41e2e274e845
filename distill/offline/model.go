package offline

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"sort"
	"sync"
)

// Weights is a logistic regression over features, plus trees for their interactions.
type Weights struct {
	Bias    float64            `json:"bias"`
	Weights map[string]float64 `json:"weights"`
	Trees   []Tree             `json:"trees,omitempty"`

	numbers *numbers // of the features that trees ask for, if known beforehand
}

// A Tree is a list of nodes, beginning with its root.
type Tree []Node

// A Node tests whether a feature exceeds a value, or is a leaf with a step to add.
type Node struct {
	Feature string  `json:"f,omitempty"` // "" for a leaf
	Over    float64 `json:"over,omitempty"`
	Low     int     `json:"low,omitempty"` // indexes of nodes
	High    int     `json:"high,omitempty"`
	Step    float64 `json:"step,omitempty"`
}

// A Model estimates what is worth keeping, and how certain that is. It is trained on
// sessions of many projects: see eval/train.
type Model struct {
	Said Weights `json:"said"` // for sentences that a careful reader would keep something of
	File Weights `json:"file"` // for files that the work was about

	FileFrom float64  `json:"file_from"` // minimum likelihood for keeping a file
	Quota    float64  `json:"quota"`     // passages per session, as a factor of the square root of its exchanges
	Sure     []Bin    `json:"sure"`      // what likelihoods mean, in rising order
	Records  []Record `json:"records"`   // how often each class of records is right
}

// A Bin says how often passages with a likelihood up to To were worth keeping, measured on
// held-out projects.
type Bin struct {
	To   float64 `json:"to"`
	Sure float64 `json:"sure"`
}

// A Record is a class of recorded items and how they were judged on held-out projects:
// right, wrong, or debatable.
type Record struct {
	Rule    string `json:"rule"`
	Right   int    `json:"right"`
	Wrong   int    `json:"wrong"`
	Neutral int    `json:"neutral"`
}

// minJudged is how many records of a class must have been judged before its precision counts.
const minJudged = 10

// Known reports whether enough records of the class were judged.
func (r Record) Known() bool { return r.Right+r.Wrong >= minJudged }

// Precision returns the precision of the class, 0 if too little is known.
func (r Record) Precision() float64 {
	if !r.Known() {
		return 0
	}
	return float64(r.Right) / float64(r.Right+r.Wrong)
}

// weights.json is written by "go run ./eval/train -write".
//
//go:embed weights.json
var weightsJSON []byte

// shipped is the model in weights.json, decoded at first use.
var shipped = sync.OnceValue(func() *Model {
	m := &Model{}
	if err := json.Unmarshal(weightsJSON, m); err != nil {
		panic(fmt.Sprintf("distill/offline: weights.json: %v", err))
	}
	m.Said.numbers, m.File.numbers = m.Said.number(), m.File.number()
	return m
})

// Margins returns the logit of the likelihood for each list of features. Terms are summed
// in order, so that results are reproducible.
func (w *Weights) Margins(lists [][]Feature) (out []float64) {
	margin := w.margins()
	for _, features := range lists {
		out = append(out, margin(features))
	}
	return out
}

// numbers are the features that trees ask for, so that names are looked up once per feature
// rather than at each node.
type numbers struct {
	place map[string]int // by name
	asked [][]int        // by each node of each tree
}

func (w *Weights) number() *numbers {
	n := &numbers{map[string]int{}, make([][]int, len(w.Trees))}
	for i, tree := range w.Trees {
		for _, node := range tree {
			if _, ok := n.place[node.Feature]; !ok {
				n.place[node.Feature] = len(n.place)
			}
			n.asked[i] = append(n.asked[i], n.place[node.Feature])
		}
	}
	return n
}

// margins returns a function that computes one margin at a time.
func (w *Weights) margins() func([]Feature) float64 {
	n := w.numbers
	if n == nil {
		n = w.number()
	}
	place, asked, values := n.place, n.asked, make([]float64, len(n.place))
	return func(features []Feature) float64 {
		sum := w.Bias
		clear(values)
		for _, f := range features {
			sum += w.Weights[f.Name] * f.Value
			if at, ok := place[f.Name]; ok {
				values[at] = f.Value
			}
		}
		for i, tree := range w.Trees {
			at := 0
			for tree[at].Feature != "" {
				if values[asked[i][at]] > tree[at].Over {
					at = tree[at].High
				} else {
					at = tree[at].Low
				}
			}
			sum += tree[at].Step
		}
		return sum
	}
}

// scores returns a function that computes likelihoods.
func (w *Weights) scores() func([]Feature) float64 {
	margin := w.margins()
	return func(features []Feature) float64 { return 1 / (1 + math.Exp(-margin(features))) }
}

// Sureness returns how often a passage of that likelihood is worth keeping.
func (m *Model) Sureness(likely float64) float64 {
	i := sort.Search(len(m.Sure), func(i int) bool { return likely <= m.Sure[i].To })
	if i == len(m.Sure) {
		i--
	}
	if i < 0 {
		return likely
	}
	return m.Sure[i].Sure
}

// minClaimPrecision is the precision from which a class of records is stated as fact; below that its
// records are leads.
const minClaimPrecision = 0.85

// precision returns how often a class of records is right, 0 if unknown.
func (m *Model) precision(rule string) float64 {
	for _, r := range m.Records {
		if r.Rule == rule {
			return r.Precision()
		}
	}
	return 0
}
