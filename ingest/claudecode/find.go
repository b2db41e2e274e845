package claudecode

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"recall/ingest"
	"recall/internal/text"
)

// Roots lists the configuration folders of Claude Code that exist.
func (Reader) Roots() []string {
	home, err := os.UserHomeDir()
	var all []string
	for _, dir := range strings.Split(os.Getenv("CLAUDE_CONFIG_DIR"), ",") {
		dir = strings.TrimSpace(dir)
		if rest, ok := strings.CutPrefix(dir, "~/"); ok && err == nil {
			dir = filepath.Join(home, rest)
		}
		all = append(all, dir)
	}
	return ingest.HomeFolders(all, ".claude", filepath.Join(".config", "claude"))
}

// Find lists the sessions under a file or folder.
func (r Reader) Find(ctx context.Context, path string, seen ingest.Seen) ([]ingest.Found, []ingest.Problem) {
	f := &finder{Search: ingest.Search{Context: ctx, Seen: seen}, byID: map[string]*group{}, roots: map[string]bool{}}
	f.Look(path, func(path string) error {
		if inCowork(path) {
			return nil
		}
		return f.In(sessionAround(path), f.root, func(path string, info fs.FileInfo) {
			f.file(path, info, configRootOf(filepath.Dir(path)), isDir(strings.TrimSuffix(path, ".jsonl")))
		})
	})
	return f.found(), f.Problems
}

// A finder walks folders and groups files by session.
type finder struct {
	ingest.Search
	byID  map[string]*group
	roots map[string]bool // configuration folders of the sessions found
	loose []looseAgent
}

// root walks a folder that contains sessions at any depth.
func (f *finder) root(dir string) {
	if ingest.ClaudeCode.OwnFolder(dir) {
		dir, _ = ingest.RealPath(filepath.Join(dir, "projects"))
	}
	f.walk(dir, 0)
}

// sessionAround returns the conversation that a side file or folder belongs to, else path itself.
func sessionAround(path string) string {
	for dir := path; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if base := filepath.Base(dir); base != "subagents" && base != "tool-results" {
			continue
		}
		if main := filepath.Dir(dir) + ".jsonl"; ingest.IsFile(main) {
			return main
		}
		return path
	}
	if main := path + ".jsonl"; isDir(path) && ingest.IsFile(main) {
		return main
	}
	return path
}

// skipDirs are folders that contain no sessions.
var skipDirs = text.Set(`subagents tool-results workflows node_modules .git file-history shell-snapshots session-env
	debug telemetry statsig paste-cache local-agent-mode-sessions`)

const maxWalk = 24 // levels; deeper nesting is an accident

// walk searches a folder and those below it.
func (f *finder) walk(dir string, level int) {
	if f.Context.Err() != nil || level > maxWalk {
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		f.Problem(dir, err)
		return
	}
	folder := map[string]bool{} // by name: whether it is one
	for _, e := range entries {
		folder[e.Name()] = e.IsDir()
	}
	root := configRootOf(dir)
	for _, e := range entries {
		name := e.Name()
		full := filepath.Join(dir, name)
		switch {
		case e.Type()&fs.ModeSymlink != 0 && ingest.IsFolder(full):
			if real, ok := f.Follow(full); ok {
				f.walk(real, level+1)
			}
		case e.Type()&fs.ModeSymlink != 0 && isProjects(full):
			if _, err := os.Stat(full); errors.Is(err, fs.ErrNotExist) {
				f.Problem(full, errors.New("a link that leads nowhere: sessions in it can't be seen"))
			}
		case e.IsDir():
			if uuid().MatchString(name) && root != "" { // a session's own folder
				if _, spoken := folder[name+".jsonl"]; !spoken && hasAgents(full) {
					f.sideFiles(f.group(name), full)
				}
				continue
			}
			if !skipDirs[name] && !(strings.HasPrefix(name, "local_") && IsStorage(full)) {
				f.walk(full, level+1)
			}
		case strings.HasSuffix(name, ".jsonl"):
			if info, ok := f.stat(full, e); ok {
				f.file(full, info, root, folder[strings.TrimSuffix(name, ".jsonl")])
			}
		}
	}
}

