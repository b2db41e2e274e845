package history

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"recall/answer"
	"recall/index/when"
	"recall/ingest"
	"recall/internal/llm"
	"recall/internal/text"
	"recall/library"
	"recall/library/calls"
	"recall/payload"
	"recall/pipeline"
	"recall/pipeline/improve"
)

// Usage is what models consumed, grouped by By.
type Usage struct {
	By       string    `json:"by"`                 // day, week, month, model, project, session or task
	Since    time.Time `json:"since,omitzero"`     // absent: since ever
	Sessions *Took     `json:"sessions,omitempty"` // of people's sessions; absent if by task
	Recall   OwnUsage  `json:"recall"`             // of recall's own requests
}

// OwnUsage is what recall's own requests to models consumed.
type OwnUsage struct {
	Rows   []OwnRow `json:"rows"`
	Total  OwnRow   `json:"total"`
	Month  OwnMonth `json:"month"`
	Broken []string `json:"broken,omitempty"` // lines of usage.jsonl that can't be read
}

// OwnRow is a sum over recall's own requests.
type OwnRow struct {
	Name     string  `json:"name"`
	Calls    int     `json:"calls"`
	Failed   int     `json:"failed"` // of Calls: unanswered; some are paid for anyway
	In       int     `json:"in"`     // tokens
	Cached   int     `json:"cached"` // of In, from the service's cache
	Out      int     `json:"out"`
	Cost     float64 `json:"cost"`               // USD
	Unpriced int     `json:"unpriced,omitempty"` // of Calls: of a model whose price isn't known

	// of Calls: broke off, or their usage is unknown; the sums contain estimates of them
	Estimated int `json:"estimated,omitempty"`
}

// OwnMonth is what the calendar month has cost so far.
type OwnMonth struct {
	Tokens int     `json:"tokens"`
	Cost   float64 `json:"cost"`          // USD
	Cap    float64 `json:"cap,omitempty"` // USD; distill.budget.month_cost
}

// UsageOf sums up what models consumed since a day.
func UsageOf(ctx context.Context, p *pipeline.Pipeline, catalog *library.Catalog, by string, since time.Time,
	prices llm.Prices) (_ *Usage, err error) {
	doc := &Usage{By: by, Since: since}
	name := usageNames(catalog, by)
	if by != "task" {
		project := map[string]string{}
		for _, e := range catalog.Entries {
			project[string(e.ID)] = e.Project
		}
		nameOf := func(session string, r ingest.Request) string {
			return name(calls.Usage{At: r.At, Session: session, Project: project[session],
				Model: cmp.Or(r.Model, "unknown")})
		}
		doc.Sessions, err = Models(ctx, p, since, prices, nameOf)
		if err != nil {
			return nil, err
		}
		slices.SortFunc(doc.Sessions.Rows, func(a, b TookRow) int {
			return usageOrder(by, a.Name, b.Name, a.Cost, b.Cost, a.Output, b.Output)
		})
	}
	doc.Recall = ownUsage(p.Library, by, since, name)
	return doc, nil
}

// usageOrder sorts days, weeks and months by time, anything else by cost, highest first.
func usageOrder(by, nameA, nameB string, costA, costB float64, tokensA, tokensB int) int {
	if by == "day" || by == "week" || by == "month" {
		return cmp.Compare(nameA, nameB)
	}
	return cmp.Or(cmp.Compare(costB, costA), cmp.Compare(tokensB, tokensA), cmp.Compare(nameA, nameB))
}

func ownUsage(l *library.Library, by string, since time.Time, name func(calls.Usage) string) OwnUsage {
	own := OwnUsage{Rows: []OwnRow{}, Total: OwnRow{Name: "total"}}
	rows := map[string]*OwnRow{}
	for s, err := range calls.Spending(l) {
		if err != nil {
			own.Broken = append(own.Broken, err.Error())
			continue
		}
		if s.At.Before(since) {
			continue
		}
		key := name(s)
		if rows[key] == nil {
			rows[key] = &OwnRow{Name: key}
		}
		rows[key].add(s)
		own.Total.add(s)
	}
	for _, r := range rows {
		own.Rows = append(own.Rows, *r)
	}
	slices.SortFunc(own.Rows, func(a, b OwnRow) int {
		return usageOrder(by, a.Name, b.Name, a.Cost, b.Cost, a.In, b.In)
	})
	month := improve.TookSince(l, improve.MonthOf(time.Now()))
	own.Month = OwnMonth{Tokens: month.Tokens, Cost: month.Cost}
	return own
}

// usageNames returns the function that names the group of a request.
func usageNames(catalog *library.Catalog, by string) func(calls.Usage) string {
	title := map[string]string{}
	if by == "session" {
		for _, e := range catalog.Entries {
			title[string(e.ID)] = payload.Handle(catalog.Of(e).Name, catalog.Number[string(e.ID)]) + "  " +
				text.Clip(line(e.Title), 40)
		}
	}
	day := func(at time.Time) string {
		if !at.IsZero() {
			at, _ = when.Within(at.Local(), by)
		}
		return answer.Day(at)
	}
	return map[string]func(calls.Usage) string{
		"model": func(s calls.Usage) string { return line(s.Model) },
		"task":  func(s calls.Usage) string { return s.Task },
		"day":   func(s calls.Usage) string { return day(s.At) },
		"week":  func(s calls.Usage) string { return day(s.At) },
		"month": func(s calls.Usage) string { return strings.TrimSuffix(day(s.At), "-01") },
		"project": func(s calls.Usage) string {
			if s.Project == "" {
				return "none"
			}
			return cmp.Or(catalog.Project[s.Project].Name, "forgotten")
		},
		"session": func(s calls.Usage) string {
			if s.Session == "" {
				return "none"
			}
			return strings.TrimSpace(answer.ShortID(s.Session) + "  " + cmp.Or(title[s.Session], "forgotten"))
		},
	}[by]
}

