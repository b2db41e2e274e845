package eval

import "slices"

// Bare is the run without a word of anybody's: figures, ids, kinds and pairs,
// which is all that Compare needs. It can be kept where the texts may not.
func (r *Run) Bare() *Run {
	out := *r
	out.Command, out.Problems = nil, nil
	if r.Agreement != nil {
		a := *r.Agreement
		a.Wrong = nil
		out.Agreement = &a
	}
	out.Systems = nil
	for _, s := range r.Systems {
		if s.Payloads != nil {
			p := *s.Payloads
			p.Sessions = nil
			for _, one := range s.Payloads.Sessions {
				p.Sessions = append(p.Sessions, one.bare())
			}
			s.Payloads = &p
		}
		if s.Questions != nil {
			q := *s.Questions
			q.Questions = slices.Clone(q.Questions)
			for i := range q.Questions {
				q.Questions[i].Q, q.Questions[i].First = "", ""
			}
			s.Questions = &q
		}
		out.Systems = append(out.Systems, s)
	}
	return &out
}

func (s SessionScore) bare() SessionScore {
	s.Title = ""
	gold, predicted := s.Gold, s.Predicted
	s.Gold, s.Predicted = nil, nil
	for _, g := range gold {
		s.Gold = append(s.Gold, GoldItem{ID: g.ID, Kind: g.Kind, Must: g.Must})
	}
	for _, p := range predicted {
		claim := ""
		if p.FalseClaim != "" {
			claim = "(not told)"
		}
		s.Predicted = append(s.Predicted, Predicted{ID: p.ID, Kind: p.Kind, Rule: p.Rule, Grounded: p.Grounded,
			FalseClaim: claim})
	}
	return s
}
