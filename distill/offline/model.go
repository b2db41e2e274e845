package offline

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"

	"recall/payload"
)

// A Model tells how likely a candidate is an item of one kind: a logistic
// regression over its features.
type Model struct {
	Bias      float64            `json:"bias"`
	Threshold float64            `json:"threshold"` // probability from which on a candidate becomes an item
	Weights   map[string]float64 `json:"weights"`
}

// Models holds one Model for each kind that is told from sentences.
type Models map[payload.Kind]*Model

// weights.json is written by "go run ./eval/train -write"; its thresholds are
// the ones with the best F1 on sessions left out of training.
//
//go:embed weights.json
var weightsJSON []byte

var shipped = mustModels(weightsJSON)

func mustModels(data []byte) Models {
	var m Models
	if err := json.Unmarshal(data, &m); err != nil {
		panic(fmt.Sprintf("distill/offline: weights.json: %v", err))
	}
	return m
}

// Score is the probability that a candidate with these features is an item.
// Features are summed in order, so that it is the same on any run.
func (m *Model) Score(features []Feature) float64 {
	sum := m.Bias
	for _, f := range features {
		sum += m.Weights[f.Name] * f.Value
	}
	return 1 / (1 + math.Exp(-sum))
}

// files is the model of the kind file. Without a trained one, files that were
// written and spoken of count.
func (m Models) files() *Model {
	if f := m[payload.File]; f != nil {
		return f
	}
	return &Model{Bias: -1, Threshold: 0.5, Weights: map[string]float64{"written": 1, "said": 1, "test": -1}}
}
