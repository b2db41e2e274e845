package claudecode

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"recall/ingest"
)

// group is the files of one session.
type group struct {
	id          string
	transcripts []transcript
	side        []ingest.File
}

// transcript is a file of a conversation's lines: one, but for what a worktree or a copied folder leaves behind.
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

func (g *group) add(file ingest.File) {
	if !slices.ContainsFunc(g.side, func(o ingest.File) bool { return o.Name == file.Name }) {
		g.side = append(g.side, file)
	}
}

// sideFiles takes in what lies in the folder of a session, whatever it is.
func (f *finder) sideFiles(g *group, dir string) {
	f.below(dir, func(name, path string, info fs.FileInfo) {
		g.add(ingest.FileAt(name, sideRole(name), path, info))
	})
}

// below calls take for the files below a folder, by their paths there.
func (f *finder) below(dir string, take func(name, path string, info fs.FileInfo)) {
	f.Walk(dir, func(string) bool { return true }, func(path string, info fs.FileInfo) {
		if rel, err := filepath.Rel(dir, path); err == nil {
			take(filepath.ToSlash(rel), path, info)
		}
	})
}

func sideRole(name string) ingest.FileRole {
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

// found makes the sessions of all that was gathered, in order of their ids.
func (f *finder) found() []ingest.Found {
	for _, l := range f.loose {
		if g := f.byID[ingest.FolderID(l.session)]; g != nil {
			g.add(l.file)
			continue
		}
		f.Problem(l.file.Path, errors.New("sub-agent of session "+l.session+", which isn't here"))
	}
	f.configFiles()
	out := make([]ingest.Found, 0, len(f.byID))
	for _, g := range f.byID {
		out = append(out, g.found(f.Root))
	}
	sort.Slice(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	return out
}

func (g *group) found(root string) ingest.Found {
	g.order()
	s := ingest.Found{ID: ingest.SessionID(g.id), Source: ingest.ClaudeCode, Root: root}
	names := map[string]bool{}
	for i, t := range g.transcripts {
		name := mainName
		if i > 0 {
			name = "transcripts/" + filepath.Base(filepath.Dir(t.path)) + ".jsonl"
			for k := 2; names[name]; k++ {
				name = "transcripts/" + filepath.Base(filepath.Dir(t.path)) + "-" + strconv.Itoa(k) + ".jsonl"
			}
		}
		names[name] = true
		s.Files = append(s.Files, ingest.FileAt(name, ingest.Transcript, t.path, t.info))
	}
	sort.Slice(g.side, func(i, j int) bool { return g.side[i].Name < g.side[j].Name })
	s.Files = append(s.Files, g.side...)
	return s
}

// order puts the transcript first that began first, and fragments last.
func (g *group) order() {
	if len(g.transcripts) < 2 {
		return
	}
	for i := range g.transcripts {
		t := &g.transcripts[i]
		t.started = Started(ingest.FileAt(mainName, ingest.Transcript, t.path, t.info))
	}
	sort.Slice(g.transcripts, func(i, j int) bool {
		a, b := g.transcripts[i], g.transcripts[j]
		switch {
		case a.started.IsZero() != b.started.IsZero():
			return b.started.IsZero()
		case !a.started.Equal(b.started):
			return a.started.Before(b.started)
		}
		return a.path < b.path
	})
}
