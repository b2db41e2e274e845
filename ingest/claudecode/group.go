package claudecode

import (
	"cmp"
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
)

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
