package team

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"recall/index"
	"recall/payload"
)

// How much one question reads: items of one word of it, and candidates that are ranked.
var (
	ceiling    = 1000 // tests have few items
	candidates = 200
)

// Search answers a question from what the team shares, of the projects that the member may read; q.Project is a remote
// or a name. It is ranked as the index ranks.
func (t *Team) Search(ctx context.Context, q index.Query) (index.Answer, error) {
	found, err := t.Candidates(ctx, q)
	if err != nil {
		return index.Answer{}, err
	}
	out := found.Asked.Rank(*found)
	return out, t.Link(ctx, out.Ranked)
}

// Candidates is the first pass of Search: what is then ranked, by itself or with what an index finds.
func (t *Team) Candidates(ctx context.Context, q index.Query) (*index.Elsewhere, error) {
	asked := index.Ask(q)
	found, err := t.find(ctx, q, asked.Stems, asked.Weights)
	if together := together(asked, found.Holding); err == nil && together != nil {
		var more index.Elsewhere
		more, err = t.find(ctx, q, together, slices.Repeat([]float64{1}, len(together)))
		found.Items = append(more.Items, found.Items...)
	}
	if err != nil {
		return nil, explain(err)
	}
	doubled := map[[3]string]bool{} // of two devices of one person, or found twice
	found.Items = slices.DeleteFunc(found.Items, func(s index.Stranger) bool {
		key := [3]string{s.Author, s.Session, string(s.ID)}
		was := doubled[key]
		doubled[key] = true
		return was
	})
	found.Asked = asked
	return &found, nil
}

// together are the question's words by twos, and all of them, if each stands in more items than are looked at: those
// that hold several are fewer. It is nil if a word is rare enough by itself, or none stands anywhere.
func together(asked *index.Asking, held []int) (groups []string) {
	var common []string
	for i, s := range asked.Stems[:min(asked.Own, len(held))] {
		switch {
		case held[i] >= ceiling:
			common = append(common, s)
		case held[i] > 0:
			return nil
		}
	}
	if len(common) == 0 {
		return nil
	}
	groups = []string{strings.Join(common, " ")}
	for i := 1; i < len(common) && len(common) > 2; i++ {
		groups = append(groups, common[i-1]+" "+common[i])
	}
	return groups
}

// find is the first pass: what holds the stems, and how many items hold each.
func (t *Team) find(ctx context.Context, q index.Query, stems []string, weights []float64) (
	found index.Elsewhere, err error) {
	before := q.Until
	if before.IsZero() || !q.AsOf.IsZero() && q.AsOf.Before(before) {
		before = q.AsOf
	}
	var kinds []string
	for _, k := range q.Kinds {
		kinds = append(kinds, string(k))
	}
	rows, err := t.pool.Query(ctx, `SELECT held, searched, sid, project, author, device, title, started, overtaken, data
		FROM recall.search($1, $2, $3, $4, $5, $6, $7, $8)`, stems, weights, null(q.Project), kinds,
		timeOf(q.Since), timeOf(before), ceiling, candidates)
	if err != nil {
		return found, err
	}
	_, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (none struct{}, err error) {
		var sid, project, author, device, title, data *string // nil where nothing was found
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
		s := index.Stranger{Item: asIndexed(it), Overtaken: overtaken}
		s.Place = index.Place{Project: *project, Session: *sid, SessionTitle: *title, Author: *author, Machine: *device}
		if started != nil {
			s.SessionStart = started.UTC()
		}
		found.Items = append(found.Items, s)
		return none, nil
	})
	return found, err
}
