package answer

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"recall/index"
	"recall/payload"
)

// RejectedOptions lists the rejected options that neither the item's text nor its history names.
func RejectedOptions(it payload.Item, history []index.Linked) []string {
	return slices.DeleteFunc(slices.Clone(it.Alternatives), func(option string) bool {
		past := func(l index.Linked) bool { return plain(l.Item.Text) == plain(option) }
		return strings.Contains(strings.ToLower(it.Text), strings.ToLower(option)) || slices.ContainsFunc(history, past)
	})
}

// State reports whether an item holds and since when.
func State(it payload.Item) string {
	d := Day(it.At)
	switch it.State {
	case payload.Superseded, payload.Revoked, payload.Done, payload.Retired:
		return string(it.State) + ", from " + d
	}
	if strings.HasPrefix(it.Since, payload.ReplacedSince) {
		return it.Since + ", from " + d
	}
	word := holds[it.Kind]
	switch {
	case it.Kind == payload.Decision && it.Rule == "answer" && it.Maker == payload.ByRule:
		word = "chosen " // on record; whether it was reconsidered isn't
	case it.Kind == payload.File && it.Status != "":
		word = it.Status + ", "
	case it.Rule == payload.CommitRule:
		word = "committed "
	case it.Rule == payload.CutOffRule:
		word = "cut off "
	case it.Rule == payload.TestRule:
		word = "tests run "
	case it.Rule == payload.OpenedRule:
		word = "opened "
	case it.Rule == payload.TaskRule:
		word = "open "
	}
	return word + d
}

// holds is how the state of an item that holds is worded, by kind.
var holds = map[payload.Kind]string{
	payload.Decision: "stands since ", payload.Eliminated: "ruled out ", payload.Finding: "found ",
	payload.Deferred: "deferred ", payload.Question: "open since ", payload.Next: "as of ", payload.Flag: "noted ",
	payload.Lead: "said ",
}

// Doubt is what may have overtaken an item; zero if nothing may.
func (r *Result) Doubt() (by payload.Doubt) {
	if link := r.Doubted(); link != nil {
		by = link.Doubt()
	}
	return by
}

// Standing is an item's state or, if by isn't zero, what became of it.
func Standing(it payload.Item, by payload.Doubt) string {
	if by.By == "" {
		return State(it)
	}
	return "from " + Day(it.At) + ", " + by.Word(it.Kind) + " on " + Day(by.At)
}

// Record says, for a line, when and where an item was recorded: decided 2026-04-15 in session 2; "" for kinds
// without such a note. Days are in UTC, as in payloads; a session without a number isn't named.
func Record(it payload.Item, from payload.Origin) string {
	word := recorded[it.Kind]
	switch {
	case it.Kind == payload.File:
		word = "off limits"
	case it.Kind == payload.Lead:
		word = Voice{Agent: true}.speaker(it) + " said"
	}
	if word != "" && !it.At.IsZero() {
		word += " " + it.At.UTC().Format(time.DateOnly)
	}
	if word != "" && from.Number > 0 {
		word += fmt.Sprintf(" in session %d%s", from.Number, from.On())
	}
	return word
}

var recorded = map[payload.Kind]string{
	payload.Goal: "aimed at", payload.Decision: "decided", payload.Eliminated: "ruled out", payload.Finding: "found",
	payload.Flag: "warned", payload.Hypothesis: "suspected", payload.Deferred: "put off", payload.Question: "asked",
}
