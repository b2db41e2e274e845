// Package library is the durable folder: the bytes of every session as they were found, and what was derived from
// them. A person can read, copy and back it up without recall.
//
//	README.md              how to read it and restore a file by hand
//	library.toml           id and format version
//	projects.toml          the projects: id, name, folder, roots
//	tombstones.jsonl       ids of forgotten sessions, which are never archived again
//	threads.jsonl          people's corrections of threads; append-only
//	habits.jsonl           what people make of the habits found; append-only
//	unsorted/<id>/         sessions archived but not yet parsed; memory-<id>: a client's own memory
//	<project>/<folder>/    one folder per session:
//	  session.json         what it is: the key to the folder (see Entry); and the payload
//	  raw/<offset>-<length>-<sha256>.zst   a stretch of a source's bytes
//	  raw/versions.jsonl   which segments make up which version of which file; absent while
//	                       the session is one file in one segment
//	  outputs/             files that the session produced, made from raw
//	  edits.jsonl  notes.jsonl  payload.md  transcript.md
//	inbox/  journal.jsonl
//	usage.jsonl            what model calls cost, one line each
//	tries.jsonl            attempts to ask a model that gave no payload
//	cache/                 models' answers by key, redacted
//	.tmp/                  what a running recall hasn't finished; else empty
//	.locks/                locks, and what has changed last
//
// Durability: everything is written to its own file under .tmp, synced, and renamed into place. Append-only files get
// whole lines in one write and lose at most a torn last line, which the next append cuts off. Each process has its own
// folder in .tmp; what dead ones left there is removed when no other process writes. A new session is built in .tmp and
// appears in one rename. A session's path follows from session.json and projects.toml alone, so any later process can
// finish an interrupted move.
//
// Everything carries a checksum (see disk/check.go), and package check verifies them. Every change
// on disk goes through package disk, where tests make each one fail.
//
// Locks: .locks/s-<two digits of a hash of its id>.lock for the content of a session's folder, .locks/folders.lock for
// everything that creates, moves or renames a folder and for projects.toml. They are OS locks, held for renames and
// appends only. A session's lock is taken before folders, never after it, and never two sessions' at once.
// .locks/changes lets other processes know of each folder made or moved and each session.json written.
package library

import (
	"bytes"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/pelletier/go-toml/v2"

	"recall/ingest"
	"recall/internal/hint"
	"recall/library/disk"
	"recall/library/registry"
)

// Format is the version of the folder layout that this package writes.
const Format = 4

var (
	// ErrNoLibrary means that the folder isn't a library.
	ErrNoLibrary = errors.New("no library here")
	// ErrNewer means that a newer recall wrote the library; it can be read, not written.
	ErrNewer = hint.With(
		errors.New("the library has a newer format than this recall writes; it is read-only, update recall"),
		"install a newer recall; query, resume, list and show work with this one too")
	// ErrNoSession means that no session has that id or name.
	ErrNoSession = errors.New("no such session")
	// ErrForgotten means that the session was forgotten on purpose and is not archived again.
	ErrForgotten = errors.New("session was forgotten")
	// ErrBusy means that someone else held a lock for longer than the limit.
	ErrBusy = hint.With(errors.New("library is busy"),
		"another recall is using this library; try again when it is done")
	// ErrDamaged means that archived bytes don't match the hash they were stored under.
	ErrDamaged = disk.ErrDamaged
	// ErrEdited means that a person changed payload.md after the caller read it.
	ErrEdited = errors.New("payload.md was edited meanwhile")
	// ErrStale means that somebody else has changed the session meanwhile; look again.
	ErrStale = errors.New("somebody else archived this session meanwhile")
	// ErrMoved means that the session's folder was moved or added to while it was read; call Reload.
	ErrMoved = errors.New("the session's folder has changed meanwhile")
)

//go:embed README.tmpl
var readme []byte

