package web

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"recall/answer/history"
	"recall/ingest"
	"recall/internal/llm"
	"recall/library"
	"recall/pipeline"
)

// spent is what models cost at list prices, in USD: each of the last days or weeks by project, and the calendar month.
type spent struct {
	Bars            []spentBar
	Projects        []string // the dearest ones, in the order of their colours; the last one is "others"
	Month, Forecast float64  // so far, and at this pace until its end
}

// A spentBar is a day's or a week's bar: its parts from the bottom up.
type spentBar struct {
	From, To string // its first and its last day, 2026-11-25
	Cost     float64
	Parts    []spentPart
}

// A spentPart is a project's part of a bar; lengths are percentages of the dearest bar.
type spentPart struct{ Colour, From, Long int }

const (
	mostBars    = 30
	mostColours = 5 // the last one is for all others
)

// spentOf sums up the last days, or weeks from Monday on.
func spentOf(ctx context.Context, p *pipeline.Pipeline, catalog *library.Catalog, now time.Time, prices llm.Prices,
	weekly bool) (*spent, error) {
	year, month, today := now.Date()
	midnight := func(month time.Month, day int) time.Time {
		return time.Date(year, month, day, 0, 0, 0, 0, now.Location())
	}
	first, last, long := midnight(month, 1), midnight(month, today), 1
	if weekly {
		last, long = mondayOf(now), 7
	}
	from := last.AddDate(0, 0, -long*(mostBars-1))
	since := from
	if first.Before(from) {
		since = first
	}
	project := map[string]string{}
	for _, e := range catalog.Entries {
		project[string(e.ID)] = catalog.Of(e).Name
	}
	took, err := history.Models(ctx, p, since, prices, func(session string, r ingest.Request) string {
		return r.At.In(now.Location()).Format(time.DateOnly) + " " + project[session]
	})
	if err != nil {
		return nil, err
	}
	s := &spent{}
	costs, byProject := map[string]map[string]float64{}, map[string]float64{} // by the first day of a bar
	for _, row := range took.Rows {
		on, of, _ := strings.Cut(row.Name, " ")
		if on >= first.Format(time.DateOnly) {
			s.Month += row.Cost
		}
		if on < from.Format(time.DateOnly) {
			continue
		}
		if weekly {
			at, _ := day(on) // as it was just written
			on = mondayOf(at).Format(time.DateOnly)
		}
		if costs[on] == nil {
			costs[on] = map[string]float64{}
		}
		costs[on][of] += row.Cost
		byProject[of] += row.Cost
	}
	s.Forecast = s.Month / float64(today) * float64(first.AddDate(0, 1, -1).Day())
	s.Projects = slices.SortedFunc(maps.Keys(byProject), func(a, b string) int {
		return cmp.Or(cmp.Compare(byProject[b], byProject[a]), cmp.Compare(a, b))
	})
	if len(s.Projects) > mostColours {
		s.Projects = append(s.Projects[:mostColours-1], "others")
	}
	for i := range mostBars {
		begins := from.AddDate(0, 0, long*i)
		s.Bars = append(s.Bars, spentBar{From: begins.Format(time.DateOnly),
			To: begins.AddDate(0, 0, long-1).Format(time.DateOnly)})
	}
	s.draw(costs)
	return s, nil
}

// mondayOf returns the beginning of the week that a time is in.
func mondayOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day()-(int(t.Weekday())+6)%7, 0, 0, 0, 0, t.Location())
}

// costsOf returns what models cost in each session, within the filters' days.
func costsOf(ctx context.Context, m *Memory, f filters) (map[string]float64, error) {
	took, err := history.Models(ctx, m.Pipeline, f.since, m.Prices, func(session string, r ingest.Request) string {
		if !f.asOf.IsZero() && !r.At.Before(f.asOf) {
			return ""
		}
		return session
	})
	if err != nil {
		return nil, err
	}
	costs := map[string]float64{}
	for _, row := range took.Rows {
		costs[row.Name] = row.Cost
	}
	delete(costs, "")
	return costs, nil
}

// draw gives the bars their parts.
func (s *spent) draw(costs map[string]map[string]float64) {
	dearest := 0.0
	for i := range s.Bars {
		for _, cost := range costs[s.Bars[i].From] {
			s.Bars[i].Cost += cost
		}
		dearest = max(dearest, s.Bars[i].Cost)
	}
	for i := range s.Bars {
		b := &s.Bars[i]
		parts := make([]float64, len(s.Projects))
		for of, cost := range costs[b.From] {
			at := slices.Index(s.Projects, of)
			if at < 0 {
				at = len(s.Projects) - 1
			}
			parts[at] += cost
		}
		below := 0.0
		for colour, cost := range parts {
			if cost > 0 {
				low, high := int(100*below/dearest), int(100*(below+cost)/dearest)
				b.Parts = append(b.Parts, spentPart{colour, low, max(high-low, 1)})
				below += cost
			}
		}
	}
}
