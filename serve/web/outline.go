package web

import (
	"cmp"
	"slices"
	"strings"

	"recall/ingest"
	"recall/internal/text"
	"recall/payload"
)

// An outlined is an entry of a session's outline: a prompt, a decision, what was ruled out, a commit, a failed call.
type outlined struct {
	Class string // prompt, stands, past, out, commit, failed
	Text  string
	Place int // of its turn, from 1
}

// mostOutlined limits an outline to what a page has room for.
const mostOutlined = 400

// outlineOf lists what happened in a session, in order.
func outlineOf(turns []ingest.Turn, p *payload.Payload) (all []outlined) {
	claims := map[string][]payload.Item{} // by turn
	if p != nil {
		for _, it := range p.Items {
			if it.Kind == payload.Decision || it.Kind == payload.Eliminated {
				claims[it.First().Turn] = append(claims[it.First().Turn], it)
			}
		}
	}
	for i := range turns {
		t := &turns[i]
		add := func(class, line string) {
			if line = text.Clip(text.OneLine(line), 90); line != "" && len(all) < mostOutlined {
				all = append(all, outlined{class, line, i + 1})
			}
		}
		if t.Opens() {
			add("prompt", t.OwnText())
		}
		for _, id := range slices.Compact(append([]string{string(t.ID)}, t.Records...)) {
			for _, it := range claims[id] {
				add(stands(it), voice.Sentence(it))
			}
			delete(claims, id)
		}
		for _, c := range t.Calls {
			if c.Commit != "" {
				subject, _, _ := strings.Cut(c.CommitMessage, "\n")
				add("commit", subject)
			}
		}
		for _, c := range failedOf(t) {
			add("failed", cmp.Or(c.Command, c.Name+" "+cmp.Or(c.Path, c.Telling())))
		}
	}
	return all
}

// failedOf returns the calls of a turn that ran and failed.
func failedOf(t *ingest.Turn) (all []*ingest.ToolCall) {
	for i := range t.Calls {
		if c := &t.Calls[i]; c.Ran() && c.Failed {
			all = append(all, c)
		}
	}
	return all
}

// A stretch is some turns that follow one another on the strip above a transcript.
type stretch struct {
	Class string // the weightiest of what happened in them: failed, edited, prompt, answer
	Place int    // of the turn in which it did, from 1
}

// mostStretches is the number of bars on the strip.
const mostStretches = 120

// weights are the classes of stretches, the weightiest last.
var weights = []string{"answer", "prompt", "edited", "failed"}

// stripOf divides turns into stretches of the same length.
func stripOf(turns []ingest.Turn) (strip []stretch, long int) {
	long = max(1, (len(turns)+mostStretches-1)/mostStretches)
	for from := 0; from < len(turns); from += long {
		most, at := -1, 0
		for i := from; i < min(from+long, len(turns)); i++ {
			if weight := weightOf(&turns[i]); weight > most {
				most, at = weight, i+1
			}
		}
		strip = append(strip, stretch{weights[most], at})
	}
	return strip, long
}

func weightOf(t *ingest.Turn) int {
	switch {
	case len(failedOf(t)) > 0:
		return 3
	case slices.ContainsFunc(t.Calls, func(c ingest.ToolCall) bool { return len(c.Edits) > 0 }):
		return 2
	case t.Opens():
		return 1
	}
	return 0
}
