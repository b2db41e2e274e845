package check

import (
	_ "embed"
	"encoding/json"
	"math"
	"sync"
)

// weights.json is fitted to the labelled actions of testdata by
//
//	go test ./index/check -run TestLeftOut -write-weights
//
// which prints how often warnings are right on projects that the weights haven't seen.
//
//go:embed weights.json
var weightsJSON []byte

// A weighing is a logistic regression over features: one weight for each, and for each way.
type weighing struct {
	Base     float64            `json:"base"`
	Ways     [ways]float64      `json:"ways"` // prompt, command, edit
	Features map[string]float64 `json:"features"`
}

// enough is how likely an action must go against an item for a warning: where nineteen
// of twenty are right on projects left out.
const enough = 0.88

var shipped = sync.OnceValue(func() weighing {
	var w weighing
	if err := json.Unmarshal(weightsJSON, &w); err != nil {
		panic(err) // a test reads it
	}
	return w
})

// odds is how likely an action goes against an item, 0 to 1.
func (w *weighing) odds(by way, features []float64) float64 {
	sum := w.Base + w.Ways[by]
	for i, f := range features {
		sum += f * w.Features[featureNames[i]]
	}
	return 1 / (1 + math.Exp(-sum))
}
