package library

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"recall/ingest"
	"recall/library/disk"
	"recall/library/ledger"
	"recall/payload"
)

// LinksName holds which decision refines, supersedes or contradicts which.
const LinksName = "links.jsonl"

func (l *Library) links() ledger.Log[payload.Link] {
	return ledger.Log[payload.Link]{Path: filepath.Join(l.dir, LinksName), Check: payload.Link.Check}
}

// Links returns all lines in order. If some can't be read, the error names file and line, and the others are
// returned.
func (l *Library) Links() ([]payload.Link, error) { return l.links().All() }

// LinkHolds returns a function that reports whether the item a link comes from is itself current. Each payload is
// read once and stored in read by session; nil stands for one that can't be read, in which nothing holds.
func (l *Library) LinkHolds(read map[string]*payload.Payload) func(payload.Link) bool {
	return func(k payload.Link) bool {
		p, ok := read[k.FromSession]
		if !ok {
			p, _ = l.Payload(ingest.SessionID(k.FromSession))
			read[k.FromSession] = p
		}
		return p != nil && slices.ContainsFunc(p.Items, func(it payload.Item) bool {
			return it.ID == k.From && it.Current()
		})
	}
}

// LinksStamp changes whenever links.jsonl does.
func (l *Library) LinksStamp() string { return disk.Mark(l.links().Path) }

// AppendLinks durably appends lines. The error is ErrNoSession for a line about sessions that aren't here.
func (l *Library) AppendLinks(lines []payload.Link) error {
	_, _, err := l.ChangeLinks(func([]payload.Link) ([]payload.Link, error) { return lines, nil })
	if errors.Is(err, ErrDamaged) {
		return nil // Links reports it
	}
	return err
}

// ChangeLinks appends the lines that change makes from all existing ones, while nobody else adds any. Unreadable
// lines are an error returned with the others, as by Links; they don't prevent the append. The stamp is that of the
// file with the lines returned.
func (l *Library) ChangeLinks(change func(lines []payload.Link) ([]payload.Link, error)) (
	lines []payload.Link, stamp string, err error) {
	var damaged error
	err = l.UnderLock("links", func() error {
		if lines, damaged = l.Links(); damaged != nil && !errors.Is(damaged, ErrDamaged) {
			return damaged
		}
		more, err := change(lines)
		for _, line := range more {
			_, gone := l.Session(ingest.SessionID(line.FromSession))
			if gone != nil && err == nil {
				if _, other := l.Session(ingest.SessionID(line.ToSession)); other != nil {
					err = fmt.Errorf("link of %s: %w", line.From, gone)
				}
			}
		}
		if err == nil && len(more) > 0 {
			err = l.links().Add(more...)
		}
		if err == nil && len(lines) == 0 {
			lines = more // of a first sync, hundreds of thousands
		} else if err == nil {
			lines = append(lines, more...)
		}
		stamp = l.LinksStamp()
		return err
	})
	return lines, stamp, cmp.Or(err, damaged)
}
