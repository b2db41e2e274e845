package report

import (
	"fmt"
	"slices"
	"strings"

	"recall/eval"
	"recall/payload"
)

// payloadsView is a run over payloads: its tables, and each session.
type payloadsView struct {
	Kinds     []kindRow
	Systems   []systemRow
	Agreement *eval.Agreement
	Forms     []formRow
	Sessions  []*sessionView

	FalseClaims int
}

type kindRow struct {
	Kind string
	eval.Rates
}

type systemRow struct {
	Name, Model        string
	Mark               string
	Ours               bool
	Micro, Lenient     eval.Rates
	Grounding          eval.Interval
	Tokens, Time, Cost string
	FalseClaims, Cut   int
}

type formRow struct {
	Name string
	eval.KofN
}

func payloadTiles(s *eval.PayloadScore) []tile {
	return []tile{
		{"F1, all kinds", figure(s.Micro.F1.Value), span(s.Micro.F1), "of what is found and wanted, taken together"},
		{"Precision", figure(s.Micro.Precision.Value), span(s.Micro.Precision),
			fmt.Sprintf("%d of %d found are right", s.Micro.Hits, s.Micro.Pred)},
		{"Recall", figure(s.Micro.Recall.Value), span(s.Micro.Recall),
			fmt.Sprintf("%d of %d wanted are found", s.Micro.Hits, s.Micro.Wanted)},
		{"Grounding", figure(s.Grounding.Value), span(s.Grounding), "quotes that stand in the turn they cite"},
	}
}

func viewPayloads(run *eval.Run) *payloadsView {
	ours := run.Systems[0].Payloads
	v := &payloadsView{Agreement: run.Agreement, FalseClaims: ours.FalseClaim}
	for _, k := range payload.Kinds {
		if r, ok := ours.Kinds[k]; ok {
			v.Kinds = append(v.Kinds, kindRow{string(k), r})
		}
	}
	v.Kinds = append(v.Kinds, kindRow{"all kinds", ours.Micro}, kindRow{"any kind counts", ours.Lenient})
	for i, s := range run.Systems {
		if s.Payloads == nil {
			continue
		}
		p := s.Payloads
		v.Systems = append(v.Systems, systemRow{Name: s.Name, Model: s.Model, Mark: markOf(i), Ours: i == 0, Micro: p.Micro,
			Lenient:   p.Lenient,
			Grounding: p.Grounding, Tokens: fmt.Sprintf("%.0f", p.Tokens), Time: seconds(p.Seconds), Cost: dollars(p.Cost),
			FalseClaims: p.FalseClaim, Cut: p.Cut})
	}
	v.Forms = forms(run.Agreement)
	for i := range ours.Sessions {
		v.Sessions = append(v.Sessions, viewSession(&ours.Sessions[i]))
	}
	slices.SortStableFunc(v.Sessions, func(a, b *sessionView) int { return strings.Compare(a.Project, b.Project) })
	return v
}

func forms(a *eval.Agreement) []formRow {
	if a == nil {
		return nil
	}
	var all []formRow
	for name, k := range a.Forms {
		all = append(all, formRow{name, k})
	}
	slices.SortFunc(all, func(a, b formRow) int { return strings.Compare(a.Name, b.Name) })
	return all
}