// A Library is an open library folder. It is safe for concurrent use, also beside other processes.
type Library struct {
	dir      string
	id       string
	lockWait time.Duration

	file     fileCache[File] // these are files at the top
	registry fileCache[*registry.Registry]
	tombs    fileCache[map[ingest.SessionID]bool]

	inFolders chan struct{} // full while this process holds the folders lock

	stageMu   sync.Mutex
	stage     string // this process's folder under .tmp, "" until something is written
	stageLock *flock.Flock
	stageN    int

	mu        sync.Mutex // guards what follows
	loaded    bool
	listDir   string // where the list of sessions is cached, "" for nowhere
	listStale bool   // it has changed since it was read from there
	sessions  map[ingest.SessionID]*known
	broken    []ingest.Problem
	seen      string // the state of folders that sessions reflects
}

// Known is an entry and the stamp of the session.json it was read from. It is replaced, never modified.
type known struct {
	Entry Entry
	Stamp stamp
}

// stamp identifies a state of a file without reading it.
type stamp struct {
	Size int64
	Mod  int64 // Unix nanoseconds
}

func stampOf(fi fs.FileInfo) stamp { return stamp{fi.Size(), fi.ModTime().UnixNano()} }

// fileCache caches what was read from a file for as long as its size and time don't change.
type fileCache[T any] struct {
	mu sync.Mutex
	at stamp
	is T
}

// get returns the file's content, read again if necessary, or the zero T if there is no file. With an error it returns
// what was last read.
func (a *fileCache[T]) get(path string, read func() (T, error)) (T, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	fi, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return *new(T), nil
	}
	if err == nil && a.at != stampOf(fi) {
		var is T
		if is, err = read(); err == nil {
			a.is, a.at = is, stampOf(fi)
		}
	}
	return a.is, err
}

// reset makes the next call read the file again.
func (a *fileCache[T]) reset() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.at = stamp{}
}

// A File is the content of library.toml.
type File struct {
	ID     string `toml:"id" comment:"This file marks the folder as a recall library. The id names its index in the user's cache directory."`
	Format int    `toml:"format"`
	Readme string `toml:"readme,omitempty" comment:"SHA-256 of README.md, if recall wrote it."`

	Backup bool `toml:"backup,omitempty" comment:"A copy that recall backup follows another library with."`
}

// Create makes a library in dir, which may exist, or opens the one that is there.
func Create(dir string) (*Library, error) {
	if l, err := Open(dir); !errors.Is(err, ErrNoLibrary) {
		return l, err
	}
	return CreateAs(dir, newID())
}

// newID returns a new random id.
func newID() string { return strings.ToLower(rand.Text()[:16]) }

// CreateAs creates a library with the given id.
func CreateAs(dir, id string) (*Library, error) {
	if id == "" || id != disk.SafeName(id, 40) {
		return nil, fmt.Errorf("create library %s: %q is not a library id", dir, id)
	}
	if err := create(dir, id); err != nil {
		return nil, fmt.Errorf("create library %s: %w", dir, err)
	}
	return Open(dir)
}

func create(dir, id string) error {
	if err := disk.MakeAllDirs(dir); err != nil {
		return err
	}
	l, err := newLibrary(dir, id)
	if err != nil {
		return err
	}
	defer l.Close()
	// library.toml comes last: it makes the folder a library.
	if !disk.Exists(filepath.Join(dir, "README.md")) { // never overwrite somebody's own
		if err := l.PutReadme(); err != nil {
			return err
		}
	}
	return l.UnderLock("folders", func() error {
		if disk.Exists(filepath.Join(dir, "library.toml")) { // somebody was faster
			return nil
		}
		return l.PutFile(File{ID: id, Format: Format})
	})
}

// Open opens the library in dir. The error is ErrNoLibrary if there is none, ErrForeign if it belongs to another
// user. A library of a newer format opens, but calls that would write return ErrNewer.
func Open(dir string) (*Library, error) {
	f, err := readLibraryFile(dir)
	if err != nil {
		return nil, err
	}
	if err := disk.Owned(dir); err != nil {
		return nil, fmt.Errorf("open library: %w", err)
	}
	return newLibrary(dir, f.ID)
}

