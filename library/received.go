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

// receivedName is what other people handed over, apart from this library's own: append-only, a line a handoff as it
// came or a word about one of its items. None of it is handed on before a review.
const receivedName = "received.jsonl"

// A Received is one line of received.jsonl.
type Received struct {
	Op      ReceivedOp `json:"op"`
	Handoff string     `json:"handoff"` // payload.HandoverID of its text
	At      time.Time  `json:"at"`
	Project string     `json:"project,omitempty"` // of OpHandoff: the project here that it is for, "" if none is known
	Text    string     `json:"text,omitempty"`    // of OpHandoff: the file, secrets out
	From    string     `json:"from,omitempty"`    // of OpHandoff: who sent it, where more than its text says so

	Item payload.ItemID `json:"item,omitempty"` // of the others
	Line string         `json:"line,omitempty"` // of OpAccept: the item's line as reworded
	Pin  bool           `json:"pin,omitempty"`  // of OpAccept: to be kept when space is tight
	Who  string         `json:"who,omitempty"`
}

// ReceivedOp is what a line says.
type ReceivedOp string

const (
	OpHandoff ReceivedOp = "handoff" // it came; a second time: it is for another project
	OpAccept  ReceivedOp = "accept"  // a person took the item over
	OpRefuse  ReceivedOp = "refuse"  // or didn't
)

func (l *Library) received() ledger.Log[Received] {
	return logOf[Received](l, receivedName, nil)
}

// Receive adds lines to received.jsonl; when it returns they are durable.
func (l *Library) Receive(lines ...Received) error { return add(l, "received", l.received(), lines...) }

// ReceivedStamp changes whenever received.jsonl, or the projects of its handoffs, do; "" without one. It reads neither.
func (l *Library) ReceivedStamp() (string, error) {
	if !disk.Exists(l.received().Path) {
		return "", nil
	}
	return l.filesStamp(l.received().Path, filepath.Join(l.dir, "projects.toml"))
}

// A Handed is a handoff of another person's with what was said about it.
type Handed struct {
	payload.Handover
	ID      string
	Project string                       // here, "" if none is known
	said    map[payload.ItemID]*Received // the last word about an item, OpAccept or OpRefuse
}

// Received reads received.jsonl, in the order in which handoffs first came. What can't be read is an error beside the
// others.
func (l *Library) Received() ([]Handed, error) {
	lines, err := l.received().All()
	if err != nil && !errors.Is(err, ErrDamaged) {
		return nil, err
	}
	bad := []error{err}
	var all []*Handed
	byID := map[string]*Handed{}
	for _, r := range lines {
		switch h := byID[r.Handoff]; {
		case h != nil && r.Op == OpHandoff:
			h.Project = cmp.Or(r.Project, h.Project)
			continue
		case h != nil && (r.Op == OpAccept || r.Op == OpRefuse):
			h.said[r.Item] = &r
			continue
		case r.Op != OpHandoff:
			continue // of one that can't be read
		}
		h, err := payload.DecodeHandover(r.Text)
		if err != nil {
			bad = append(bad, fmt.Errorf("%s: handoff %s: %w: %w", l.received().Path, r.Handoff, ErrDamaged, err))
			continue
		}
		h.From = cmp.Or(r.From, h.From)
		byID[r.Handoff] = &Handed{Handover: *h, ID: r.Handoff, Project: r.Project,
			said: map[payload.ItemID]*Received{}}
		all = append(all, byID[r.Handoff])
	}
	out := make([]Handed, len(all))
	for i, h := range all {
		if h.Project == "" { // there was none here when it came
			if h.Project, err = l.HandedTo(&h.Handover); err != nil {
				bad = append(bad, err)
			}
		}
		out[i] = *h
	}
	return out, errors.Join(bad...)
}

// HandedTo is the id of the project here that a handoff is for: the one of its repository, else of its name; "" if none
// is.
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

// Taken are the items that a person took over, as they left them.
func (h *Handed) Taken() []payload.Item {
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

// Waiting are the items that nobody has said anything about.
func (h *Handed) Waiting() []payload.Item {
	return slices.DeleteFunc(slices.Clone(h.Items), func(it payload.Item) bool { return h.said[it.ID] != nil })
}

// ReceivedOf lists the handoffs that hold items of a session: what was handed to others came back.
func (l *Library) ReceivedOf(id ingest.SessionID) ([]Handed, error) {
	if !disk.Exists(filepath.Join(l.dir, receivedName)) {
		return nil, nil
	}
	own, err := l.Payload(id)
	if err != nil {
		return nil, nil // of one that has none, or can't be read, nothing was handed on that is known
	}
	ids := map[payload.ItemID]bool{}
	for _, it := range slices.Concat(own.Items, own.Retired) {
		ids[it.ID] = true
	}
	all, err := l.Received()
	if err != nil && !errors.Is(err, ErrDamaged) {
		return nil, err
	}
	return slices.DeleteFunc(all, func(h Handed) bool {
		return !slices.ContainsFunc(h.Items, func(it payload.Item) bool { return ids[it.ID] })
	}), nil
}

// dropReceived removes those handoffs, with what was said about their items.
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
