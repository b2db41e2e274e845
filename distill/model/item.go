package model

import (
	"slices"
	"strconv"
	"strings"

	"recall/distill"
	"recall/ingest"
	"recall/payload"
	"recall/prompts"
	"recall/text"
)

// The most that an item may hold, in bytes; more is a model that runs away.
const (
	mostText  = 500
	mostScope = 160
	mostName  = 120
	mostNames = 8
)

// The most other words of an item that are kept.
const (
	mostAliases = 10
	mostAsks    = 2
)

var sureness = map[string]float64{"high": 0.9, "medium": 0.7, "low": 0.5}

// itemOf makes an item of what a model found, without evidence. drop says why
// it can't be one.
func itemOf(f *found) (it payload.Item, drop string) {
	kind := payload.Kind(strings.ToLower(strings.TrimSpace(string(f.Kind))))
	it = payload.Item{Kind: kind, Text: tidy(string(f.Text), mostText), Why: reason(string(f.Why)),
		Scope:        tidy(string(f.Scope), mostScope),
		Alternatives: names(f.Alternatives), About: names(f.About), Maker: payload.ByModel, State: payload.Stands,
		Rule: "extract/" + prompts.Version(prompts.Extract.Text()), By: payload.By(strings.TrimSpace(string(f.By))),
		Confidence: sureOf(f.Confidence)}
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
	if kind != payload.File && kind != payload.Status { // one is looked for by its name, the other by what it is of
		it.Aliases = otherWords(f, it.Text)
	}
	switch {
	case !slices.Contains(payload.Kinds, kind), kind == payload.Lead:
		return it, dropKind
	case it.Confidence <= sureness["low"] && slices.Contains(distill.Claims, kind): // somebody would act upon it
		return it, dropDoubted
	case it.Text == "",
		kind != payload.File && len(strings.Fields(it.Text)) < 2 && !strings.ContainsFunc(it.Text, text.Unspaced):
		return it, dropEmpty
	}
	return it, ""
}

// tidy is a text in one line without what can't be seen, cut at a word.
func tidy(text string, most int) string { return strings.TrimSpace(oneLine(text, most)) }

// reason is a why, fit to stand after "because".
func reason(text string) string {
	text = tidy(text, mostText)
	for _, lead := range []string{"because ", "Because ", "since ", "Since "} {
		if rest, ok := strings.CutPrefix(text, lead); ok {
			return rest
		}
	}
	return text
}

// sureOf reads how sure a model is, in words or as a number up to 1.
func sureOf(w word) float64 {
	if sure := sureness[strings.ToLower(strings.TrimSpace(string(w)))]; sure > 0 {
		return sure
	}
	if n, err := strconv.ParseFloat(string(w), 64); err == nil && n > 0 && n <= 1 {
		return max(sureness["low"], min(n, sureness["high"]))
	}
	return sureness["medium"]
}

func names(list []word) []string {
	var out []string
	for _, w := range list {
		if n := tidy(strings.Trim(string(w), "`"), mostName); n != "" && !slices.Contains(out, n) && len(out) < mostNames {
			out = append(out, n)
		}
	}
	return out
}

// otherWords are the words that an item may be asked for by, aliases and then questions: each once, none
// that its text says itself.
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
	take(f.Aliases, mostAliases, 5, 80)
	take(f.Asks, mostAsks, 14, 160)
	return list
}

func statusOf(s string) string {
	switch s = strings.ToUpper(strings.TrimSpace(s)); s {
	case payload.FileDone, payload.FileProgress, payload.FileUntouched, payload.FileOffLimits:
		return s
	}
	return payload.FileProgress
}

// cite adds a grounded quote to an item.
func cite(it *payload.Item, src *source, quote string) {
	if len(it.Evidence) == 0 {
		it.At = src.turn.At
	}
	for _, e := range it.Evidence {
		if e.Turn == string(src.turn.ID) && e.Quote == quote {
			return
		}
	}
	it.Evidence = append(it.Evidence, payload.Evidence{Turn: string(src.turn.ID), N: src.turn.N, Quote: quote})
}

// persons reports whether a quote is a person's word: typed, answered, given as a
// reason, or of a plan that they approved.
func persons(t *ingest.Turn, quote string) bool {
	if t.Role == ingest.User {
		return t.Kind != ingest.Summary && t.Kind != ingest.Event
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
