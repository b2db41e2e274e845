package library

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"recall/ingest"
	"recall/library/disk"
	"recall/library/ledger"
	"recall/payload"
)

// Journal adds a fact with the current time to journal.jsonl, the only file that says when recall did something.
func (l *Library) Journal(what string, facts map[string]any) error {
	line := map[string]any{"at": time.Now().UTC().Format(time.RFC3339), "what": what}
	maps.Copy(line, facts)
	return Share(l, l.journal(), line)
}

func (l *Library) journal() ledger.Log[map[string]any] {
	return LogOf[map[string]any](l, "journal.jsonl", nil)
}

// LogOf returns a ledger at the top of the library. valid reports whether a line is meaningful; nil accepts any.
func LogOf[T any](l *Library, name string, valid func(T) bool) ledger.Log[T] {
	return ledger.Log[T]{Path: filepath.Join(l.dir, name), Check: func(r T) error {
		if valid != nil && !valid(r) {
			return errors.New("required fields are missing")
		}
		return nil
	}}
}

// TopLogs returns the paths of the append-only files outside sessions' folders.
func (l *Library) TopLogs() (all []string) {
	for _, pattern := range []string{"*.jsonl", filepath.Join("inbox", "*.jsonl")} {
		paths, _ := disk.Glob(l.dir, pattern) // the pattern is valid
		all = append(all, paths...)
	}
	return all
}

// Files that other rooms of the library keep. ReceivedName holds handoffs from other people. TriesName records attempts
// to ask a model about a session that gave no payload; without it, a session that always fails would be paid for every
// night. It is not a cache: losing it costs money. UsageName has a line for each model call that may have cost
// something. It names a session only by id, so forgetting one changes no sums.
const (
	ReceivedName = "received.jsonl"
	TriesName    = "tries.jsonl"
	UsageName    = "usage.jsonl"
)

// add adds lines to a ledger under a lock.
func add[T any](l *Library, lock string, log ledger.Log[T], lines ...T) error {
	return l.UnderLock(lock, func() error {
		return log.Add(lines...)
	})
}

// Share adds lines to a ledger that has no lock of its own. A hook that adds some has a few seconds, and what it adds
// is nowhere else: if no lock can be had within one, they are written all the same.
func Share[T any](l *Library, log ledger.Log[T], lines ...T) error {
	if err := l.ReadOnly(); err != nil {
		return err
	}
	if unlock, err := l.Acquire("append", shareWait); err == nil {
		defer unlock()
	}
	return log.Share(lines...)
}

const shareWait = time.Second

func (l *Library) threads() ledger.Log[payload.Correction] {
	return LogOf[payload.Correction](l, "threads.jsonl", nil)
}

// Corrections reads threads.jsonl in order.
func (l *Library) Corrections() ([]payload.Correction, error) {
	return l.threads().All()
}

// Correct adds a correction to threads.jsonl.
func (l *Library) Correct(c payload.Correction) error {
	valid := (c.Op == payload.Join || c.Op == payload.Split) && c.A != c.B && c.A != "" && c.B != ""
	if !valid {
		return fmt.Errorf("thread: %s %q and %q: want join or split and two sessions", c.Op, c.A, c.B)
	}
	return add(l, "folders", l.threads(), c)
}

// A HabitEdit is a line of habits.jsonl: what a person makes of a habit of theirs that was found.
type HabitEdit struct {
	Session string `json:"session"`        // one in which they said it
	Said    string `json:"said"`           // a hash of what they said there
	Text    string `json:"text,omitempty"` // its words from now on; "" drops it
}

func (l *Library) habits() ledger.Log[HabitEdit] {
	return LogOf(l, "habits.jsonl", func(e HabitEdit) bool { return e.Session != "" && e.Said != "" })
}

// HabitEdits reads habits.jsonl; of two lines of one habit the later counts.
func (l *Library) HabitEdits() ([]HabitEdit, error) { return l.habits().All() }

// EditHabit adds an edit to habits.jsonl.
func (l *Library) EditHabit(e HabitEdit) error { return add(l, "folders", l.habits(), e) }

