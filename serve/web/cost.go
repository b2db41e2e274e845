package web

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"recall/answer/history"
	"recall/index/when"
	"recall/ingest"
	"recall/internal/llm"
	"recall/library"
	"recall/pipeline"
)

// spent is what models cost at list prices, in USD: each of the last days, weeks or months by project, and this month.
type spent struct {
	Bars            []spentBar
	Projects        []string // the dearest ones, in the order of their colours; the last one is "others"
	Month, Forecast float64  // so far, and at this pace until its end
}

// A spentBar is the bar of a day, a week or a month: its parts from the bottom up.
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

// spentOf sums up the last days, weeks or months, until something was last said.
func spentOf(ctx context.Context, p *pipeline.Pipeline, catalog *library.Catalog, now time.Time, prices llm.Prices,
	by string) (*spent, error) {
	last := time.Time{}
	for _, e := range catalog.Entries {
		if e.End.After(last) && e.End.Before(now) {
			last = e.End
		}
	}
	month, _ := when.Within(now, "month")
	from, _ := when.Within(last.In(now.Location()), by)
	from = when.Back(from, mostBars-1, by)
	since := from
	if month.Before(from) {
		since = month
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
		name, of, _ := strings.Cut(row.Name, " ")
		on, err := day(name)
		if err != nil {
			continue // at an unknown time
		}
		if !on.Before(month) {
			s.Month += row.Cost
		}
		if on.Before(from) {
			continue
		}
		first, _ := when.Within(on, by)
		bar := first.Format(time.DateOnly)
		if costs[bar] == nil {
			costs[bar] = map[string]float64{}
		}
		costs[bar][of] += row.Cost
		byProject[of] += row.Cost
	}
	s.Forecast = s.Month / float64(now.Day()) * float64(month.AddDate(0, 1, -1).Day())
	s.Projects = slices.SortedFunc(maps.Keys(byProject), func(a, b string) int {
		return cmp.Or(cmp.Compare(byProject[b], byProject[a]), cmp.Compare(a, b))
	})
	if len(s.Projects) > mostColours {
		s.Projects = append(s.Projects[:mostColours-1], "others")
	}
	for i := range mostBars {
		first, next := when.Within(when.Back(from, -i, by), by)
		s.Bars = append(s.Bars, spentBar{From: first.Format(time.DateOnly),
			To: next.AddDate(0, 0, -1).Format(time.DateOnly)})
	}
	s.draw(costs)
	return s, nil
}

// Latest lists the bars that are there, the last one first.
func (s *spent) Latest() []spentBar {
	all := slices.DeleteFunc(slices.Clone(s.Bars), func(b spentBar) bool { return b.Cost == 0 })
	slices.Reverse(all)
	return all
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
