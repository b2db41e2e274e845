package history

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"recall/answer"
	"recall/internal/text"
	"recall/library"
	"recall/library/calls"
	"recall/pipeline/improve"
)

// Usage is what recall's own requests to models consumed.
type Usage struct {
	By     string     `json:"by"`             // day, month, model or task
	Since  time.Time  `json:"since,omitzero"` // absent: since ever
	Rows   []UsageRow `json:"rows"`
	Total  UsageRow   `json:"total"`
	Month  UsageMonth `json:"month"`
	Broken []string   `json:"broken,omitempty"` // lines of usage.jsonl that can't be read
}

// UsageRow is a sum over requests.
type UsageRow struct {
	Name      string  `json:"name"`
	Calls     int     `json:"calls"`
	Failed    int     `json:"failed"` // of Calls: unanswered; some are paid for anyway
	In        int     `json:"in"`     // tokens
	Cached    int     `json:"cached"` // of In, from the service's cache
	Out       int     `json:"out"`
	Cost      float64 `json:"cost"`                // USD
	Unpriced  int     `json:"unpriced,omitempty"`  // of Calls: of a model whose price isn't known
	Estimated int     `json:"estimated,omitempty"` // of Calls: broke off, or the service didn't report their usage
}

// UsageMonth is what the calendar month has cost so far.
type UsageMonth struct {
	Tokens int     `json:"tokens"`
	Cost   float64 `json:"cost"`          // USD
	Cap    float64 `json:"cap,omitempty"` // USD; distill.budget.month_cost
}

// UsageOf sums up the ledger of a library since a day.
func UsageOf(l *library.Library, by string, since time.Time) *Usage {
	u := &Usage{By: by, Since: since, Rows: []UsageRow{}, Total: UsageRow{Name: "total"}}
	at := map[string]int{}
	for s, err := range calls.Spending(l) {
		if err != nil {
			u.Broken = append(u.Broken, err.Error())
			continue
		}
		if s.At.Before(since) {
			continue
		}
		name := map[string]string{"model": line(s.Model), "task": s.Task, "day": answer.Day(s.At),
			"month": s.At.Local().Format("2006-01")}[by]
		i, ok := at[name]
		if !ok {
			i = len(u.Rows)
			at[name], u.Rows = i, append(u.Rows, UsageRow{Name: name})
		}
		u.Rows[i].add(s)
		u.Total.add(s)
	}
	slices.SortFunc(u.Rows, func(a, b UsageRow) int {
		if by == "day" || by == "month" {
			return cmp.Compare(a.Name, b.Name)
		}
		return cmp.Or(cmp.Compare(b.Cost, a.Cost), cmp.Compare(b.In, a.In), cmp.Compare(a.Name, b.Name))
	})
	month := improve.TookSince(l, improve.MonthOf(time.Now()))
	u.Month = UsageMonth{Tokens: month.Tokens, Cost: month.Cost}
	return u
}

func (r *UsageRow) add(s calls.Usage) {
	r.Calls++
	if s.Fault != "" {
		r.Failed++
	}
	if s.Unpriced {
		r.Unpriced++
	}
	if s.Estimated {
		r.Estimated++
	}
	r.In, r.Cached, r.Out, r.Cost = r.In+s.In, r.Cached+s.CacheRead, r.Out+s.Out, r.Cost+s.Cost
}

// Table returns the rows with headings and a total.
func (u *Usage) Table() [][]string {
	table := [][]string{strings.Split(u.By+"|calls|failed|tokens in|of cache|tokens out|cost", "|")}
	for _, r := range append(u.Rows, u.Total) {
		row := []string{r.Name}
		for _, n := range []int{r.Calls, r.Failed, r.In, r.Cached, r.Out} {
			row = append(row, text.Thousands(n))
		}
		table = append(table, append(row, r.price()))
	}
	return table
}

// price words what a row's calls cost, and how well that is known.
func (r UsageRow) price() string {
	cost := text.Dollars(r.Cost)
	if r.Estimated > 0 {
		cost = "~" + cost
	}
	if r.Unpriced > 0 {
		cost += "+?"
	}
	return cost
}
