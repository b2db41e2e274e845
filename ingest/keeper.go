package ingest

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"recall/internal/text"
)

// What a client remembers outside its sessions, the notes that its agent wrote for later ones and its plans, is kept
// under an id of its own, like a session's files, but never parsed or distilled. Where they lie is in the table of
// clients.

const memoryEnd = "-memory"

// Memory returns the source of what the client remembers.
func (s Source) Memory() Source { return s + memoryEnd }

// IsMemory reports whether this is the source of what a client remembers, not of sessions.
func (s Source) IsMemory() bool { return strings.HasSuffix(string(s), memoryEnd) }

// MemoryTitle is the display name of what a client remembers.
func (s Source) MemoryTitle() string { return s.Client().Name + "'s own memory" }

// Leave reports whether to exclude what belongs to a session and a folder, as far as each is known.
type Leave func(id SessionID, dir string) bool

// A Keeper is a Reader whose client keeps notes about single folders.
type Keeper interface {
	// About returns the folder that a note is about, given its path below a root: one of the known, if there are any;
	// "" if it is about none, or that can't be told.
	About(root, name string, known []string) string
}

// A Salvager is a Reader whose client also keeps what was typed in all sessions.
type Salvager interface {
	// Prompts returns the log of prompts below a root, without what is excluded, and the folders that it names; a file
	// without a name if there is none.
	Prompts(root string, leave Leave) (log File, dirs []string, err error)

	// Salvage lists the wanted sessions whose prompts a memory holds, at its source or in the library: each as one
	// file, dated by its last prompt. The report counts the memory's unreadable lines.
	Salvage(ctx context.Context, memory Found, wanted func(SessionID) bool) ([]Found, Report, error)
}

// MemoryOf lists what a reader's client remembers below a root; nothing if that isn't its own folder. leave may be nil.
func MemoryOf(r Reader, root string, leave Leave) (Found, []Problem) {
	real, err := RealPath(root)
	if err != nil || !r.Source().OwnFolder(real) {
		return Found{}, nil
	}
	m := Found{ID: SessionID("memory-" + text.Hash(filepath.ToSlash(real), 4)), Source: r.Source().Memory(), Root: real}
	s := &Search{Context: context.Background(), Root: real}
	var ranIn []string
	if of, ok := r.(Salvager); ok {
		log, dirs, err := of.Prompts(real, leave)
		if ranIn = dirs; err != nil {
			s.Problem(log.Path, err)
		} else if log.Name != "" {
			m.Files = append(m.Files, log)
		}
	}
	left := map[string]bool{} // by folder of the client
	unwanted := func(name string) bool {
		if leave == nil {
			return false
		}
		about := func(known []string) string {
			if of, ok := r.(Keeper); ok {
				return of.About(real, name, known)
			}
			return ""
		}
		out, known := left[path.Dir(name)]
		if !known {
			dirs := slices.DeleteFunc(slices.Clone(ranIn), func(dir string) bool {
				return about([]string{dir}) == ""
			})
			if len(dirs) == 0 {
				dirs = []string{about(nil)}
			}
			out = slices.ContainsFunc(dirs, func(dir string) bool { return leave("", dir) })
			left[path.Dir(name)] = out
		}
		return out
	}
	for _, pattern := range r.Source().Client().notes {
		places, _ := fs.Glob(os.DirFS(real), pattern) // a folder that can't be read is reported by the search for sessions
		for _, place := range places {
			at := filepath.Join(real, filepath.FromSlash(place))
			s.Walk(at, func(string) bool { return true }, func(path string, info fs.FileInfo) {
				name := place
				if rel, err := filepath.Rel(at, path); err != nil {
					return
				} else if rel != "." {
					name += "/" + filepath.ToSlash(rel)
				}
				if !unwanted(name) {
					m.Files = append(m.Files, FileAt(name, MemoryFile, path, info))
				}
			})
		}
	}
	return m, s.Problems
}

// IsNote reports whether a memory's file is a text for its reader, by its name.
func IsNote(name string) bool { return path.Ext(name) == ".md" }

// InMemory is the Layout of what clients remember: each file goes where it was.
var InMemory Layout = inMemory{}

type inMemory struct{}

func (inMemory) Cut(f Found, _ string) (Cut, error) {
	return func(file File) (base, rel string) { return f.Root, file.Name }, nil
}
