package web

import (
	"slices"
	"strings"

	"recall/ingest"
	"recall/internal/text"
	"recall/payload"
)

// An outlined is an entry of a session's outline: a prompt, a decision, what was ruled out, a commit.
type outlined struct {
	Class string // prompt, stands, past, out, commit
	Text  string
	Turn  string // id
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
				all = append(all, outlined{class, line, string(t.ID)})
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
	}
	return all
}

// A stretch is some turns that follow one another on the strip above a transcript.
type stretch struct {
	Class string // the weightiest of what happened in them: failed, edited, prompt, answer
	Turn  string // the first one's id
	N     int    // and number
}

// mostStretches is the number of bars on the strip.
const mostStretches = 120

// stripOf divides turns into stretches of the same length.
func stripOf(turns []ingest.Turn) (strip []stretch) {
	long := (len(turns) + mostStretches - 1) / mostStretches
	for run := range slices.Chunk(turns, max(long, 1)) {
		weight := 0
		for i := range run {
			weight = max(weight, weightOf(&run[i]))
		}
		strip = append(strip, stretch{[]string{"answer", "prompt", "edited", "failed"}[weight], string(run[0].ID), run[0].N})
	}
	return strip
}

func weightOf(t *ingest.Turn) (weight int) {
	if t.Opens() {
		weight = 1
	}
	for i := range t.Calls {
		switch c := &t.Calls[i]; {
		case c.Ran() && c.Failed:
			return 3
		case len(c.Edits) > 0:
			weight = 2
		}
	}
	return weight
}
