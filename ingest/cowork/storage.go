package cowork

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
	"recall/ingest/claudecode"
	"recall/internal/text"
)

// SpacesFile is the account's list of spaces, which names a session's.
const SpacesFile ingest.FileRole = "spaces"

// Limits for listing uploads and outputs, which are a person's folders.
const (
	maxTreeDepth = 16
	maxTreeFiles = 10_000
)

// rebuilt are folders in outputs that tools fill and can recreate.
var rebuilt = text.Set(`node_modules .git .venv venv __pycache__ .cache`)

var errLink = errors.New("a symbolic link, not followed")

type lister struct {
	*finder
	storage string
	list    []ingest.File
}

// files lists files in the order of ingest.Found: transcripts oldest first.
func (l *lister) files() {
	l.transcripts()
	l.addFile("audit.jsonl", ingest.AuditLog, filepath.Join(l.storage, "audit.jsonl"))
	l.addFile("record.json", ingest.Record, l.storage+".json")
	l.tree("tasks", ingest.SideFile, filepath.Join(l.storage, ".claude", "tasks"), ".json")
	l.tree("uploads", ingest.UploadFile, filepath.Join(l.storage, "uploads"), "")
	l.tree("outputs", ingest.OutputFile, filepath.Join(l.storage, "outputs"), "")
}

func (l *lister) addFile(name string, role ingest.FileRole, path string) {
	if f, ok := l.file(name, role, path); ok {
		l.list = append(l.list, f)
	}
}

// file describes a regular file; links, pipes and missing files don't count.
func (l *lister) file(name string, role ingest.FileRole, path string) (ingest.File, bool) {
	fi, err := os.Lstat(path)
	if err != nil {
		if !os.IsNotExist(err) {
			l.Problem(path, err)
		}
		return ingest.File{}, false
	}
	if fi.Mode()&fs.ModeSymlink != 0 {
		l.Problem(path, errLink)
	}
	if !fi.Mode().IsRegular() {
		return ingest.File{}, false
	}
	return ingest.FileAt(name, role, path, fi), true
}

// transcripts lists the conversations in all slugs, which can't be computed from the session, and the files beside
// them.
func (l *lister) transcripts() {
	var found, beside []ingest.File
	taken := map[string]bool{}
	for _, slug := range l.slugs() {
		for _, e := range l.entries(slug) {
			stem, isLine := strings.CutSuffix(e.Name(), ".jsonl")
			path := filepath.Join(slug, e.Name())
			switch {
			case e.IsDir():
				beside = append(beside, l.sideFiles(e.Name(), path)...)
			case !isLine:
			case strings.HasPrefix(stem, "agent-"): // the layout before 2.1.2
				if f, ok := l.file("old/subagents/"+e.Name(), ingest.SubagentFile, path); ok {
					beside = append(beside, f)
				}
			default:
				name := "transcripts/" + stem + ".jsonl"
				if taken[name] { // the same id in two slugs: a worktree was entered
					name = "transcripts/" + stem + "." + filepath.Base(slug) + ".jsonl"
				}
				taken[name] = true
				if f, ok := l.file(name, ingest.Transcript, path); ok {
					found = append(found, f)
				}
			}
		}
	}
	slices.SortStableFunc(found, func(a, b ingest.File) int {
		return cmp.Or(a.Mod.Compare(b.Mod), strings.Compare(a.Name, b.Name))
	})
	l.list = append(append(l.list, found...), beside...)
}

// slugs lists the folders of .claude/projects.
func (l *lister) slugs() (dirs []string) {
	projects := filepath.Join(l.storage, ".claude", "projects")
	for _, e := range l.entries(projects) {
		dir := filepath.Join(projects, e.Name())
		if e.IsDir() {
			dirs = append(dirs, dir)
		} else if e.Type()&fs.ModeSymlink != 0 {
			l.Problem(dir, errLink)
		}
	}
	return dirs
}

// sideFiles lists a transcript's sub-agents and spilled tool results.
func (l *lister) sideFiles(stem, dir string) []ingest.File {
	side := lister{finder: l.finder, storage: l.storage}
	side.tree(stem, ingest.SideFile, dir, "")
	for i := range side.list {
		side.list[i].Role = claudecode.SideRole(side.list[i].Name[len(stem)+1:])
	}
	return slices.DeleteFunc(side.list, func(f ingest.File) bool { return f.Role == ingest.SideFile })
}

// tree lists the regular files below dir whose names end in ext. It never follows links or lists the audit log's key.
func (l *lister) tree(name string, role ingest.FileRole, dir, ext string) {
	n := 0
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			if path != dir || !os.IsNotExist(err) {
				l.Problem(path, err)
			}
			return nil
		}
		rel, relErr := filepath.Rel(dir, path)
		if relErr != nil || rel == "." {
			return nil
		}
		rel = filepath.ToSlash(rel)
		if e.IsDir() {
			if rebuilt[e.Name()] || strings.Count(rel, "/") >= maxTreeDepth {
				return fs.SkipDir
			}
			return nil
		}
		if !e.Type().IsRegular() || e.Name() == ".audit-key" || !strings.HasSuffix(e.Name(), ext) {
			return nil
		}
		if n++; n > maxTreeFiles {
			l.Problem(dir, fmt.Errorf("more than %d files; the rest is left out", maxTreeFiles))
			return fs.SkipAll
		}
		l.addFile(name+"/"+rel, role, path)
		return nil
	})
}

// entries lists a folder, which may be missing.
func (l *lister) entries(dir string) []fs.DirEntry {
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		l.Problem(dir, err)
	}
	return entries
}
