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

// ErrNoPayload: the session wasn't distilled yet.
var ErrNoPayload = errors.New("no payload yet")

// Derived is what is made of a session: its payload and the texts rendered from it.
type Derived struct {
	Payload    *payload.Payload
	Markdown   []byte           // payload.md; SavePayload sets Payload.Written to it
	Transcript iter.Seq[[]byte] // transcript.md, transcript-2.md, …; nil leaves them as they are
	Seen       []byte           // payload.md as the caller read it before, nil if there was none
	Meta       *Meta            // to be noted as Place does, and the folder moved there; nil leaves both as they are
}

// SavePayload replaces payload.json and payload.md together, and the transcript's parts. If payload.md is not what
// d.Seen says, a person has edited it: the error is ErrEdited, nothing is written, and the caller merges again.
//
// payload.json holds the Markdown that edits are told from, so the two must not come apart: both are written aside,
// .payload.md.new first, then payload.md is renamed, then payload.json. Where only .payload.json.new is left, the
// second rename is due (see heal).
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
		// Ours already, or as seen: anything else is a person's.
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

// What a save wrote that isn't in its place yet.
const (
	NewMarkdown = ".payload.md.new"
	NewPayload  = ".payload.json.new"
)

// saveDerived writes what differs. session.json says that the rest is there: it comes last but for the mark of a save
// under way, .payload.json.new, so that no save that was cut off looks like damage.
func (l *Library) saveDerived(e *Entry, d Derived, payloadJSON []byte) error {
	at := func(name string) string { return filepath.Join(e.Folder, name) }
	*e = e.Clone()
	delete(e.Sums, "payload.json") // of format 1; it has its own now
	a := &aside{l: l}
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
		// First: while they lie there, nobody takes the others for damaged.
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
		// A file system may report a fault of what it did.
		if err := disk.Rename(at(NewMarkdown), at("payload.md")); err != nil && !same(at("payload.md"), d.Markdown) {
			// .json.new first: alone it would mean that the rename was done.
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

// putParts puts a transcript's parts that differ aside, notes the sums of all, and returns how many there are.
func (l *Library) putParts(e *Entry, parts iter.Seq[[]byte], to *aside) (n int, err error) {
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

// removeParts removes what a longer transcript before had more.
func removeParts(folder string, n int) error {
	for i := max(1, n); disk.Exists(filepath.Join(folder, render.TranscriptName(i))); i++ {
		if err := disk.Remove(filepath.Join(folder, render.TranscriptName(i))); err != nil {
			return err
		}
	}
	return nil
}

// heal finishes, or undoes, what a crash in saveDerived left. What was rendered may be of before or after: session.json
// doesn't name it any more (see Entry.CutOff). The caller holds the session's lock.
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

// CutOff reports whether a save was cut off and healed, so that the session is to be rendered again.
func (e Entry) CutOff() bool {
	return e.Distilled != nil && e.Format >= 2 && e.Sums["transcript.md"] == ""
}

// IsRendered reports whether a file is for people and its sum stands in session.json.
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

// Markdown reads payload.md as it is on disk, a person's edits in it. The error is ErrNoPayload.
func (l *Library) Markdown(id ingest.SessionID) ([]byte, error) { return l.distilled(id, "payload.md") }

func (l *Library) distilled(id ingest.SessionID, name string) ([]byte, error) {
	text, err := l.readFile(id, name)
	if err == nil && text == nil {
		err = fmt.Errorf("session %s: %w", id, ErrNoPayload)
	}
	return text, err
}

// Saved reads payload.json and payload.md as they belong together, each nil if missing: read apart, what another
// process saves in between would look like a person's edit.
func (l *Library) Saved(id ingest.SessionID) (p *payload.Payload, markdown []byte, err error) {
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
		if Flipped(e.Folder, []byte(p.Written), markdown) { // no edit: set right
			markdown = []byte(p.Written)
			return l.put(filepath.Join(e.Folder, "payload.md"), markdown)
		}
		return nil
	})
	return p, markdown, err
}

// readFile reads a file of a session's folder, after finishing what a crash left; of a read-only library as it is. The
// folder may move at any time: that a file isn't there (nil) is believed only where session.json is.
func (l *Library) readFile(id ingest.SessionID, name string) ([]byte, error) {
	for try := 0; ; try++ {
		e, err := l.Session(id)
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(name, "payload.") && (disk.Exists(filepath.Join(e.Folder, NewPayload)) ||
			disk.Exists(filepath.Join(e.Folder, NewMarkdown))) {
			// Whoever writes next reports what is wrong.
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

// A session's append-only files: people's operations on the payload, in order, and what an agent noted while working.
var (
	editsLog = ledger.Log[payload.Edit]{Path: "edits.jsonl", Check: payload.Edit.Check}
	notesLog = ledger.Log[json.RawMessage]{Path: "notes.jsonl"}
)

// Edits reads edits.jsonl. Damaged lines are an error (ErrDamaged) beside the other edits.
func (l *Library) Edits(id ingest.SessionID) ([]payload.Edit, error) { return readLog(l, id, editsLog) }

// AppendEdits adds operations to edits.jsonl; when it returns they are durable.
func (l *Library) AppendEdits(id ingest.SessionID, edits []payload.Edit) error {
	err := appendLog(l, id, editsLog, edits)
	if err == nil && slices.ContainsFunc(edits, func(e payload.Edit) bool { return e.Op == payload.OpMark }) {
		err = l.Remark(id)
	}
	return err
}

// Remark has session.json say what edits.jsonl says of the session as a whole.
func (l *Library) Remark(id ingest.SessionID) error {
	return l.withSession(id, func(e Entry) error {
		edits, err := l.Edits(id)
		if err != nil && !errors.Is(err, ErrDamaged) { // the lines that are whole count
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

// AppendNotes adds to notes.jsonl.
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
