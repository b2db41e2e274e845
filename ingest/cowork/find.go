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
			f.session(storage)
		}
		return
	}
	if fi.IsDir() {
		f.folder(path, 0)
	} else if storage, ok := strings.CutSuffix(path, ".json"); ok && sessionName().MatchString(filepath.Base(storage)) {
		f.session(storage)
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
func (f *finder) sessionsOf(dir string, entries []fs.DirEntry) (n int) {
	for _, e := range entries {
		at := filepath.Join(dir, e.Name())
		storage, ext := strings.CutSuffix(at, ".json")
		switch {
		case !strings.HasPrefix(e.Name(), "local_"):
		case e.Type()&fs.ModeSymlink != 0:
			f.Problem(at, errLink)
		case e.IsDir() == ext: // neither a record nor a storage folder
		case e.IsDir() && (ingest.IsFile(at+".json") || !claudecode.IsStorage(at)):
		case !sessionName().MatchString(filepath.Base(storage)):
			f.Problem(at, errors.New("not the name of a session"))
		default:
			f.session(storage)
			n++
		}
	}
	return n
}

// session adds a storage folder's session if there is anything to read; to one of the same id, what it has besides.
func (f *finder) session(storage string) {
	l := lister{finder: f, storage: storage}
	if f.Context.Err() == nil {
		l.files()
	}
	record, hasRecord := fileOf(l.list, ingest.Record)
	if len(l.list) == 0 || hasRecord && !f.usable(record, len(l.list) > 1) {
		return
	}
	id := ingest.SessionID(filepath.Base(storage))
	if i := slices.IndexFunc(f.found, func(o ingest.Found) bool { return o.ID == id }); i >= 0 {
		f.found[i].Files = withCopy(f.found[i].Files, l.list)
		return
	}
	l.spaces()
	f.found = append(f.found, ingest.Found{ID: id, Source: ingest.Cowork, Root: f.Root, Files: l.list})
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

// spaces adds the account's list of spaces, which is one folder further up for an agent's session. So that no two
// sessions claim one path, it is written relative to the storage folder; a session without one goes without.
func (l *lister) spaces() {
	above := []string{l.storage, "..", "spaces.json"}
	if filepath.Base(filepath.Dir(l.storage)) == "agent" {
		above = slices.Insert(above, 1, "..")
	}
	if ingest.IsFolder(l.storage) {
		l.addFile("spaces.json", SpacesFile, strings.Join(above, string(filepath.Separator)))
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

// addFile adds a regular file; links, pipes and missing files don't count.
func (l *lister) addFile(name string, role ingest.FileRole, path string) {
	fi, err := os.Lstat(path)
	switch {
	case os.IsNotExist(err):
	case err != nil:
		l.Problem(path, err)
	case fi.Mode()&fs.ModeSymlink != 0:
		l.Problem(path, errLink)
	case fi.Mode().IsRegular():
		l.list = append(l.list, ingest.FileAt(name, role, path, fi))
	}
}

// transcripts lists the conversations in all slugs, which can't be computed from the session, and the files beside
// them.
func (l *lister) transcripts() {
	taken := map[string]bool{}
	l.below(filepath.Join(l.storage, ".claude", "projects"), func(rel, path string, e fs.DirEntry) error {
		parts := strings.SplitN(rel, "/", 3) // slug and file, or slug, conversation and a file beside it
		stem, isLine := strings.CutSuffix(e.Name(), ".jsonl")
		switch {
		case len(parts) == 1 && e.Type()&fs.ModeSymlink != 0:
			l.Problem(path, errLink)
		case len(parts) == 3:
			if role := claudecode.SideRole(parts[2]); role != ingest.SideFile && e.Type().IsRegular() {
				l.addFile(parts[1]+"/"+parts[2], role, path)
			}
		case len(parts) == 1 || !isLine:
		case strings.HasPrefix(stem, "agent-"): // the layout before 2.1.2
			l.addFile("old/subagents/"+e.Name(), ingest.SubagentFile, path)
		default:
			name := "transcripts/" + stem + ".jsonl"
			if taken[name] { // the same id in two slugs: a worktree was entered
				name = "transcripts/" + stem + "." + parts[0] + ".jsonl"
			}
			taken[name] = true
			l.addFile(name, ingest.Transcript, path)
		}
		return nil
	})
	slices.SortStableFunc(l.list, func(a, b ingest.File) int {
		spoken, other := a.Role == ingest.Transcript, b.Role == ingest.Transcript
		switch {
		case spoken && other:
			return cmp.Or(a.Mod.Compare(b.Mod), strings.Compare(a.Name, b.Name))
		case spoken:
			return -1
		case other:
			return 1
		}
		return 0
	})
}

// tree lists the regular files below dir whose names end in ext, except the audit log's key.
func (l *lister) tree(name string, role ingest.FileRole, dir, ext string) {
	n := 0
	l.below(dir, func(rel, path string, e fs.DirEntry) error {
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

// below calls take for each file and link below a folder, which may be missing. It never follows links.
func (l *lister) below(dir string, take func(rel, path string, e fs.DirEntry) error) {
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			if path != dir || !os.IsNotExist(err) {
				l.Problem(path, err)
			}
			return nil
		}
		rel, err := filepath.Rel(dir, path)
		rel = filepath.ToSlash(rel)
		switch {
		case err != nil || rel == ".":
			return nil
		case !e.IsDir():
			return take(rel, path, e)
		case rebuilt[e.Name()] || strings.Count(rel, "/") >= maxTreeDepth:
			return fs.SkipDir
		}
		return nil
	}) // errors are among the problems
}
