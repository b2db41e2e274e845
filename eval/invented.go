package eval

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:embed testdata/invented-pairs.jsonl
var inventedJSON []byte

// InventedPairs are made-up pairs to test judges with: the same fact in other words, and facts negated,
// reversed, swapped, with another number, or simply different. The form of a pair is its Project.
func InventedPairs() ([]LabelledPair, error) {
	type pair struct {
		LabelledPair
		Form string `json:"form"`
	}
	lines, err := jsonLines[pair](inventedJSON)
	if err != nil {
		return nil, fmt.Errorf("invented pairs: %w", err)
	}
	var all []LabelledPair
	for _, p := range lines {
		p.Same, p.Made, p.Project = p.Form == "same", p.Form != "same" && p.Form != "other", p.Form
		all = append(all, p.LabelledPair)
	}
	return all, nil
}

func jsonLines[T any](lines []byte) (all []T, err error) {
	for line := range bytes.Lines(lines) {
		var one T
		if err := json.Unmarshal(line, &one); err != nil {
			return nil, fmt.Errorf("line %d: %w", len(all)+1, err)
		}
		all = append(all, one)
	}
	return all, nil
}
