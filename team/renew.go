package team

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"recall/internal/redact"
	"recall/payload"
)

// Renew redacts by newer rules what was shared by members or machines that left and so can't do it; all others
// do it with their next sync. The database's owner can do this.
func (t *Team) Renew(ctx context.Context, rules *redact.Rules) error {
	type old struct {
		device     string
		generation int
		Session
	}
	all, err := list(ctx, t, func(row pgx.CollectableRow) (o old, err error) {
		var start, end *time.Time
		var items []string
		err = row.Scan(&o.device, &o.generation, &o.ID, &o.Project, &o.Title, &start, &end, &items, &o.Transcript)
		for _, data := range items {
			var it payload.Item
			if err == nil {
				err = json.Unmarshal([]byte(data), &it)
			}
			o.Items = append(o.Items, it)
		}
		if start != nil {
			o.Start = *start
		}
		if end != nil {
			o.End = *end
		}
		return o, err
	}, `SELECT s.device::text, s.generation, s.sid, s.project, s.title, s.started, s.ended,
			ARRAY(SELECT i.data FROM recall.item i WHERE i.session = s.id ORDER BY i.id),
			coalesce(t.data, '')
		FROM recall.session s JOIN recall.device d ON d.id = s.device JOIN recall.member m ON m.id = d.member
		LEFT JOIN recall.content t ON t.session = s.id
		WHERE s.rules <> $1 AND (d.left_at IS NOT NULL OR `+hasLeft+`) ORDER BY s.id LIMIT 1000`, rules.Version())
	for _, o := range all {
		s, err := Ready(rules, o.Session)
		if err == nil {
			err = t.Put(ctx, o.device, s, o.generation+1)
		}
		if err != nil {
			return fmt.Errorf("session %s: %w", o.ID, err)
		}
	}
	return err
}
