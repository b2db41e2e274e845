package team

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"

	"recall/library/disk"
	"recall/payload"
)

// Handoff is a file from recall handoff in this member's inbox.
type Handoff struct {
	ID   int64
	From string // the sender's name, as the database knows it
	Text string
}

// Give puts a handoff into a member's inbox. Repeating it has no effect.
func (t *Team) Give(ctx context.Context, to int, hash, text string) error {
	_, err := t.pool.Exec(ctx, `INSERT INTO recall.handoff(sender, receiver, hash, data) VALUES($1, $2, $3, $4)
		ON CONFLICT DO NOTHING`, t.Member.ID, to, hash, text)
	return explain(err)
}

// GiveTo puts a handoff into the inbox of a member given by name, and returns their full name. The error may be
// ErrNobody.
func (t *Team) GiveTo(ctx context.Context, name, text string) (string, error) {
	m, err := t.MemberNamed(ctx, name)
	if err == nil && m.Left {
		err = fmt.Errorf("%s %w", m.Name, errLeft)
	}
	if err != nil {
		return "", err
	}
	return m.Name, t.Give(ctx, m.ID, payload.HandoverID(text), text)
}

var errLeft = errors.New("left the team")

// held is a handoff waiting until the team can be reached, stored in a file of the membership.
type held struct {
	To   string    `json:"to"`
	Text string    `json:"text"`
	At   time.Time `json:"at"`
}

const heldIn = "handing"

// Hold stores a handoff until a sync reaches the team.
func (m *Membership) Hold(to, text string) error {
	data, err := json.Marshal(held{to, text, time.Now().UTC()})
	if err != nil {
		return err
	}
	return m.replace(filepath.Join(heldIn, payload.HandoverID(text)+".json"), data)
}

// deliverHeld delivers waiting handoffs. One that can't be delivered to its receiver is reported and dropped,
// since its own file still exists; after any other failure it keeps waiting.
func (t *Team) deliverHeld(ctx context.Context, m *Membership, done *Errands) error {
	paths, err := disk.Glob(m.dir, heldIn, "*.json")
	for _, path := range paths {
		data, unread := disk.ReadPlain(path)
		var h held
		if errors.Is(unread, fs.ErrNotExist) {
			continue // forgotten in the meantime
		}
		if unread = cmp.Or(unread, json.Unmarshal(data, &h)); unread != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", path, unread))
			continue
		}
		to, failed := t.GiveTo(ctx, h.To, h.Text)
		what := fmt.Sprintf("the handoff of %s to %s ", h.At.Local().Format(time.DateTime), cmp.Or(to, h.To))
		switch {
		case failed == nil:
			what += "is in their inbox"
		case errors.Is(failed, ErrNobody) || errors.Is(failed, errLeft) || errors.Is(failed, ErrRefused):
			what += "isn't handed over in the team: " + failed.Error()
		case ctx.Err() != nil || errors.Is(failed, ErrUnreachable): // the next one would fail too
			return errors.Join(err, failed)
		default:
			err = errors.Join(err, fmt.Errorf("%swaits (%s): %w", what, path, failed))
			continue
		}
		done.Gave = append(done.Gave, what)
		err = errors.Join(err, disk.RemoveIfThere(path))
	}
	return err
}

// Inbox returns some handoffs to this member that weren't taken, and that a library doesn't have: of each sender the
// first, then the second ones, so that nobody fills it alone.
func (t *Team) Inbox(ctx context.Context, has []string, most int) ([]Handoff, error) {
	return list(ctx, t, func(row pgx.CollectableRow) (h Handoff, err error) {
		return h, row.Scan(&h.ID, &h.From, &h.Text)
	}, `SELECT h.id, s.name, h.data FROM recall.handoff h JOIN recall.member s ON s.id = h.sender
		WHERE h.receiver = $1 AND h.hash <> ALL($2) AND h.taken_at IS NULL
		ORDER BY row_number() OVER (PARTITION BY h.sender ORDER BY h.id), h.id LIMIT $3`, t.Member.ID,
		append([]string{}, has...), most) // NULL is no array
}

// Take marks a handoff as received.
func (t *Team) Take(ctx context.Context, handoff int64) error {
	return t.updateOne(ctx, `UPDATE recall.handoff SET taken_at = coalesce(taken_at, now()) WHERE id = $1`, handoff)
}

// TakeThose marks handoffs that this member's library already has as received, in case the team hasn't been told.
func (t *Team) TakeThose(ctx context.Context, hashes []string) error {
	if len(hashes) == 0 {
		return nil
	}
	_, err := t.pool.Exec(ctx, `UPDATE recall.handoff SET taken_at = now() WHERE receiver = $1 AND taken_at IS NULL
		AND hash = ANY($2)`, t.Member.ID, hashes)
	return explain(err)
}
