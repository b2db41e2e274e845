package claudecode

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"

	"recall/ingest"
)

// Roots lists the configuration folders of Claude Code that exist here.
func (Reader) Roots() []string {
	var all []string
	for _, dir := range strings.Split(os.Getenv("CLAUDE_CONFIG_DIR"), ",") {
		if dir = strings.TrimSpace(dir); dir != "" {
			all = append(all, dir)
		}
	}
	if home, err := os.UserHomeDir(); err == nil {
		all = append(all, filepath.Join(home, ".claude"), filepath.Join(home, ".config", "claude"))
	}
	var roots []string
	var infos []os.FileInfo
	for _, dir := range all {
		info, err := os.Stat(dir)
		if err != nil || !info.IsDir() || slices.ContainsFunc(infos, func(o os.FileInfo) bool { return os.SameFile(o, info) }) {
			continue
		}
		roots, infos = append(roots, filepath.Clean(dir)), append(infos, info)
	}
	return roots
}

// Find lists the sessions under a file or folder.
func (Reader) Find(ctx context.Context, path string, seen ingest.Seen) ([]ingest.Found, []ingest.Problem) {
	f := &finder{ctx: ctx, seen: seen, byID: map[string]*group{}}
	f.find(path)
	return f.found(), f.problems
}

// A finder walks folders and gathers what belongs to each session.
type finder struct {
	ctx      context.Context
	seen     ingest.Seen
	root     string // real path of what was asked for
	byID     map[string]*group
	loose    []looseAgent
	problems []ingest.Problem
}

// group is the files of one session.
type group struct {
	id          string
	transcripts []found
	side        []ingest.File
}

type found struct {
	path, folder string
	info         fs.FileInfo
}

// looseAgent is a sub-agent's file beside the sessions (before 2.1.2).
type looseAgent struct {
	file    ingest.File
	session string
}

func (f *finder) problem(path string, err error) {
	f.problems = append(f.problems, ingest.Problem{Path: path, Reason: err.Error()})
}

func (f *finder) find(path string) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		f.problem(path, err)
		return
	}
	if abs, err := filepath.Abs(real); err == nil {
		real = abs
	}
	info, err := os.Stat(real)
	if err != nil {
		f.problem(path, err)
		return
	}
	f.root = real
	if inCowork(real) {
		return
	}
	if !info.IsDir() {
		f.root = filepath.Dir(real)
		f.file(real, info)
		return
	}
	if base := filepath.Base(real); base == "subagents" || base == "tool-results" {
		return
	}
	if isDir(filepath.Join(real, "projects")) {
		f.walk(filepath.Join(real, "projects"), 0)
		return
	}
	f.walk(real, 0)
}

// skipDirs are folders in which no session lies.
var skipDirs = map[string]bool{
	"subagents": true, "tool-results": true, "workflows": true, "node_modules": true, ".git": true, "file-history": true,
	"shell-snapshots": true, "session-env": true, "debug": true, "telemetry": true, "statsig": true, "backups": true,
	"paste-cache": true, "todos": true, "tasks": true, "plans": true, "memory": true, "plugins": true,
	"local-agent-mode-sessions": true,
}

const maxWalk = 24 // levels; nobody nests deeper on purpose

// walk looks for sessions in a folder and below.
func (f *finder) walk(dir string, level int) {
	if f.ctx.Err() != nil || level > maxWalk {
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		f.problem(dir, err)
		return
	}
	records := map[string]bool{}
	for _, e := range entries {
		if name := e.Name(); strings.HasPrefix(name, "local_") && strings.HasSuffix(name, ".json") {
			records[strings.TrimSuffix(name, ".json")] = true
		}
	}
	for _, e := range entries {
		name := e.Name()
		full := filepath.Join(dir, name)
		switch {
		case e.IsDir():
			if skipDirs[name] || records[name] || strings.HasPrefix(name, "local_") && isStorage(full) {
				continue
			}
			f.walk(full, level+1)
		case strings.HasSuffix(name, ".jsonl"):
			if info, ok := f.stat(full, e); ok {
				f.file(full, info)
			}
		}
	}
}

// stat follows a link to a file only if it stays below the root.
func (f *finder) stat(path string, e fs.DirEntry) (fs.FileInfo, bool) {
	if e.Type()&fs.ModeSymlink == 0 {
		info, err := e.Info()
		if err != nil {
			f.problem(path, err)
			return nil, false
		}
		return info, info.Mode().IsRegular()
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		f.problem(path, err)
		return nil, false
	}
	if rel, err := filepath.Rel(f.root, real); err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		f.problems = append(f.problems, ingest.Problem{Path: path, Reason: "link to outside of " + f.root})
		return nil, false
	}
	info, err := os.Stat(real)
	if err != nil {
		f.problem(path, err)
		return nil, false
	}
	return info, info.Mode().IsRegular()
}

var uuidStem = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)