func (r *OwnRow) add(s calls.Usage) {
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

// Took is what sessions consumed of models according to their transcripts, and its worth at list prices.
type Took struct {
	Rows     []TookRow `json:"rows"`
	Total    TookRow   `json:"total"`
	Unpriced []string  `json:"unpriced,omitempty"` // models without a known price
	PricesOf string    `json:"prices_of"`          // the day of the built-in prices
}

// TookRow is a sum: of a day, a week, a model, a project or a session.
type TookRow struct {
	Name       string  `json:"name"`
	Sessions   int     `json:"sessions"`
	Requests   int     `json:"requests"`
	Input      int     `json:"input"` // tokens, without those read from or written to the cache
	Output     int     `json:"output"`
	CacheWrite int     `json:"cache_write"`
	CacheRead  int     `json:"cache_read"`
	Cost       float64 `json:"cost"`               // USD
	Unpriced   int     `json:"unpriced,omitempty"` // of Requests: of a model whose price isn't known

	last string // session
}

// Models sums up what requests of sessions consumed since a day, grouped by name.
func Models(ctx context.Context, p *pipeline.Pipeline, since time.Time, prices llm.Prices,
	name func(session string, r ingest.Request) string) (*Took, error) {
	took := &Took{Rows: []TookRow{}, Total: TookRow{Name: "total"}, PricesOf: llm.PricesOf()}
	rows := map[string]*TookRow{}
	known, unknown := map[string]llm.Price{}, map[string]bool{}
	err := p.Index.Requests(ctx, func(session string, r ingest.Request) {
		if r.At.Before(since) {
			return
		}
		key := name(session, r)
		if rows[key] == nil {
			rows[key] = &TookRow{Name: key}
		}
		price, priced := known[r.Model]
		if !priced && !unknown[r.Model] {
			if price, priced = prices.Of(r.Model); priced {
				known[r.Model] = price
			}
			unknown[r.Model] = !priced
		}
		for _, row := range []*TookRow{rows[key], &took.Total} {
			if row.last != session { // requests come session by session
				row.last = session
				row.Sessions++
			}
			row.add(r.Usage, price, priced)
		}
	})
	if err != nil {
		return nil, err
	}
	for _, model := range slices.Sorted(maps.Keys(unknown)) {
		if unknown[model] {
			took.Unpriced = append(took.Unpriced, cmp.Or(line(model), "unknown"))
		}
	}
	for _, r := range rows {
		took.Rows = append(took.Rows, *r)
	}
	return took, nil
}

// CostOf returns what requests are worth at list prices, in USD; those of unknown models count nothing.
func CostOf(all []ingest.Request, prices llm.Prices) float64 {
	var sum TookRow
	for _, r := range all {
		price, priced := prices.Of(r.Model)
		sum.add(r.Usage, price, priced)
	}
	return sum.Cost
}

// Cached returns the percentage of the tokens read that came from the cache.
func (t TookRow) Cached() int { return 100 * t.CacheRead / max(t.Input+t.CacheWrite+t.CacheRead, 1) }

func (t *TookRow) add(u ingest.Usage, price llm.Price, priced bool) {
	t.Requests++
	if !priced {
		t.Unpriced++
	}
	t.Input, t.Output = t.Input+int(u.Input), t.Output+int(u.Output)
	t.CacheWrite, t.CacheRead = t.CacheWrite+int(u.CacheWrite), t.CacheRead+int(u.CacheRead)
	t.Cost += price.Cost(llm.Usage{In: int(u.Input + u.CacheRead + u.CacheWrite), CacheRead: int(u.CacheRead),
		CacheWrite: int(u.CacheWrite), CacheHour: int(u.CacheHour), Out: int(u.Output)})
}

// Table returns what people's sessions consumed, with headings and a total.
func (d *Usage) Table() [][]string {
	table := [][]string{strings.Split(d.By+"|sessions|input|output|cache write|cache read|worth", "|")}
	for _, r := range append(d.Sessions.Rows, d.Sessions.Total) {
		worth := text.Dollars(r.Cost)
		if r.Unpriced > 0 {
			worth = strings.TrimPrefix(worth+"+?", "$0+")
		}
		table = append(table, tableRow(r.Name, worth, r.Sessions, r.Input, r.Output, r.CacheWrite, r.CacheRead))
	}
	if d.By == "session" {
		for i, row := range table {
			table[i] = slices.Delete(row, 1, 2)
		}
	}
	return table
}

// OwnTable is Table for recall's own requests.
func (d *Usage) OwnTable() [][]string {
	table := [][]string{strings.Split(d.By+"|calls|failed|tokens in|of cache|tokens out|cost", "|")}
	for _, r := range append(d.Recall.Rows, d.Recall.Total) {
		table = append(table, tableRow(r.Name, price(r), r.Calls, r.Failed, r.In, r.Cached, r.Out))
	}
	return table
}

func tableRow(name, cost string, counts ...int) []string {
	row := []string{name}
	for _, n := range counts {
		row = append(row, text.Thousands(n))
	}
	return append(row, cost)
}

// price words what a row's calls cost, and how well that is known.
func price(r OwnRow) string {
	cost := text.Dollars(r.Cost)
	if r.Estimated > 0 {
		cost = "~" + cost
	}
	if r.Unpriced > 0 {
		cost += "+?"
	}
	return cost
}
