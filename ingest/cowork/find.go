package cowork

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
	"recall/ingest/claudecode"
	"recall/internal/text"
)

// maxDepth is how deep below the folder sessions are searched for: a root's are 3 deep, those of the app's data folder
// 4.
const maxDepth = 8

// sessionName matches the names of a session's record and storage folder.
var sessionName = text.Pattern(`^local_[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// notSearched are folders beside the accounts' that contain none of the app's sessions, though some look-alikes.
var notSearched = map[string]bool{"skills-plugin": true, "node_modules": true, "claude-code-sessions": true}

// finder collects the results of one call of Find.
type finder struct {
	ingest.Search
	found []ingest.Found
}

// find identifies path by its content.
func (f *finder) find(path string) {
	fi, err := os.Stat(path)
	if err != nil {
		f.Problem(path, err)
		return
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	f.Root = path
	if storage, own := storageAround(path); storage != "" {
		if own {
			f.sessions(filepath.Dir(storage), []string{filepath.Base(storage)})
		}
		return
	}
	if fi.IsDir() {
		f.folder(path, 0)
	} else if stem, ok := strings.CutSuffix(filepath.Base(path), ".json"); ok && sessionName().MatchString(stem) {
		f.sessions(filepath.Dir(path), []string{stem})
	}
}

// storageAround finds the storage folder that path is or is in; own reports whether path stands for the session.
// Uploads and outputs can hold anything, even copies of other sessions' records.
func storageAround(path string) (storage string, own bool) {
	for at, below := path, ""; ; {
		if sessionName().MatchString(filepath.Base(at)) && claudecode.IsStorage(at) {
			first, _, _ := strings.Cut(filepath.ToSlash(below), "/")
			return at, first == "" || first == ".claude" || first == "audit.jsonl"
		}
		up := filepath.Dir(at)
		if up == at {
			return "", false
		}
		at, below = up, filepath.Join(filepath.Base(at), below)
	}
}

// folder searches a folder that isn't a session's storage. Beside sessions, only "agent" is searched further.
func (f *finder) folder(dir string, depth int) {
	if f.Context.Err() != nil {
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		f.Problem(dir, err)
	}
	sessions := f.sessionsOf(dir, entries)
	for _, e := range entries {
		name := e.Name()
		switch {
		case !e.IsDir(), depth >= maxDepth, notSearched[name], strings.HasPrefix(name, "."),
			strings.HasPrefix(name, "local_"):
		case sessions > 0 && name != "agent":
		default:
			f.folder(filepath.Join(dir, name), depth+1)
		}
	}
}

// sessionsOf adds the sessions directly in dir, recognized by record, storage folder or both, and returns their number.
func (f *finder) sessionsOf(dir string, entries []fs.DirEntry) int {
	isRecord := map[string]bool{}
	for _, e := range entries {
		if stem, ok := strings.CutSuffix(e.Name(), ".json"); ok && !e.IsDir() {
			isRecord[stem] = true
		}
	}
	var names []string
	for _, e := range entries {
		name := e.Name()
		stem, ext := strings.CutSuffix(name, ".json")
		switch {
		case !strings.HasPrefix(name, "local_"):
		case e.Type()&fs.ModeSymlink != 0:
			f.Problem(filepath.Join(dir, name), errLink)
		case e.IsDir() == ext: // neither a record nor a storage folder
		case e.IsDir() && (isRecord[name] || !claudecode.IsStorage(filepath.Join(dir, name))):
		case !sessionName().MatchString(stem):
			f.Problem(filepath.Join(dir, name), errors.New("not the name of a session"))
		default:
			names = append(names, stem)
		}
	}
	f.sessions(dir, names)
	return len(names)
}

// sessions lists the files of the named sessions.
func (f *finder) sessions(dir string, names []string) {
	if len(names) == 0 {
		return
	}
	spaces := f.spacesOf(dir)
	for _, name := range names {
		l := lister{finder: f, storage: filepath.Join(dir, name)}
		if f.Context.Err() == nil {
			l.files()
		}
		if f.addSession(l.storage, l.list) && spaces != nil {
			last := &f.found[len(f.found)-1]
			last.Files = append(last.Files, spaces(l.storage)...)
		}
	}
}

// addSession adds a storage folder's session if there is anything to read and its id is new.
func (f *finder) addSession(storage string, files []ingest.File) bool {
	record, hasRecord := fileOf(files, ingest.Record)
	if len(files) == 0 || hasRecord && !f.usable(record, len(files) > 1) {
		return false
	}
	id := ingest.SessionID(filepath.Base(storage))
	if i := slices.IndexFunc(f.found, func(o ingest.Found) bool { return o.ID == id }); i >= 0 {
		f.found[i].Files = withCopy(f.found[i].Files, files)
		return false
	}
	f.found = append(f.found, ingest.Found{ID: id, Source: ingest.Cowork, Root: f.Root, Files: files})
	return true
}

// withCopy adds the files of a session's copy under another account. Its conversations are read as well; of other files
// with the same name, both are kept, and the first is read.
func withCopy(files, copied []ingest.File) []ingest.File {
	for _, file := range copied {
		for n := 2; slices.ContainsFunc(files, func(o ingest.File) bool { return o.Name == file.Name }); n++ {
			ext := path.Ext(file.Name)
			file.Name = fmt.Sprintf("%s.copy%d%s", strings.TrimSuffix(file.Name, ext), n, ext)
			if file.Role != ingest.Transcript {
				file.Role = ingest.SideFile
			}
		}
		files = append(files, file)
	}
	return files
}

// spacesOf returns a function that gives a session the account's list of spaces as one of its files; nil if there is no
// list. Agent sessions are one folder below it. So that no two sessions claim one path, it is written relative to the
// storage folder; a session without one goes without.
func (f *finder) spacesOf(dir string) func(storage string) []ingest.File {
	account, up := dir, ".."
	if filepath.Base(dir) == "agent" {
		account, up = filepath.Dir(dir), filepath.Join("..", "..")
	}
	l := lister{finder: f}
	spaces, ok := l.file("spaces.json", SpacesFile, filepath.Join(account, "spaces.json"))
	if !ok {
		return nil
	}
	return func(storage string) []ingest.File {
		if !ingest.IsFolder(storage) {
			return nil
		}
		own := spaces
		own.Path = storage + string(filepath.Separator) + up + string(filepath.Separator) + "spaces.json"
		return []ingest.File{own}
	}
}

// usable examines a new record's beginning. An unusable one rules the session out only if there is nothing else.
func (f *finder) usable(record ingest.File, more bool) bool {
	if _, ok := f.Known(record.Path, record.Size, record.Mod); ok {
		return true
	}
	why := whyUnusable(record)
	if why != "" && !more {
		f.Problem(record.Path, errors.New(why))
	}
	return why == "" || more
}

func fileOf(files []ingest.File, role ingest.FileRole) (ingest.File, bool) {
	for _, f := range files {
		if f.Role == role {
			return f, true
		}
	}
	return ingest.File{}, false
}

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
