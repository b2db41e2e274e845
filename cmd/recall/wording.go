package main

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"recall/index"
	"recall/payload"
)

var triedForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(did|have|had|haven't|didn't)\s+(we|i|you|they|anyone)\b.*\b(try|tried|test|tested|consider|considered|use|used|rule|look|think|evaluate|evaluated|discuss|discussed)|\bever (try|tried|use|used)\b`)
})

// sentence is an item as one sentence, said so that its kind is plain.
func (p *page) sentence(it payload.Item) string {
	text := oneLine(it.Text)
	switch it.Kind {
	case payload.Eliminated:
		if payload.SaysNo(text) {
			return text
		}
		return "Ruled out: " + payload.RuledOutThing(text)
	case payload.File:
		if it.Path != "" {
			if text == "" {
				return oneLine(it.Path)
			}
			return oneLine(it.Path) + ": " + text
		}
	case payload.Goal:
		return "Goal: " + text
	case payload.Next:
		return "Next: " + text
	case payload.Question:
		return "Open question: " + text
	case payload.Finding:
		return "Found: " + text
	case payload.Hypothesis:
		return "Hypothesis: " + text
	case payload.Lead:
		return "“" + text + "”"
	}
	return text
}

// refusedForm matches words with which somebody refuses a thing that nobody has
// tried, triedWords what speaks of a try.
var (
	refusedForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:ok,? |well,? )?(?:no|nope|not|don['’]t|never)\b|\b(?:not an option|out of the question|refuses?|no way|i said|don['’]t want|not allowed|forbids?)\b`)
	})
	triedWords = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:tried|try|tests?|tested|measured|benchmark\w*|ran|spike|prototyped?|experiment\w*|attempt\w*|removed?|revert\w*|roll(?:ed)? back|went back|gave up|threw|forget|drop(?:ped|s)?|did(?:n['’]t| not)|slower|faster|crash\w*|failed)\b`)
	})
)

// onlyWeighed are the rules that rule out what was only talked about: options that
// lost, ideas that were left, objections.
var onlyWeighed = map[string]bool{"option-lost": true, "idea-left": true, "objected-to": true, "would-be-worse": true, "turned-down": true, "skipped-with-reason": true}

// refused tells whether an item's words speak of a refusal and of no try.
func refused(it payload.Item) bool {
	said := []string{it.Text}
	for _, e := range it.Evidence {
		said = append(said, e.Quote)
	}
	return (onlyWeighed[it.Rule] || slices.ContainsFunc(said, refusedForm().MatchString)) && !triedWords().MatchString(strings.Join(append(said, it.Why), "\n"))
}

// mark is the sign before an item.
func mark(it payload.Item, st style) string {
	switch {
	case it.State != payload.Stands && it.State != payload.Reopened && it.State != "":
		return st.dim + "◌" + st.reset
	case it.Kind == payload.Eliminated:
		return st.red + "✗" + st.reset
	case it.Kind == payload.Deferred || it.Kind == payload.Question || it.Kind == payload.Hypothesis:
		return st.yellow + "○" + st.reset
	case it.Kind == payload.Next:
		return st.green + "→" + st.reset
	case it.Kind == payload.Flag:
		return st.yellow + "!" + st.reset
	case it.Kind == payload.Lead:
		return st.dim + "·" + st.reset
	}
	return st.green + "●" + st.reset
}

// stateText says whether an item holds and since when.
func stateText(it payload.Item) string {
	d := day(it.At)
	switch it.State {
	case payload.Superseded, payload.Revoked, payload.Done, payload.Retired:
		return string(it.State) + ", from " + d
	}
	switch it.Kind {
	case payload.Decision:
		if it.Rule == "answer" && it.Maker == payload.ByRule { // on record; whether anybody thought better of it is not
			return "chosen " + d
		}
		return "stands since " + d
	case payload.Eliminated:
		return "ruled out " + d
	case payload.Finding:
		return "found " + d
	case payload.Deferred:
		return "deferred " + d
	case payload.Question:
		return "open since " + d
	case payload.File:
		return it.Status + ", " + d
	case payload.Next:
		return "as of " + d
	case payload.Flag:
		return "noted " + d
	case payload.Lead:
		return "said " + d
	}
	return d
}

func place(r index.Result) index.Place {
	if r.Item != nil {
		return r.Item.Place
	}
	return r.Turn.Place
}

func day(t time.Time) string {
	if t.IsZero() {
		return "no date"
	}
	return t.Local().Format("2006-01-02")
}
