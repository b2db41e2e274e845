package library

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
	"recall/internal/text"
	"recall/library/disk"
	"recall/library/raw"
	"recall/library/render"
	"recall/payload"
)

var idField = text.Pattern(`"session_?[iI]d"\s*:\s*"([A-Za-z0-9._-]+)"`)

var freeNameSuffix = text.Pattern(`~[0-9]+$`) // the number that disk.FreeName adds

// identify finds out which session a folder belongs to: the one that session.json says (said), else that of the
// rendered transcript or the sources, provided that the folder's name confirms it.
func identify(folder string, said ingest.SessionID) ingest.SessionID {
	base := freeNameSuffix().ReplaceAllString(filepath.Base(folder), "")
	fits := func(id ingest.SessionID) bool {
		if !ValidID(id) {
			return false
		}
		own := bareID(id)
		last := strings.ToLower(base[strings.LastIndexByte(base, ' ')+1:])
		return strings.EqualFold(base, string(id)) || len(last) >= 8 && strings.HasPrefix(own, last) ||
			last == strings.ToLower(string(id))
	}
	if fits(said) {
		return said
	}
	if filepath.Base(filepath.Dir(folder)) == "unsorted" && ValidID(ingest.SessionID(base)) {
		return ingest.SessionID(base)
	}
	if id, _ := renderedAs(folder); fits(id) {
		return id
	}
	segs, _ := disk.Glob(folder, "raw", "0-*.zst")
	for _, path := range segs {
		s, err := raw.ParseSegment(filepath.Base(path))
		if err != nil {
			continue
		}
		in := raw.ReadFile(path, s)
		head, _ := io.ReadAll(io.LimitReader(in, 1<<20))
		in.Close()
		for _, m := range idField().FindAllSubmatch(head, -1) {
			for _, id := range []ingest.SessionID{ingest.SessionID(m[1]), "local_" + ingest.SessionID(m[1])} {
				if fits(id) {
					return id
				}
			}
		}
	}
	return ""
}

var sessionLine = text.Pattern("(?m)^Session `([^`]+)` · ([a-z-]+)")

// renderedAs returns what transcript.md says whose it is.
func renderedAs(folder string) (ingest.SessionID, ingest.Source) {
	f, err := disk.Open(filepath.Join(folder, render.TranscriptName))
	if err != nil {
		return "", ""
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, 4<<10))
	m := sessionLine().FindSubmatch(head)
	if m == nil {
		return "", ""
	}
	return ingest.SessionID(m[1]), ingest.Source(m[2])
}

// SessionIn finds out which session a possibly damaged folder belongs to, "" if unknown.
func SessionIn(folder string) ingest.SessionID {
	text, _ := disk.ReadPlain(sessionFile(folder))
	e, _ := DecodeEntry(text, folder)
	return identify(folder, e.ID)
}

// FillFrom completes an entry with the files in versions.jsonl.
func (e *Entry) FillFrom(v *raw.Versions, folder string) {
	for name, list := range v.Files {
		state := e.fileOf(name)
		if state.Sources == nil {
			state.Sources = []SourceState{}
		}
		if state.Version < 1 || state.Version > len(list) {
			state.Version = len(list)
		}
		state.Role = v.Roles[name]
		ver := list[state.Version-1]
		state.Size, state.Sum = ver.Size, ver.Sum
	}
	e.Files = slices.DeleteFunc(e.Files, func(f FileState) bool { return v.Files[f.Name] == nil })
	if e.Source == "" {
		e.Source = ingest.ClaudeCode
		if v.Files["record.json"] != nil || v.Files["audit.jsonl"] != nil {
			e.Source = ingest.Cowork
		}
		if _, source := renderedAs(folder); source != "" {
			e.Source = source
		}
	}
	e.finish()
}

// PayloadIn returns the payload in a possibly damaged folder, nil if it is unusable.
func PayloadIn(folder string) *payload.Payload {
	text, err := disk.ReadPlain(sessionFile(folder))
	if err != nil || disk.SealOfJSON(text) != disk.SealGood {
		return nil
	}
	p, err := decodePayload(text)
	if err != nil {
		return nil
	}
	return p
}