// A tombstone is a line of tombstones.jsonl.
type tombstone struct {
	ID   ingest.SessionID `json:"id"`
	Held bool             `json:"held,omitempty"` // what the library has of it stays; nothing more is archived
}

func (l *Library) tombstones() ledger.Log[tombstone] {
	return LogOf(l, "tombstones.jsonl", func(t tombstone) bool { return t.ID != "" })
}

// tombstoned returns the ids in tombstones.jsonl, and whether each is held. A malformed line is an error, so that
// nothing forgotten returns by accident.
func (l *Library) tombstoned() (map[ingest.SessionID]bool, error) {
	return l.tombs.get(l.tombstones().Path, func() (map[ingest.SessionID]bool, error) {
		lines, err := l.tombstones().All()
		tombs := map[ingest.SessionID]bool{}
		for _, t := range lines {
			held, before := tombs[t.ID]
			tombs[t.ID] = t.Held && (held || !before) // once forgotten, always forgotten
		}
		return tombs, err
	})
}

// Forgotten reports whether a session was forgotten.
func (l *Library) Forgotten(id ingest.SessionID) (bool, error) {
	tombs, err := l.tombstoned()
	held, entered := tombs[id]
	return entered && !held, err
}

// Closed reports whether nothing more is archived of a session: it was forgotten, or is frozen.
func (l *Library) Closed(id ingest.SessionID) (bool, error) {
	tombs, err := l.tombstoned()
	_, entered := tombs[id]
	return entered, err
}

// AllFrozen lists the sessions that are frozen.
func (l *Library) AllFrozen() ([]ingest.SessionID, error) { return l.tombstoneIDs(true) }

// tombstoneIDs lists the ids in tombstones.jsonl that are held, or that aren't.
func (l *Library) tombstoneIDs(held bool) (ids []ingest.SessionID, err error) {
	tombs, err := l.tombstoned()
	if err != nil {
		return nil, err
	}
	for id, is := range tombs {
		if is == held {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// MarkForgotten adds the ids to tombstones.jsonl unless they are there.
func (l *Library) MarkForgotten(ids []ingest.SessionID) error { return l.entomb(ids, false) }

// Freeze stops archiving a session; what the library has of it stays.
func (l *Library) Freeze(id ingest.SessionID) error { return l.entomb([]ingest.SessionID{id}, true) }

func (l *Library) entomb(ids []ingest.SessionID, hold bool) error {
	return l.UnderLock("folders", func() error {
		tombs, err := l.tombstoned()
		var lines []tombstone
		for _, id := range ids {
			if !ValidID(id) {
				return fmt.Errorf("%q is not a session id", id)
			}
			if held, entered := tombs[id]; !entered || held && !hold {
				lines = append(lines, tombstone{id, hold})
			}
		}
		if err != nil || len(lines) == 0 {
			return err
		}
		return l.tombstones().Add(lines...)
	})
}

// journalTail is how many lines of journal.jsonl Last looks at.
const journalTail = 2_000

// A JournalEntry is a line of journal.jsonl.
type JournalEntry struct {
	At    time.Time
	What  string
	Facts map[string]any // numbers are float64
}

// N returns a number of a fact, 0 if there is none of that name.
func (f JournalEntry) N(name string) int {
	n, _ := f.Facts[name].(float64)
	return int(n)
}

// Last returns the last line of journal.jsonl about each of these, unless it is missing or far back. Damaged lines
// are skipped; verify reports them.
func (l *Library) Last(what ...string) (map[string]JournalEntry, error) {
	last := map[string]JournalEntry{}
	text, err := disk.ReadIfThere(l.journal().Path)
	lines := disk.SplitLines(text)
	facts, _ := l.journal().Of(lines[max(0, len(lines)-journalTail):])
	for _, line := range facts {
		name, _ := line["what"].(string)
		at, _ := line["at"].(string)
		if when, err := time.Parse(time.RFC3339, at); err == nil && slices.Contains(what, name) {
			last[name] = JournalEntry{when, name, line}
		}
	}
	return last, err
}

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
