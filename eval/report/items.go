package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"recall/cmd/recall/terminal"
	"recall/eval"
	"recall/payload"
)

// The states of a row: what became of a gold item, a predicted one, or both.
const (
	matched = "matched"
	other   = "other kind" // found, under another kind
	missed  = "missed"
	wrong   = "wrong"
	fair    = "fair" // keeping it and leaving it out are both fine: not counted
)

var states = []string{matched, other, missed, wrong, fair}

var signs = map[string]string{matched: "✓", other: "≈", missed: "○", wrong: "✗", fair: "·"}

// item prints an item's text, and its quote if that differs.
func (t Tables) item(name, text, quote string) string {
	text = strings.TrimSpace(text)
	says := t.row("", "  %s: %s", terminal.Line(name), terminal.Line(text))
	if quote != "" && quote != text {
		says += t.note("“%s”", terminal.Line(quote))
	}
	return says
}

// outcome prints a question in a line, with what came of it.
func outcome(q *eval.QuestionsMade) string {
	says := func(state, what string) string {
		return signs[state] + " " + terminal.Line(cmp.Or(q.Q, q.ID)) + ": " + what
	}
	switch best := q.Best(); {
	case len(q.Expect) == 0 && q.Refused:
		return says(matched, "no answer, and said so")
	case len(q.Expect) == 0:
		return says(wrong, "no answer, and one was given")
	case q.StaleFirst:
		return says(wrong, "a superseded item came first")
	case q.Refused:
		return says(missed, "answered “nothing”")
	case best == 0:
		return says(missed, "not among the first 20")
	case best == 1:
		return says(matched, "first")
	default:
		return says(other, fmt.Sprintf("at rank %d", best))
	}
}

// row is a gold item, a predicted one, or both if they count as one fact.
type row struct {
	State, Kind string
	Gold        *eval.GoldItem
	Pred        *eval.Predicted
}

// sideBySide pairs gold with predicted items and sorts them by kind and state.
func sideBySide(s *eval.SessionScore) (rows []row) {
	gold, pred := map[string]*eval.GoldItem{}, map[payload.ItemID]*eval.Predicted{}
	for i := range s.Gold {
		gold[s.Gold[i].ID] = &s.Gold[i]
	}
	for i := range s.Predicted {
		pred[s.Predicted[i].ID] = &s.Predicted[i]
	}
	add := func(state string, g *eval.GoldItem, p *eval.Predicted) {
		r := row{State: state, Gold: g, Pred: p}
		if g != nil {
			r.Kind = string(g.Kind)
			delete(gold, g.ID)
		}
		if p != nil {
			r.Kind = cmp.Or(r.Kind, string(p.Kind))
			delete(pred, p.ID)
		}
		if g != nil && !g.Must && state != other {
			r.State = fair
		}
		rows = append(rows, r)
	}
	pair := func(pairs []eval.MatchedPair, state string) {
		for _, p := range pairs {
			if g, q := gold[p.Gold], pred[p.Predicted]; g != nil && q != nil { // else one of them is in a row already
				add(state, g, q)
			}
		}
	}
	pair(s.Pairs, matched)
	pair(s.Lenient, other)
	for i := range s.Gold {
		if g := gold[s.Gold[i].ID]; g != nil {
			add(missed, g, nil)
		}
	}
	for i := range s.Predicted {
		if p := pred[s.Predicted[i].ID]; p != nil {
			add(wrong, nil, p)
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		return cmp.Or(payload.Kind(a.Kind).Order()-payload.Kind(b.Kind).Order(),
			cmp.Compare(slices.Index(states, a.State), slices.Index(states, b.State)))
	})
	return rows
}
