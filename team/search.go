package team

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"recall/distill"
	"recall/index"
	"recall/ingest"
	"recall/payload"
)

// maxRanked is how many items with the question's words are ranked; the second look takes a quarter of these. With
// 100, a tenth more of what ranking all items would put first is missing.
const maxRanked = 200

// Candidates finds what answers a question, in the projects that the member can read; q.Project is a remote or a name.
// They are then ranked, by themselves or together with an index's results.
func (t *Team) Candidates(ctx context.Context, q index.Query) (*index.ForeignResults, error) {
	asked := index.Ask(q)
	found, err := t.find(ctx, q, asked)
	if err != nil {
		return nil, explain(err)
	}
	doubled := map[[3]string]bool{} // one person may share an item from two devices
	found.Items = slices.DeleteFunc(found.Items, func(s index.ForeignItem) bool {
		key := [3]string{s.Author, s.Session, string(s.ID)}
		was := doubled[key]
		doubled[key] = true
		return was
	})
	found.Asked = asked
	return &found, nil
}

// find returns the items with the stems, and how many items contain each.
func (t *Team) find(ctx context.Context, q index.Query, asked *index.Asking) (found index.ForeignResults, err error) {
	before := q.Until
	if before.IsZero() || !q.AsOf.IsZero() && q.AsOf.Before(before) {
		before = q.AsOf
	}
	rows, err := t.pool.Query(ctx, `SELECT held, searched, sid, project, author, device, title, started, put, data
		FROM recall.search($1, $2, $3, $4, $5, $6, $7, $8)`, asked.Stems, asked.Own, asked.Weights,
		nullIfEmpty(q.Project), names(q.Kinds), nullIfZero(q.Since), nullIfZero(before), maxRanked)
	if err != nil {
		return found, err
	}
	_, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (none struct{}, err error) {
		var sid, project, author, device, title, data *string // nil if nothing was found
		var started, put *time.Time
		if err := row.Scan(&found.Holding, &found.Searched, &sid, &project, &author, &device, &title, &started, &put,
			&data); err != nil || sid == nil {
			return none, err
		}
		var it payload.Item
		if json.Unmarshal([]byte(*data), &it) != nil {
			return none, nil // a forged item is skipped
		}
		at := index.Place{Project: *project, Session: *sid, SessionTitle: *title, Author: *author, Machine: *device,
			Source: index.HandoffSource}
		if started != nil {
			at.SessionStart = started.UTC()
		}
		if onTime(*put, &it.At, &at.SessionStart) {
			at.Machine += wrongClock
		}
		found.Items = append(found.Items, index.ForeignItem{Place: at, Item: asIndexed(it)})
		return none, nil
	})
	return found, err
}

func names[T ~string](all []T) (out []string) {
	for _, one := range all {
		out = append(out, string(one))
	}
	return out
}

// receive makes an item from the database safe to show, and holds it to the contract that every item must satisfy, as
// far as its quotes alone can say: their turns aren't here. A claim that they don't bear out stays as what was quoted,
// and one without any is a mere passage. It reports whether anything is left.
func receive(it *payload.Item) bool {
	if it.Receive() != nil {
		return false
	}
	if len(it.Evidence) > 0 {
		if kept, _ := distill.Contract(quoted(it), []payload.Item{*it}); len(kept) == 1 {
			*it = kept[0]
			return true
		}
		it.Text = strings.Join(it.Quotes(), " … ")
	}
	it.Kind, it.Why, it.Scope, it.Alternatives, it.Path, it.Status = payload.Lead, "", "", nil, "", ""
	return it.Text != ""
}

// Receive is receive for what was found for a question.
func Receive(found *index.ForeignResults) {
	kept := found.Items[:0]
	for _, f := range found.Items {
		if receive(&f.Item.Item) {
			kept = append(kept, f)
		}
	}
	found.Items = kept
}

// quoted is a session of the turns that an item quotes; where it names the question that was answered, that comes
// first.
func quoted(it *payload.Item) *ingest.Session {
	s := &ingest.Session{}
	if asked, _, ok := strings.Cut(it.Text, " → "); ok {
		s.Turns = append(s.Turns, ingest.Turn{ID: "question", Role: ingest.Assistant, Kind: ingest.Message, Text: asked})
	}
	for _, e := range it.Evidence {
		t := ingest.Turn{ID: ingest.TurnID(e.Turn), N: e.N, Role: ingest.User, Kind: ingest.Prompt, Text: e.Quote}
		if it.By == payload.ByAssistant {
			t.Role, t.Kind = ingest.Assistant, ingest.Message
		}
		s.Turns = append(s.Turns, t)
	}
	return s
}

// skewed is how far a clock may be ahead.
const skewed = 24 * time.Hour

// onTime corrects what a clock ahead of the database's says: nothing was said after it was put. It reports whether it
// had to.
func onTime(put time.Time, of ...*time.Time) (wrong bool) {
	for _, at := range of {
		if at.Sub(put) > skewed {
			*at, wrong = put.UTC(), true
		}
	}
	return wrong
}

// wrongClock marks a machine whose clock is ahead, where its name is shown.
const wrongClock = " (its clock is ahead)"
