package team

import (
	"context"
	"errors"

	"recall/library/ledger"
)

// An Outbox is what a device knows that the team has of it: a ledger on disk of what was put. What isn't in it yet is
// what waits, and the library has that whole, so that nothing is lost however long the team is out of reach; where the
// device died after the team had taken something, it is put again, which does nothing.
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

// NewOutbox is the outbox of a device, kept in a file.
func NewOutbox(path, device string) *Outbox {
	return &Outbox{device, ledger.Log[Sent]{Path: path, Check: func(s Sent) error {
		if s.Session == "" || s.Generation < 0 {
			return errors.New("it names no session")
		}
		return nil
	}}}
}

// Sent is what the team has, by session. A line that can't be read is an error beside the others: its session is put
// again.
func (o *Outbox) Sent() (map[string]Sent, error) {
	all, err := o.log.All()
	last := map[string]Sent{}
	for _, s := range all {
		last[s.Session] = s
	}
	return last, err
}

// Send puts a session that read gives, unless the team has it as it is: changed reports whether it hadn't. What waits
// is told by the error, which is ErrUnreachable where the next try may help.
func (o *Outbox) Send(ctx context.Context, t *Team, last Sent, read func() (Shared, error)) (changed bool, err error) {
	for range tries {
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
			// Another run of this device was first, or this ledger is from a backup.
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

// tries is how often a session is read again because another run put it in between.
const tries = 5

var errBusy = errors.New("another run of this device shares the same session again and again")
