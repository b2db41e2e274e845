package guard

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
)

// Names of folders that hold a client's data, wherever they are.
const (
	coworkSessions = "local-agent-mode-sessions"
	codeTabRecords = "claude-code-sessions"
)

// vmFolders hold the disks of the app's virtual machines.
var vmFolders = map[string]bool{"claude-code-vm": true, "vm_bundles": true}

// notFiles are folders at the top of a system that hold no files.
var notFiles = map[string]bool{"/proc": true, "/sys": true, "/dev": true}

// walk searches the paths for sessions outside of the configured places and for dangerous folders, and counts the
// other files.
func (g *guarding) walk(ctx context.Context) error {
	for _, at := range g.report.Paths {
		if at.Gone || IsDemo(at.Real) {
			continue
		}
		for dir := at.Real; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			if vmFolders[filepath.Base(dir)] {
				g.danger(dir, DangerVM, !g.options.VM)
			}
		}
		err := filepath.WalkDir(at.Real, func(path string, d fs.DirEntry, err error) error {
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case errors.Is(err, fs.ErrNotExist):
				return nil // removed meanwhile
			case err != nil:
				g.report.Problems = append(g.report.Problems, ingest.Problem{Path: path, Err: err})
				g.danger(path, DangerUnread, true)
				return nil
			case d.IsDir() && (path == g.own || g.special(path)):
				return fs.SkipDir
			case d.Type()&fs.ModeSymlink != 0 && ingest.IsFolder(path): // it contains nothing
			case !d.IsDir() && !g.known[path]:
				g.groups[g.groupOf(path)]++
				name, json := strings.CutSuffix(strings.TrimSuffix(d.Name(), ".zst"), ".json")
				document := json && (strings.HasPrefix(name, "local_") || strings.HasPrefix(name, "session-"))
				database := ingest.OnDisk(filepath.Join(path, "x")) == path
				if strings.HasSuffix(name, ".jsonl") || document || database {
					g.loose = append(g.loose, path)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	g.findMore(ctx)
	for path, n := range g.groups {
		if n > 0 {
			g.report.Other.Count += n
			g.report.Other.Groups = append(g.report.Other.Groups, FileGroup{path, n})
		}
	}
	slices.SortFunc(g.report.Other.Groups, func(a, b FileGroup) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Path, b.Path))
	})
	return ctx.Err()
}

// special notices folders that are known by name or content, and reports whether to skip them.
func (g *guarding) special(dir string) bool {
	up, name := filepath.Dir(dir), filepath.Base(dir)
	client := filepath.Base(up)
	switch {
	case notFiles[dir], IsDemo(dir):
		return true
	case vmFolders[name]:
		g.danger(dir, DangerVM, !g.options.VM)
		return false
	case name == coworkSessions || name == codeTabRecords:
		g.anchors = append(g.anchors, dir)
	case name == "projects" && (ingest.IsFile(filepath.Join(up, "settings.json")) || client == ".claude"),
		strings.HasSuffix(name, "sessions") && client == ingest.Codex.Client().Home,
		name == "tmp" && client == ingest.Gemini.Client().Home:
		g.anchors = append(g.anchors, up)
	case ingest.IsFile(filepath.Join(dir, "opencode.db")):
		g.anchors = append(g.anchors, dir)
	case ingest.IsFile(filepath.Join(dir, "library.toml")):
		g.danger(dir, DangerOther, true)
		return true
	default:
		return false
	}
	g.danger(dir, DangerSource, false)
	return false
}

// findMore asks the readers about what isn't known yet: folders that look like a client's, and transcripts in other
// places. What they recognize is subtracted from the count of other files.
func (g *guarding) findMore(ctx context.Context) {
	before := maps.Clone(g.known)
	g.strange = true
	slices.Sort(g.anchors)
	for _, dir := range g.anchors {
		for _, reader := range g.Readers {
			g.find(ctx, reader, dir)
		}
	}
	for _, path := range g.loose {
		if g.known[path] || ctx.Err() != nil {
			continue
		}
		for _, reader := range g.Readers {
			found, _ := reader.Find(ctx, path, nil) // what isn't a session is just another file
			for _, s := range found {
				g.take(s)
			}
		}
	}
	for path := range g.known {
		if !before[path] {
			g.groups[g.groupOf(path)]--
		}
	}
}

// groupOf returns the path under which a file is counted: the first name below the path that was asked about.
func (g *guarding) groupOf(path string) string {
	for _, at := range g.report.Paths {
		if rel, ok := strings.CutPrefix(path, strings.TrimSuffix(at.Real, sep)+sep); ok {
			first, _, _ := strings.Cut(rel, sep)
			return filepath.Join(at.Real, first)
		}
	}
	return path
}

const sep = string(filepath.Separator)
