package report

import (
	"cmp"
	"slices"

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
	Time   string
	Cost   string

	Doubtful int // items that are like a claim called wrong
}

// row is a gold item, a predicted one, or both that are held to be one fact.
type row struct {
	State, Kind string
	Gold        *eval.GoldItem
	Pred        *eval.Predicted
	Similarity  float64
	Instead     string // the kind under which it was found, or is wanted
}

// Sign goes with the state's colour, for those who can't tell colours.
func (r row) Sign() string {
	return map[string]string{matched: "✓", other: "≈", missed: "○", wrong: "✗", fair: "·"}[r.State]
}

func viewSession(s *eval.SessionScore) *sessionView {
	v := &sessionView{SessionScore: s, Name: cmp.Or(s.Title, shortID(s.Session)), Counts: map[string]int{}, Time: seconds(s.Seconds), Cost: dollars(s.Cost)}
	v.Rows = sideBySide(s)
	var c eval.Count
	for _, r := range v.Rows {
		if r.State != other || r.Gold != nil { // once for its two rows
			v.Counts[r.State]++
		}
		must := r.Gold != nil && r.Gold.Must
		switch {
		case r.State == matched:
			c.Hits, c.Pred, c.Wanted = c.Hits+1, c.Pred+1, c.Wanted+1
		case r.Pred != nil && r.State != fair:
			c.Pred++
		}
		if must && r.State != matched {
			c.Wanted++
		}
	}
	v.F1 = c.F1()
	for _, p := range s.Predicted {
		if p.FalseClaim != "" {
			v.Doubtful++
		}
	}
	return v
}

// sideBySide pairs gold with predicted items and sorts them by kind and state.
// One that was found under another kind stands in a row of each.
func sideBySide(s *eval.SessionScore) []row {
	gold := map[string]*eval.GoldItem{}
	for i := range s.Gold {
		gold[s.Gold[i].ID] = &s.Gold[i]
	}
	pred := map[payload.ItemID]*eval.Predicted{}
	for i := range s.Predicted {
		pred[s.Predicted[i].ID] = &s.Predicted[i]
	}
	strictGold, strictPred := map[string]bool{}, map[payload.ItemID]bool{}
	var rows []row
	for _, p := range s.Pairs {
		g, q := gold[p.Gold], pred[p.Predicted]
		if g == nil || q == nil {
			continue
		}
		strictGold[p.Gold], strictPred[p.Predicted] = true, true
		state := matched
		if !g.Must {
			state = fair
		}
		rows = append(rows, row{State: state, Kind: string(g.Kind), Gold: g, Pred: q, Similarity: p.Similarity})
	}
	asOther := map[string]payload.Kind{}
	wanted := map[payload.ItemID]payload.Kind{}
	for _, p := range s.Lenient {
		if g, q := gold[p.Gold], pred[p.Predicted]; g != nil && q != nil && g.Kind != q.Kind {
			asOther[p.Gold], wanted[p.Predicted] = q.Kind, g.Kind
		}
	}
	for i := range s.Gold {
		g := &s.Gold[i]
		if strictGold[g.ID] {
			continue
		}
		r := row{State: missed, Kind: string(g.Kind), Gold: g}
		if k, ok := asOther[g.ID]; ok {
			r.State, r.Instead = other, string(k)
		}
		if !g.Must {
			r.State = fair
		}
		rows = append(rows, r)
	}
	for i := range s.Predicted {
		q := &s.Predicted[i]
		if strictPred[q.ID] {
			continue
		}
		r := row{State: wrong, Kind: string(q.Kind), Pred: q}
		if k, ok := wanted[q.ID]; ok {
			r.State, r.Instead = other, string(k)
		}
		rows = append(rows, r)
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		return cmp.Or(
			cmp.Compare(slices.Index(payload.Kinds, payload.Kind(a.Kind)), slices.Index(payload.Kinds, payload.Kind(b.Kind))),
			cmp.Compare(slices.Index(states, a.State), slices.Index(states, b.State)))
	})
	return rows
}