// Rebuild makes the session.json of a session's folder anew from what else is there, without anything distilled.
func (l *Library) Rebuild(id ingest.SessionID, folder string) (how string, err error) {
	err = l.UnderLock(SessionLock(id), func() error {
		text, err := disk.ReadIfThere(sessionFile(folder))
		if err != nil {
			return err
		}
		e, err := DecodeEntry(text, folder)
		if err != nil || e.ID != id {
			e = Entry{ID: id, Folder: folder}
		}
		for i := range e.Files {
			e.Files[i].CRC = "" // no more reliable than the rest
		}
		v, err := e.Versions()
		if err == nil {
			how, err = l.keepPage(folder)
		}
		if err != nil {
			return err
		}
		e.Distilled, e.Sums = nil, nil
		e.FillFrom(v, folder)
		return l.SaveEntry(e)
	})
	l.Reload()
	return how, err
}

// keepPage copies a payload.md that can't be compared with the payload any more, as it might hold edits.
func (l *Library) keepPage(folder string) (how string, err error) {
	text, err := disk.ReadIfThere(filepath.Join(folder, "payload.md"))
	if err != nil || text == nil || PayloadIn(folder) != nil {
		return "", err
	}
	kept := disk.FreeName(folder, "payload before repair.md")
	return "; the old payload.md is kept as " + filepath.Base(kept), l.Put(kept, text)
}

// revive rebuilds the session.json of a session's folder in which it can't be read, and reports whether there was one.
// Where that fails the session gets another folder: its bytes must not wait.
func (l *Library) revive(id ingest.SessionID) bool {
	for _, b := range l.Broken() {
		if SessionIn(b.Path) == id {
			_, err := l.Rebuild(id, b.Path)
			return err == nil
		}
	}
	return false
}

// MarkBehind makes the next sync distill the session again.
func (l *Library) MarkBehind(id ingest.SessionID) error {
	return l.WithSession(id, func(e Entry) error {
		e = e.Clone()
		e.Distilled = nil
		return l.SaveEntry(e)
	})
}

var idLine = text.Pattern(`(?m)^id\s*=\s*['"]([a-z2-7]{16})['"]`)

// Recover opens a library whose library.toml is missing or unusable, after recreating it. Its id is from a backup, else
// as the damaged file still has it, else new, which costs a reindex; how says which. A damaged file becomes
// library.toml.damaged. The error is ErrNoLibrary if the folder has no session either.
func Recover(dir string, backup *Library) (l *Library, how string, err error) {
	if l, err = Open(dir); err == nil {
		return l, "", nil
	}
	sessions, globErr := disk.Glob(dir, "*", "*", "raw", "*.zst")
	if globErr != nil || len(sessions) == 0 {
		return nil, "", fmt.Errorf("%s: there is no session in it: %w", dir, ErrNoLibrary)
	}
	path := filepath.Join(dir, "library.toml")
	text, readErr := disk.ReadPlain(path)
	if readErr != nil && !errors.Is(readErr, fs.ErrNotExist) {
		return nil, "", fmt.Errorf("open library: %w", readErr)
	}
	id, how := recoverID(backup, text)
	l, err = newLibrary(dir, id)
	if err != nil {
		return nil, "", err
	}
	defer l.Close()
	if readErr == nil {
		if err := errors.Join(disk.Rename(path, disk.FreeName(l.dir, "library.toml.damaged")),
			disk.SyncDir(l.dir)); err != nil {
			return nil, "", err
		}
	}
	if err := l.PutFile(File{ID: id, Format: Format}); err != nil {
		return nil, "", err
	}
	l, err = Open(dir)
	return l, how, err
}

func recoverID(backup *Library, text []byte) (id, how string) {
	if backup != nil {
		return backup.id, "its id from the backup"
	}
	if m := idLine().FindSubmatch(text); m != nil {
		return string(m[1]), "its id as still readable in the damaged file"
	}
	return newID(), "with a new id, as the old one is unknown"
}
