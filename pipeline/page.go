package pipeline

import (
	"errors"
	"os"
	"path/filepath"

	"recall/ingest"
	"recall/library"
	"recall/library/disk"
)

// edited is a size that no file has. It marks a payload.md that isn't as recall last wrote it.
const edited = -1

// lookAtPage returns the state to remember of a session's payload.md, which should read as written. It takes the
// state before it reads the text: a later edit changes the time, an earlier one shows in the text.
func lookAtPage(e library.Entry, written string) fileStat {
	path := filepath.Join(e.Folder, "payload.md")
	f := statPage(path)
	if text, err := disk.ReadPlain(path); err != nil || string(text) != written {
		f.Size = edited
	}
	return f
}

// asWritten reports whether a session's payload.md is as it was last written, and records it if so.
func (r *run) asWritten(e library.Entry) bool {
	p, err := r.Library.Payload(e.ID)
	if err != nil {
		return false
	}
	f := lookAtPage(e, p.Written)
	if f.Size == edited {
		return false
	}
	r.keepPage(e, f)
	return true
}

func (r *run) keepPage(e library.Entry, f fileStat) {
	path, _ := filepath.Rel(r.Library.Dir(), filepath.Join(e.Folder, "payload.md")) // always inside
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.seen.Sessions[e.ID]
	s.Path, s.Page = path, f
	r.seen.set(e.ID, s)
}

// keepKey records the state of a valid session.json. The caller holds mu, or is alone.
func (r *run) keepKey(id ingest.SessionID, f fileStat) {
	if s, ok := r.seen.Sessions[id]; ok {
		s.Key = f
		r.seen.set(id, s)
	}
}

// handEdited finds the sessions whose payload.md isn't as it was written. A deleted payload.md is written again:
// deleting it says nothing about any item. A session whose whole folder was deleted is archived again if its source
// still exists: only forget is meant to lose it. A folder that was merely moved is put back by Settle.
func (r *run) handEdited(changed []ingest.SessionID) {
	if r.options.Only != "" {
		r.edited[r.options.Only] = true
		return
	}
	if len(changed) == 0 {
		return
	}
	// Refresh the list of folders. An error shows when the library is next used.
	_, _ = r.Library.Sessions()
	for _, id := range changed {
		switch e, err := r.Library.Session(id); {
		case errors.Is(err, library.ErrNoSession):
			r.seen.drop(id)
			r.lost = true
		case err == nil && r.asWritten(e):
			r.moved = true
		default:
			r.edited[id] = true
		}
	}
}

// changedPages lists the sessions whose payload.md isn't as recall left it.
func (r *run) changedPages() (changed []ingest.SessionID) {
	if r.options.Only != "" {
		return nil
	}
	stat := r.stat()
	for id, s := range r.seen.Sessions {
		now := stat(s.Path)
		known, faulty := r.seen.Faults[id]
		reported := faulty && known.Page == now && !known.due(r.Time()) // anyway
		if now != s.Page && !reported {
			changed = append(changed, id)
		}
	}
	return changed
}

// maxKeys keeps a sync with nothing new quick with 10,000 sessions: checking each payload.md is most of its work,
// and this is one more check for each folder.
var maxKeys = 2000

// lookAtKeys reports sessions whose session.json can't be used, if nothing else makes the library read them. It only
// compares sizes and times while they are unchanged; if there are very many, each run checks some, until one has
// changed and the library reads them all.
func (r *run) lookAtKeys() {
	if r.options.Only != "" {
		return
	}
	other := map[ingest.SessionID]fileStat{}
	looked, stat := 0, r.stat()
	for id, s := range r.seen.Sessions { // in any order
		if looked++; looked > maxKeys && len(other) == 0 {
			break
		}
		if now := stat(filepath.Join(filepath.Dir(s.Path), "session.json")); now != s.Key {
			other[id] = now
		}
	}
	if len(other) == 0 {
		return
	}
	if _, err := r.Library.Sessions(); err != nil {
		r.problem(r.Library.Dir(), err)
		return
	}
	r.report.Problems = append(r.report.Problems, r.Library.Broken()...)
	for id, f := range other {
		if _, err := r.Library.Session(id); err == nil {
			r.keepKey(id, f)
		}
	}
}

// statPage returns the state of a payload.md or a session.json; its size is edited if there is none.
func statPage(path string) fileStat {
	fi, err := os.Stat(path)
	if err != nil {
		return fileStat{Size: edited}
	}
	return fileStat{fi.Size(), fi.ModTime().UnixNano()}
}

// maxFolders is how many session folders a run checks for being links: more would cost a sync with nothing new a
// tenth of its time.
const maxFolders = 200

// stat returns statPage for files of sessions, by their paths in the library. Anything behind a link counts as
// missing: the library follows none. With very many sessions, each run checks the folders of some.
func (r *intake) stat() func(path string) fileStat {
	real := map[string]bool{} // by the project's folder
	looked := 0
	isReal := func(dir string) bool {
		fi, err := os.Lstat(filepath.Join(r.of.Library.Dir(), dir))
		return err == nil && fi.IsDir()
	}
	return func(path string) fileStat {
		session := filepath.Dir(path)
		project := filepath.Dir(session)
		ok, known := real[project]
		if !known {
			ok = isReal(project)
			real[project] = ok
		}
		if looked++; !ok || looked <= maxFolders && !isReal(session) {
			return fileStat{Size: edited}
		}
		return statPage(filepath.Join(r.of.Library.Dir(), path))
	}
}
