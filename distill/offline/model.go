package offline

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"sort"
	"sync"

	"recall/payload"
)

// A Model tells how likely a candidate is an item of one kind: a logistic
// regression over its features.
type Model struct {
	Bias      float64            `json:"bias"`
	Threshold float64            `json:"threshold"` // probability from which on a candidate becomes an item
	Weights   map[string]float64 `json:"weights"`

	// Cuts are the higher thresholds of rules that are right less often; a rule
	// whose cut is above 1 is off.
	Cuts map[string]float64 `json:"cuts,omitempty"`

	// Second weighs a candidate's likelihood anew beside those of the others:
	// a session holds a handful of items however much was said in it.
	Second *Model `json:"second,omitempty"`
}

// Models holds one Model for each kind that is told from sentences.
type Models map[payload.Kind]*Model

// weights.json is written by "go run ./eval/train -write"; its thresholds are
// the ones with the best F1 on sessions left out of training.
//
//go:embed weights.json
var weightsJSON []byte

// shipped are the models of weights.json, read when first used.
var shipped = sync.OnceValue(func() Models { return mustModels(weightsJSON) })

func mustModels(data []byte) Models {
	var m Models
	if err := json.Unmarshal(data, &m); err != nil {
		panic(fmt.Sprintf("distill/offline: weights.json: %v", err))
	}
	return m
}

// cut is the threshold of a rule.
func (m *Model) cut(rule string) float64 { return max(m.Threshold, m.Cuts[rule]) }

// Score is the probability that a candidate with these features is an item.
// Features are summed in order, so that it is the same on any run.
func (m *Model) Score(features []Feature) float64 { return m.table().score(features) }

// A table is a Model with its weights by the features' numbers.
type table struct {
	bias    float64
	weights [mostFeatures]float64
}

func (m *Model) table() *table {
	t := &table{bias: m.Bias}
	for name, weight := range m.Weights {
		if f, ok := numberOf[name]; ok {
			t.weights[f] = weight
		}
	}
	return t
}

func (t *table) score(features []Feature) float64 {
	sum := t.bias
	for _, f := range features {
		sum += t.weights[f.number] * f.Value
	}
	return 1 / (1 + math.Exp(-sum))
}

// Judge gives the probabilities of a session's candidates, each beside the others.
func (m *Model) Judge(all []*Candidate) []float64 {
	p, first := make([]float64, len(all)), m.table()
	for i, c := range all {
		p[i] = first.score(c.Features)
	}
	if m.Second == nil {
		return p
	}
	q, second := make([]float64, len(all)), m.Second.table()
	for i, f := range Beside(all, p) {
		q[i] = second.score(f)
	}
	return q
}

// Beside describes each candidate by its first likelihood and how that stands
// beside those of the session, of its exchange and of its message.
func Beside(all []*Candidate, p []float64) [][]Feature {
	inMessage, inExchange := map[*speech][]float64{}, map[int][]float64{}
	sorted := append([]float64(nil), p...)
	sort.Float64s(sorted)
	for i := 0; i < len(all); {
		sp, j := all[i].sp, i+1
		for j < len(all) && all[j].sp == sp {
			j++
		}
		inMessage[sp] = append(inMessage[sp], p[i:j]...)
		inExchange[sp.exchange] = append(inExchange[sp.exchange], p[i:j]...)
		i = j
	}
	exchanges := float64(len(inExchange))
	talk, candidates := math.Log(exchanges), math.Log(float64(len(all)))
	above := func(list []float64, x float64) float64 {
		n := 0
		for _, y := range list {
			if y > x {
				n++
			}
		}
		return math.Log1p(float64(n))
	}
	out := make([][]Feature, len(all))
	var f noted
	for i, c := range all {
		rank := max(0, float64(len(sorted)-sort.SearchFloat64s(sorted, p[i])-1))
		crowd := above(inExchange[c.sp.exchange], p[i])
		where := &placesOf[asIndex(c.sp.work)]
		f.on(where[0], crowd == 0)
		f.on(where[1], crowd > 0 && crowd < math.Log1p(1.5))
		f.on(where[2], crowd >= math.Log1p(1.5) && crowd < math.Log1p(3.5))
		f.set(asCandidates, candidates)
		f.set(asTalk, talk)
		f.set(asInExchange, crowd)
		f.set(asInMessage, above(inMessage[c.sp], p[i]))
		f.set(asLogit, math.Log((p[i]+1e-6)/(1-p[i]+1e-6)))
		f.set(asRank, math.Log1p(rank))
		f.set(asRankShare, rank/float64(len(all)))
		f.set(asRankTalk, rank/exchanges)
		f.on(asTyped, c.sp.user)
		out[i] = f.list()
	}
	return out
}

// files is the model of the kind file. Without a trained one, files that were
// written and spoken of count.
func (m Models) files() *Model {
	if f := m[payload.File]; f != nil {
		return f
	}
	return &Model{Bias: -1, Threshold: 0.5, Weights: map[string]float64{"written": 1, "said": 1, "test": -1}}
}
