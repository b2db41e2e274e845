package library

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"recall/ingest"
	"recall/library/disk"
	"recall/library/ledger"
	"recall/text"
)

// forgottenName is what was forgotten of sessions that stay: append-only. A file of its own, since
// an earlier recall would take a line of tombstones.jsonl for the whole session.
const forgottenName = "forgotten.jsonl"

// A ForgottenItem is an item, or an agent's note, that a person forgot. It says where the
// words stand in the transcript, and has none of them.
type ForgottenItem struct {
	Session ingest.SessionID `json:"session"`
	Name    string           `json:"name"`         // the item's id, or the note's "event"
	At      []Passage        `json:"at,omitempty"` // what the item rested on
}

// A Passage is a place in a turn.
type Passage struct {
	Turn string `json:"turn"`
	From int    `json:"from,omitempty"` // in bytes of its text, secrets out
	To   int    `json:"to,omitempty"`
	Sum  string `json:"sum,omitempty"` // hash of a quote that doesn't stand in the text: of a call, an answer
}

func (l *Library) forgottenLog() ledger.Log[ForgottenItem] {
	return logOf(l, forgottenName, func(f ForgottenItem) bool { return f.Session != "" && f.Name != "" })
}

// ForgottenItems lists what was forgotten by session. As with Forgotten, a line that makes no sense is an error.
func (l *Library) ForgottenItems() (map[ingest.SessionID][]ForgottenItem, error) {
	return l.gone.of(l.forgottenLog().Path, func() (map[ingest.SessionID][]ForgottenItem, error) {
		lines, err := l.forgottenLog().All()
		gone, known := map[ingest.SessionID][]ForgottenItem{}, map[string]bool{}
		for _, f := range lines {
			if !known[f.Name] {
				gone[f.Session] = append(gone[f.Session], f)
			}
			known[f.Name] = true
		}
		return gone, err
	})
}

// ForgetItems enters items; what is made of their sessions is made again without them by the next sync.
func (l *Library) ForgetItems(items ...ForgottenItem) error {
	return add(l, "folders", l.forgottenLog(), items...)
}

// Gone lists what marks a line of what was forgotten, sessions or items, and the sessions that
// models' answers aren't kept about.
func (l *Library) Gone() (names [][]byte, about []ingest.SessionID, err error) {
	about, err = l.Tombstones()
	names = quoted(about)
	items, err2 := l.ForgottenItems()
	for id, of := range items {
		names, about = append(names, namesOf(of)...), append(about, id)
	}
	return names, about, errors.Join(err, err2)
}

// DropItems takes items out of what is no session's: lines at the top that name them,
// handoffs that hold them, received or not given yet, and models' answers about their sessions.
func (l *Library) DropItems(items ...ForgottenItem) error {
	var ids []ingest.SessionID
	for _, it := range items {
		ids = append(ids, it.Session)
	}
	return errors.Join(l.dropLines(namesOf(items), nil), l.dropHeld(namesOf(items), nil), l.dropAnswers(ids, nil))
}

// DropForgotten takes what was forgotten of a session out of what people and agents wrote in its folder,
// and out of what repair put aside there. Its payload is the next save's.
func (l *Library) DropForgotten(id ingest.SessionID) error {
	all, err := l.ForgottenItems()
	if err != nil || len(all[id]) == 0 {
		return err
	}
	names := namesOf(all[id])
	return l.withSession(id, func(e Entry) error {
		var errs []error
		for _, pattern := range []string{"edits.jsonl*", "notes.jsonl*", "payload.json.damaged*",
			"payload before repair*"} {
			paths, err := disk.Glob(e.Folder, pattern)
			errs = append(errs, err)
			for _, path := range paths {
				text, err := disk.ReadPlain(path)
				switch stay := without(text, names); {
				case err != nil || len(stay) == len(text):
				case len(stay) == 0 || strings.HasPrefix(pattern, "payload"):
					err = disk.RemoveIfThere(path)
				default:
					err = l.put(path, stay)
				}
				errs = append(errs, err)
			}
		}
		return errors.Join(append(errs, disk.SyncDir(e.Folder))...)
	})
}

// WithoutForgotten takes it out of another library's folder, as read.
func (l Inside) WithoutForgotten(s *Folder) error {
	all, err := l.ForgottenItems()
	for _, name := range []string{"edits.jsonl", "notes.jsonl"} {
		if text, ok := s.Text[name]; ok {
			s.Text[name] = without(text, namesOf(all[s.Entry.ID]))
		}
	}
	return err
}

// without are the lines that name none of them.
func without(text []byte, names [][]byte) []byte {
	return bytes.Join(slices.DeleteFunc(bytes.SplitAfter(text, []byte("\n")), func(line []byte) bool {
		return Names(line, names)
	}), nil)
}

// Names reports whether a line has one of the names.
func Names(line []byte, names [][]byte) bool {
	return slices.ContainsFunc(names, func(n []byte) bool { return bytes.Contains(line, n) })
}

// quoted are sessions' ids as lines have them.
func quoted(ids []ingest.SessionID) (names [][]byte) {
	for _, id := range ids {
		names = append(names, fmt.Appendf(nil, "%q", id))
	}
	return names
}

func namesOf(items []ForgottenItem) (names [][]byte) {
	for _, it := range items {
		names = append(names, []byte(it.Name))
	}
	return names
}

// ForgottenNamed finds an id among those that were forgotten, by its beginning.
func (l *Library) ForgottenNamed(name string) (ingest.SessionID, bool) {
	ids, err := l.Tombstones()
	if err != nil || len(name) < 4 {
		return "", false
	}
	found := slices.DeleteFunc(ids, func(id ingest.SessionID) bool {
		return !strings.HasPrefix(text.BareID(id), text.BareID(name))
	})
	if len(found) != 1 {
		return "", false
	}
	return found[0], true
}
