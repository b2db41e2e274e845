package index

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"recall/ingest"
	"recall/payload"
)

const (
	insertDeed = `INSERT OR REPLACE INTO deed(session, key, old, new, of, at) VALUES(?,?,?,?,?,?)`
	deedsQuery = `SELECT DISTINCT d.session, d.old, d.new, d.of, d.at FROM deed d JOIN session s ON s.id=d.session
		WHERE d.key IN (SELECT value FROM json_each(?1)) AND s.project=?2 AND d.at>?3 AND d.at<?4 ORDER BY d.at`
)

// deedRows converts the values that edits replaced, and completed tasks, to rows.
func deedRows(deeds []payload.Deed) (all []activityRow) {
	add := func(key string, d *payload.Deed) {
		all = append(all, activityRow{insertDeed, []any{key, d.Text, d.Now, d.Of, millis(d.At)}})
	}
	for i := range deeds {
		switch d := &deeds[i]; {
		case d.Task:
			add(taskKey(d.Text), d)
		case d.Now != "":
			for _, value := range []string{d.Text, d.Now} {
				if words := payload.ValueWords(value); len(words) > 0 {
					add(words[0], d)
				}
			}
		}
	}
	return all
}

// taskKey is what a task is found by, in whichever list.
func taskKey(subject string) string { return "task " + payload.TaskKey(subject) }

// completed reports whether a later session of its project completed a task that one left open.
func (x *Index) completed(ctx context.Context, p Placed) (is bool, err error) {
	err = x.db.QueryRowContext(ctx, `SELECT EXISTS(SELECT 1 FROM deed d JOIN session s ON s.id=d.session `+
		`WHERE d.key=? AND d.at>? AND s.project=?)`, taskKey(p.Item.Text), millis(p.Item.At), p.Project).Scan(&is)
	return is, err
}

// outlive notes in results what later edits put in the place of the values that they name.
func (r *reader) outlive(ctx context.Context, list []*ranked) error {
	for _, o := range list {
		since, err := r.replaced(ctx, o.project, o.shownText(), o.at())
		switch {
		case o.table == turns:
			o.changed[0] = since
			if o.beside.turn.ID != "" && err == nil {
				o.changed[1], err = r.replaced(ctx, o.project, o.beside.passage, o.beside.turn.At)
			}
		case o.item.Outlives() && (since != "" || strings.HasPrefix(o.item.Since, payload.ReplacedSince)):
			o.item.Since = since // as of the question's day; what is stored knows its session alone
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// longestChain is how often a value is followed to what replaced it.
const longestChain = 8

// replaced says what later edits put in the place of the values that a text names, with the last's place and day.
func (r *reader) replaced(ctx context.Context, project, said string, at time.Time) (since string, err error) {
	var deeds, all []payload.Deed
	in := map[string]int64{} // sessions, by values that they put in and when
	key := func(d *payload.Deed) string { return fmt.Sprint(millis(d.At), d.Now) }
	words := payload.ValueWords(said)
	for read, n := 0, 0; len(words) > read && n < longestChain; n++ {
		read, deeds = len(words), nil
		err := scan(ctx, r.tx, func(rows *sql.Rows) error {
			var d payload.Deed
			var session int64
			err := rows.Scan(&session, &d.Text, &d.Now, &d.Of, written{&d.At})
			deeds, in[key(&d)] = append(deeds, d), session
			return err
		}, deedsQuery, jsonList(words), project, millis(at), r.until())
		if err != nil {
			return "", err
		}
		all, _ = payload.Outlived(said, at, deeds)
		for _, d := range all { // perhaps replaced once more
			words = ingest.Union(words, payload.ValueWords(d.Now)...)
		}
	}
	if len(all) == 0 {
		return "", nil
	}
	last := slices.MaxFunc(all, func(a, b payload.Deed) int { return a.At.Compare(b.At) })
	p, err := r.place(ctx, in[key(&last)])
	return fmt.Sprintf("%s%s (%s, %s)", payload.ReplacedSince, payload.Replacements(all),
		payload.Handle(p.Project, p.SessionN), last.At.Format(time.DateOnly)), err
}
