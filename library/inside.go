package library

import (
	"errors"
	"io"
	"path/filepath"

	"recall/ingest"
	"recall/library/disk"
	"recall/library/raw"
	"recall/payload"
)

// Inside is a library as check and merge see it, which change what is in it by
// the same means as it does itself. Nobody else may use it; arch_test holds that.
type Inside struct{ *Library }

// Inside gives it.
func (l *Library) Inside() Inside { return Inside{l} }

var (
	// ErrStale: somebody else has changed the session meanwhile; look again.
	ErrStale = errors.New("somebody else archived this session meanwhile")
	// ErrMoved: a session's folder was moved or packed while it was read; Reload.
	ErrMoved = errors.New("the session's folder has changed meanwhile")
)

// Locks, see the package comment. Hold gives a session's entry as it is on disk with
// its lock.
func (l Inside) Lock(name string) (unlock func(), err error)                { return l.lock(name) }
func (l Inside) Hold(id ingest.SessionID) (Entry, func(), error)            { return l.hold(id) }
func (l Inside) LockSession(id ingest.SessionID) (unlock func(), err error) { return l.lockSession(id) }

// Upgrade brings the library to this format, as the first lock does.
func (l Inside) Upgrade() error { return l.upgrade() }

// Put replaces a file whole; the caller syncs its folder. ReplaceShared does where
// anybody may append meanwhile, of which read bytes were seen. Temp and TempOf
// write a file aside, TempName is a path there, FreeName one in a folder that nothing has.
func (l Inside) Put(path string, data []byte) error                         { return l.put(path, data) }
func (l Inside) Temp(write func(io.Writer) error) (path string, err error)  { return l.temp(write) }
func (l Inside) TempOf(r io.Reader) (path string, sum disk.Sums, err error) { return l.tempOf(r) }
func (l Inside) TempName() (string, error)                                  { return l.tempName() }
func (l Inside) FreeName(dir, name string) string                           { return l.freeName(dir, name) }
func (l Inside) ReplaceShared(path string, read int, text []byte) error {
	return l.replaceShared(path, int64(read), text, nil)
}

// Entries: as a folder's session.json says, as one that may be damaged still reads
// (with an error), as this process knows them. Save and Heal want the session's lock.
func (l Inside) ReadEntry(folder string) (Entry, error) { return readEntry(folder) }
func (l Inside) DecodeEntry(text []byte, folder string) (Entry, error) {
	return decodeEntry(text, folder)
}
func (l Inside) Known(id ingest.SessionID) (Entry, bool) { return l.known(id) }
func (l Inside) SaveEntry(e Entry) error                 { return l.saveEntry(e) }
func (l Inside) Remember(e Entry) error                  { return l.remember(e) }
func (l Inside) Heal(e *Entry) error                     { return l.heal(e) }
func (l Inside) VersionsOf(id ingest.SessionID) (Entry, *raw.Versions, error) {
	return l.versionsOf(id)
}

// Reload makes the next look at a session a fresh one.
func (l Inside) Reload() { l.forget() }

// MarkBehind has a session distilled again by the next sync.
func (l Inside) MarkBehind(id ingest.SessionID) error { return l.markBehind(id) }

// SessionIn is whose folder one is that may be damaged, "" if nothing tells it.
// PayloadIn is the payload in it, nil if that can't be used.
func (l Inside) SessionIn(folder string) ingest.SessionID { return sessionIn(folder) }
func (l Inside) PayloadIn(folder string) *payload.Payload { return payloadIn(folder) }

// Build makes the folder of a new session of files that lie aside, Move brings
// one to where it belongs by now, RemoveFolder removes one that isn't the session's.
// The errors are ErrStale and ErrForgotten.
func (l Inside) Build(e Entry, temps map[string]string) error { return l.build(e, temps) }
func (l Inside) Move(id ingest.SessionID) error               { return l.placeOne(id, nil) }
func (l Inside) RemoveFolder(id ingest.SessionID, folder string) error {
	return l.removeFolder(id, folder)
}

// ValidID refuses ids that could leave a folder or can't name one.
func (l Inside) ValidID(id ingest.SessionID) bool { return validID(id) }

// Bury notes sessions as forgotten; DropProjects removes projects without any.
func (l Inside) Bury(ids []ingest.SessionID) error { return l.bury(ids) }
func (l Inside) DropProjects() error               { return l.dropProjects() }

// File is library.toml, PutFile writes it, PutReadme the README.md beside it.
func (l Inside) File() (File, error)  { return readLibraryFile(l.dir) }
func (l Inside) PutFile(f File) error { return l.putLibraryFile(f) }
func (l Inside) PutReadme() error     { return l.put(filepath.Join(l.dir, "README.md"), readme) }

// IsTop reports whether a name at the top is a file of recall's, IsOwn whether it is
// a folder of recall's that is no project's.
func (l Inside) IsTop(name string) bool { return topFiles[name] }
func (l Inside) IsOwn(name string) bool { return ownFolder(name) }

// Rel is a path as a person is told of it: from the library.
func (l Inside) Rel(path string) string { return l.rel(path) }

// Names in a session's folder, and at the top.
const (
	NewMarkdown = newMarkdown // a save's payload.md that isn't in its place yet
	NewPayload  = newPayload  // the same of payload.json
	LinksName   = linksName
	UsageName   = usageName
	CacheName   = cacheName
)

// IsRendered reports whether a file is for people and its sum stands in session.json.
func (l Inside) IsRendered(name string) bool { return isRendered(name) }

// Flipped reports whether a payload.md was damaged rather than edited.
func (l Inside) Flipped(folder string, written, now []byte) bool {
	return flipped(folder, written, now)
}

// KeepChanged puts an output aside that somebody may have changed.
func (l Inside) KeepChanged(path string) error { return keepChanged(l.Library, path, "", "") }
