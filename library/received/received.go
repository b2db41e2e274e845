// Package received keeps handoffs from other people, and what people here said about their items.
package received

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"recall/ingest"
	"recall/library"
	"recall/library/disk"
	"recall/library/ledger"
	"recall/payload"
)

// The file is separate from the library's own items; append-only, each line a handoff as it came or what a person said
// about its items. Nothing in it is used before a review.
func path(l *library.Library) string { return filepath.Join(l.Dir(), library.ReceivedName) }

// A Line is one line of received.jsonl.
type Line struct {
	Handoff string         `json:"handoff"` // payload.HandoverID of its text
	At      time.Time      `json:"at,omitzero"`
	Project string         `json:"project,omitempty"` // the project here that it is for, "" if unknown; a later line corrects it
	Text    string         `json:"text,omitempty"`    // the file, redacted
	Edits   []payload.Edit `json:"edits,omitempty"`   // what a person said about its items
}

func lines(l *library.Library) ledger.Log[Line] { return ledger.Log[Line]{Path: path(l)} }

// Add durably appends lines to received.jsonl.
func Add(l *library.Library, more ...Line) error {
	return l.UnderLock("folders", func() error { return lines(l).Add(more...) })
}

// Stamp changes whenever received.jsonl or the projects of its handoffs do; it is "" without handoffs. It
// reads neither file.
func Stamp(l *library.Library) string {
	if !disk.Exists(path(l)) {
		return ""
	}
	return disk.Mark(path(l)) + "\n" + disk.Mark(filepath.Join(l.Dir(), "projects.toml"))
}

// A Handoff is a handoff from another person, and what people here said about its items.
type Handoff struct {
	payload.Handover
	ID      string
	Project string // here, "" if unknown
	Edits   []payload.Edit
}

// All reads received.jsonl, in the order in which handoffs first arrived. If some can't be read, it returns an
// error with the others.
func All(l *library.Library) ([]Handoff, error) {
	read, err := lines(l).All()
	if err != nil && !errors.Is(err, library.ErrDamaged) {
		return nil, err
	}
	bad := []error{err}
	var all []Handoff
	at := map[string]int{}
	for _, r := range read {
		if i, ok := at[r.Handoff]; ok {
			all[i].Project = cmp.Or(r.Project, all[i].Project)
			all[i].Edits = append(all[i].Edits, r.Edits...)
			continue
		}
		h, err := payload.DecodeHandover(r.Text)
		if err != nil {
			bad = append(bad, fmt.Errorf("%s: handoff %s: %w: %w", path(l), r.Handoff, library.ErrDamaged, err))
			continue
		}
		if !r.At.IsZero() && h.At.After(r.At) { // its clock was ahead: nothing was said after it came
			h.At = r.At
		}
		for k := range h.Items {
			if it := &h.Items[k]; !h.At.IsZero() && it.At.After(h.At) {
				it.At = h.At
			}
		}
		at[r.Handoff] = len(all)
		all = append(all, Handoff{Handover: *h, ID: r.Handoff, Project: r.Project})
	}
	for i := range all {
		if h := &all[i]; h.Project == "" { // there was none here when it arrived
			if h.Project, err = HandedTo(l, &h.Handover); err != nil {
				bad = append(bad, err)
			}
		}
	}
	return all, errors.Join(bad...)
}

// HandedTo returns the id of the project here that a handoff is for: that of its repository, else of its name, else
// "".
func HandedTo(l *library.Library, h *payload.Handover) (string, error) {
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

// Handed counts the items of handoffs that nobody here has decided about.
func Handed(l *library.Library) (n int) {
	all, _ := All(l) // recall check reports what can't be read
	for i := range all {
		n += len(all[i].Waiting())
	}
	return n
}

// Payload returns the handoff's items with what people said about them.
func (h *Handoff) Payload() *payload.Payload {
	return payload.Apply(&payload.Payload{Items: h.Items}, h.Edits)
}

// Taken returns the items that a person accepted, as they worded them.
func (h *Handoff) Taken() []payload.Item {
	p := h.Payload()
	kept := payload.Kept(p, h.Edits)
	return slices.DeleteFunc(p.Items, func(it payload.Item) bool { return !it.Current() || !kept[it.ID] })
}

// Waiting returns the items that nobody has decided about.
func (h *Handoff) Waiting() (all []payload.Item) {
	for _, u := range payload.Unreviewed(h.Payload(), h.Edits) {
		all = append(all, u.Item)
	}
	return all
}

// Of lists handoffs that hold items of a session, when what was handed to others came back.
func Of(l *library.Library, id ingest.SessionID) ([]Handoff, error) {
	if !disk.Exists(path(l)) {
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
	all, err := All(l)
	if err != nil && !errors.Is(err, library.ErrDamaged) {
		return nil, err
	}
	return slices.DeleteFunc(all, func(h Handoff) bool {
		return !slices.ContainsFunc(h.Items, func(it payload.Item) bool { return ids[it.ID] })
	}), nil
}

// Drop removes those handoffs, with the decisions about their items.
func Drop(l *library.Library, ids []ingest.SessionID) error {
	drop := map[string]bool{}
	for _, id := range ids {
		handed, err := Of(l, id)
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
	return l.UnderLock("folders", func() error {
		return l.RewriteLines(path(l), func(line []byte) bool {
			var r Line
			return json.Unmarshal(line, &r) == nil && drop[r.Handoff]
		})
	})
}
