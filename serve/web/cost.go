package web

import (
	"context"
	"slices"
	"time"

	"recall/answer/history"
	"recall/index/when"
	"recall/ingest"
)

// A spentBar is what a day, a week or a month cost at list prices, in USD.
type spentBar struct {
	From, To string // its first and its last day, 2026-11-25
	Cost     float64
	Long     int // percentage of the dearest bar
}

// mostBars is how many days, weeks or months are drawn: those until something was last said.
const mostBars = 30

// spentOf draws usage by day, week or month, the oldest first; nil if it is summed up by anything else.
func spentOf(u *history.Usage) (bars []spentBar) {
	costs, last := map[string]float64{}, time.Time{}
	for _, row := range u.Sessions.Rows {
		first, err := time.ParseInLocation(time.DateOnly, row.Name, time.Local)
		if err != nil && u.By == "month" {
			first, err = time.ParseInLocation("2006-01", row.Name, time.Local)
		}
		if err != nil {
			continue // at an unknown time, or no time at all
		}
		costs[first.Format(time.DateOnly)], last = row.Cost, first
	}
	if last.IsZero() {
		return nil
	}
	dearest := 0.0
	for n := mostBars - 1; n >= 0; n-- {
		first, next := when.Within(when.Back(last, n, u.By), u.By)
		b := spentBar{From: first.Format(time.DateOnly), To: next.AddDate(0, 0, -1).Format(time.DateOnly)}
		b.Cost = costs[b.From]
		dearest = max(dearest, b.Cost)
		bars = append(bars, b)
	}
	for i := range bars {
		if dearest > 0 {
			bars[i].Long = int(100 * bars[i].Cost / dearest)
		}
	}
	return bars
}

// Latest lists the days, weeks or months that cost something, the last one first.
func (v healthView) Latest() []spentBar {
	all := slices.DeleteFunc(slices.Clone(v.Spent), func(b spentBar) bool { return b.Cost == 0 })
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