// isProjects reports whether a path is where the client keeps the sessions of all projects, or those of one.
func isProjects(path string) bool {
	return filepath.Base(path) == "projects" || filepath.Base(filepath.Dir(path)) == "projects" && filepath.Ext(path) == ""
}

// stat follows a link to a file only if its target is below the root.
func (f *finder) stat(path string, e fs.DirEntry) (fs.FileInfo, bool) {
	info, err := e.Info()
	if e.Type()&fs.ModeSymlink != 0 {
		var real string
		if real, err = filepath.EvalSymlinks(path); err == nil {
			if rel, bad := filepath.Rel(f.Root, real); bad != nil || !filepath.IsLocal(rel) {
				err = errors.New("link to outside of " + f.Root)
			} else {
				info, err = os.Stat(real)
			}
		}
	}
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file, not followed")
	}
	if err != nil {
		f.Problem(path, err)
	}
	return info, err == nil
}

var uuid = text.Pattern(`^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// file adds a .jsonl file that could be a conversation. One with a UUID as its name, in the place where the client puts
// it below the configuration folder root, needn't be opened. hasFolder: there is a folder with its side files.
func (f *finder) file(path string, info fs.FileInfo, root string, hasFolder bool) {
	stem := strings.TrimSuffix(filepath.Base(path), ".jsonl")
	named := uuid().MatchString(stem)
	id := stem
	if !named || root == "" {
		h := peeked{ours: true}
		var err error
		if known, ok := f.Known(path, info.Size(), info.ModTime()); ok {
			h.session = string(known)
			h.agent, h.sidechain = strings.CutPrefix(stem, "agent-")
		} else {
			h, err = peek(path)
		}
		switch {
		case err != nil:
			f.Problem(path, err)
			return
		case !h.ours:
			return
		case h.sidechain:
			f.loose = append(f.loose, looseAgent{
				session: h.session,
				file: ingest.FileAt("subagents/agent-"+cmp.Or(h.agent, strings.TrimPrefix(stem, "agent-"))+".jsonl",
					ingest.SubagentFile, path, info),
			})
			return
		case !named && h.session != "":
			id = h.session
		}
	}
	if !named { // a UUID is fit as it is
		id = ingest.FolderID(id)
	}
	g := f.group(id)
	if root != "" {
		g.root = cmp.Or(g.root, root)
		f.roots[root] = true
	}
	g.transcripts = append(g.transcripts, transcript{path: path, info: info})
	if hasFolder {
		f.sideFiles(g, strings.TrimSuffix(path, ".jsonl"))
	}
}

// group returns the group of a session, new or not.
func (f *finder) group(id string) *group {
	g := f.byID[id]
	if g == nil {
		g = &group{id: id}
		f.byID[id] = g
	}
	return g
}

// hasAgents reports whether a session's folder holds sub-agents' conversations.
func hasAgents(dir string) bool {
	agents, _ := filepath.Glob(filepath.Join(dir, "subagents", "agent-*.jsonl")) // an invalid pattern finds none
	return len(agents) > 0
}

func isDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// IsStorage reports whether a folder is a Cowork session's storage, which belongs to another reader.
func IsStorage(dir string) bool {
	return isDir(dir) && (ingest.IsFile(dir+".json") || ingest.IsFile(filepath.Join(dir, "audit.jsonl")) ||
		isDir(filepath.Join(dir, ".claude", "projects")))
}

// inCowork reports whether path is within a Cowork session's storage.
func inCowork(path string) bool {
	for dir := path; ; dir = filepath.Dir(dir) {
		base := filepath.Base(dir)
		if base == "local-agent-mode-sessions" || strings.HasPrefix(base, "local_") && IsStorage(dir) {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

type group struct {
	id          string
	root        string // its configuration folder, "" for none
	transcripts []transcript
	side        []ingest.File
}

// transcript is a file of a conversation: there is one, unless a worktree or a copied folder left others behind.
type transcript struct {
	path    string
	info    fs.FileInfo
	started time.Time // of its first turn, zero for a fragment without any
}

// looseAgent is a sub-agent's file beside the sessions (before 2.1.2).
type looseAgent struct {
	file    ingest.File
	session string
}

func (g *group) addFile(file ingest.File) {
	if !slices.ContainsFunc(g.side, func(o ingest.File) bool { return o.Name == file.Name }) {
		g.side = append(g.side, file)
	}
}

// sideFiles adds everything in a session's folder.
func (f *finder) sideFiles(g *group, dir string) {
	f.below(dir, func(name, path string, info fs.FileInfo) {
		g.addFile(ingest.FileAt(name, SideRole(name), path, info))
	})
}

// below calls take for the files below a folder, with their relative paths.
func (f *finder) below(dir string, take func(name, path string, info fs.FileInfo)) {
	f.Walk(dir, func(string) bool { return true }, func(path string, info fs.FileInfo) {
		if rel, err := filepath.Rel(dir, path); err == nil {
			take(filepath.ToSlash(rel), path, info)
		}
	})
}

// SideRole returns the role of a file in a session's folder, by its path there.
func SideRole(name string) ingest.FileRole {
	folder, base := path.Split(name)
	switch top, _, _ := strings.Cut(folder, "/"); {
	case top == "tool-results":
		return ingest.ToolResult
	case top == "subagents" && strings.HasPrefix(base, "agent-") && strings.HasSuffix(base, ".jsonl"):
		return ingest.SubagentFile
	case top == "subagents" && strings.HasPrefix(base, "agent-") && strings.HasSuffix(base, ".meta.json"):
		return ingest.SubagentMeta
	}
	return ingest.SideFile
}

// found returns the sessions, ordered by id.
func (f *finder) found() []ingest.Found {
	for _, l := range f.loose {
		f.group(ingest.FolderID(l.session)).addFile(l.file)
	}
	f.taskFiles()
	out := make([]ingest.Found, 0, len(f.byID))
	for _, id := range slices.Sorted(maps.Keys(f.byID)) {
		out = append(out, f.byID[id].found(f.Root))
	}
	return out
}

func (g *group) found(root string) ingest.Found {
	g.order()
	s := ingest.Found{ID: ingest.SessionID(g.id), Source: ingest.ClaudeCode, Root: root}
	names := map[string]bool{}
	s.Files = make([]ingest.File, 0, len(g.transcripts)+len(g.side))
	for i, t := range g.transcripts {
		name := ingest.MainName
		if i > 0 {
			name = "transcripts/" + filepath.Base(filepath.Dir(t.path)) + ".jsonl"
			for k := 2; names[name]; k++ {
				name = "transcripts/" + filepath.Base(filepath.Dir(t.path)) + "-" + strconv.Itoa(k) + ".jsonl"
			}
		}
		names[name] = true
		s.Files = append(s.Files, ingest.FileAt(name, ingest.Transcript, t.path, t.info))
	}
	slices.SortFunc(g.side, func(a, b ingest.File) int { return strings.Compare(a.Name, b.Name) })
	s.Files = append(s.Files, g.side...)
	return s
}

// order sorts the transcript that began first to the front, and fragments to the end.
func (g *group) order() {
	if len(g.transcripts) < 2 {
		return
	}
	for i := range g.transcripts {
		t := &g.transcripts[i]
		t.started = Started(ingest.FileAt(ingest.MainName, ingest.Transcript, t.path, t.info))
	}
	begun := func(t transcript) int { return map[bool]int{false: -1}[t.started.IsZero()] }
	slices.SortFunc(g.transcripts, func(a, b transcript) int {
		return cmp.Or(begun(a)-begun(b), a.started.Compare(b.started), strings.Compare(a.path, b.path))
	})
}

// taskFiles adds the sessions' tasks, <root>/tasks/<session>/<file>.json.
func (f *finder) taskFiles() {
	for root := range f.roots {
		dir := filepath.Join(root, "tasks")
		sessions, _ := os.ReadDir(dir) // most have none
		for _, s := range sessions {
			g := f.byID[s.Name()]
			if g == nil || g.root != root || !s.IsDir() {
				continue
			}
			f.below(filepath.Join(dir, s.Name()), func(file, path string, info fs.FileInfo) {
				if strings.HasSuffix(file, ".json") {
					g.addFile(ingest.FileAt("tasks/"+file, ingest.SideFile, path, info))
				}
			})
		}
	}
}

// configRootOf returns the configuration folder for a folder of transcripts, <root>/projects/<slug>; "" for any other.
func configRootOf(dir string) string {
	projects := filepath.Dir(dir)
	if filepath.Base(projects) != "projects" {
		return ""
	}
	return filepath.Dir(projects)
}
