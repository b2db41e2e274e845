package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"recall/internal/text"
)

// A Client is the program that wrote a session.
type Client struct {
	Name string // as people call it
	Home string // its folder below the home folder, "" if it has none there
	Env  string // the variable that overrides Home, "" if none does
	// the command that resumes a session, given its id, in the folder it worked in; "" if there is none
	Resume string
	// where its agent's notes, and plans, lie below Home: files, and folders with all that they hold
	notes []string
	kept  []string // folders of Home that sessions are written to, first one that always exists; none: anywhere
}

// Client returns the program that writes sessions of a source, or what it remembers beside them.
func (s Source) Client() Client {
	if of, ok := strings.CutSuffix(string(s), memoryEnd); ok {
		c := Source(of).Client()
		c.Resume = ""
		return c
	}
	switch s {
	case ClaudeCode:
		return Client{Name: "Claude Code", Home: ".claude", Env: "CLAUDE_CONFIG_DIR", Resume: "claude --resume",
			kept: []string{"projects", "tasks"}, notes: []string{"projects/*/memory", "plans"}}
	case Codex:
		return Client{Name: "Codex", Home: ".codex", Env: "CODEX_HOME", Resume: "codex resume",
			kept: []string{"sessions", "archived_sessions"}, notes: []string{"memories"}}
	case Gemini:
		return Client{Name: "Gemini CLI", Home: ".gemini", Resume: "gemini --resume", kept: []string{"tmp"},
			notes: []string{"GEMINI.md", "tmp/*/memory", "tmp/*/plans", "tmp/*/*/plans"}}
	case OpenCode:
		return Client{Name: "OpenCode", Home: ".local/share/opencode", Resume: "opencode --session"}
	}
	return Client{Name: "Cowork"}
}

// OwnFolder reports whether a root, without links, is its client's own folder, in which sessions are searched for only
// where the client keeps them.
func (s Source) OwnFolder(root string) bool {
	has := func(name string) bool {
		return IsFolder(filepath.Join(root, name))
	}
	base := filepath.Base(root)
	switch s {
	case ClaudeCode:
		return has("projects") && (base == ".claude" || base == "claude" ||
			slices.ContainsFunc([]string{"settings.json", "history.jsonl", ".claude.json"}, func(name string) bool {
				return IsFile(filepath.Join(root, name))
			}))
	case Codex:
		return has("sessions") || has("archived_sessions")
	case Gemini:
		return base == s.Client().Home && IsFolder(filepath.Join(root, "tmp"))
	}
	return false
}

// WatchedIn lists the folders or files from which Find takes the sessions of a root without links.
func WatchedIn(s Source, root string) []string {
	if s == OpenCode {
		dbs := []string{root}
		if IsFolder(root) {
			dbs, _ = filepath.Glob(filepath.Join(root, "*.db")) // OPENCODE_DB can name any of them
		}
		for _, path := range slices.Clone(dbs) {
			dbs = append(dbs, path+"-wal")
		}
		return dbs
	}
	var dirs []string
	keeps := func(root string) {
		for _, name := range s.Client().kept {
			dirs = append(dirs, filepath.Join(root, name))
		}
	}
	if s.OwnFolder(root) {
		keeps(root)
		return dirs
	}
	dirs = []string{root}
	for _, at := range []string{root, filepath.Dir(root)} {
		if s == ClaudeCode && filepath.Base(at) == "projects" { // what a session has elsewhere is taken too
			keeps(filepath.Dir(at))
		}
	}
	return dirs
}

// ErrNoPlace means that it isn't known where a client would look for a session's files.
var ErrNoPlace = errors.New("it isn't known where the client looks for it")

// A Layout is a Reader that knows where its client looks for a session's files, so that they can be restored.
type Layout interface {
	// Cut says where the client keeps a session's files. Where it derives paths from dir, the folder the session worked
	// in, so does Cut; otherwise, or if dir is "", it goes by where each file was. The error is ErrNoPlace.
	Cut(f Found, dir string) (Cut, error)
}

// A Cut splits a file's path into the root (see Reader.Roots) that its session was kept under and the rest,
// slash-separated; "" if it can't tell.
type Cut func(file File) (base, rel string)

// CutAt returns a Cut before one element of a path: at gives its place, less than 1 if there is none.
func CutAt(at func(file File, parts []string) int) Cut {
	return func(file File) (base, rel string) {
		parts := strings.Split(SlashPath(file.Path), "/")
		i := at(file, parts)
		if i < 1 {
			return "", ""
		}
		return cmp.Or(strings.Join(parts[:i], "/"), "/"), strings.Join(parts[i:], "/")
	}
}

// BaseOf returns the root that a session was kept under, "" if its files' paths don't show it.
func BaseOf(l Layout, f Found) string {
	cut, err := l.Cut(f, "")
	for _, file := range f.Files {
		if err != nil {
			break
		}
		if base, rel := cut(file); rel != "" {
			return filepath.FromSlash(base)
		}
	}
	return ""
}

// PlacesOf gives each of a session's files, by name, its path below such a root, never leaving it.
func PlacesOf(l Layout, f Found, dir string) (map[string]string, error) {
	cut, err := l.Cut(f, dir)
	if err != nil {
		return nil, err
	}
	places := map[string]string{}
	for _, file := range f.Files {
		_, at := cut(file)
		if !filepath.IsLocal(filepath.FromSlash(at)) {
			return nil, fmt.Errorf("session %s: %s was at %q: %w", f.ID, file.Name, file.Path, ErrNoPlace)
		}
		places[file.Name] = at
	}
	return places, nil
}

// LastName returns the last element of a path of any system.
func LastName(path string) string {
	path = strings.TrimRight(path, `/\`)
	return path[strings.LastIndexAny(path, `/\`)+1:]
}

// SlashPath converts a path of any system to slashes, without "." and "..".
func SlashPath(path string) string {
	if strings.Contains(path, `\`) && (strings.HasPrefix(path, `\\`) || len(path) > 1 && path[1] == ':') {
		path = strings.ReplaceAll(path, `\`, "/")
	}
	var parts []string
	for _, p := range strings.Split(path, "/") {
		switch {
		case p == ".." && len(parts) > 0:
			parts = parts[:len(parts)-1]
		case p != "." && p != ".." && (p != "" || len(parts) == 0):
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, "/")
}

// DatabaseURI returns the URI by which SQLite opens a database, given its absolute path and query parameters. A drive
// gets no slash before it: SQLite's own VFS for Windows would remove it again, ours doesn't.
func DatabaseURI(path, query string) string {
	path = filepath.ToSlash(path)
	u := url.URL{Scheme: "file", OmitHost: !strings.HasPrefix(path, "/"), Path: path, RawQuery: query}
	return u.String()
}

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
	about := func(name string, known ...string) string {
		if of, ok := r.(Keeper); ok {
			return of.About(real, name, known)
		}
		return ""
	}
	unwanted := func(name string) bool {
		if leave == nil {
			return false
		}
		dirs := slices.DeleteFunc(slices.Clone(ranIn), func(dir string) bool { return about(name, dir) == "" })
		if len(dirs) == 0 {
			dirs = []string{about(name)}
		}
		return slices.ContainsFunc(dirs, func(dir string) bool { return leave("", dir) })
	}
	for _, pattern := range r.Source().Client().notes {
		// A folder that can't be read is reported by the search for sessions.
		places, _ := fs.Glob(os.DirFS(real), pattern)
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
