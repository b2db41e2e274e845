package ingest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"recall/internal/text"
)

// FileRole says what part a file plays in its session.
type FileRole string

const (
	Transcript   FileRole = "transcript"
	SubagentFile FileRole = "subagent"
	SubagentMeta FileRole = "subagent-meta"
	ToolResult   FileRole = "tool-result"
	AuditLog     FileRole = "audit"
	Record       FileRole = "record" // Cowork's local_<id>.json
	SideFile     FileRole = "side"   // anything else in the session's own folder, and its tasks: kept, not parsed
	UploadFile   FileRole = "upload"
	OutputFile   FileRole = "output"
	MemoryFile   FileRole = "memory"  // see Source.Memory
	PlaceFile    FileRole = "place"   // names the folder that sessions ran in; they share it
	PromptLog    FileRole = "prompts" // prompts typed where there is no transcript; see Salvager
)

// A File is one of a session's files, at its source or in the library; parsers can't tell which.
type File struct {
	// relative to the session, slash-separated: "transcript.jsonl", "subagents/agent-a1.jsonl", "record.json",
	// "audit.jsonl", "tool-results/x.txt"
	Name  string
	Role  FileRole
	Path  string // where it was found on this machine, "" if only in the library
	Size  int64
	Mod   time.Time
	Stamp string // see Stamp; "" if it isn't on this machine
	Open  func() (io.ReadCloser, error)
}

// FileAt returns a session's file at its source.
func FileAt(name string, role FileRole, path string, info fs.FileInfo) File {
	return File{Name: name, Role: role, Path: path, Size: info.Size(), Mod: info.ModTime(), Stamp: Stamp(path, info),
		Open: func() (io.ReadCloser, error) { return os.Open(path) }}
}

// Head reads at most limit bytes of a file and reports whether that is the whole file.
func (f File) Head(limit int64) (b []byte, whole bool, err error) {
	in, err := f.Open()
	if err != nil {
		return nil, false, err
	}
	defer in.Close()
	b, err = io.ReadAll(io.LimitReader(in, limit+1))
	return b[:min(int64(len(b)), limit)], int64(len(b)) <= limit, err
}

// ReadStart reads at most n bytes from the start of a local file; "" if it can't be read.
func ReadStart(path string, n int64) string { return readPart(path, n, false) }

// ReadEnd reads at most n bytes from the end of a local file; "" if it can't be read.
func ReadEnd(path string, n int64) string { return readPart(path, n, true) }

func readPart(path string, n int64, end bool) string {
	if !IsFile(path) { // opening a pipe would wait for its writer
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	from := int64(0)
	if fi, err := f.Stat(); end && err == nil {
		from = max(0, fi.Size()-n)
	}
	b, _ := io.ReadAll(io.NewSectionReader(f, from, n)) // as far as it can be read
	return string(b)
}

// IsFile reports whether a path leads to a regular file of this machine.
func IsFile(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.Mode().IsRegular()
}

// IsFolder reports whether a path leads to a folder of this machine.
func IsFolder(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}

// WithoutPath strips the path from a file system error, for messages that already name it.
func WithoutPath(err error) error {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// HomeFolders returns a client's folders that exist: the named ones ("" names none), and the usual ones in the home
// folder.
func HomeFolders(named []string, usual ...string) []string {
	if home, err := os.UserHomeDir(); err == nil {
		for _, name := range usual {
			named = append(named, filepath.Join(home, name))
		}
	}
	return Folders(named)
}

// Folders returns those of dirs that exist, each once however many names it has.
func Folders(dirs []string) []string {
	var there []string
	var infos []fs.FileInfo
	for _, dir := range dirs {
		info, err := os.Stat(dir)
		same := func(o fs.FileInfo) bool { return os.SameFile(o, info) }
		if err == nil && info.IsDir() && !slices.ContainsFunc(infos, same) {
			there, infos = append(there, filepath.Clean(dir)), append(infos, info)
		}
	}
	return there
}

// Found is a session as discovery sees it: ids and files, with nothing parsed beyond what gives the id.
type Found struct {
	ID     SessionID
	Source Source
	Root   string // the root it was found under
	Files  []File // the conversation first; a Cowork session's transcripts oldest first
}

// FilesOf returns the files with a role.
func (f Found) FilesOf(role FileRole) []File {
	return slices.DeleteFunc(slices.Clone(f.Files), func(file File) bool { return file.Role != role })
}

// A Problem is an error about a file or folder that discovery or reading could not use.
type Problem struct {
	Path string `json:"path" show:"path"`
	Err  error  `json:"reason" show:"path"`
}

// Reason says why, without the path, which the system's errors repeat.
func (p Problem) Reason() string {
	if pe := (*fs.PathError)(nil); errors.As(p.Err, &pe) && pe.Path == p.Path && pe.Error() == p.Err.Error() {
		return pe.Err.Error()
	}
	return p.Err.Error()
}

func (p Problem) Error() string { return p.Path + ": " + p.Reason() }
func (p Problem) Unwrap() error { return p.Err }

// MarshalJSON implements json.Marshaler.
func (p Problem) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Path   string `json:"path"`
		Reason string `json:"reason"`
	}{p.Path, p.Reason()})
}

// A Reader finds and parses one kind of source. It is stateless and safe for concurrent use.
type Reader interface {
	Source() Source

	// Roots lists the default folders of this source that exist, each once however many names it has.
	Roots() []string

	// Find lists the sessions under a file or folder, recognized by content, not by the folder's name; those of other
	// sources are left to their Readers. What can't be read is a Problem and affects nothing else. It parses nothing,
	// and peeks only into files that seen (nil: none) doesn't know: 10,000 sessions with nothing new open no file.
	Find(ctx context.Context, path string, seen Seen) ([]Found, []Problem)

	// Parse reads a whole session. A bad line is skipped and reported in
	// Session.Report; the error is for files that can't be opened or read.
	Parse(ctx context.Context, f Found) (*Session, error)
}

