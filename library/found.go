package library

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
	"recall/internal/hint"
	"recall/library/disk"
	"recall/library/raw"
	"recall/library/render"
)

// Found returns an archived session as discovery would have found it: the current version of each file, opened from
// the library. Reading verifies the bytes: for a damaged segment the reader returns ErrDamaged before it reaches the
// end of the file. Path is where the file was last found, whether or not it still exists.
func (l *Library) Found(id ingest.SessionID) (ingest.Found, error) {
	e, v, err := l.VersionsOf(id)
	if err != nil {
		return ingest.Found{}, err
	}
	f := ingest.Found{ID: e.ID, Source: e.Source, Root: e.Root}
	files := slices.Clone(e.Files)
	last := map[ingest.FileRole]int{ingest.PromptLog: 1} // a transcript may have been found since
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

// openVersion streams the content of a version.
func (l *Library) openVersion(e Entry, name string, n int, segs []raw.Segment) *raw.Reader {
	r := raw.Read(e.Folder, segs...)
	r.Reopen = func() *raw.Reader {
		if now, v, err := l.VersionsOf(e.ID); err == nil {
			if ver := v.At(name, n); ver != nil {
				return raw.Read(now.Folder, ver.Segs...)
			}
		}
		return raw.Read(e.Folder)
	}
	return r
}

// A FileVersion is one content of a session's file. A file that only grew has one version; each rewrite adds another.
type FileVersion struct {
	Name    string
	Role    ingest.FileRole
	Version int // from 1, in the order in which they were archived
	Size    int64
	Sum     string // hex
	Current bool
}

// Versions lists every version of every file of a session, by file and number.
func (l *Library) Versions(id ingest.SessionID) ([]FileVersion, error) {
	e, v, err := l.VersionsOf(id)
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

// OpenVersion opens one version of a file, 0 for the current one. Reading verifies the bytes: damage is reported as
// ErrDamaged before the end of the file.
func (l *Library) OpenVersion(id ingest.SessionID, name string, n int) (io.ReadCloser, FileVersion, error) {
	e, v, err := l.VersionsOf(id)
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

// fileVersion describes one version; state is nil if the session no longer has the file.
func fileVersion(state *FileState, name string, n int, v raw.Version) FileVersion {
	f := FileVersion{Name: name, Version: n, Size: v.Size, Sum: v.Sum}
	if state != nil {
		f.Role, f.Current = state.Role, state.Version == n
	}
	return f
}

func (l *Library) VersionsOf(id ingest.SessionID) (e Entry, v *raw.Versions, err error) {
	text, err := l.readFile(id, listName)
	if err == nil {
		e, err = l.Session(id)
	}
	return e, raw.ParseVersions("versions.jsonl", disk.SplitLines(text)), err
}

// ErrNotRendered means that a session has no readable transcript yet.
var ErrNotRendered = hint.With(errors.New("its transcript isn't rendered yet"), "run recall sync")

// Transcript returns a session's rendered transcript. The error is ErrNotRendered.
func (l *Library) Transcript(e Entry) ([]byte, error) {
	text, err := disk.ReadPlain(filepath.Join(e.Folder, render.TranscriptName))
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrNotRendered
	}
	return disk.Markdown.Text(text), err
}

// ErrNoTurn means that no rendered transcript has a turn of that id.
var ErrNoTurn = errors.New("no such turn in the transcript")

// TurnPlace returns the file and line of a turn, or of the record that evidence cites, in the session's rendered
// transcript: by its id, else by its number. If neither is given it returns payload.md, where a person wrote it. The
// error is ErrNoTurn if it isn't rendered (yet).
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
	text, err := l.readFile(id, render.TranscriptName)
	if err != nil {
		return "", 0, err
	}
	at := 1 + bytes.Index(text, []byte("\n"+mark)) // its own anchor: a call that it refuses has it too
	if at == 0 {
		at = bytes.Index(text, []byte(mark))
	}
	if at < 0 {
		return "", 0, fmt.Errorf("%s: %w", none, ErrNoTurn)
	}
	return filepath.Join(e.Folder, render.TranscriptName), 1 + bytes.Count(text[:at], []byte("\n")), nil
}
