package ingest

import (
	"slices"
	"strings"

	"recall/ingest/jsonl"
)

// A Question is one that a tool puts to the person, with an ID where its client gives ids.
type Question struct {
	ID string
	Answer
}

// Questions reads the questions in a tool's input, with their options.
func Questions(input []byte) (all []Question) {
	jsonl.ReadFields(input, jsonl.Fields{"questions": jsonl.List(func(c *jsonl.Cursor) {
		var q Question
		c.Fields(jsonl.Fields{"id": &q.ID, "question": &q.Question, "header": &q.Header,
			"multiSelect": &q.Multi, "multiple": &q.Multi, "options": jsonl.List(func(c *jsonl.Cursor) {
				var o Option
				if c.Kind() == '"' {
					o.Label = c.String()
				} else {
					c.Fields(jsonl.Fields{"label": &o.Label, "description": &o.Description})
				}
				q.Options = append(q.Options, o)
			})})
		all = append(all, q)
	})})
	return all
}

// Offers reports whether a label is among the options.
func (a *Answer) Offers(label string) bool {
	return slices.ContainsFunc(a.Options, func(o Option) bool { return o.Label == label })
}

// Offered lists the options in parentheses.
func (a *Answer) Offered() string {
	var all []string
	for _, o := range a.Options {
		all = append(all, strings.TrimSuffix(o.Label+": "+o.Description, ": "))
	}
	return "(" + strings.Join(all, "; ") + ")"
}

// Choose records the person's answer, in which clients separate labels by commas. Anything that isn't made of labels
// is free text.
func (a *Answer) Choose(said string) {
	if a.Chosen, a.Free = []string{said}, !a.Offers(said); !a.Free || !a.Multi {
		return
	}
	var labels []string
	for _, o := range a.Options {
		if o.Label != "" {
			labels = append(labels, o.Label)
		}
	}
	slices.SortStableFunc(labels, func(a, b string) int { return len(b) - len(a) })
	a.Chosen = nil
	for said != "" {
		i := slices.IndexFunc(labels, func(l string) bool { return said == l || strings.HasPrefix(said, l+", ") })
		if i < 0 {
			a.Chosen = append(a.Chosen, said)
			return
		}
		a.Chosen = append(a.Chosen, labels[i])
		said = strings.TrimPrefix(strings.TrimPrefix(said, labels[i]), ", ")
	}
	a.Free = false
}
