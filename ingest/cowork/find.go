package cowork

import (
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
