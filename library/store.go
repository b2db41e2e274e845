package library

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	Markdown   []byte // payload.md; SavePayload sets Payload.Written to it
	Transcript []byte // transcript.md; nil leaves it as it is
	Seen       []byte // payload.md as the caller last read it, nil if there was none
	Meta       *Meta  // recorded as by Place, and the folder moved; nil changes neither
}

// SavePayload replaces the payload in session.json, payload.md, and the transcript. If payload.md is not
// as in d.Seen, a person has edited it: the error is ErrEdited, nothing is written, and the caller must merge again.
//
// The transcript comes first, then session.json, then payload.md, with which the text in the payload is compared to
// find a person's edits. A former page is removed before session.json is replaced: without a page nothing was edited,
// and it is written again (see Saved).
func (l *Library) SavePayload(id ingest.SessionID, d Derived) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("session %s: payload: %w", id, err)
		}
	}()
	p := *d.Payload
	p.Written = string(d.Markdown)
	text, err := payload.Encode(&p)
	if err = cmp.Or(l.resolve(d.Meta), err); err != nil {
		return err
	}
	return l.WithSession(id, func(e Entry) error {
		now, err := disk.ReadIfThere(filepath.Join(e.Folder, "payload.md"))
		if err != nil {
			return err
		}
		// Ours already, as seen, or gone: anything else was written by a person.
		ours := bytes.Equal(now, d.Markdown)
		if !ours && now != nil && !bytes.Equal(now, d.Seen) {
			return ErrEdited
		}
		made := p.Made
		e.Distilled = &made
		e.describe(d.Meta)
		if err := l.saveDerived(&e, d, text, ours); err != nil || d.Meta == nil {
			return err
		}
		return l.move(e)
	})
}

// saveDerived writes what differs, each file only after all are on disk aside.
func (l *Library) saveDerived(e *Entry, d Derived, saved []byte, samePage bool) error {
	page := filepath.Join(e.Folder, "payload.md")
	*e = e.Clone()
	a := &pendingFiles{l: l}
	defer a.drop()
	if !samePage { // written before the others, as Flipped assumes
		if err := a.add(page, d.Markdown); err != nil {
			return err
		}
	}
	transcript := filepath.Join(e.Folder, render.TranscriptName)
	text := disk.Markdown.Seal(d.Transcript)
	e.Rendered = e.Rendered || d.Transcript != nil
	if d.Transcript != nil && !(samePage && same(transcript, text)) {
		if err := a.add(transcript, text); err != nil {
			return err
		}
	}
	entry, err := changed(e, saved)
	if err == nil && entry != nil {
		err = a.add(sessionFile(e.Folder), entry)
	}
	if err := cmp.Or(err, disk.SyncFiles(a.temps)); err != nil {
		return err
	}
	if !samePage {
		a.targets, a.temps = append(a.targets[1:], page), append(a.temps[1:], a.temps[0])
		if err := disk.RemoveIfThere(page); err != nil {
			return err
		}
	}
	if len(a.temps) > 0 {
		if err := errors.Join(a.place(), disk.SyncDir(e.Folder)); err != nil {
			return err
		}
	}
	return l.Remember(*e)
}

func same(path string, data []byte) bool {
	fi, err := os.Stat(path)
	if err != nil || fi.Size() != int64(len(data)) {
		return false
	}
	have, err := disk.ReadPlain(path)
	return err == nil && bytes.Equal(have, data)
}

// Payload reads a session's payload. The error is ErrNoPayload, or payload.ErrNewer where a newer recall wrote it.
func (l *Library) Payload(id ingest.SessionID) (*payload.Payload, error) {
	text, err := l.readFile(id, "session.json")
	if err != nil {
		return nil, err
	}
	p, err := decodePayload(text)
	if err != nil || p == nil {
		return nil, fmt.Errorf("session %s: %w", id, cmp.Or(err, ErrNoPayload))
	}
	return p, nil
}

// decodePayload decodes the payload in the text of a session.json, nil if there is none.
func decodePayload(text []byte) (*payload.Payload, error) {
	saved := payloadOf(text)
	if saved == nil {
		return nil, nil
	}
	return payload.Decode(saved)
}

// Markdown reads payload.md as it is on disk, with a person's edits. The error is ErrNoPayload.
func (l *Library) Markdown(id ingest.SessionID) ([]byte, error) {
	text, err := l.readFile(id, "payload.md")
	if err != nil || text != nil {
		return text, err
	}
	p, err := l.Payload(id)
	if err != nil {
		return nil, err
	}
	return []byte(p.Written), nil
}

// Saved reads a payload and the payload.md that belongs to it, each nil if missing. Read separately, a save by
// another process in between would look like a person's edit.
func (l *Library) Saved(id ingest.SessionID) (p *payload.Payload, markdown []byte, err error) {
	if e, err := l.Session(id); err == nil {
		text, err := disk.ReadPlain(sessionFile(e.Folder))
		page := disk.Exists(filepath.Join(e.Folder, "payload.md")) // perhaps of a payload that was lost
		if err == nil && payloadOf(text) == nil && !page {
			return nil, nil, nil
		}
	}
	err = l.WithSession(id, func(e Entry) error {
		if markdown, err = disk.ReadIfThere(filepath.Join(e.Folder, "payload.md")); err != nil {
			return err
		}
		text, err := disk.ReadPlain(sessionFile(e.Folder))
		if err != nil {
			return err
		}
		if p, err = decodePayload(text); err != nil {
			return fmt.Errorf("session %s: %w", id, err)
		}
		if p != nil && !e.edited(p, markdown) && string(markdown) != p.Written {
			markdown = []byte(p.Written)
			return l.Put(filepath.Join(e.Folder, "payload.md"), markdown)
		}
		return nil
	})
	return p, markdown, err
}

