package model

import (
	"slices"
	"strconv"
	"strings"

	"recall/distill"
	"recall/ingest"
	"recall/internal/text"
	"recall/payload"
	"recall/prompts"
)

// Limits of an item's parts, in bytes; more than that is a runaway model.
const (
	maxText  = 500
	maxScope = 160
	maxName  = 120
	maxNames = 8
)

// Maximum numbers of aliases and questions kept with an item.
const (
	maxAliases = 10
	maxAsks    = 2
)

var confidences = map[string]float64{"high": 0.9, "medium": 0.7, "low": 0.5}

// itemOf turns what a model found into an item, without evidence. drop says why it can't be one.
func itemOf(f *found) (it payload.Item, drop string) {
	kind := payload.Kind(strings.ToLower(strings.TrimSpace(string(f.Kind))))
	it = payload.Item{Kind: kind, Text: tidy(string(f.Text), maxText), Why: reason(string(f.Why)),
		Scope:        tidy(string(f.Scope), maxScope),
		Alternatives: names(f.Alternatives), About: names(f.About), Maker: payload.ByModel, State: payload.Stands,
		Rule: "extract/" + prompts.Version(prompts.Extract.Text()), By: payload.By(strings.TrimSpace(string(f.By))),
		Confidence: confidenceOf(f.Confidence)}
	if f.By != "" && it.By != payload.ByUser && it.By != payload.ByBoth {
		it.By = payload.ByAssistant
	}
	if kind == payload.File {
		it.Path = tidy(strings.Trim(string(f.Path), "`"), 400)
		it.Status = statusOf(string(f.Status))
		if it.Path == "" {
			return it, dropEmpty
		}
	}
	for _, w := range append([]word{f.Text, f.Why, f.Scope, f.Path}, slices.Concat(f.Alternatives, f.About)...) {
		text := string(w)
		if strings.Contains(text, "<!-- recall") || strings.Contains(text, "<!-- /recall") {
			return it, dropMarker
		}
	}
	if kind != payload.File && kind != payload.Status { // a file is looked up by its name, a status by its subject
		it.Aliases = otherWords(f, it.Text)
	}
	switch {
	case !slices.Contains(payload.Kinds, kind), kind == payload.Lead:
		return it, dropKind
	case it.Confidence <= confidences["low"] && slices.Contains(distill.Claims, kind): // somebody might act on it
		return it, dropDoubted
	case it.Text == "",
		kind != payload.File && len(strings.Fields(it.Text)) < 2 && !strings.ContainsFunc(it.Text, text.Unspaced):
		return it, dropEmpty
	}
	return it, ""
}

// tidy puts a text on one line, without invisible characters, cut at a word.
func tidy(text string, most int) string { return strings.TrimSpace(oneLine(text, most)) }

// reason normalizes a reason to follow "because".
func reason(text string) string {
	text = tidy(text, maxText)
	for _, lead := range []string{"because ", "Because ", "since ", "Since "} {
		if rest, ok := strings.CutPrefix(text, lead); ok {
			return rest
		}
	}
	return text
}

// confidenceOf decodes a model's confidence, given in words or as a number up to 1.
func confidenceOf(w word) float64 {
	if sure := confidences[strings.ToLower(strings.TrimSpace(string(w)))]; sure > 0 {
		return sure
	}
	if n, err := strconv.ParseFloat(string(w), 64); err == nil && n > 0 && n <= 1 {
		return max(confidences["low"], min(n, confidences["high"]))
	}
	return confidences["medium"]
}

func names(list []word) []string {
	var out []string
	for _, w := range list {
		if n := tidy(strings.Trim(string(w), "`"), maxName); n != "" && !slices.Contains(out, n) && len(out) < maxNames {
			out = append(out, n)
		}
	}
	return out
}

// otherWords returns the words by which an item may be searched for: aliases, then questions, without duplicates and
// what its text already says.
func otherWords(f *found, text string) (list []string) {
	text = strings.ToLower(text)
	take := func(of []word, most, words, longest int) {
		for _, w := range of {
			s := tidy(strings.Trim(string(w), `"`), 2*longest)
			long := len(s) > longest || len(strings.Fields(s)) > words
			useless := s == "" || most == 0 || strings.Contains(text, strings.ToLower(s)) || slices.Contains(list, s)
			if !long && !useless && !strings.Contains(s, "<!--") {
				list = append(list, s)
				most--
			}
		}
	}
	take(f.Aliases, maxAliases, 5, 80)
	take(f.Asks, maxAsks, 14, 160)
	return list
}

func statusOf(s string) string {
	switch s = strings.ToUpper(strings.TrimSpace(s)); s {
	case payload.FileDone, payload.FileProgress, payload.FileUntouched, payload.FileOffLimits:
		return s
	}
	return payload.FileProgress
}

func cite(it *payload.Item, src *source, quote string) {
	if len(it.Evidence) == 0 {
		it.At = src.turn.At
	}
	same := func(e payload.Evidence) bool { return e.Turn == string(src.turn.ID) && e.Quote == quote }
	if slices.ContainsFunc(it.Evidence, same) {
		return
	}
	it.Evidence = append(it.Evidence, payload.Evidence{Turn: string(src.turn.ID), N: src.turn.N, Quote: quote})
}

// saidByPerson reports whether a quote is a person's statement: typed, chosen as an answer, given as a reason, or
// part of a plan they approved.
func saidByPerson(t *ingest.Turn, quote string) bool {
	if t.Role == ingest.User {
		return t.Kind != ingest.Summary && t.Kind != ingest.Event && (t.Owns(quote) || !t.Shows(quote))
	}
	for i := range t.Calls {
		c := &t.Calls[i]
		if strings.Contains(c.Reason, quote) || c.Plan != nil && c.Verdict == ingest.Approved &&
			strings.Contains(c.Plan.Text, quote) {
			return true
		}
		for _, a := range c.Answers {
			if strings.Contains(a.Notes, quote) || slices.ContainsFunc(a.Chosen,
				func(s string) bool { return strings.Contains(s, quote) }) {
				return true
			}
		}
	}
	return false
}
