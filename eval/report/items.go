package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"recall/answer"
	"recall/eval"
	"recall/payload"
)

// What became of a gold item, a predicted one, or both.
const (
	matched = "matched"
	other   = "other kind" // found, under another kind
	missed  = "missed"
	wrong   = "wrong"
	fair    = "fair" // fair to keep and fair to leave: counts on neither side
)

var states = []string{matched, other, missed, wrong, fair}

var signs = map[string]string{matched: "✓", other: "≈", missed: "○", wrong: "✗", fair: "·"}

// Items lists what stands behind a run's figures: each session's gold items beside what was found, or each question
// with what came of it.
func (t Tables) Items(r *eval.Run) {
	ours := r.Systems[0]
	if ours.Questions != nil {
		t.title("question by question")
		for i := range ours.Questions.Questions {
			q := &ours.Questions.Questions[i]
			state, say := outcome(q)
			fmt.Fprintf(t.W, "%s %s: %s\n", signs[state], onLine(cmp.Or(q.Q, q.ID)), say)
		}
		return
	}
	for i := range ours.Payloads.Sessions {
		s := &ours.Payloads.Sessions[i]
		name := cmp.Or(s.Title, answer.ShortID(s.Session))
		t.title("%s, %s: F1 %.2f", onLine(s.Project), onLine(name), s.Score().Micro.F1())
		for _, row := range sideBySide(s) {
			fmt.Fprintf(t.W, "%s %s %s\n", signs[row.state], row.kind, row.state)
			if g := row.gold; g != nil {
				t.item("gold "+g.ID, g.Text, g.Quote)
			}
			if p := row.pred; p != nil {
				t.item("found as "+string(p.Kind), strings.TrimSpace(p.Path+" "+p.Text), p.Quote)
				if p.FalseClaim != "" {
					t.note("like a false claim: %s", onLine(p.FalseClaim))
				}
			}
		}
	}
}

func (t Tables) item(name, text, quote string) {
	fmt.Fprintf(t.W, "  %s: %s\n", onLine(name), onLine(text))
	if quote != "" && quote != text {
		t.note("“%s”", onLine(quote))
	}
}

func outcome(q *eval.QuestionsMade) (state, say string) {
	switch best := q.Best(); {
	case len(q.Expect) == 0 && q.Refused:
		return matched, "no answer, and said so"
	case len(q.Expect) == 0:
		return wrong, "no answer, and one was given"
	case q.StaleFirst:
		return wrong, "a superseded item came first"
	case q.Refused:
		return missed, "answered “nothing”"
	case best == 0:
		return missed, "not among the first 20"
	case best == 1:
		return matched, "first"
	default:
		return other, fmt.Sprintf("at rank %d", best)
	}
}

// row is a gold item, a predicted one, or both that are held to be one fact.
type row struct {
	state, kind string
	gold        *eval.GoldItem
	pred        *eval.Predicted
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
		r := row{state: state, gold: g, pred: p}
		if g != nil {
			r.kind = string(g.Kind)
			delete(gold, g.ID)
		}
		if p != nil {
			r.kind = cmp.Or(r.kind, string(p.Kind))
			delete(pred, p.ID)
		}
		if g != nil && !g.Must && state != other {
			r.state = fair
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
		return cmp.Or(payload.Kind(a.kind).Order()-payload.Kind(b.kind).Order(),
			cmp.Compare(slices.Index(states, a.state), slices.Index(states, b.state)))
	})
	return rows
}
