// Package offline distills a session by rules over what its transcript states
// outright: no model, no network, the same result every time. Sentences that
// people typed and that the assistant's reports hold are weighed by small
// logistic regressions (weights.json); answers, plans, refusals, tasks and
// edits are read from the tools' records.
package offline

import (
	"context"
	"sort"
	"strings"

	"recall/distill"
	"recall/distill/offline/cue"
	"recall/ingest"
	"recall/payload"
)

// Name is what payloads made here say they were made by.
const Name = "offline/1"

// A Distiller distills by rules. The zero value uses the shipped Models.
type Distiller struct {
	Models Models // nil: the shipped ones
}

var _ distill.Distiller = Distiller{}

// Name implements distill.Distiller.
func (Distiller) Name() string { return Name }

// Distill makes the payload of a session. It fails only if ctx is done.
func (d Distiller) Distill(ctx context.Context, s *ingest.Session) (*payload.Payload, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	models := d.Models
	if models == nil {
		models = shipped()
	}
	p := &payload.Payload{Schema: payload.Schema, Session: string(s.ID), Source: string(s.Source), Title: s.Title,
		Branch: s.Where.Branch, Start: s.Start, End: s.End, Made: payload.Provenance{Distiller: Name}}
	p.Items = Listen(s).Items(models)
	distill.Hold(s, p)
	return p, nil
}

// A Heard session is one made ready to be distilled, by several Models if need be.
type Heard struct {
	Candidates []*Candidate // statements that may be worth keeping

	Recorded []payload.Item // what rules read from records, not from what was said

	talk    *talk
	touched []*touched
}

// Listen makes a session ready.
func Listen(s *ingest.Session) *Heard {
	t := listen(s)
	h := &Heard{Candidates: candidates(t), talk: t, touched: touchedFiles(t)}
	for _, rule := range rules {
		for _, it := range rule(t) {
			if !repeats(h.Recorded, it) && !inGoal(h.Recorded, it) {
				h.Recorded = append(h.Recorded, it)
			}
		}
	}
	return h
}

// repeats tells whether a record says what an earlier one says. Answers to two
// questions and two open tasks are two, be they ever so alike: "port for service
// A", "port for service B".
func repeats(items []payload.Item, it payload.Item) bool {
	if it.Rule != "answer" && it.Rule != "open-task" {
		return saidIn(items, it)
	}
	others := make([]payload.Item, 0, len(items))
	for _, o := range items {
		if o.Rule != it.Rule {
			others = append(others, o)
		} else if strings.EqualFold(o.Text, it.Text) {
			return true
		}
	}
	return saidIn(others, it)
}

// joining words make no sense after "because".
var joining = cue.One(`(?i)^(?:but|and|so|because|since)\s+`)

// reasonWords fits a reason to stand after "because": no joining word, a small
// letter at its beginning but for names.
func reasonWords(it *payload.Item) string {
	why := joining.ReplaceAllString(it.Why, "")
	first, _, _ := strings.Cut(why, " ")
	for _, e := range it.Evidence {
		if i := strings.Index(e.Quote, " "+first); i > 0 && first != "" && !strings.ContainsAny(e.Quote[i-1:i], ".!?:") {
			return why // written so within a sentence
		}
	}
	return lowerFirst(why)
}

// inGoal tells whether a decision only repeats the goal.
func inGoal(items []payload.Item, it payload.Item) bool {
	for i := range items {
		if items[i].Kind == payload.Goal && it.Kind == payload.Decision && share(keywords(it.Text), keywords(items[i].Text)) > 0.8 {
			return true
		}
	}
	return false
}

// Items distills by the models: what records say, files, and what was said.
func (h *Heard) Items(models Models) []payload.Item {
	items := choose(models, h.Candidates, h.Recorded)
	work := files(h.talk, h.touched, models)
	items = append(withoutFileNews(items, work), work...)
	for i := range items {
		items[i].Why = reasonWords(&items[i])
		items[i].Confidence = confidence(items[i].Kind, items[i].Rule)
		if items[i].Rule == "abandoned" {
			items[i].Confidence = min(faint, items[i].Confidence)
		}
	}
	items = withoutTold(h.talk.session, items)
	order(items)
	return items
}

// withoutFileNews drops decisions that merely say what a file item says too.
func withoutFileNews(items, work []payload.Item) []payload.Item {
	told := map[string]bool{}
	for _, f := range work {
		told[f.Text] = true
	}
	kept := items[:0:0]
	for _, it := range items {
		low := strings.ToLower(it.Text)
		chose := talkCues.has("instead", low) || it.Why != "" || len(strings.Fields(it.Text)) > 12
		if it.Kind == payload.Decision && it.By != payload.ByUser && told[it.Text] && !chose {
			continue
		}
		kept = append(kept, it)
	}
	return kept
}

// rules read items from records rather than from sentences.
var rules = []func(*talk) []payload.Item{goals, answers, replied, plans, refusals, objections, suspicions, ideasLeft, optionsLost, turnedDown, abandoned, openTasks, leftOver,
	ruledOut, traps, putOffs, keptFor, leftToDo, askedOutside, guesses}

// order sorts items by kind, then by time and turn; what is to be done next
// keeps its order.
func order(items []payload.Item) {
	rank := map[payload.Kind]int{}
	for i, k := range payload.Kinds {
		rank[k] = i
	}
	sort.SliceStable(items, func(i, j int) bool {
		a, b := &items[i], &items[j]
		if a.Kind != b.Kind {
			return rank[a.Kind] < rank[b.Kind]
		}
		if a.Kind == payload.Next {
			return false // the rules give them in the order in which they are to be done
		}
		if !a.At.Equal(b.At) {
			return a.At.Before(b.At)
		}
		return first(a) < first(b)
	})
}

func first(it *payload.Item) int {
	n := 0
	for _, e := range it.Evidence {
		if n == 0 || e.N < n {
			n = e.N
		}
	}
	return n
}
