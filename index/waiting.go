package index

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"recall/payload"
)

// What waits for a person is decided here, whoever asks: a question, recall status --open, a page of the web.

// lately is how long a quote waits unless a later session speaks of the same: a week, whatever the hour.
const lately = 8 * 24 * time.Hour

// Waiting lists what waits in a query's project, "" for all, the newest first: what was asked, put off or warned of
// until it is settled, a task of a list until it is done, and the next steps of sessions that have the last word on
// them. What was only told is done, as likely as not, unless no session followed, or it was told lately and none since
// spoke of it. A repetition counts as old as the first.
func (x *Index) Waiting(ctx context.Context, q Query) (left []Placed, err error) {
	all, err := x.itemsWhere(ctx, `s.author='' AND s.id IN (SELECT id FROM session WHERE ?1 IN ('', project) UNION `+
		`SELECT session FROM also WHERE project=?1)`, q.Project,
		append(slices.Clip(payload.Waiting), payload.Lead, payload.Goal)) // goals tell what was spoken of
	if err != nil {
		return nil, err
	}
	now := cmp.Or(q.Until, q.AsOf, q.Now, time.Now())
	talk, speaks, projects := payload.Talk{}, map[string]bool{}, map[string]bool{}
	for _, p := range all {
		if p.Item.Waits() == payload.Next {
			speaks[p.Session], projects[p.Project] = true, true
		}
		if age := now.Sub(p.Item.At); age >= 0 && age < lately {
			talk.Add(&payload.Payload{Start: p.SessionStart, Items: []payload.Item{p.Item}})
		}
	}
	last, newest := map[string]bool{}, map[string]bool{}
	for name := range projects {
		known, err := x.ThreadsIn(ctx, name)
		if err != nil {
			return nil, err
		}
		var infos []payload.ThreadInfo
		for _, t := range known {
			if !t.Start.After(now) {
				infos = append(infos, t.ThreadInfo)
			}
		}
		payload.LastWord(payload.Threads(infos, q.Corrected), speaks, last, newest)
	}
	said := map[string]bool{}
	for _, p := range all {
		it, kind, task := &p.Item, p.Item.Waits(), p.Item.Rule == payload.TaskRule
		step := kind == payload.Next && !task
		told := it.Kind == payload.Lead && !task && !(step && newest[p.Session])
		key := p.Project + "\x00" + string(kind) + "\x00" + strings.ToLower(it.Text)
		switch {
		case kind == "", !it.Current(), p.Archived && !q.Archived, said[key], step && !last[p.Session]:
		case told && (now.Sub(it.At) >= lately || !talk.TakenUp(it).IsZero()):
		default:
			if task {
				if done, err := x.completed(ctx, p); err != nil {
					return nil, err
				} else if done {
					continue
				}
			}
			said[key] = true
			left = append(left, p)
		}
	}
	slices.SortStableFunc(left, func(a, b Placed) int { return b.Item.At.Compare(a.Item.At) })
	return left, nil
}