// Seen tells which session an unchanged file was found to belong to earlier; false if the file is new or its size or
// time changed.
type Seen func(path string, size int64, mod time.Time) (SessionID, bool)

// Stamp tells content from other content written over it with the same size and time. It is the time at which the
// system saw the file change, which no program can set, or else a hash of the file's beginning and end; "" where
// neither can be had.
func Stamp(path string, fi fs.FileInfo) string {
	if at, ok := changedAt(fi); ok {
		return strconv.FormatInt(at, 36)
	}
	const n = 2 << 10
	ends := ReadStart(path, n) + ReadEnd(path, n)
	if ends == "" { // unreadable: archiving will report why
		return ""
	}
	return "~" + text.Hash(ends, 8)
}

// A Holder is a kind of file that sessions' files are made from, such as a database. Their paths extend its own.
type Holder struct {
	Holds func(path string) bool                   // reports whether a path is one's
	Now   func(path string) (file File, err error) // the error is fs.ErrNotExist if there is no such file, or no holder
}

// Holders are the kinds that clients have.
var Holders []Holder

// holderOf returns the holder of a path, nil if that is a file of the file system.
func holderOf(path string) *Holder {
	up := filepath.Dir(path)
	at := slices.IndexFunc(Holders, func(h Holder) bool { return h.Holds(up) })
	if at < 0 || IsFolder(up) {
		return nil
	}
	return &Holders[at]
}

// OnDisk returns the file that a path names or leads into.
func OnDisk(path string) string {
	if holderOf(path) != nil {
		return filepath.Dir(path)
	}
	return path
}

// FileNow returns a session's file as it now is at its source. The error is fs.ErrNotExist if it is gone.
func FileNow(name string, role FileRole, path string) (File, error) {
	if h := holderOf(path); h != nil {
		f, err := h.Now(path)
		f.Name, f.Role = name, role
		return f, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return File{}, err
	}
	return FileAt(name, role, path, info), nil
}

// A Search looks for sessions on behalf of a Reader, which knows where they lie and how to recognize them.
type Search struct {
	Context  context.Context
	Seen     Seen   // nil: none
	Root     string // the folder searched, or the one around the file
	Problems []Problem

	followed []fs.FileInfo // folders that links led to
}

// Look calls look with the real path of path. Errors are added to the problems.
func (s *Search) Look(path string, look func(real string) error) {
	real, err := RealPath(path)
	if err == nil {
		err = look(real)
	}
	if err = cmp.Or(err, s.Context.Err()); err != nil { // if interrupted, what was found so far is incomplete
		s.Problem(path, err)
	}
}

// LookFor calls file if path is a file, or walk if it is a folder.
func (s *Search) LookFor(path string, walk func(dir string), file func(path string, info fs.FileInfo)) {
	s.Look(path, func(real string) error { return s.In(real, walk, file) })
}

// In is LookFor for a path without links.
func (s *Search) In(path string, walk func(dir string), file func(path string, info fs.FileInfo)) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		s.Root = path
		walk(path)
	case info.Mode().IsRegular():
		s.Root = filepath.Dir(path)
		file(path, info)
	default: // a pipe would block
		return errors.New("neither a file nor a folder")
	}
	return nil
}

// Follow returns the folder that a link leads to, if it is to be searched: one of the user's own, by whatever name each
// once, that doesn't hold what is searched. Files in it are found by their real paths.
func (s *Search) Follow(path string) (real string, ok bool) {
	real, err := RealPath(path)
	if err != nil {
		return "", false
	}
	info, err := os.Stat(real)
	if err != nil || !info.IsDir() || !ownersFolder(info) {
		return "", false
	}
	up, _ := filepath.Rel(real, s.Root)
	followed := func(o fs.FileInfo) bool { return os.SameFile(o, info) }
	if filepath.IsLocal(up) || slices.ContainsFunc(s.followed, followed) {
		return "", false
	}
	s.followed = append(s.followed, info)
	return real, true
}

// Walk calls file with the wanted files below a folder. It skips .git and node_modules unless they are wanted
// themselves. Links to folders are followed (see Follow), others reported.
func (s *Search) Walk(dir string, wanted func(path string) bool, file func(path string, info fs.FileInfo)) {
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil: // e can be nil
			s.Problem(path, err)
		case s.Context.Err() != nil:
			return fs.SkipAll
		case e.IsDir() && (e.Name() == "node_modules" || e.Name() == ".git") && !wanted(path):
			return fs.SkipDir
		case e.Type()&fs.ModeSymlink != 0 && IsFolder(path):
			if real, ok := s.Follow(path); ok {
				s.Walk(real, wanted, file)
			}
		case e.IsDir() || !wanted(path):
		case !e.Type().IsRegular():
			s.Problem(path, errors.New("not a regular file, not followed"))
		default:
			if info, err := e.Info(); err != nil {
				s.Problem(path, err)
			} else {
				file(path, info)
			}
		}
		return nil
	}) // errors are among the problems
}

// RealPath returns the absolute path without links.
func RealPath(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	return filepath.Abs(real)
}

// Problem records why a path could not be used.
func (s *Search) Problem(path string, err error) {
	s.Problems = append(s.Problems, Problem{Path: path, Err: err})
}

// Known returns the session that an unchanged file was found to belong to earlier.
func (s *Search) Known(path string, size int64, mod time.Time) (SessionID, bool) {
	if s.Seen == nil {
		return "", false
	}
	return s.Seen(path, size, mod)
}
