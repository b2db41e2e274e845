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

// MostContent is the size limit of a transcript in bytes.
const MostContent = 64 << 20

// ErrLarge means that a transcript exceeds MostContent.
var ErrLarge = errors.New("too large to be shared")

// queueContent queues the statements that store a session's transcript, or delete what is no longer shared.
func (s *Shared) queueContent(b *pgx.Batch, device string, generation int) error {
	if len(s.of.Transcript) > MostContent {
		return hint.With(fmt.Errorf("session %s: %w: more than %d MB", s.of.ID, ErrLarge, MostContent>>20),
			"its items can be shared: recall team share PROJECT --level items")
	}
	b.Queue(dropContent, device, s.of.ID, generation, s.Hash, s.transcript)
	if s.transcript != "" {
		b.Queue(putContent, device, s.of.ID, generation, s.Hash, s.transcript, s.of.Transcript)
	}
	return nil
}

const (
	dropContent = `DELETE FROM recall.content c USING recall.session s WHERE ` + asPut + ` AND c.session = s.id
		AND c.hash <> $5`
	putContent = `INSERT INTO recall.content(session, generation, project, hash, data)
		SELECT s.id, s.generation, s.project, $5, $6 FROM recall.session s WHERE ` + asPut + `
			AND NOT EXISTS(SELECT FROM recall.content c WHERE c.session = s.id)`
)

// ErrNotShared means that nobody shares the session, or that part of it, with this member.
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

// Transcript returns a shared session's transcript. The error is ErrNotShared.
func (t *Team) Transcript(ctx context.Context, of Place) (text string, err error) {
	err = t.pool.QueryRow(ctx, `SELECT c.data FROM recall.content c JOIN recall.session s ON s.id = c.session
		WHERE s.sid = $1 AND s.device = $2`, of.Session, of.Device).Scan(&text)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", fmt.Errorf("%s: %w", of.Session, ErrNotShared)
	}
	return text, explain(err)
}
