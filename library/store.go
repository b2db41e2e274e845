package library

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
	"recall/library/disk"
	"recall/library/ledger"
	"recall/library/render"
	"recall/payload"
)

// ErrNoPayload means that the session wasn't distilled yet.
var ErrNoPayload = errors.New("no payload yet")

// Derived is what is made from a session: its payload and the texts rendered from it.
type Derived struct {
	Payload    *payload.Payload
	Markdown   []byte           // payload.md; SavePayload sets Payload.Written to it
	Transcript iter.Seq[[]byte] // transcript.md, transcript-2.md, …; nil leaves them as they are
	Seen       []byte           // payload.md as the caller last read it, nil if there was none
	Meta       *Meta            // recorded as by Place, and the folder moved; nil changes neither
}

// SavePayload replaces payload.json and payload.md together, and the parts of the transcript. If payload.md is not as
// in d.Seen, a person has edited it: the error is ErrEdited, nothing is written, and the caller must merge again.
//
// payload.json holds the Markdown that edits are compared with, so the two must stay consistent: both are written
// aside, .payload.md.new first, then payload.md is renamed, then payload.json. If only .payload.json.new is left, the
// second rename is still due (see heal).
func (l *Library) SavePayload(id ingest.SessionID, d Derived) error {
	err := l.resolve(d.Meta)
	if err == nil {
		err = l.savePayload(id, d)
	}
	if err != nil {
		return fmt.Errorf("save payload of %s: %w", id, err)
	}
	return nil
}

func (l *Library) savePayload(id ingest.SessionID, d Derived) error {
	p := *d.Payload
	p.Written = string(d.Markdown)
	text, err := payload.Encode(&p)
	if err != nil {
		return err
	}
	text = disk.SealJSON(text)
	return l.withSession(id, func(e Entry) error {
		if err := l.heal(&e); err != nil {
			return err
		}
		now, err := disk.ReadIfThere(filepath.Join(e.Folder, "payload.md"))
		if err != nil {
			return err
		}
		// Ours already, or as seen: anything else was written by a person.
		if !bytes.Equal(now, d.Seen) && !bytes.Equal(now, d.Markdown) {
			return ErrEdited
		}
		made := p.Made
		e.Distilled = &made
		e.describe(d.Meta)
		if err := l.saveDerived(&e, d, text); err != nil || d.Meta == nil {
			return err
		}
		return l.move(e)
	})
}

// Files of a save that aren't in place yet.
const (
	NewMarkdown = ".payload.md.new"
	NewPayload  = ".payload.json.new"
)

// saveDerived writes what differs. session.json comes after the files whose sums it has, but before
// .payload.json.new, the mark of a save in progress, is renamed: so an interrupted save never looks like damage.
func (l *Library) saveDerived(e *Entry, d Derived, payloadJSON []byte) error {
	at := func(name string) string { return filepath.Join(e.Folder, name) }
	*e = e.Clone()
	a := &pendingFiles{l: l}
	defer a.drop()
	parts, err := l.putParts(e, d.Transcript, a)
	if err != nil {
		return err
	}
	rendered := len(a.targets)
	pair := rendered > 0 || !same(at("payload.md"), d.Markdown) || !same(at("payload.json"), payloadJSON)
	if pair {
		if err := errors.Join(a.add(at(NewMarkdown), d.Markdown), a.add(at(NewPayload), payloadJSON)); err != nil {
			return err
		}
		// These go first: while they exist, nobody takes the others for damaged.
		a.targets = append(a.targets[rendered:], a.targets[:rendered]...)
		a.temps = append(a.temps[rendered:], a.temps[:rendered]...)
	}
	before := len(a.targets)
	entry, err := l.changed(e)
	if err == nil && entry != nil {
		err = a.add(sessionFile(e.Folder), entry)
	}
	if err := cmp.Or(err, disk.SyncFiles(a.temps)); err != nil {
		return err
	}
	if err := a.place(before); err != nil {
		return errors.Join(err, disk.RemoveIfThere(at(NewPayload)), disk.RemoveIfThere(at(NewMarkdown)))
	}
	if pair {
		// A file system may report an error for a rename that succeeded.
		if err := disk.Rename(at(NewMarkdown), at("payload.md")); err != nil && !same(at("payload.md"), d.Markdown) {
			// .json.new goes first: left alone it would mean that the rename was done.
			return errors.Join(err, disk.RemoveIfThere(at(NewPayload)), disk.RemoveIfThere(at(NewMarkdown)))
		}
	}
	if d.Transcript != nil {
		if err := removeParts(e.Folder, parts); err != nil {
			return err
		}
	}
	if err := a.place(len(a.targets)); err != nil {
		return err
	}
	if pair {
		if err := disk.Rename(at(NewPayload), at("payload.json")); err != nil {
			return err
		}
	}
	if pair || entry != nil {
		if err := disk.SyncDir(e.Folder); err != nil {
			return err
		}
	}
	return l.remember(*e)
}

