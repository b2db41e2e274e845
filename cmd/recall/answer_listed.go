package main

import (
	"fmt"
	"strings"

	"recall/index"
	"recall/payload"
)

// kindPhrase names the items of a kind as people speak of them.
var kindPhrase = map[payload.Kind]string{
	payload.Goal: "goals", payload.Decision: "decisions", payload.Deferred: "what was put off", payload.Eliminated: "what was ruled out",
	payload.Finding: "what was found", payload.Hypothesis: "hypotheses", payload.Next: "next steps", payload.File: "files", payload.Flag: "warnings",
	payload.Question: "open questions", payload.Status: "how things stand",
}

// listedKinds names what a list is of: decisions, what was ruled out.
func listedKinds(kinds []payload.Kind) string {
	var names []string
	for _, k := range kinds {
		names = append(names, kindPhrase[k])
	}
	return strings.Join(names, ", ")
}

// listed prints the newest items of some kinds, asked for without a topic.
func (p *page) listed(a index.Answer, results []index.Result) {
	p.wrapped("", "", upperFirst(listedKinds(a.Listed))+", newest first:", "")
	p.further(results)
	if n := len(a.Ranked) - len(results) + a.More; n > 0 {
		more := fmt.Sprintf("and %d more", n)
		if !p.bare {
			more += "; -n shows more, recall log the time line of decisions"
		}
		p.wrapped("  ", "  ", more, p.st.dim)
	}
}