// File reads library.toml.
func (l *Library) File() (File, error) { return readLibraryFile(l.dir) }

func readLibraryFile(dir string) (File, error) {
	var f File
	text, err := disk.ReadPlain(filepath.Join(dir, "library.toml"))
	if errors.Is(err, fs.ErrNotExist) {
		return f, fmt.Errorf("%s: %w", dir, ErrNoLibrary)
	}
	if err != nil {
		return f, fmt.Errorf("open library: %w", err)
	}
	if err := toml.Unmarshal(text, &f); err != nil {
		return f, fmt.Errorf("open library %s: library.toml: %w", dir, err)
	}
	if f.ID == "" || f.Format < Format || f.ID != disk.SafeName(f.ID, 40) {
		return f, fmt.Errorf("open library %s: library.toml: it needs an id and a format from %d on", dir, Format)
	}
	return f, nil
}

func newLibrary(dir, id string) (*Library, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open library: %w", err)
	}
	l := &Library{dir: disk.RealPath(abs), id: id, lockWait: 30 * time.Second, inFolders: make(chan struct{}, 1),
		sessions: map[ingest.SessionID]*known{}}
	disk.Guard(l.dir)
	return l, nil
}

// ID returns the library's random id, which never changes.
func (l *Library) ID() string { return l.id }

// Dir returns the library's folder, absolute and with links resolved.
func (l *Library) Dir() string { return l.dir }

// ReadOnly returns ErrNewer if the library can't be written, else nil. A newer recall may upgrade it at any time.
func (l *Library) ReadOnly() error {
	f, _ := l.file.get(filepath.Join(l.dir, "library.toml"), l.File)
	if f.Format > Format {
		return ErrNewer
	}
	return nil
}

// PutFile writes library.toml.
func (l *Library) PutFile(f File) error {
	readme, err := disk.ReadPlain(filepath.Join(l.dir, "README.md"))
	if err == nil && bytes.HasPrefix(readme, []byte("# A recall library\n")) { // recall wrote it
		f.Readme = disk.HexSum(readme)
	}
	text, err := toml.Marshal(f)
	if err != nil {
		return err
	}
	return l.Put(filepath.Join(l.dir, "library.toml"), disk.TOML.Seal(text))
}

// TakeID gives a newly created library another id.
func (l *Library) TakeID(id string) error {
	l.id = id
	return l.PutFile(File{ID: id, Format: Format})
}

// PutReadme writes README.md.
func (l *Library) PutReadme() error { return l.Put(filepath.Join(l.dir, "README.md"), readme) }

// IsBackup reports whether the library is a copy that Backup made.
func (l *Library) IsBackup() bool {
	f, err := l.File()
	return err == nil && f.Backup
}

// LockWait sets how long a call waits for a lock before it returns ErrBusy: 30 s by default, 20 ms in a hook. Call it
// before using the library.
func (l *Library) LockWait(d time.Duration) { l.lockWait = d }

// KeepListIn names a folder, usually the user's cache, where the list of sessions is remembered; without one every
// run reads every session.json. Call it before using the library.
func (l *Library) KeepListIn(dir string) { l.listDir = dir }

// Close removes what this process left under .tmp. The library must not be used afterwards.
func (l *Library) Close() error {
	err := l.saveList()
	l.endStage()
	return err
}

// MarkBackup notes in library.toml that this is a backup: asking it a question archives nothing new.
func (l *Library) MarkBackup() error {
	if err := l.ReadOnly(); err != nil {
		return err
	}
	return l.UnderLock("folders", func() error {
		f, err := l.File()
		if err != nil || f.Backup {
			return err
		}
		f.Backup = true
		return l.PutFile(f)
	})
}
