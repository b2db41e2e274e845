package team

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Forget removes a session of a member's for all, from whatever device it was put, and for good. Done again it does
// nothing.
func (t *Team) Forget(ctx context.Context, member int, session string) error {
	_, err := t.pool.Exec(ctx, `INSERT INTO recall.tombstone(member, sid) VALUES($1, $2) ON CONFLICT DO NOTHING`, member,
		session)
	return explain(err)
}

// ForgetAll is Forget for those of a library's own tombstones that the team still has something of: another device
// may have shared them. It says how many these were.
func (t *Team) ForgetAll(ctx context.Context, sessions []string) (int64, error) {
	tag, err := t.pool.Exec(ctx, `INSERT INTO recall.tombstone(member, sid)
		SELECT DISTINCT d.member, s.sid FROM recall.session s JOIN recall.device d ON d.id = s.device
		WHERE d.member = $1 AND s.sid = ANY($2) ON CONFLICT DO NOTHING`, t.Member.ID, sessions)
	return tag.RowsAffected(), explain(err)
}

// A Tombstone is a session that was forgotten for all.
type Tombstone struct {
	ID      int64
	Session string
	Own     bool // its member forgot it; else an owner of the team did, for them
}

// Forgotten lists the sessions of this member that were forgotten and that a device hasn't obeyed yet.
func (t *Team) Forgotten(ctx context.Context, device string) ([]Tombstone, error) {
	return list(ctx, t, func(row pgx.CollectableRow) (s Tombstone, err error) {
		return s, row.Scan(&s.ID, &s.Session, &s.Own)
	}, `SELECT t.id, t.sid, t.by IS NOT DISTINCT FROM t.member FROM recall.tombstone t WHERE t.member = $2
		AND NOT EXISTS(SELECT FROM recall.obeyed o WHERE o.tombstone = t.id AND o.device = $1) ORDER BY t.id`,
		device, t.Member.ID)
}

// Obey says that a device holds nothing more of a tombstone's session.
func (t *Team) Obey(ctx context.Context, device string, tombstone int64) error {
	_, err := t.pool.Exec(ctx, `INSERT INTO recall.obeyed(tombstone, device) VALUES($1, $2) ON CONFLICT DO NOTHING`,
		tombstone, device)
	return explain(err)
}

// Disobeying lists the devices of a member's that haven't obeyed all of their tombstones.
func (t *Team) Disobeying(ctx context.Context, member int) ([]Device, error) {
	return list(ctx, t, func(row pgx.CollectableRow) (d Device, err error) {
		return d, row.Scan(&d.ID, &d.Member, &d.Name, &d.At)
	}, `SELECT d.id::text, d.member, d.name, d.at FROM recall.device d WHERE d.member = $1 AND d.left_at IS NULL
		AND EXISTS(SELECT FROM recall.tombstone t WHERE t.member = d.member AND NOT EXISTS(
			SELECT FROM recall.obeyed o WHERE o.tombstone = t.id AND o.device = d.id)) ORDER BY d.at, d.id`, member)
}
