package report

import (
	"fmt"
	"slices"
	"strings"

	"recall/eval"
	"recall/payload"
)

// kindRow is what is found of a kind, or of all.
type kindRow struct {
	Kind string
	eval.Rates
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

func kindRows(ours *eval.PayloadScore) (rows []kindRow) {
	for _, k := range payload.Kinds {
		if r, ok := ours.Kinds[k]; ok {
			rows = append(rows, kindRow{string(k), r})
		}
	}
	return append(rows, kindRow{"all kinds", ours.Micro}, kindRow{"any kind counts", ours.Lenient})
}

// sessionViews are a run's sessions, a project after the other.
func sessionViews(ours *eval.PayloadScore) (all []*sessionView) {
	for i := range ours.Sessions {
		all = append(all, viewSession(&ours.Sessions[i]))
	}
	slices.SortStableFunc(all, func(a, b *sessionView) int { return strings.Compare(a.Project, b.Project) })
	return all
}
