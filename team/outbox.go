package team

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"recall/ingest"
	"recall/library/disk"
	"recall/library/ledger"
)

// Outbox is a device's ledger of what the team has of it. Whatever isn't in it waits in the library, so that
// nothing is lost however long the team is unreachable. If the device crashed after the team had taken
// something, it is put again, which has no effect.
type Outbox struct {
	Device string
	log    ledger.Log[Sent]
}

// Sent is a line of an outbox: a session as the team last had it.
type Sent struct {
	Session    string `json:"session"`
	Generation int    `json:"generation"`
	Hash       string `json:"hash,omitempty"`
	Forgotten  bool   `json:"forgotten,omitempty"`
}

// NewOutbox returns the outbox of a device, stored in a file.
func NewOutbox(path, device string) *Outbox {
	return &Outbox{device, ledger.Log[Sent]{Path: path, Check: func(s Sent) error {
		if s.Session == "" || s.Generation < 0 {
			return errors.New("it names no session")
		}
		return nil
	}}}
}

// Reconcile returns Sent as the team has it. They disagree if the ledger or the database was restored from a backup:
// what either is missing is then known, and goes with the next Send.
func (o *Outbox) Reconcile(ctx context.Context, t *Team) (map[string]Sent, error) {
	last, damaged := o.Sent()
	if damaged != nil && !errors.Is(damaged, disk.ErrDamaged) {
		return nil, damaged
	}
	there, err := list(ctx, t, func(row pgx.CollectableRow) (s Sent, err error) {
		return s, row.Scan(&s.Session, &s.Generation, &s.Hash)
	}, `SELECT sid, generation, hash FROM recall.session WHERE device = $1`, o.Device)
	if err != nil {
		return nil, err
	}
	has := map[string]Sent{}
	for _, s := range there {
		has[s.Session] = s
	}
	var changed []Sent
	for id, s := range last {
		if _, ok := has[id]; !ok && s.Generation > 0 { // the team lost it
			has[id] = Sent{Session: id}
		}
	}
	for id, s := range has {
		if last[id] != s {
			last[id] = s
			changed = append(changed, s)
		}
	}
	return last, o.log.Share(changed...)
}

// Sent returns what the team has, by session, as far as this device knows. An unreadable line is reported as an
// error beside the others: its session is put again.
func (o *Outbox) Sent() (map[string]Sent, error) {
	all, err := o.log.All()
	last := map[string]Sent{}
	for _, s := range all {
		last[s.Session] = s
	}
	return last, err
}

// Send puts the session that read returns, unless the team has it unchanged; changed reports whether it was
// put. last is Reconcile's entry. What wasn't put waits; the error is ErrUnreachable if another try may help.
func (o *Outbox) Send(ctx context.Context, t *Team, last Sent, read func() (Shared, error)) (changed bool, err error) {
	for range maxTries {
		s, err := read() // after its generation is chosen, see Put
		if err != nil {
			return false, err
		}
		if s.Hash == last.Hash {
			return changed, nil
		}
		next := Sent{Session: s.of.ID, Generation: last.Generation + 1, Hash: s.Hash}
		err = t.Put(ctx, o.Device, s, next.Generation)
		if there, ok := errors.AsType[*Fenced](err); ok {
			// Another run on this device was faster, or this ledger was restored from a backup.
			last = Sent{Session: s.of.ID, Generation: there.Generation, Hash: there.Hash}
			if err := o.log.Share(last); err != nil {
				return false, err
			}
			continue
		}
		if errors.Is(err, ErrForgotten) {
			return false, errors.Join(err, o.log.Share(Sent{Session: s.of.ID, Forgotten: true}))
		}
		if err != nil {
			return false, err
		}
		return true, errors.Join(o.log.Share(next), o.log.Sync())
	}
	return false, errBusy
}

// maxTries is how often a session is read again because another run put it in the meantime.
const maxTries = 5

var errBusy = errors.New("another run on this device keeps sharing the same session")

// SharedOf returns how many of the sessions a library's team has of this machine, as far as the outbox knows.
func SharedOf(library string, ids []ingest.SessionID) (n int) {
	m, err := MembershipOf(library)
	if err != nil {
		return 0
	}
	sent, _ := m.Outbox().Sent()
	for _, id := range ids {
		if s := sent[string(id)]; s.Generation > 0 {
			n++
		}
	}
	return n
}
