package answer

import (
	"fmt"
	"time"

	"recall/payload"
)

// Record is how a line says that it is a record of earlier: decided 2026-04-15 in
// session 2; "" of a kind that is told as it is. Days are as payloads have them, in UTC;
// number 0 is no session's.
func Record(it payload.Item, number int) string {
	word := recorded[it.Kind]
	switch {
	case it.Kind == payload.File:
		word = "off limits"
	case it.Kind == payload.Lead:
		word = Voice{Agent: true}.Speaker(it.By == payload.ByAssistant) + " said"
	}
	if word != "" && !it.At.IsZero() {
		word += " " + it.At.UTC().Format(time.DateOnly)
	}
	if word != "" && number > 0 {
		word += fmt.Sprintf(" in session %d", number)
	}
	return word
}

var recorded = map[payload.Kind]string{
	payload.Goal: "aimed at", payload.Decision: "decided", payload.Eliminated: "ruled out", payload.Finding: "found",
	payload.Flag: "warned", payload.Hypothesis: "suspected", payload.Deferred: "put off", payload.Question: "asked",
}
