package library

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"recall/ingest"
	"recall/library/disk"
	"recall/library/ledger"
	"recall/payload"
)

// receivedName holds handoffs received from other people, separate from the library's own items; append-only, each
// line a handoff as it came or a decision about one of its items. Nothing in it is used before a review.
const receivedName = "received.jsonl"

// A Received is one line of received.jsonl.
type Received struct {
	Op      ReceivedOp `json:"op"`
	Handoff string     `json:"handoff"` // payload.HandoverID of its text
	At      time.Time  `json:"at"`
	Project string     `json:"project,omitempty"` // of OpHandoff: the project here that it is for, "" if unknown
	Text    string     `json:"text,omitempty"`    // of OpHandoff: the file, redacted
	From    string     `json:"from,omitempty"`    // of OpHandoff: who sent it, if more is known than its text says

	Item payload.ItemID `json:"item,omitempty"` // of the other operations
	Line string         `json:"line,omitempty"` // of OpAccept: the item's line as reworded
	Pin  bool           `json:"pin,omitempty"`  // of OpAccept: keep it when space is tight
	Who  string         `json:"who,omitempty"`
}

// ReceivedOp is the operation of a line.
type ReceivedOp string

const (
	OpHandoff ReceivedOp = "handoff" // it arrived; if repeated, it is for another project
	OpAccept  ReceivedOp = "accept"  // a person accepted the item
	OpRefuse  ReceivedOp = "refuse"  // or refused it
)

func (l *Library) received() ledger.Log[Received] {
	return logOf[Received](l, receivedName, nil)
}

// Receive durably appends lines to received.jsonl.
func (l *Library) Receive(lines ...Received) error { return add(l, "received", l.received(), lines...) }

// ReceivedStamp changes whenever received.jsonl or the projects of its handoffs do; it is "" without handoffs. It
// reads neither file.
func (l *Library) ReceivedStamp() (string, error) {
	if !disk.Exists(l.received().Path) {
		return "", nil
	}
	return l.filesStamp(l.received().Path, filepath.Join(l.dir, "projects.toml"))
}

// A ReceivedHandoff is a handoff from another person with the decisions about it.
type ReceivedHandoff struct {
	payload.Handover
	ID      string
	Project string                       // here, "" if unknown
	said    map[payload.ItemID]*Received // the last decision about an item, OpAccept or OpRefuse
}

// Received reads received.jsonl, in the order in which handoffs first arrived. If some can't be read, it returns an
// error with the others.
func (l *Library) Received() ([]ReceivedHandoff, error) {
	lines, err := l.received().All()
	if err != nil && !errors.Is(err, ErrDamaged) {
		return nil, err
	}
	bad := []error{err}
	var all []*ReceivedHandoff
	byID := map[string]*ReceivedHandoff{}
	for _, r := range lines {
		switch h := byID[r.Handoff]; {
		case h != nil && r.Op == OpHandoff:
			h.Project = cmp.Or(r.Project, h.Project)
			continue
		case h != nil && (r.Op == OpAccept || r.Op == OpRefuse):
			h.said[r.Item] = &r
			continue
		case r.Op != OpHandoff:
			continue // about a handoff that can't be read
		}
		h, err := payload.DecodeHandover(r.Text)
		if err != nil {
			bad = append(bad, fmt.Errorf("%s: handoff %s: %w: %w", l.received().Path, r.Handoff, ErrDamaged, err))
			continue
		}
		h.From = cmp.Or(r.From, h.From)
		byID[r.Handoff] = &ReceivedHandoff{Handover: *h, ID: r.Handoff, Project: r.Project,
			said: map[payload.ItemID]*Received{}}
		all = append(all, byID[r.Handoff])
	}
	out := make([]ReceivedHandoff, len(all))
	for i, h := range all {
		if h.Project == "" { // there was none here when it arrived
			if h.Project, err = l.HandedTo(&h.Handover); err != nil {
				bad = append(bad, err)
			}
		}
		out[i] = *h
	}
	return out, errors.Join(bad...)
}

// HandedTo returns the id of the project here that a handoff is for: that of its repository, else of its name, else
// "".
func (l *Library) HandedTo(h *payload.Handover) (string, error) {
	all, err := l.Projects()
	if err != nil {
		return "", err
	}
	for _, p := range all {
		if h.Remote != "" && p.Remote == h.Remote {
			return p.ID, nil
		}
	}
	if p, err := l.Project(h.Project); h.Project != "" && err == nil && h.Fits(p.Remote) {
		return p.ID, nil
	}
	return "", nil
}

// Taken returns the items that a person accepted, as reworded.
func (h *ReceivedHandoff) Taken() []payload.Item {
	p := &payload.Payload{Items: h.Items}
	var edits []payload.Edit
	for id, r := range h.said {
		if r.Op != OpAccept || r.Line == "" {
			continue
		}
		if more, err := payload.Reword(p, id, r.Line, payload.Edit{}); err == nil {
			edits = append(edits, more...)
		}
	}
	var out []payload.Item
	for _, it := range payload.Apply(p, edits).Items {
		if r := h.said[it.ID]; r != nil && r.Op == OpAccept {
			it.Pinned = r.Pin
			out = append(out, it)
		}
	}
	return out
}

// Waiting returns the items that nobody has decided about.
func (h *ReceivedHandoff) Waiting() []payload.Item {
	return slices.DeleteFunc(slices.Clone(h.Items), func(it payload.Item) bool { return h.said[it.ID] != nil })
}

// ReceivedOf lists handoffs that hold items of a session, when what was handed to others came back.
func (l *Library) ReceivedOf(id ingest.SessionID) ([]ReceivedHandoff, error) {
	if !disk.Exists(filepath.Join(l.dir, receivedName)) {
		return nil, nil
	}
	own, err := l.Payload(id)
	if err != nil {
		return nil, nil // without a readable payload, no handed-on items are known
	}
	ids := map[payload.ItemID]bool{}
	for _, it := range slices.Concat(own.Items, own.Retired) {
		ids[it.ID] = true
	}
	all, err := l.Received()
	if err != nil && !errors.Is(err, ErrDamaged) {
		return nil, err
	}
	return slices.DeleteFunc(all, func(h ReceivedHandoff) bool {
		return !slices.ContainsFunc(h.Items, func(it payload.Item) bool { return ids[it.ID] })
	}), nil
}

// dropReceived removes those handoffs, with the decisions about their items.
func (l *Library) dropReceived(ids []ingest.SessionID) error {
	drop := map[string]bool{}
	for _, id := range ids {
		handed, err := l.ReceivedOf(id)
		if err != nil {
			return err
		}
		for _, h := range handed {
			drop[h.ID] = true
		}
	}
	if len(drop) == 0 {
		return nil
	}
	return l.underLock("received", func() error {
		return l.underLock("folders", func() error {
			return l.rewriteLines(l.received().Path, func(line []byte) bool {
				var r Received
				return json.Unmarshal(line, &r) == nil && drop[r.Handoff]
			})
		})
	})
}