// edited reports whether a person edited payload.md.
func (e *Entry) edited(p *payload.Payload, page []byte) bool {
	return len(page) > 0 && p.Written != string(page) && !Flipped(e.Folder, []byte(p.Written), page)
}

// readFile reads a file of a session's folder. The folder may move at any time, so a missing file (nil) is believed
// only if session.json is there.
func (l *Library) readFile(id ingest.SessionID, name string) ([]byte, error) {
	for try := 0; ; try++ {
		e, err := l.Session(id)
		if err != nil {
			return nil, err
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
		l.Reload()
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
	return l.WithSession(id, func(e Entry) error {
		edits, err := l.Edits(id)
		if err != nil && !errors.Is(err, ErrDamaged) { // the intact lines count
			return err
		}
		e.Marks = payload.MarksOf(edits)
		return l.SaveEntry(e)
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
	return l.WithSession(id, func(e Entry) error {
		log.Path = filepath.Join(e.Folder, log.Path)
		if err := log.Add(records...); err != nil {
			return fmt.Errorf("session %s: %w", id, err)
		}
		return nil
	})
}

// outputs/ holds the current version of the files that a session produced, plain, for people to open; raw/ has the
// authoritative bytes of every version. A person's changes are never overwritten: a file that isn't as recall wrote
// it is kept beside the new one as "name (changed)".

// SaveOutputs brings outputs/ up to date with what is archived. It leaves what is there already or has vanished at
// its source.
func (l *Library) SaveOutputs(ctx context.Context, id ingest.SessionID) error {
	e, err := l.Session(id)
	if err != nil {
		return err
	}
	kept := e.Outputs()
	var faults []error // a file that can't be written doesn't stop the others
	for _, f := range e.Files {
		name := kept[f.Name]
		if name == "" {
			continue
		}
		if e.Sums[name] == f.Sum && disk.Exists(filepath.Join(e.Folder, filepath.FromSlash(name))) {
			continue
		}
		if err := l.saveOutput(ctx, id, f, name); err != nil {
			faults = append(faults, fmt.Errorf("session %s: %s: %w", id, f.Name, err))
		}
	}
	return errors.Join(faults...)
}

// Outputs returns where each output is kept in the session's folder, by the name of its file.
func (e Entry) Outputs() map[string]string {
	kept, taken := map[string]string{}, map[string]bool{}
	for _, f := range e.Files {
		if f.Role == ingest.OutputFile {
			kept[f.Name] = outputName(f.Name, taken)
		}
	}
	return kept
}

// outputName returns where an output is kept in a session's folder: a path that is safe on every system and not
// taken.
func outputName(name string, taken map[string]bool) string {
	var parts []string
	for p := range strings.SplitSeq(strings.TrimPrefix(name, "outputs/"), "/") {
		if p = disk.SafeName(p, 120); p == "" {
			p = "_"
		}
		parts = append(parts, p)
	}
	path := "outputs/" + strings.Join(parts, "/")
	ext := filepath.Ext(parts[len(parts)-1])
	stem := strings.TrimSuffix(path, ext)
	for n := 2; taken[strings.ToLower(path)]; n++ {
		path = fmt.Sprintf("%s~%d%s", stem, n, ext)
	}
	taken[strings.ToLower(path)] = true
	return path
}

func (l *Library) saveOutput(ctx context.Context, id ingest.SessionID, f FileState, name string) error {
	r, _, err := l.OpenVersion(id, f.Name, f.Version)
	if err != nil {
		return err
	}
	defer r.Close()
	temp, sum, err := l.TempOf(disk.Until(ctx, r))
	if err != nil {
		return err
	}
	defer disk.Unlink(temp) // after a failure
	if err := disk.SyncFiles([]string{temp}); err != nil {
		return err
	}
	return l.WithSession(id, func(e Entry) error {
		target := filepath.Join(e.Folder, filepath.FromSlash(name))
		if err := disk.MakeDirs(filepath.Dir(target)); err != nil {
			return err
		}
		if err := l.KeepChanged(target, e.Sums[name], sum.SHA256); err != nil {
			return err
		}
		if err := disk.Rename(temp, target); err != nil {
			return err
		}
		if err := disk.SyncDir(filepath.Dir(target)); err != nil {
			return err
		}
		e = e.Clone()
		e.Sums[name] = sum.SHA256
		return l.SaveEntry(e)
	})
}

// KeepChanged renames a file that is neither as recall wrote it nor as it is about to.
func (l *Library) KeepChanged(path, written, next string) error {
	sum, err := disk.SumFile(path)
	if errors.Is(err, os.ErrNotExist) || err == nil && (sum.SHA256 == written || sum.SHA256 == next) {
		return nil
	}
	if err != nil {
		return err
	}
	ext := filepath.Ext(path)
	aside := disk.FreeName(filepath.Dir(path), strings.TrimSuffix(filepath.Base(path), ext)+" (changed)"+ext)
	return disk.Rename(path, aside)
}
