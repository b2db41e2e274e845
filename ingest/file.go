package ingest

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"recall/text"
)

// FileRole says what a file is to its session.
type FileRole string

const (
	Transcript   FileRole = "transcript"
	SubagentFile FileRole = "subagent"
	SubagentMeta FileRole = "subagent-meta"
	ToolResult   FileRole = "tool-result"
	AuditLog     FileRole = "audit"
	Record       FileRole = "record" // Cowork's local_<id>.json
	TodoFile     FileRole = "todo"
	HistoryFile  FileRole = "file-history" // a file as it was before it was edited; taken only where that is asked for
	// anything else in the session's own folder, or a sub-agent's todos: kept, not parsed
	SideFile   FileRole = "side"
	PlanFile   FileRole = "plan"
	UploadFile FileRole = "upload"
	OutputFile FileRole = "output"
	MemoryFile FileRole = "memory"  // see Keeper
	PlaceFile  FileRole = "place"   // names the folder that sessions ran in: shared by them
	PromptLog  FileRole = "prompts" // what was typed, where there is no transcript; see Keeper
)

// A File is one of a session's files, at its source or in the library: a parser doesn't know which.
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

// FileAt is a file of a session at its source.
func FileAt(name string, role FileRole, path string, info fs.FileInfo) File {
	return File{Name: name, Role: role, Path: path, Size: info.Size(), Mod: info.ModTime(), Stamp: Stamp(path, info),
		Open: func() (io.ReadCloser, error) { return os.Open(path) }}
}

// Head reads at most limit bytes of a file and reports whether that is all.
func (f File) Head(limit int64) (b []byte, whole bool, err error) {
	in, err := f.Open()
	if err != nil {
		return nil, false, err
	}
	defer in.Close()
	b, err = io.ReadAll(io.LimitReader(in, limit+1))
	return b[:min(int64(len(b)), limit)], int64(len(b)) <= limit, err
}

// Beginning is that of a file of this machine, at most so many bytes; "" if it can't be read.
func Beginning(path string, most int64) string { return stretch(path, most, false) }

// End is that of a file of this machine, at most so many bytes; "" if it can't be read.
func End(path string, most int64) string { return stretch(path, most, true) }

func stretch(path string, most int64, end bool) string {
	if !IsFile(path) { // to open a pipe is to wait for its writer
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	from := int64(0)
	if fi, err := f.Stat(); end && err == nil {
		from = max(0, fi.Size()-most)
	}
	b, _ := io.ReadAll(io.NewSectionReader(f, from, most)) // as far as it can be read
	return string(b)
}

// IsFile reports whether a path is that of a file of this machine, or leads to one: no folder, no pipe.
func IsFile(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.Mode().IsRegular()
}

// IsFolder reports whether a path is that of a folder of this machine, or leads to one.
func IsFolder(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}

// WithoutPath is an error of the file system's without the path, for who says that beside it.
func WithoutPath(err error) error {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// HomeFolders are a client's folders that exist: named ones ("" names none), and the usual ones in the home folder.
func HomeFolders(named []string, usual ...string) []string {
	if home, err := os.UserHomeDir(); err == nil {
		for _, name := range usual {
			named = append(named, filepath.Join(home, name))
		}
	}
	return Folders(named)
}

// Folders are those of the folders that are there, each once however many names it goes by.
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

// Found is a session as discovery sees it: ids and files, nothing parsed but what tells the id.
type Found struct {
	ID     SessionID
	Source Source
	Root   string // the root it was found under
	Files  []File // the conversation first; several transcripts of one Cowork session oldest first
}

// Of are the files that are this to the session.
func (f Found) Of(role FileRole) []File {
	return slices.DeleteFunc(slices.Clone(f.Files), func(file File) bool { return file.Role != role })
}

// Problem is something that discovery or reading came upon and could not use.
type Problem struct {
	Path   string `json:"path" show:"path"`
	Reason string `json:"reason" show:"path"`
}

// Why is why something was skipped, without its path, which the system's
// errors say again.
func (p Problem) Why() string {
	if op, why, ok := strings.Cut(p.Reason, " "+p.Path+": "); ok && !strings.ContainsAny(op, " :") {
		return why
	}
	return p.Reason
}

// A Reader finds and parses one kind of source. It is stateless and safe for concurrent use.
type Reader interface {
	Source() Source

	// Roots lists the default folders of this source that exist, each once however many names it has.
	Roots() []string

	// Find lists the sessions under a file or folder, told by content, not by the folder's name; other sources' are
	// left to their Readers. What can't be read is a Problem and costs nothing else. It parses nothing, and peeks only
	// into files that seen (nil: none) doesn't know: 10,000 sessions with nothing new open no file.
	Find(ctx context.Context, path string, seen Seen) ([]Found, []Problem)

	// Head reads just enough to know a session's family: the identities of its first conversational record. Sessions
	// with a key in common may be forks of one another (see Own).
	Head(ctx context.Context, f Found) (Head, error)

	// Parse reads a whole session. A bad line is skipped and reported in
	// Session.Report; the error is for files that can't be opened or read.
	Parse(ctx context.Context, f Found) (*Session, error)
}

// A Keeper is a Reader whose client remembers things beside its sessions. They are kept under an id of their own, as a
// session's files are; nothing is parsed or made of them.
type Keeper interface {
	// Memory lists what there is of it below a root, its files named by their
	// paths there; none where the root isn't the client's own folder. What leave says isn't to be kept isn't in it:
	// what belongs to a session, a folder and a time, as far as each is known, or none of them. It may be nil.
	Memory(root string, leave func(id SessionID, dir string, at time.Time) bool) (Found, []Problem)

	// Salvage lists the wanted sessions of which a memory, at its source or in the library, holds what was typed: each
	// one file, of the time when something was last typed. The report counts the memory's unreadable lines.
	Salvage(ctx context.Context, memory Found, wanted func(SessionID) bool) ([]Found, Report, error)
}

// Seen answers which session an unchanged file was found to belong to earlier;
// false if the file is new or its size or time changed.
type Seen func(path string, size int64, mod time.Time) (SessionID, bool)

// Head is what is known of a session before it is parsed.
type Head struct {
	Keys    []string // identities of the first user or assistant record: its uuid, and time and text hashed
	ID      SessionID
	Started time.Time
	Version string // of the client
	Empty   bool   // no user or assistant record at all
}

// Head is that of a session whose beginning was parsed.
func (s *Session) Head() Head {
	head := Head{ID: s.ID, Empty: true}
	if n := len(s.Versions); n > 0 {
		head.Version = s.Versions[n-1]
	}
	for i := range s.Turns {
		if t := &s.Turns[i]; len(t.Keys) > 0 {
			head.Empty, head.Keys, head.Started = false, t.Keys, t.At
			break
		}
	}
	return head
}

// Stamp tells content from what was written over it with the same size and time: when the system saw it change, which
// no program can set, or else a hash of how the file begins and ends; "" where neither can be had.
func Stamp(path string, fi fs.FileInfo) string {
	if at, ok := changedAt(fi); ok {
		return strconv.FormatInt(at, 36)
	}
	const read = 2 << 10
	ends := Beginning(path, read) + End(path, read)
	if ends == "" { // if it can't be read, who takes its bytes finds out why
		return ""
	}
	return "~" + text.Hash(ends, 8)
}
