package main

import (
	"regexp"
	"sync"
	"time"

	"recall/index"
	"recall/payload"
)

var triedForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(did|have|had|haven't|didn't)\s+(we|i|you|they|anyone)\b.*\b(try|tried|test|tested|consider|considered|use|used|rule|look)|\bever (try|tried|use|used)\b`)
})

// sentence is an item as one sentence, said so that its kind is plain.
func (p *page) sentence(it payload.Item) string {
	text := oneLine(it.Text)
	switch it.Kind {
	case payload.Eliminated:
		return "Ruled out: " + ruledOutThing(text)
	case payload.File:
		if it.Path != "" {
			if text == "" {
				return it.Path
			}
			return it.Path + ": " + text
		}
	case payload.Goal:
		return "Goal: " + text
	case payload.Next:
		return "Next: " + text
	case payload.Question:
		return "Open question: " + text
	case payload.Hypothesis:
		return "Hypothesis: " + text
	}
	return text
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
		return "stands since " + d
	case payload.Eliminated:
		return "ruled out " + d
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
	}
	return d
}

// became is what an item is when a later one took its place.
func became(it payload.Item) string {
	switch it.Kind {
	case payload.Question:
		return "answered"
	case payload.Deferred:
		return "taken up"
	}
	return string(payload.Superseded)
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
