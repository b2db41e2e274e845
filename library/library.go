// Package library is the durable folder: the bytes of every session as they
// were found, and what was made of them. A person can read, copy and back it
// up without recall.
//
//	README.md              how to read it by hand, how to restore a file
//	library.toml           id and format version
//	projects.toml          the projects: id, name, folder, roots
//	tombstones.jsonl       ids that were forgotten and stay away
//	forgotten.jsonl        items that were, of sessions that stay
//	threads.jsonl          people's corrections of threads; append-only
//	unsorted/<id>/         sessions whose bytes are safe but that aren't parsed yet; memory-<id>: a client's own
//	<project>/<folder>/    one folder a session:
//	  session.json         what it is: the key of the folder (see Entry)
//	  raw/<offset>-<length>-<sha256>.zst   a stretch of a source's bytes
//	  raw/versions.jsonl   which segments make up which version of which file; none of a
//	                       conversation that is one segment still
//	  outputs/             what the session produced, to open; made from raw
//	  payload.json  edits.jsonl  notes.jsonl  payload.md  transcript.md
//	inbox/  journal.jsonl
//	usage.jsonl            what models took, a line a call
//	tries.jsonl            what came of asking models where no payload did
//	batches.jsonl          which requests are on their way with a batch
//	cache/                 models' answers by key, redacted
//	.locks/  .tmp/         while recall runs; empty or absent otherwise
//
// Durability: everything is written to a file of its own under .tmp, synced,
// and renamed to its place; append-only files get whole lines in one write and
// lose at most a torn last line, which the next append cuts off. .tmp holds one
// folder a process with a locked file in it; a folder whose lock is free
// belongs to a dead process and is removed. A new session is built in .tmp and
// appears in one rename. Where a session lies follows from session.json and
// projects.toml alone, so that a move that was cut short is done by the next
// one who comes along.
//
// Everything carries a checksum (see disk/check.go), and package check reads it all again.
// Sessions that were quiet for a week are packed: see Pack. A change of the
// disk goes through package disk, where tests fail each.
//
// Locks: .locks/<session id>.lock for the content of one session's folder,
// .locks/folders.lock for everything that makes, moves or renames a folder and
// for projects.toml. They are OS locks, held for renames and appends only; a
// session's is taken before folders, never the other way round, and never two
// sessions' at once. .locks/generation counts folders made and moved, and
// .locks/entries is written after each session.json, so that another process
// notices.
package library

import (
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"
	"github.com/pelletier/go-toml/v2"

	"recall/ingest"
	"recall/library/disk"
	"recall/library/registry"
)

// Format is the version of the folder's layout that this package writes.
const Format = 3

var (
	// ErrNoLibrary: the folder isn't a library.
	ErrNoLibrary = errors.New("no library here")
	// ErrNewer: the library was written by a newer recall; it can be read, not written.
	ErrNewer = errors.New("the library has a newer format than this recall writes; it is read-only, update recall")
	// ErrNoSession: no session of that id or name.
	ErrNoSession = errors.New("no such session")
	// ErrForgotten: the session was forgotten on purpose and is not archived again.
	ErrForgotten = errors.New("session was forgotten")
	// ErrBusy: a lock was held by someone else for longer than the limit.
	ErrBusy = errors.New("library is busy")
	// ErrDamaged: archived bytes don't have the hash that they were stored under.
	ErrDamaged = disk.ErrDamaged
	// ErrEdited: payload.md was changed by a person since the caller read it.
	ErrEdited = errors.New("payload.md was edited meanwhile")
)

//go:embed README.tmpl
var readme []byte

// A Library is an open library folder, for several goroutines at once and beside other processes.
type Library struct {
	dir      string
	id       string
	format   atomic.Int32
	lockWait time.Duration
	hold     time.Duration // how long a look at the sessions holds, see Hold

	registry asRead[*registry.Registry] // what follows are files at the top
	tombs    asRead[map[ingest.SessionID]bool]
	gone     asRead[map[ingest.SessionID][]ForgottenItem]

	formatMu  sync.Mutex    // guards the change of format
	fileStamp stamp         // library.toml as the format was last read
	inFolders chan struct{} // full while one of this process has the lock of folders

	stageMu   sync.Mutex
	stage     string // own folder under .tmp, "" until something is written
	stageLock *flock.Flock
	stageN    int

	mu        sync.Mutex // guards what follows
	loaded    bool
	listDir   string // where the list of sessions is cached, ""
	listStale bool   // it has changed since it was read from there
	sessions  map[ingest.SessionID]*known
	alone     map[ingest.SessionID]*known // read without the others, until those are looked at
	broken    []ingest.Problem
	shelf     *Shelf // made of the last look; nil: not yet
	looked    time.Time
	lookedAt  string // state of the library at the last look at all sessions
	writes    bool   // seen is kept up to date: this process's folder is in .tmp
	seen      string // generation of the folders that sessions stands for
}

// known is an entry and what session.json looked like when read. It isn't changed, only replaced.
type known struct {
	Entry Entry
	Stamp stamp
}

