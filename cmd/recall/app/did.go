package app

import (
	"fmt"

	"recall/answer"
	"recall/cmd/recall/terminal"
	"recall/pipeline"
)

// Counted is how many there are of something.
type Counted struct {
	N    int
	What string
}

// Counts says what there are any of: "3 new", "1 grown".
func Counts(all ...Counted) []string {
	var parts []string
	for _, c := range all {
		if c.N > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.N, c.What))
		}
	}
	return parts
}

// Did says what a sync, an archive or a look of a watch did.
func Did(r pipeline.Report) []string {
	var parts []string
	if r.Found > 0 {
		parts = append(parts, answer.Count(r.Found, "session")+" found")
	}
	parts = append(parts, Counts(Counted{r.New, "new"}, Counted{r.Grown, "grown"},
		Counted{r.Vanished, "vanished at their source"},
		Counted{r.Distilled, "distilled"}, Counted{r.Edited, "edited by hand"})...)
	if r.New+r.Grown+r.Vanished+r.Distilled == 0 {
		parts = append(parts, "nothing new")
	}
	if r.Bytes > 0 {
		parts = append(parts, terminal.Size(r.Bytes)+" archived")
	}
	if r.Packed > 0 {
		parts = append(parts, fmt.Sprintf("%d packed, %s smaller", r.Packed, terminal.Size(r.Saved)))
	}
	return append(parts, Counts(Counted{r.Left, "left for the next time"}, Counted{len(r.Problems), "skipped"})...)
}
