package team

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"recall/index"
	"recall/payload"
)

// How much one question reads: items of one word of it, and candidates that are ranked.
const (
	ceiling    = 1000
	candidates = 200
)

// Search answers a question from what the team shares, of the projects that the member may read; q.Project is a remote
// or a name. It is ranked as the index ranks.
func (t *Team) Search(ctx context.Context, q index.Query) (index.Answer, error) {
	asked := index.Ask(q)
	before := q.Until
	if before.IsZero() || !q.AsOf.IsZero() && q.AsOf.Before(before) {
		before = q.AsOf
	}
	var kinds []string
	for _, k := range q.Kinds {
		kinds = append(kinds, string(k))
	}
	rows, err := t.pool.Query(ctx, `SELECT held, searched, sid, project, author, device, title, started, overtaken, data
		FROM recall.search($1, $2, $3, $4, $5, $6, $7, $8)`, asked.Stems, asked.Weights, null(q.Project), kinds,
		timeOf(q.Since), timeOf(before), ceiling, candidates)
	if err != nil {
		return index.Answer{}, explain(err)
	}
	var found index.Elsewhere
	doubled := map[[3]string]bool{} // of two devices of one person
	_, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (none struct{}, err error) {
		var sid, project, author, device, title, data *string
		var started *time.Time
		var overtaken bool
		if err := row.Scan(&found.Holding, &found.Searched, &sid, &project, &author, &device, &title, &started, &overtaken,
			&data); err != nil || sid == nil {
			return none, err
		}
		var it payload.Item
		if err := json.Unmarshal([]byte(*data), &it); err != nil {
			return none, fmt.Errorf("an item of session %s: %w", *sid, err)
		}
		key := [3]string{*author, *sid, string(it.ID)}
		if doubled[key] {
			return none, nil
		}
		doubled[key] = true
		s := index.Stranger{Item: asIndexed(it), Overtaken: overtaken}
		s.Place = index.Place{Project: *project, Session: *sid, SessionTitle: *title, Author: *author, Machine: *device}
		if started != nil {
			s.SessionStart = started.UTC()
		}
		found.Items = append(found.Items, s)
		return none, nil
	})
	if err != nil {
		return index.Answer{}, explain(err)
	}
	return asked.Rank(found), nil
}