// file takes in one .jsonl file that may be a session's conversation.
func (f *finder) file(path string, info fs.FileInfo) {
	stem := strings.TrimSuffix(filepath.Base(path), ".jsonl")
	trusted := uuidStem.MatchString(stem) && filepath.Base(filepath.Dir(filepath.Dir(path))) == "projects"
	id := stem
	if !trusted {
		h, err := f.peek(path, stem, info)
		if err != nil {
			f.problem(path, err)
			return
		}
		switch {
		case !h.ours:
			return
		case h.sidechain:
			if h.session != "" {
				f.loose = append(f.loose, looseAgent{fileOf("subagents/agent-"+firstOf(h.agent, strings.TrimPrefix(stem, "agent-"))+".jsonl", ingest.SubagentFile, path, info), h.session})
			}
			return
		case !uuidStem.MatchString(stem) && h.session != "":
			id = h.session
		}
	}
	if err := CheckID(ingest.SessionID(id)); err != nil {
		f.problem(path, err)
		return
	}
	g := f.byID[id]
	if g == nil {
		g = &group{id: id}
		f.byID[id] = g
	}
	g.transcripts = append(g.transcripts, found{path: path, folder: filepath.Base(filepath.Dir(path)), info: info})
	f.sideFiles(g, filepath.Join(filepath.Dir(path), stem))
}

// peek tells what a file is: from what is known of it, else by its beginning.
func (f *finder) peek(path, stem string, info fs.FileInfo) (peeked, error) {
	if f.seen != nil {
		if id, ok := f.seen(path, info.Size(), info.ModTime()); ok {
			agent, loose := strings.CutPrefix(stem, "agent-")
			return peeked{ours: true, session: string(id), sidechain: loose, agent: agent}, nil
		}
	}
	return peek(path)
}

// sideFiles takes in what lies in the folder of a session.
func (f *finder) sideFiles(g *group, dir string) {
	if !isDir(dir) {
		return
	}
	for _, sub := range []string{"subagents", "tool-results"} {
		base := filepath.Join(dir, sub)
		if !isDir(base) {
			continue
		}
		err := filepath.WalkDir(base, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				f.problem(path, err)
				return nil
			}
			rel, relErr := filepath.Rel(dir, path)
			role := sideRole(sub, e.Name())
			if relErr != nil || role == "" || !e.Type().IsRegular() {
				return nil
			}
			if info, ok := f.stat(path, e); ok {
				g.side = append(g.side, fileOf(filepath.ToSlash(rel), role, path, info))
			}
			return nil
		})
		if err != nil {
			f.problem(base, err)
		}
	}
}

func sideRole(folder, name string) ingest.FileRole {
	switch {
	case folder == "tool-results":
		return ingest.ToolResult
	case !strings.HasPrefix(name, "agent-"):
		return ""
	case strings.HasSuffix(name, ".jsonl"):
		return ingest.SubagentFile
	case strings.HasSuffix(name, ".meta.json"):
		return ingest.SubagentMeta
	}
	return ""
}

func fileOf(name string, role ingest.FileRole, path string, info fs.FileInfo) ingest.File {
	return ingest.File{
		Name: name, Role: role, Path: path, Size: info.Size(), Mod: info.ModTime(),
		Open: func() (io.ReadCloser, error) { return os.Open(path) },
	}
}

func isDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// isStorage says whether a folder is a Cowork session's storage.
func isStorage(dir string) bool {
	for _, name := range []string{"audit.jsonl", ".claude"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	_, err := os.Lstat(dir + ".json")
	return err == nil
}

// inCowork says whether path lies in a Cowork session's storage.
func inCowork(path string) bool {
	for dir := path; ; dir = filepath.Dir(dir) {
		base := filepath.Base(dir)
		if base == "local-agent-mode-sessions" || strings.HasPrefix(base, "local_") && isDir(dir) && isStorage(dir) {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// found makes the sessions of all that was gathered, in order of their ids.
func (f *finder) found() []ingest.Found {
	for _, l := range f.loose {
		if g := f.byID[l.session]; g != nil && !slices.ContainsFunc(g.side, func(o ingest.File) bool { return o.Name == l.file.Name }) {
			g.side = append(g.side, l.file)
		}
	}
	out := make([]ingest.Found, 0, len(f.byID))
	for _, g := range f.byID {
		out = append(out, g.found(f.root))
	}
	sort.Slice(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	return out
}

func (g *group) found(root string) ingest.Found {
	sort.SliceStable(g.transcripts, func(i, j int) bool { return g.transcripts[i].info.Size() > g.transcripts[j].info.Size() })
	s := ingest.Found{ID: ingest.SessionID(g.id), Source: ingest.ClaudeCode, Root: root}
	for i, t := range g.transcripts {
		name := mainName
		if i > 0 {
			name = "transcripts/" + t.folder + "-" + itoa(i) + ".jsonl"
		}
		s.Files = append(s.Files, fileOf(name, ingest.Transcript, t.path, t.info))
	}
	sort.Slice(g.side, func(i, j int) bool { return g.side[i].Name < g.side[j].Name })
	s.Files = append(s.Files, g.side...)
	return s
}
