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

// spent is what models cost at list prices, in USD: each of the last days by project, and the calendar month.
type spent struct {
	Days            []spentDay
	Projects        []string // the dearest ones, in the order of their colours; the last one is "others"
	Month, Forecast float64  // so far, and at this pace until its end
}

// A spentDay is a day's bar: its parts from the bottom up.
type spentDay struct {
	Name  string // 2026-11-25
	Cost  float64
	Parts []spentPart
}

// A spentPart is a project's part of a bar; lengths are percentages of the dearest day.
type spentPart struct{ Colour, From, Long int }

const (
	spentDays   = 30
	mostColours = 5 // the last one is for all others
)

// spentOf sums up the last days.
func spentOf(ctx context.Context, p *pipeline.Pipeline, catalog *library.Catalog, now time.Time, prices llm.Prices) (
	*spent, error) {
	year, month, today := now.Date()
	first := time.Date(year, month, 1, 0, 0, 0, 0, now.Location())
	from := time.Date(year, month, today-spentDays+1, 0, 0, 0, 0, now.Location())
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
	byDay, byProject := map[string]map[string]float64{}, map[string]float64{}
	for _, row := range took.Rows {
		day, of, _ := strings.Cut(row.Name, " ")
		if day >= first.Format(time.DateOnly) {
			s.Month += row.Cost
		}
		if day < from.Format(time.DateOnly) {
			continue
		}
		if byDay[day] == nil {
			byDay[day] = map[string]float64{}
		}
		byDay[day][of] += row.Cost
		byProject[of] += row.Cost
	}
	s.Forecast = s.Month / float64(today) * float64(first.AddDate(0, 1, -1).Day())
	s.Projects = slices.SortedFunc(maps.Keys(byProject), func(a, b string) int {
		return cmp.Or(cmp.Compare(byProject[b], byProject[a]), cmp.Compare(a, b))
	})
	if len(s.Projects) > mostColours {
		s.Projects = append(s.Projects[:mostColours-1], "others")
	}
	s.Days = bars(byDay, s.Projects, from)
	return s, nil
}

// costsOf returns what models cost in each session.
func costsOf(ctx context.Context, m *Memory) (map[string]float64, error) {
	took, err := history.Models(ctx, m.Pipeline, time.Time{}, m.Prices, func(session string, _ ingest.Request) string {
		return session
	})
	if err != nil {
		return nil, err
	}
	costs := map[string]float64{}
	for _, row := range took.Rows {
		costs[row.Name] = row.Cost
	}
	return costs, nil
}

// bars makes a bar for each day.
func bars(byDay map[string]map[string]float64, projects []string, from time.Time) (days []spentDay) {
	dearest := 0.0
	for i := range spentDays {
		d := spentDay{Name: from.AddDate(0, 0, i).Format(time.DateOnly)}
		for _, cost := range byDay[d.Name] {
			d.Cost += cost
		}
		dearest = max(dearest, d.Cost)
		days = append(days, d)
	}
	for i := range days {
		d := &days[i]
		parts := make([]float64, len(projects))
		for of, cost := range byDay[d.Name] {
			at := slices.Index(projects, of)
			if at < 0 {
				at = len(projects) - 1
			}
			parts[at] += cost
		}
		below := 0.0
		for colour, cost := range parts {
			if cost > 0 {
				low, high := int(100*below/dearest), int(100*(below+cost)/dearest)
				d.Parts = append(d.Parts, spentPart{colour, low, max(high-low, 1)})
				below += cost
			}
		}
	}
	return days
}