// stamp tells one state of a file from another without reading it.
type stamp struct {
	Size int64
	Mod  int64 // Unix nanoseconds
}

func stampOf(fi fs.FileInfo) stamp { return stamp{fi.Size(), fi.ModTime().UnixNano()} }

// asRead is what was read of a file, which holds while the file is of the same size and time.
type asRead[T any] struct {
	mu sync.Mutex
	at stamp
	is T
}

// of is what a file says, read where it must be; the zero T where there is none. Beside an error it is what was last
// read.
func (a *asRead[T]) of(path string, read func() (T, error)) (T, error) {
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

// forget has the file read again.
func (a *asRead[T]) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.at = stamp{}
}

// A File is what library.toml says.
type File struct {
	ID     string `toml:"id" comment:"This file marks the folder as a recall library. The id names its index in the user's cache directory."`
	Format int    `toml:"format"`
	Readme string `toml:"readme,omitempty" comment:"SHA-256 of README.md, if recall wrote it."`

	Backup bool `toml:"backup,omitempty" comment:"A copy that recall backup follows another library with."`
}

// Create makes a library in dir, which may exist. A folder that is a library already is opened.
func Create(dir string) (*Library, error) {
	if l, err := Open(dir); !errors.Is(err, ErrNoLibrary) {
		return l, err
	}
	return CreateAs(dir, newID())
}

// newID is an id that nothing else has.
func newID() string { return strings.ToLower(rand.Text()[:16]) }

// CreateAs makes a library with a given id.
func CreateAs(dir, id string) (*Library, error) {
	if id == "" || id != disk.SafeName(id, 40) {
		return nil, fmt.Errorf("create library %s: %q is no id of a library", dir, id)
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
	l, err := newLibrary(dir, id, Format)
	if err != nil {
		return err
	}
	defer l.Close()
	// library.toml comes last: with it the folder is a library.
	if path := filepath.Join(dir, "README.md"); !disk.Exists(path) { // never over somebody's own
		if err := l.put(path, readme); err != nil {
			return err
		}
	}
	return l.underLock("folders", func() error {
		if disk.Exists(filepath.Join(dir, "library.toml")) { // somebody was faster
			return nil
		}
		return l.putLibraryFile(File{ID: id, Format: Format})
	})
}

// Open opens the library in dir. The error is ErrNoLibrary where there is none, ErrForeign where it is another user's.
// One of a newer format opens, but calls that would write return ErrNewer.
func Open(dir string) (*Library, error) {
	f, err := readLibraryFile(dir)
	if err != nil {
		return nil, err
	}
	if err := disk.Owned(dir); err != nil {
		return nil, fmt.Errorf("open library: %w", err)
	}
	return newLibrary(dir, f.ID, f.Format)
}

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
	if f.ID == "" || f.Format < 1 || f.ID != disk.SafeName(f.ID, 40) {
		return f, fmt.Errorf("open library %s: library.toml: it needs an id and a format", dir)
	}
	return f, nil
}

func newLibrary(dir, id string, format int) (*Library, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open library: %w", err)
	}
	l := &Library{dir: disk.RealPath(abs), id: id, lockWait: 30 * time.Second, inFolders: make(chan struct{}, 1),
		sessions: map[ingest.SessionID]*known{}, alone: map[ingest.SessionID]*known{}}
	l.format.Store(int32(format))
	disk.Guard(l.dir)
	return l, nil
}

// ID is the library's id, random, made once.
func (l *Library) ID() string { return l.id }

// Dir is the library's folder, absolute and without links.
func (l *Library) Dir() string { return l.dir }

// ReadOnly says why nothing can be written: ErrNewer, or nil.
func (l *Library) ReadOnly() error {
	if l.format.Load() > Format {
		return ErrNewer
	}
	return nil
}

// IsBackup reports whether the library is a copy that Backup made.
func (l *Library) IsBackup() bool {
	f, err := readLibraryFile(l.dir)
	return err == nil && f.Backup
}

// LockWait sets how long a call waits for a lock before it returns ErrBusy: 30 s unless set; a hook sets 20 ms. Set it
// first.
func (l *Library) LockWait(d time.Duration) { l.lockWait = d }

// KeepListIn names a folder, mostly the user's cache, where the list of sessions is remembered; without it every
// session.json is read once a run. Set it before the library is used.
func (l *Library) KeepListIn(dir string) { l.listDir = dir }

// Close removes what this process, and dead ones, left under .tmp and .locks. Don't use the library after it.
func (l *Library) Close() error {
	err := l.saveList()
	l.endStage()
	l.tidy()
	return err
}

// MarkBackup notes in library.toml that this is a copy: a question asked of it takes nothing new in.
func (l Inside) MarkBackup() error {
	if err := l.ReadOnly(); err != nil {
		return err
	}
	return l.underLock("folders", func() error {
		f, err := readLibraryFile(l.dir)
		if err != nil || f.Backup {
			return err
		}
		f.Backup = true
		return l.putLibraryFile(f)
	})
}
