package relate

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"sync"
)

// A Measure counts how often a rule was right on pairs of items labelled by people, in
// domains it wasn't tuned on.
type Measure struct {
	Right int `json:"right"`
	Wrong int `json:"wrong"`
}

// Precision returns the share of right ones, 0 if there are none.
func (m Measure) Precision() float64 {
	if m.Right+m.Wrong == 0 {
		return 0
	}
	return float64(m.Right) / float64(m.Right+m.Wrong)
}

// Interval returns the 95 % confidence interval of the precision.
func (m Measure) Interval() (low, high float64) { return Wilson(m.Right, m.Right+m.Wrong) }

// Wilson returns the 95 % Wilson score interval of k out of n.
func Wilson(k, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.959964
	p, m := float64(k)/float64(n), float64(n)
	mid := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max(0, mid-half), min(1, mid+half)
}

// What a rule must reach for the later item to hide the earlier one.
const (
	surePrecision = 0.95
	sureLow       = 0.9 // lower end of the interval
)

// Sure reports whether the rule is right often enough for the later item to hide the
// earlier one.
func (m Measure) Sure() bool {
	low, _ := m.Interval()
	return m.Precision() >= surePrecision && low >= sureLow
}

// precision.json holds each rule's measure on the report half of
// eval/testdata/relations.jsonl. It is written by "go test ./distill/relate -run Precision
// -update".
//
//go:embed precision.json
var precisionJSON []byte

// Measured returns each rule's measure.
var Measured = sync.OnceValue(func() map[string]Measure {
	var m map[string]Measure
	if err := json.Unmarshal(precisionJSON, &m); err != nil {
		panic(fmt.Sprintf("distill/relate: precision.json: %v", err))
	}
	return m
})
