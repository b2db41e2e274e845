package report

import (
	"cmp"
	"slices"

	"recall/answer"
	"recall/eval"
	"recall/payload"
)

// State of a row: what became of a gold item, a predicted one, or both.
const (
	matched = "matched"
	other   = "other kind" // found, under another kind
	missed  = "missed"
	wrong   = "wrong"
	fair    = "fair" // fair to keep and fair to leave: counts on neither side
)

var states = []string{matched, other, missed, wrong, fair}

// sessionView is one session, gold and predicted side by side.
type sessionView struct {
	*eval.SessionScore
	Name   string
	F1     float64
	Counts map[string]int // by state
	Rows   []row

	Doubtful int // items that are like a claim called wrong
}

// row is a gold item, a predicted one, or both that are held to be one fact.
type row struct {
	State, Kind string
	Gold        *eval.GoldItem
	Pred        *eval.Predicted
	Similarity  float64
}

// FoundAs is the kind under which it was found, where that is another.
func (r row) FoundAs() string {
	if r.State != other {
		return ""
	}
	return string(r.Pred.Kind)
}

// Sign goes with the state's colour, for those who can't tell colours.
func (r row) Sign() string {
	return map[string]string{matched: "✓", other: "≈", missed: "○", wrong: "✗", fair: "·"}[r.State]
}

func viewSession(s *eval.SessionScore) *sessionView {
	v := &sessionView{SessionScore: s, Name: cmp.Or(s.Title, answer.ShortID(s.Session)), Counts: map[string]int{}}
	v.Rows = sideBySide(s)
	for _, r := range v.Rows {
		v.Counts[r.State]++
	}
	v.F1 = s.Score().Micro.F1()
	for _, p := range s.Predicted {
		if p.FalseClaim != "" {
			v.Doubtful++
		}
	}
	return v
}

// sideBySide pairs gold with predicted items and sorts them by kind and state.
func sideBySide(s *eval.SessionScore) []row {
	gold := map[string]*eval.GoldItem{}
	for i := range s.Gold {
		gold[s.Gold[i].ID] = &s.Gold[i]
	}
	pred := map[payload.ItemID]*eval.Predicted{}
	for i := range s.Predicted {
		pred[s.Predicted[i].ID] = &s.Predicted[i]
	}
	var rows []row
	pair := func(pairs []eval.MatchedPair, state string) {
		for _, p := range pairs {
			g, q := gold[p.Gold], pred[p.Predicted]
			if g == nil || q == nil {
				continue // one of them is in a row already
			}
			r := row{State: state, Kind: string(g.Kind), Gold: g, Pred: q, Similarity: p.Similarity}
			if state == matched && !g.Must {
				r.State = fair
			}
			rows = append(rows, r)
			delete(gold, p.Gold)
			delete(pred, p.Predicted)
		}
	}
	pair(s.Pairs, matched)
	pair(s.Lenient, other)
	for i := range s.Gold {
		if g := gold[s.Gold[i].ID]; g != nil {
			r := row{State: missed, Kind: string(g.Kind), Gold: g}
			if !g.Must {
				r.State = fair
			}
			rows = append(rows, r)
		}
	}
	for i := range s.Predicted {
		if q := pred[s.Predicted[i].ID]; q != nil {
			rows = append(rows, row{State: wrong, Kind: string(q.Kind), Pred: q})
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		return cmp.Or(
			payload.Kind(a.Kind).Order()-payload.Kind(b.Kind).Order(),
			cmp.Compare(slices.Index(states, a.State), slices.Index(states, b.State)))
	})
	return rows
}
