package team

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"recall/internal/hint"
	"recall/payload"
)

// ErrNotShared means that nobody shares the session with this member.
var ErrNotShared = errors.New("nothing of that session is shared with you")

// Place is where a shared session comes from.
type Place struct {
	Session, Title, Project, Author, Machine string
	Member                                   int    // the author
	Device                                   string // the author's device, by id
}

// Find looks up a shared session by its id or an unambiguous prefix. If two people share the same session,
// ID@MEMBER chooses one.
func (t *Team) Find(ctx context.Context, session string) (Place, error) {
	session, whose, _ := strings.Cut(session, "@")
	all, err := list(ctx, t, func(row pgx.CollectableRow) (p Place, err error) {
		return p, row.Scan(&p.Session, &p.Title, &p.Project, &p.Author, &p.Machine, &p.Member, &p.Device)
	}, `SELECT DISTINCT ON (s.sid, m.id) s.sid, s.title, p.name, m.name, d.name, m.id, d.id::text FROM recall.session s
		JOIN recall.device d ON d.id = s.device JOIN recall.member m ON m.id = d.member
		JOIN recall.project p ON p.id = s.project
		WHERE starts_with(s.sid, $1) AND s.title <> '' AND ($2 = '' OR lower(m.name) = lower($2))
		ORDER BY s.sid, m.id, s.at DESC LIMIT 2`, session, whose)
	switch {
	case err != nil:
		return Place{}, err
	case len(all) == 0 || session == "":
		return Place{}, fmt.Errorf("%s: %w", session, ErrNotShared)
	case len(all) > 1 && all[0].Session == all[1].Session: // don't confuse one with the other
		a, b := all[0], all[1]
		err := fmt.Errorf("session %s is shared by two people: %s of %s, and %s of %s", a.Session, a.Machine, a.Author,
			b.Machine, b.Author)
		return Place{}, hint.With(err, `say whose: recall show "%s@%s"`, a.Session, a.Author)
	case len(all) > 1 && all[0].Session != session:
		return Place{}, hint.With(fmt.Errorf("%s begins several shared sessions' ids", session), "give more of it")
	}
	return all[0], nil
}

// Payload returns the items that a session shares, as its newest device has them.
func (t *Team) Payload(ctx context.Context, of Place) (*payload.Payload, error) {
	p := &payload.Payload{Schema: 1, Session: of.Session, Title: of.Title, Project: of.Project, Source: "team"}
	items, err := list(ctx, t, func(row pgx.CollectableRow) (it payload.Item, err error) {
		var data string
		var start, end *time.Time
		if err = row.Scan(&data, &start, &end); err == nil && (json.Unmarshal([]byte(data), &it) != nil || !receive(&it)) {
			it = payload.Item{} // forged
		}
		if start != nil && end != nil {
			p.Start, p.End = start.UTC(), end.UTC()
		}
		return it, err
	}, `SELECT i.data, s.started, s.ended FROM recall.item i JOIN recall.session s ON s.id = i.session
		WHERE s.sid = $1 AND s.device = $2 ORDER BY i.id`, of.Session, of.Device)
	p.Items = slices.DeleteFunc(items, func(it payload.Item) bool { return it.ID == "" })
	return p, err
}
