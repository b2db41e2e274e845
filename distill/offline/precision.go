package offline

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"

	"recall/payload"
)

// A Measure is how often a rule was right on sessions that its models had not
// seen; what is fair to keep and fair to leave is counted apart.
type Measure struct {
	Right   int `json:"right"`
	Wrong   int `json:"wrong"`
	Neutral int `json:"neutral"`
}

// Precision is the share of the right among the right and the wrong; where
// these are too few to tell, what is fair to keep counts as right.
func (m Measure) Precision() float64 {
	right, all := m.Right, m.Right+m.Wrong
	if all < enough {
		right, all = right+m.Neutral, all+m.Neutral
	}
	if all == 0 {
		return 0
	}
	return float64(right) / float64(all)
}

// enough is how often a rule must have fired to be judged by itself.
const enough = 10

// measured holds the measures of a kind's rules, and of the kind as a whole
// under "". It is written by "go run ./eval/train -write".
//
//go:embed precision.json
var precisionJSON []byte

var measured = sync.OnceValue(func() map[payload.Kind]map[string]Measure {
	var m map[payload.Kind]map[string]Measure
	if err := json.Unmarshal(precisionJSON, &m); err != nil {
		panic(fmt.Sprintf("distill/offline: precision.json: %v", err))
	}
	return m
})

// confidence is a rule's measured precision: its own where it fired often
// enough, else that of all rules of its kind; 0 where nothing was measured.
func confidence(kind payload.Kind, rule string) float64 {
	m := measured()[kind][rule]
	if m.Right+m.Wrong < enough {
		m = measured()[kind][""]
	}
	return m.Precision()
}
