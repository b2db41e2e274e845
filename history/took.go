package history

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"recall/ingest"
	"recall/llm"
	"recall/pipeline"
)

// Took is what sessions took of models, as their transcripts note it, and what that is worth at list prices.
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
	Input      int     `json:"input"` // tokens, what the cache gave or took in left out
	Output     int     `json:"output"`
	CacheWrite int     `json:"cache_write"`
	CacheRead  int     `json:"cache_read"`
	Cost       float64 `json:"cost"`               // USD
	Unpriced   int     `json:"unpriced,omitempty"` // of Requests: of a model whose price isn't known

	last string // session
}

// Models are what requests of sessions took from a day on, summed up by name.
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
			if row.last != session { // they come session by session
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

func (t *TookRow) add(u ingest.Usage, price llm.Price, priced bool) {
	t.Requests++
	if !priced {
		t.Unpriced++
	}
	t.Input, t.Output = t.Input+int(u.Input), t.Output+int(u.Output)
	t.CacheWrite, t.CacheRead = t.CacheWrite+int(u.CacheWrite), t.CacheRead+int(u.CacheRead)
	t.Cost += price.Cost(llm.Usage{In: int(u.Input + u.CacheRead + u.CacheWrite), CacheRead: int(u.CacheRead),
		CacheWrite: int(u.CacheWrite), CacheHour: int(u.CacheHour), Out: int(u.Output)}, false)
}

// All are the rows with their total.
func (t *Took) All() []TookRow { return append(t.Rows, t.Total) }
