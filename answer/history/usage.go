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

// Took is what sessions consumed of models according to their transcripts, and its worth at list prices.
type Took struct {
	Sums
	Unpriced []string `json:"unpriced,omitempty"` // models without a known price
	PricesOf string   `json:"prices_of"`          // the day of the built-in prices
}

// OwnUsage is what recall's own requests to models consumed.
type OwnUsage struct {
	Sums
	Month  OwnMonth `json:"month"`
	Broken []string `json:"broken,omitempty"` // lines of usage.jsonl that can't be read
}

// OwnMonth is what the calendar month has cost so far.
type OwnMonth struct {
	Tokens int     `json:"tokens"`
	Cost   float64 `json:"cost"`          // USD
	Cap    float64 `json:"cap,omitempty"` // USD; distill.budget.month_cost
}

// Sums add up requests by name.
type Sums struct {
	Rows  []Row `json:"rows"`
	Total Row   `json:"total"`

	named map[string]*Row
}

// A Row is a sum: of a day, a week, a month, a model, a project, a session or a task.
type Row struct {
	Name       string  `json:"name"`
	Sessions   int     `json:"sessions,omitempty"`
	Requests   int     `json:"requests"`
	Failed     int     `json:"failed,omitempty"` // of Requests: unanswered; some are paid for anyway
	Input      int     `json:"input"`            // tokens, without those read from or written to the cache
	Output     int     `json:"output"`
	CacheWrite int     `json:"cache_write"`
	CacheRead  int     `json:"cache_read"`
	Cost       float64 `json:"cost"`               // USD
	Unpriced   int     `json:"unpriced,omitempty"` // of Requests: of a model whose price isn't known

	// of Requests: broke off, or their usage is unknown; the sums contain estimates of them
	Estimated int `json:"estimated,omitempty"`

	last string // session
}

// add adds a request to its row and to the total. Those of a session, if it is known, come one after the other.
func (s *Sums) add(name, session string, one Row) {
	if s.named == nil {
		s.named = map[string]*Row{}
	}
	if s.named[name] == nil {
		s.named[name] = &Row{Name: name}
	}
	for _, to := range []*Row{s.named[name], &s.Total} {
		if session != "" && to.last != session {
			to.last = session
			to.Sessions++
		}
		to.Requests++
		to.Failed += one.Failed
		to.Unpriced += one.Unpriced
		to.Estimated += one.Estimated
		to.Input += one.Input
		to.Output += one.Output
		to.CacheWrite += one.CacheWrite
		to.CacheRead += one.CacheRead
		to.Cost += one.Cost
	}
}

// end lists the rows: days, weeks and months by time, anything else by cost, highest first.
func (s *Sums) end(by string) {
	s.Rows, s.Total.Name = []Row{}, "total"
	for _, r := range s.named {
		s.Rows = append(s.Rows, *r)
	}
	slices.SortFunc(s.Rows, func(a, b Row) int {
		if by == "day" || by == "week" || by == "month" {
			return cmp.Compare(a.Name, b.Name)
		}
		return cmp.Or(cmp.Compare(b.Cost, a.Cost), cmp.Compare(b.Output, a.Output), cmp.Compare(a.Name, b.Name))
	})
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
		doc.Sessions.end(by)
	}
	doc.Recall = ownUsage(p.Library, by, since, name)
	return doc, nil
}

func ownUsage(l *library.Library, by string, since time.Time, name func(calls.Usage) string) (own OwnUsage) {
	one := map[bool]int{true: 1}
	spent, err := calls.Spending(l)
	if bad, ok := err.(interface{ Unwrap() []error }); ok { // one for each line
		for _, err := range bad.Unwrap() {
			own.Broken = append(own.Broken, err.Error())
		}
	}
	for _, s := range spent {
		if !s.At.Before(since) {
			own.add(name(s), "", Row{Failed: one[s.Fault != ""], Unpriced: one[s.Unpriced], Estimated: one[s.Estimated],
				Input: s.In - s.CacheRead - s.CacheWrite, Output: s.Out, CacheRead: s.CacheRead,
				CacheWrite: s.CacheWrite, Cost: s.Cost})
		}
	}
	own.end(by)
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
			return strings.TrimSpace(payload.ShortID(s.Session) + "  " + cmp.Or(title[s.Session], "forgotten"))
		},
	}[by]
}

// Models sums up what requests of sessions consumed since a day, grouped by name.
func Models(ctx context.Context, p *pipeline.Pipeline, since time.Time, prices llm.Prices,
	name func(session string, r ingest.Request) string) (*Took, error) {
	took := &Took{PricesOf: llm.PricesOf()}
	known, unknown := map[string]llm.Price{}, map[string]bool{}
	err := p.Index.Requests(ctx, func(session string, r ingest.Request) {
		if r.At.Before(since) {
			return
		}
		price, priced := known[r.Model]
		if !priced && !unknown[r.Model] {
			if price, priced = prices.Of(r.Model); priced {
				known[r.Model] = price
			}
			unknown[r.Model] = !priced
		}
		took.add(name(session, r), session, rowOf(r.Usage, price, priced))
	})
	if err != nil {
		return nil, err
	}
	for _, model := range slices.Sorted(maps.Keys(unknown)) {
		if unknown[model] {
			took.Unpriced = append(took.Unpriced, cmp.Or(line(model), "unknown"))
		}
	}
	took.end("")
	return took, nil
}

// CostOf returns what requests are worth at list prices, in USD; those of unknown models count nothing.
func CostOf(all []ingest.Request, prices llm.Prices) float64 {
	cost := 0.0
	for _, r := range all {
		price, priced := prices.Of(r.Model)
		cost += rowOf(r.Usage, price, priced).Cost
	}
	return cost
}

// Cached returns the percentage of the tokens read that came from the cache.
func (t Row) Cached() int { return 100 * t.CacheRead / max(t.Input+t.CacheWrite+t.CacheRead, 1) }

// rowOf returns a request's tokens, with their worth at a price if that is known.
func rowOf(u ingest.Usage, price llm.Price, priced bool) Row {
	r := Row{Input: int(u.Input), Output: int(u.Output), CacheWrite: int(u.CacheWrite), CacheRead: int(u.CacheRead),
		Cost: price.Cost(llm.Usage{In: int(u.Input + u.CacheRead + u.CacheWrite), CacheRead: int(u.CacheRead),
			CacheWrite: int(u.CacheWrite), CacheHour: int(u.CacheHour), Out: int(u.Output)})}
	if !priced {
		r.Unpriced = 1
	}
	return r
}

// Table returns what people's sessions consumed, with headings and a total.
func (d *Usage) Table() [][]string {
	table := [][]string{strings.Split(d.By+"|sessions|input|output|cache write|cache read|worth", "|")}
	for _, r := range append(d.Sessions.Rows, d.Sessions.Total) {
		table = append(table, r.cells(r.Sessions, r.Input, r.Output, r.CacheWrite, r.CacheRead))
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
		in := r.Input + r.CacheWrite + r.CacheRead
		table = append(table, r.cells(r.Requests, r.Failed, in, r.CacheRead, r.Output))
	}
	return table
}

// cells are a row's name, some of its numbers, and its cost with how well that is known.
func (r Row) cells(counts ...int) []string {
	row := []string{r.Name}
	for _, n := range counts {
		row = append(row, text.Thousands(n))
	}
	cost := text.Dollars(r.Cost)
	if r.Estimated > 0 {
		cost = "~" + cost
	}
	if r.Unpriced > 0 {
		cost = strings.TrimPrefix(cost+"+?", "$0+")
	}
	return append(row, cost)
}
