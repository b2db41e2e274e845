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
// Features are summed in a fixed order, so that it is the same on any run.
func (m *Model) Score(features map[string]float64) float64 {
	sum := m.Bias
	for _, k := range sortedKeys(features) {
		sum += m.Weights[k] * features[k]
	}
	return 1 / (1 + math.Exp(-sum))
}