// putParts writes aside the parts of a transcript that differ, notes the sums of all, and returns their number.
func (l *Library) putParts(e *Entry, parts iter.Seq[[]byte], to *pendingFiles) (n int, err error) {
	if parts == nil {
		return 0, nil
	}
	maps.DeleteFunc(e.Sums, func(name, _ string) bool { return IsRendered(name) })
	for part := range parts {
		name := render.TranscriptName(n)
		n++
		e.Sums[name] = disk.HexSum(part)
		if path := filepath.Join(e.Folder, name); !same(path, part) {
			if err := to.add(path, part); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// removeParts removes parts left over from a longer transcript.
func removeParts(folder string, n int) error {
	for i := max(1, n); disk.Exists(filepath.Join(folder, render.TranscriptName(i))); i++ {
		if err := disk.Remove(filepath.Join(folder, render.TranscriptName(i))); err != nil {
			return err
		}
	}
	return nil
}

// heal finishes or undoes an interrupted saveDerived. The transcript may be of before or after, so session.json no
// longer has its sums (see Entry.CutOff). The caller holds the session's lock.
func (l *Library) heal(e *Entry) error {
	md, js := filepath.Join(e.Folder, NewMarkdown), filepath.Join(e.Folder, NewPayload)
	if !disk.Exists(js) {
		return disk.RemoveIfThere(md)
	}
	e.Sums = maps.Clone(e.Sums)
	maps.DeleteFunc(e.Sums, func(name, _ string) bool { return IsRendered(name) })
	if err := l.saveEntry(*e); err != nil {
		return err
	}
	if disk.Exists(md) { // neither rename was done; .json.new goes first, as above
		return errors.Join(disk.RemoveIfThere(js), disk.RemoveIfThere(md))
	}
	return disk.Rename(js, filepath.Join(e.Folder, "payload.json"))
}

// CutOff reports whether a save was interrupted and healed, so that the session must be rendered again.
func (e Entry) CutOff() bool {
	return e.Distilled != nil && e.Sums["transcript.md"] == ""
}

// IsRendered reports whether a file is rendered for people and has its sum in session.json.
func IsRendered(name string) bool { return render.IsTranscript(name) }

func same(path string, data []byte) bool {
	fi, err := os.Stat(path)
	if err != nil || fi.Size() != int64(len(data)) {
		return false
	}
	have, err := disk.ReadPlain(path)
	return err == nil && bytes.Equal(have, data)
}

// Payload reads payload.json. The error is ErrNoPayload, or payload.ErrNewer where a newer recall wrote it.
func (l *Library) Payload(id ingest.SessionID) (*payload.Payload, error) {
	text, err := l.distilled(id, "payload.json")
	if err != nil {
		return nil, err
	}
	p, err := payload.Decode(text)
	if err != nil {
		return nil, fmt.Errorf("session %s: %w", id, err)
	}
	return p, nil
}

// Markdown reads payload.md as it is on disk, with a person's edits. The error is ErrNoPayload.
func (l *Library) Markdown(id ingest.SessionID) ([]byte, error) { return l.distilled(id, "payload.md") }

func (l *Library) distilled(id ingest.SessionID, name string) ([]byte, error) {
	text, err := l.readFile(id, name)
	if err == nil && text == nil {
		err = fmt.Errorf("session %s: %w", id, ErrNoPayload)
	}
	return text, err
}

// Saved reads a consistent pair of payload.json and payload.md, each nil if missing. Read separately, a save by
// another process in between would look like a person's edit.
func (l *Library) Saved(id ingest.SessionID) (p *payload.Payload, markdown []byte, err error) {
	if e, err := l.Session(id); err == nil && neverSaved(e.Folder) {
		return nil, nil, nil
	}
	err = l.withSession(id, func(e Entry) error {
		if err := l.heal(&e); err != nil {
			return err
		}
		if markdown, err = disk.ReadIfThere(filepath.Join(e.Folder, "payload.md")); err != nil {
			return err
		}
		text, err := disk.ReadIfThere(filepath.Join(e.Folder, "payload.json"))
		if err != nil || text == nil {
			return err
		}
		if p, err = payload.Decode(text); err != nil {
			return fmt.Errorf("session %s: %w", id, err)
		}
		if Flipped(e.Folder, []byte(p.Written), markdown) { // damage, not an edit: repair it
			markdown = []byte(p.Written)
			return l.put(filepath.Join(e.Folder, "payload.md"), markdown)
		}
		return nil
	})
	return p, markdown, err
}

// neverSaved reports whether a session's folder has no payload, nor one being saved: files are looked for in the order
// in which they appear, so that a save by another process is seen at one of its steps.
func neverSaved(folder string) bool {
	for _, name := range []string{NewMarkdown, NewPayload, "payload.md", "payload.json"} {
		if disk.Exists(filepath.Join(folder, name)) {
			return false
		}
	}
	return disk.Exists(sessionFile(folder)) // it is still there
}

// readFile reads a file of a session's folder, after finishing an interrupted save (unless the library is read-only).
// The folder may move at any time, so a missing file (nil) is believed only if session.json is there.
func (l *Library) readFile(id ingest.SessionID, name string) ([]byte, error) {
	for try := 0; ; try++ {
		e, err := l.Session(id)
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(name, "payload.") && (disk.Exists(filepath.Join(e.Folder, NewPayload)) ||
			disk.Exists(filepath.Join(e.Folder, NewMarkdown))) {
			// The next write reports any error.
			_ = l.withSession(id, func(e Entry) error { return l.heal(&e) })
		}
		text, err := disk.ReadIfThere(filepath.Join(e.Folder, name))
		if text != nil || disk.Exists(sessionFile(e.Folder)) {
			if text == nil && err == nil && name == listName {
				text = e.ImpliedList()
			}
			return text, err
		}
		if try == 20 {
			return nil, fmt.Errorf("session %s: its folder keeps moving", id)
		}
		l.forget()
	}
}

// A session's append-only files: people's edits of the payload, in order, and what agents noted while working.
var (
	editsLog = ledger.Log[payload.Edit]{Path: "edits.jsonl", Check: payload.Edit.Check}
	notesLog = ledger.Log[json.RawMessage]{Path: "notes.jsonl"}
)

// Edits reads edits.jsonl. If lines are damaged it returns ErrDamaged with the remaining edits.
func (l *Library) Edits(id ingest.SessionID) ([]payload.Edit, error) { return readLog(l, id, editsLog) }

// AppendEdits durably appends to edits.jsonl.
func (l *Library) AppendEdits(id ingest.SessionID, edits []payload.Edit) error {
	err := appendLog(l, id, editsLog, edits)
	if err == nil && slices.ContainsFunc(edits, func(e payload.Edit) bool { return e.Op == payload.OpMark }) {
		err = l.UpdateMarks(id)
	}
	return err
}

// UpdateMarks updates session.json with what edits.jsonl says about the session as a whole.
func (l *Library) UpdateMarks(id ingest.SessionID) error {
	return l.withSession(id, func(e Entry) error {
		edits, err := l.Edits(id)
		if err != nil && !errors.Is(err, ErrDamaged) { // the intact lines count
			return err
		}
		e.Marks = payload.MarksOf(edits)
		return l.saveEntry(e)
	})
}

// Notes reads notes.jsonl, as Edits does.
func (l *Library) Notes(id ingest.SessionID) ([]json.RawMessage, error) {
	return readLog(l, id, notesLog)
}

// AppendNotes durably appends to notes.jsonl.
func (l *Library) AppendNotes(id ingest.SessionID, notes []json.RawMessage) error {
	return appendLog(l, id, notesLog, notes)
}

func readLog[T any](l *Library, id ingest.SessionID, log ledger.Log[T]) ([]T, error) {
	text, err := l.readFile(id, log.Path)
	if err != nil {
		return nil, err
	}
	all, err := log.Of(disk.SplitLines(text))
	if err != nil {
		err = fmt.Errorf("session %s: %w", id, err)
	}
	return all, err
}

func appendLog[T any](l *Library, id ingest.SessionID, log ledger.Log[T], records []T) error {
	if len(records) == 0 {
		return nil
	}
	return l.withSession(id, func(e Entry) error {
		log.Path = filepath.Join(e.Folder, log.Path)
		if err := log.Add(records...); err != nil {
			return fmt.Errorf("session %s: %w", id, err)
		}
		return nil
	})
}
