package library

import (
	"errors"
	"io"
	"path/filepath"

	"recall/ingest"
	"recall/library/raw"
)

// Inside is a library as check and merge see it: they change it by the means it has itself. Nobody else may; arch_test
// holds that.
type Inside struct{ *Library }

// Inside gives it.
func (l *Library) Inside() Inside { return Inside{l} }

var (
	// ErrStale: somebody else has changed the session meanwhile; look again.
	ErrStale = errors.New("somebody else archived this session meanwhile")
	// ErrMoved: a session's folder was moved or packed while it was read; Reload.
	ErrMoved = errors.New("the session's folder has changed meanwhile")
)

// Locks, see the package comment.
func (l Inside) UnderLock(name string, do func() error) error { return l.underLock(name, do) }
func (l Inside) WithSession(id ingest.SessionID, do func(Entry) error) error {
	return l.withSession(id, do)
}

// Upgrade brings the library to this format, as the first lock does.
func (l Inside) Upgrade() error { return l.upgrade() }

// Put replaces a file whole, durably. ReplaceShared does where anybody may append meanwhile, of
// and was is what was read of it. Temp writes a file aside, TempName is a path there.
func (l Inside) Put(path string, data []byte) error                        { return l.put(path, data) }
func (l Inside) Temp(write func(io.Writer) error) (path string, err error) { return l.temp(write) }
func (l Inside) TempName() (string, error)                                 { return l.tempName() }
func (l Inside) ReplaceShared(path string, was, text []byte) error {
	return l.replaceShared(path, was, text, nil)
}

// Known is an entry as this process knows it; SaveEntry, Remember and Heal want the session's lock.
func (l Inside) Known(id ingest.SessionID) (Entry, bool) { return l.known(id) }
func (l Inside) SaveEntry(e Entry) error                 { return l.saveEntry(e) }
func (l Inside) Remember(e Entry) error                  { return l.remember(e) }
func (l Inside) Heal(e *Entry) error                     { return l.heal(e) }
func (l Inside) VersionsOf(id ingest.SessionID) (Entry, *raw.Versions, error) {
	return l.versionsOf(id)
}

// Reload makes the next look at a session a fresh one.
func (l Inside) Reload() { l.forget() }

// Move brings a session's folder to where it belongs by now.
func (l Inside) Move(id ingest.SessionID) error { return l.placeOne(id, nil) }

// TakeID gives a library that was just made another id.
func (l Inside) TakeID(id string) error {
	l.id = id
	return l.putLibraryFile(File{ID: id, Format: Format})
}

// File is library.toml, PutFile writes it, PutReadme the README.md beside it.
func (l Inside) File() (File, error)  { return readLibraryFile(l.dir) }
func (l Inside) PutFile(f File) error { return l.putLibraryFile(f) }
func (l Inside) PutReadme() error     { return l.put(filepath.Join(l.dir, "README.md"), readme) }

// IsTop reports whether a name at the top is a file of recall's.
func (l Inside) IsTop(name string) bool { return topFiles[name] }
