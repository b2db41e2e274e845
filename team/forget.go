package team

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"recall/ingest"
	"recall/internal/text"
	"recall/library"
)

// Forget permanently removes a member's session for everybody, whichever device shared it. Repeating it has no effect.
func (t *Team) Forget(ctx context.Context, member int, session string) error {
	_, err := t.pool.Exec(ctx, `INSERT INTO recall.tombstone(member, sid) VALUES($1, $2) ON CONFLICT DO NOTHING`, member,
		session)
	return explain(err)
}

// Find looks up a session that the team has by its id or an unambiguous prefix, as Copy.Session does in the copy, in
// which this device's own aren't.
func (t *Team) Find(ctx context.Context, session string) (*Copied, error) {
	session, whose, _ := strings.Cut(session, "@")
	all, err := list(ctx, t, func(row pgx.CollectableRow) (c Copied, err error) {
		err = row.Scan(&c.Session, &c.Title, &c.Author, &c.Machine, &c.Member, &c.Device)
		return c, err
	}, `SELECT DISTINCT ON (s.sid, m.id) s.sid, s.title, m.name, d.name, m.id, d.id::text
		FROM recall.session s
		JOIN recall.device d ON d.id = s.device JOIN recall.member m ON m.id = d.member
		WHERE $1 <> '' AND starts_with(s.sid, $1) AND s.title <> '' AND ($2 = '' OR lower(m.name) = lower($2))
		ORDER BY s.sid, m.id, s.at DESC LIMIT 2`, session, whose)
	if err != nil {
		return nil, err
	}
	return chosen(all, session)
}

// ForgetAll is Forget for those of a library's tombstones of which the team still has something, since another
// device may have shared them. It returns how many.
func (t *Team) ForgetAll(ctx context.Context, sessions []string) (int64, error) {
	tag, err := t.pool.Exec(ctx, `INSERT INTO recall.tombstone(member, sid)
		SELECT DISTINCT d.member, s.sid FROM recall.session s JOIN recall.device d ON d.id = s.device
		WHERE d.member = $1 AND s.sid = ANY($2) ON CONFLICT DO NOTHING`, t.Member.ID, sessions)
	return tag.RowsAffected(), explain(err)
}

// TakeBack empties the sessions that this member's former machines shared in projects, since nobody else can.
// It returns how many.
func (t *Team) TakeBack(ctx context.Context, projects []int) (sessions int64, err error) {
	err = pgx.BeginFunc(ctx, t.pool, func(tx pgx.Tx) error {
		var left []string
		err := tx.QueryRow(ctx, `SELECT coalesce(array_agg(DISTINCT d.id::text), '{}') FROM recall.device d
			JOIN recall.session s ON s.device = d.id WHERE d.member = $1 AND d.left_at IS NOT NULL
			AND s.project = ANY($2::int[]) AND s.hash <> ''`, t.Member.ID, projects).Scan(&left)
		if err != nil || len(left) == 0 {
			return err
		}
		const of = ` s.device = ANY($1::uuid[]) AND s.project = ANY($2::int[])`
		for _, sql := range []string{ // rows of a device can only be changed while it is in the team
			`UPDATE recall.device SET left_at = NULL WHERE id = ANY($1::uuid[]) AND $2::int[] IS NOT NULL`,
			`DELETE FROM recall.item i USING recall.session s WHERE i.session = s.id AND` + of,
			`DELETE FROM recall.content c USING recall.session s WHERE c.session = s.id AND` + of,
			`UPDATE recall.session s SET generation = generation + 1, hash = '', title = '', started = NULL,
				ended = NULL, items = 0 WHERE s.hash <> '' AND` + of,
			`UPDATE recall.device SET left_at = now() WHERE id = ANY($1::uuid[]) AND $2::int[] IS NOT NULL`,
		} {
			tag, err := tx.Exec(ctx, sql, left, projects)
			if err != nil {
				return err
			}
			if strings.HasPrefix(sql, "UPDATE recall.session") {
				sessions = tag.RowsAffected()
			}
		}
		return nil
	})
	return sessions, explain(err)
}

// Tombstone is a session that was forgotten for everybody.
type Tombstone struct {
	Session string
	Own     bool // forgotten by its member, otherwise by an owner of the team
}

// Forgotten lists this member's forgotten sessions.
func (t *Team) Forgotten(ctx context.Context) ([]Tombstone, error) {
	return list(ctx, t, pgx.RowToStructByPos[Tombstone], `SELECT sid, by IS NOT DISTINCT FROM member
		FROM recall.tombstone WHERE member = $1 ORDER BY id`, t.Member.ID)
}

// Errands does what a sync does apart from shared sessions, and begins its report. A failure of one errand doesn't stop
// the others, and calling it again resumes.
func (t *Team) Errands(ctx context.Context, l *library.Library) (done *Synced, err error) {
	done = &Synced{At: time.Now().UTC()}
	gone, err := l.Tombstones()
	if err == nil && len(gone) > 0 {
		var told int64 // forgotten here, and now for everybody
		told, err = t.ForgetAll(ctx, text.Strings(gone))
		done.Sent = int(told)
	}
	err = errors.Join(err, t.askToForget(ctx, l, done))
	if t.Member.Owner {
		err = errors.Join(err, t.Renew(ctx))
	}
	return done, err
}

// askToForget asks about this person's forgotten sessions that are still in this library: whoever runs the database can
// write tombstones in anybody's name, so nothing is forgotten here for what it says.
func (t *Team) askToForget(ctx context.Context, l *library.Library, done *Synced) error {
	stones, err := t.Forgotten(ctx)
	for _, s := range stones {
		if _, lost := l.Session(ingest.SessionID(s.Session)); errors.Is(lost, library.ErrNoSession) {
			continue
		} else if lost != nil {
			return lost
		}
		why := "an owner of the team removed session " + s.Session + " for everybody"
		if s.Own {
			why = "the team says that you forgot session " + s.Session + " on another machine"
		}
		done.Happens(why + "; it is still here: recall forget SESSION")
	}
	return err
}
