package library

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
	"recall/library/disk"
	"recall/library/raw"
	"recall/library/render"
)

// Found is an archived session as discovery would have found it: each file's current version, opened from the library.
// What is read is checked: a damaged segment's error (ErrDamaged) comes at its end, before that of the file. Path is
// where the file was last found, there or not.
func (l *Library) Found(id ingest.SessionID) (ingest.Found, error) {
	e, v, err := l.versionsOf(id)
	if err != nil {
		return ingest.Found{}, err
	}
	f := ingest.Found{ID: e.ID, Source: e.Source, Root: e.Root}
	files := slices.Clone(e.Files)
	last := map[ingest.FileRole]int{ingest.PromptLog: 1} // a transcript may have turned up since
	slices.SortStableFunc(files, func(a, b FileState) int { return cmp.Or(last[a.Role]-last[b.Role], a.Place-b.Place) })
	for _, state := range files {
		ver := v.At(state.Name, state.Version)
		if ver == nil {
			return f, fmt.Errorf("session %s: %s: %w: version %d is not in versions.jsonl", id, state.Name, ErrDamaged,
				state.Version)
		}
		file := ingest.File{Name: state.Name, Role: state.Role, Size: ver.Size, Open: func() (io.ReadCloser, error) {
			return l.openVersion(e, state.Name, state.Version, ver.Segs), nil
		}}
		for _, s := range state.Sources {
			if s.Version == state.Version {
				file.Path, file.Mod = s.Path, s.Mod
			}
		}
		f.Files = append(f.Files, file)
	}
	return f, nil
}

// openVersion streams a version's content.
func (l *Library) openVersion(e Entry, name string, n int, segs []raw.Segment) *raw.Reader {
	r := raw.Read(e.Folder, segs...)
	r.Anew = func() *raw.Reader {
		if now, v, err := l.versionsOf(e.ID); err == nil {
			if ver := v.At(name, n); ver != nil {
				return raw.Read(now.Folder, ver.Segs...)
			}
		}
		return raw.Read(e.Folder)
	}
	return r
}

// A FileVersion is one content of a session's file: one in all of a file that only grew, another for each rewriting.
type FileVersion struct {
	Name    string          `json:"name"`
	Role    ingest.FileRole `json:"-"`
	Version int             `json:"version"` // from 1, in the order in which they were taken in
	Size    int64           `json:"bytes"`
	Sum     string          `json:"sha256"` // hex
	Current bool            `json:"current"`
}

// Versions lists every version of every file of a session, by file and number.
func (l *Library) Versions(id ingest.SessionID) ([]FileVersion, error) {
	e, v, err := l.versionsOf(id)
	if err != nil {
		return nil, err
	}
	var all []FileVersion
	for name, list := range v.Files {
		state := e.File(name)
		for i, ver := range list {
			all = append(all, fileVersion(state, name, i+1, ver))
		}
	}
	slices.SortFunc(all, func(a, b FileVersion) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), a.Version-b.Version)
	})
	return all, nil
}

// OpenVersion reads one version of a file, 0 for the current one. What is read is checked: the error of damaged bytes
// (ErrDamaged) comes before the end of the file.
func (l *Library) OpenVersion(id ingest.SessionID, name string, n int) (io.ReadCloser, FileVersion, error) {
	e, v, err := l.versionsOf(id)
	if err != nil {
		return nil, FileVersion{}, err
	}
	state := e.File(name)
	if n == 0 && state != nil {
		n = state.Version
	}
	ver := v.At(name, n)
	if ver == nil {
		return nil, FileVersion{}, fmt.Errorf("session %s: %s has no version %d; it has %d", id, name, n,
			len(v.Files[name]))
	}
	return l.openVersion(e, name, n, ver.Segs), fileVersion(state, name, n, *ver), nil
}

// fileVersion tells of one version; state is nil of a file that the session has no more.
func fileVersion(state *FileState, name string, n int, v raw.Version) FileVersion {
	f := FileVersion{Name: name, Version: n, Size: v.Size, Sum: v.Sum}
	if state != nil {
		f.Role, f.Current = state.Role, state.Version == n
	}
	return f
}

func (l *Library) versionsOf(id ingest.SessionID) (e Entry, v *raw.Versions, err error) {
	text, err := l.readFile(id, listName)
	if err == nil {
		e, err = l.Session(id)
	}
	return e, raw.ParseVersions("versions.jsonl", disk.SplitLines(text)), err
}

// ErrNotRendered: a session has no transcript to read yet.
var ErrNotRendered = errors.New("its transcript isn't rendered yet")

// Transcript is a session's rendered transcript, part by part. The error is ErrNotRendered.
func (l *Library) Transcript(e Entry) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for i := 0; ; i++ {
			text, err := ReadPlain(filepath.Join(e.Folder, render.TranscriptName(i)))
			if missing := errors.Is(err, fs.ErrNotExist); missing && i > 0 {
				return
			} else if missing {
				err = ErrNotRendered
			}
			if !yield(text, err) || err != nil {
				return
			}
		}
	}
}

// ErrNoTurn: no rendered transcript has a turn of that id.
var ErrNoTurn = errors.New("no such turn in the transcript")

// TurnPlace is the file and the line where a turn of a session, or the record that evidence cites, stands in its
// rendered transcript: by its id, else by its number; payload.md where neither is given, for what a person wrote there.
// The error is ErrNoTurn if it isn't rendered (yet).
func (l *Library) TurnPlace(id ingest.SessionID, turn string, n int) (path string, line int, err error) {
	e, err := l.Session(id)
	if err != nil {
		return "", 0, err
	}
	if turn == "" && n == 0 {
		return filepath.Join(e.Folder, "payload.md"), 1, nil
	}
	mark, none := fmt.Sprintf("</a>\n### %d · ", n), fmt.Sprintf("turn %d", n)
	if turn != "" {
		mark, none = `<a id="`+html.EscapeString(turn)+`">`, fmt.Sprintf("session %s: %q", id, turn)
	}
	for i := 0; ; i++ {
		name := render.TranscriptName(i)
		text, err := l.readFile(id, name)
		if err != nil {
			return "", 0, err
		}
		if text == nil {
			return "", 0, fmt.Errorf("%s: %w", none, ErrNoTurn)
		}
		at := 1 + bytes.Index(text, []byte("\n"+mark)) // a turn's own: the call that it refuses has it too
		if at == 0 {
			at = bytes.Index(text, []byte(mark))
		}
		if at >= 0 {
			return filepath.Join(e.Folder, name), 1 + bytes.Count(text[:at], []byte("\n")), nil
		}
	}
}
