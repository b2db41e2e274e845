package offline

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"sort"
	"sync"
)

// Weights is a logistic regression over features, with trees for what goes
// together.
type Weights struct {
	Bias    float64            `json:"bias"`
	Weights map[string]float64 `json:"weights"`
	Trees   []Tree             `json:"trees,omitempty"`
}

// A Tree is a list of nodes, the first one its root.
type Tree []Node

// A Node asks whether a feature is over a value, or is a leaf with a step to add.
type Node struct {
	Feature string  `json:"f,omitempty"` // "" for a leaf
	Over    float64 `json:"over,omitempty"`
	Low     int     `json:"low,omitempty"` // places of nodes
	High    int     `json:"high,omitempty"`
	Step    float64 `json:"step,omitempty"`
}

// A Model tells what is worth keeping, and how sure that is. It is learned from
// sessions of many projects: see eval/train.
type Model struct {
	Said Weights `json:"said"` // a sentence that a careful reader would keep something of
	File Weights `json:"file"` // a file that the work turned on

	FileFrom float64  `json:"file_from"` // likelihood from which on a file is kept
	Quota    float64  `json:"quota"`     // how many passages a session yields, times the root of its exchanges
	Sure     []Bin    `json:"sure"`      // what a likelihood means, in rising order
	Records  []Record `json:"records"`   // how often each class of records is right
}

// A Bin says how often passages with a likelihood up to some value were worth
// keeping, on projects left out.
type Bin struct {
	To   float64 `json:"to"`
	Sure float64 `json:"sure"`
}

// A Record is a class of what was put on record, with what became of it on
// projects left out: right, wrong, and fair to leave.
type Record struct {
	Rule    string `json:"rule"`
	Right   int    `json:"right"`
	Wrong   int    `json:"wrong"`
	Neutral int    `json:"neutral"`
}

// fewest is how many records of a class must have been judged for its precision to
// be believed.
const fewest = 10

// Known reports whether enough records of the class were judged.
func (r Record) Known() bool { return r.Right+r.Wrong >= fewest }

// Precision of the class; 0 where too little is known.
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

// shipped is the model of weights.json, read when first used.
var shipped = sync.OnceValue(func() *Model {
	m := &Model{}
	if err := json.Unmarshal(weightsJSON, m); err != nil {
		panic(fmt.Sprintf("distill/offline: weights.json: %v", err))
	}
	return m
})

// Margins are what the likelihood of each list of features is the logistic function
// of. They are summed in order, so that they are the same on any run.
func (w *Weights) Margins(lists [][]Feature) (out []float64) {
	margin := w.margins()
	for _, features := range lists {
		out = append(out, margin(features))
	}
	return out
}

// margins is what reckons one margin after the other. The features that trees ask about are
// numbered before: names are looked up once for each feature, not at each node.
func (w *Weights) margins() func([]Feature) float64 {
	place, asked := map[string]int{}, make([][]int, len(w.Trees))
	for i, tree := range w.Trees {
		for _, n := range tree {
			if _, ok := place[n.Feature]; !ok {
				place[n.Feature] = len(place)
			}
			asked[i] = append(asked[i], place[n.Feature])
		}
	}
	values := make([]float64, len(place))
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

// scores is what reckons likelihoods.
func (w *Weights) scores() func([]Feature) float64 {
	margin := w.margins()
	return func(features []Feature) float64 { return 1 / (1 + math.Exp(-margin(features))) }
}

// Sureness is how often a passage of that likelihood is worth keeping.
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

// claimed is the precision from which on a class of records is said to be so;
// what is right less often is a lead.
const claimed = 0.85

// precision is how often a class of records is right; 0 where nothing is known.
func (m *Model) precision(rule string) float64 {
	for _, r := range m.Records {
		if r.Rule == rule {
			return r.Precision()
		}
	}
	return 0
}
