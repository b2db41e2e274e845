package index

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"recall/payload"
)

const (
	insertReplaced = `INSERT INTO replaced(session, key, old, new, of, at) VALUES(?,?,?,?,?,?)`
	replacedQuery  = `SELECT DISTINCT r.session, r.old, r.new, r.of, r.at FROM replaced r JOIN session s ON s.id=r.session
		WHERE r.key IN (SELECT value FROM json_each(?1)) AND s.project=?2 AND r.at>?3 AND r.at<?4 ORDER BY r.at`
)

// replacedRows converts values that edits replaced to rows.
func replacedRows(deeds []payload.Deed) (all []activityRow) {
	for _, d := range deeds {
		for _, value := range []string{d.Text, d.Now} {
			if words := payload.ValueWords(value); len(words) > 0 {
				all = append(all, activityRow{insertReplaced, []any{words[0], d.Text, d.Now, d.Of, millis(d.At)}})
			}
		}
	}
	return all
}

// outlive notes in a result what later edits put in the place of the values that it names, and where and when last.
func (r *reader) outlive(ctx context.Context, one *Result) error {
	said, at := one.Passage, one.At
	if one.Item != nil {
		said, at = one.Item.Text, one.Item.At
	}
	var deeds []payload.Deed
	in := map[string]int64{} // sessions, by values that they put in and when
	key := func(d *payload.Deed) string { return fmt.Sprint(millis(d.At), d.Now) }
	find := func(words []string) ([]payload.Deed, error) {
		err := scan(ctx, r.tx, func(rows *sql.Rows) error {
			var d payload.Deed
			var session int64
			err := rows.Scan(&session, &d.Text, &d.Now, &d.Of, written{&d.At})
			deeds, in[key(&d)] = append(deeds, d), session
			return err
		}, replacedQuery, jsonList(words), one.Project, millis(at), r.until())
		slices.SortStableFunc(deeds, func(a, b payload.Deed) int { return a.At.Compare(b.At) })
		return payload.Outlived(said, at, deeds), err
	}
	all, err := find(payload.ValueWords(said))
	if len(all) > 0 && err == nil { // perhaps replaced once more
		var words []string
		for _, d := range all {
			words = append(words, payload.ValueWords(d.Now)...)
		}
		all, err = find(words)
	}
	if len(all) == 0 || err != nil {
		return err
	}
	last := slices.MaxFunc(all, func(a, b payload.Deed) int { return a.At.Compare(b.At) })
	p, err := r.place(ctx, in[key(&last)])
	since := fmt.Sprintf("%s%s (%s, %s)", payload.ReplacedSince, payload.Replacements(all),
		payload.Handle(p.Project, p.SessionN), last.At.Format(time.DateOnly))
	if one.Item == nil {
		one.Changed = since
	} else if one.Item.Outlive(deeds); strings.HasPrefix(one.Item.Since, payload.ReplacedSince) {
		one.Item.Since = since
	}
	return err
}
