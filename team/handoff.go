package team

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// A Handoff is a file of recall handoff's on its way from one member to another.
type Handoff struct {
	ID       int64
	From, To string // names of the members, as the database knows them
	Hash     string // payload.HandoverID of the text
	Text     string // of those to take
	At       time.Time
	Taken    bool // its receiver has it
}

// Give puts a handoff into a member's inbox. The same again does nothing.
func (t *Team) Give(ctx context.Context, to int, hash, text string) error {
	_, err := t.pool.Exec(ctx, `INSERT INTO recall.handoff(sender, receiver, hash, data) VALUES($1, $2, $3, $4)
		ON CONFLICT DO NOTHING`, t.Member.ID, to, hash, text)
	return explain(err)
}

// Inbox are the handoffs to this member but for those that a library has already.
func (t *Team) Inbox(ctx context.Context, has []string) ([]Handoff, error) {
	return list(ctx, t, func(row pgx.CollectableRow) (h Handoff, err error) {
		return h, row.Scan(&h.ID, &h.From, &h.To, &h.Hash, &h.Text, &h.At, &h.Taken)
	}, `SELECT `+handoffs+` WHERE h.receiver = $1 AND h.hash <> ALL($2) ORDER BY h.id`, t.Member.ID,
		append([]string{}, has...)) // NULL is no array
}

// Given are the handoffs that this member gave, without their texts, the latest first.
func (t *Team) Given(ctx context.Context) ([]Handoff, error) {
	return list(ctx, t, func(row pgx.CollectableRow) (h Handoff, err error) {
		return h, row.Scan(&h.ID, &h.From, &h.To, &h.Hash, nil, &h.At, &h.Taken)
	}, `SELECT `+handoffs+` WHERE h.sender = $1 ORDER BY h.id DESC`, t.Member.ID)
}

const handoffs = `h.id, s.name, r.name, h.hash, h.data, h.at, h.taken_at IS NOT NULL FROM recall.handoff h
	JOIN recall.member s ON s.id = h.sender JOIN recall.member r ON r.id = h.receiver`

// Take says that a handoff is in its receiver's library.
func (t *Team) Take(ctx context.Context, handoff int64) error {
	return t.one(ctx, `UPDATE recall.handoff SET taken_at = coalesce(taken_at, now()) WHERE id = $1`, handoff)
}
