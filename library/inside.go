package library

import (
	"errors"
	"io"
	"path/filepath"
	"time"

	"recall/ingest"
	"recall/library/raw"
)

// Inside gives check and merge the library's own means of changing it. Only those packages may use it; arch_test
// enforces that.
type Inside struct{ *Library }

// Inside returns that view of the library.
func (l *Library) Inside() Inside { return Inside{l} }

var (
	// ErrStale means that somebody else has changed the session meanwhile; look again.
	ErrStale = errors.New("somebody else archived this session meanwhile")
	// ErrMoved means that the session's folder was moved or added to while it was read; call Reload.
	ErrMoved = errors.New("the session's folder has changed meanwhile")
)

// UnderLock, WithSession and Acquire take locks; see the package comment.
func (l Inside) UnderLock(name string, do func() error) error { return l.underLock(name, do) }
func (l Inside) WithSession(id ingest.SessionID, do func(Entry) error) error {
	return l.withSession(id, do)
}
func (l Inside) Acquire(name string, wait time.Duration) (unlock func(), err error) {
	return l.acquire(name, wait)
}

// Put durably replaces a whole file. ReplaceShared does so for a file that anybody may append to without a lock; was
// is what was read from it. Temp writes a temporary file.
func (l Inside) Put(path string, data []byte) error                        { return l.put(path, data) }
func (l Inside) Temp(write func(io.Writer) error) (path string, err error) { return l.temp(write) }
func (l Inside) ReplaceShared(path string, was, text []byte) error {
	return l.replaceShared(path, was, text, nil)
}

// Known returns an entry as this process knows it. SaveEntry and Remember require the session's lock.
func (l Inside) Known(id ingest.SessionID) (Entry, bool) { return l.known(id) }
func (l Inside) SaveEntry(e Entry) error                 { return l.saveEntry(e) }
func (l Inside) Remember(e Entry) error                  { return l.remember(e) }
func (l Inside) VersionsOf(id ingest.SessionID) (Entry, *raw.Versions, error) {
	return l.versionsOf(id)
}

// Reload makes the next access to a session read it again.
func (l Inside) Reload() { l.forget() }

// TakeID gives a newly created library another id.
func (l Inside) TakeID(id string) error {
	l.id = id
	return l.putLibraryFile(File{ID: id, Format: Format})
}

// File reads library.toml, PutFile writes it, and PutReadme writes the README.md beside it.
func (l Inside) File() (File, error)  { return readLibraryFile(l.dir) }
func (l Inside) PutFile(f File) error { return l.putLibraryFile(f) }
func (l Inside) PutReadme() error     { return l.put(filepath.Join(l.dir, "README.md"), readme) }

// IsTop reports whether recall has a file of that name at the top of a library.
func (l Inside) IsTop(name string) bool { return topFiles[name] }
