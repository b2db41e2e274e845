package pipeline

import (
	"errors"
	"os"
	"path/filepath"

	"recall/ingest"
	"recall/library"
	"recall/library/disk"
)

// edited is the size of a payload.md that isn't as it was last written: no
// file has it.
const edited = -1

// lookAtPage says what is to be remembered of a session's payload.md that
// should read as written. It is looked at before it is read: an edit after
// that changes its time, one before it shows in the text.
func lookAtPage(e library.Entry, written string) fileStat {
	path := filepath.Join(e.Folder, "payload.md")
	f := statPage(path)
	if text, err := disk.ReadPlain(path); err != nil || string(text) != written {
		f.Size = edited
	}
	return f
}

// asWritten reports whether a session's payload.md is as it was last written, and
// remembers it if so.
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
	path, err := filepath.Rel(r.Library.Dir(), filepath.Join(e.Folder, "payload.md"))
	if err != nil {
		return // it stays unknown and is looked at again
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.seen.Sessions[e.ID]
	s.Path, s.Page = path, f
	r.seen.set(e.ID, s)
}

// keepKey notes session.json as it was when it was good. The caller holds mu, or is alone.
func (r *run) keepKey(id ingest.SessionID, f fileStat) {
	if s, ok := r.seen.Sessions[id]; ok {
		s.Key = f
		r.seen.set(id, s)
	}
}

// handEdited finds the sessions whose payload.md isn't as it was written. One
// that was deleted is written again: that is no word about any item. A session
// whose whole folder was deleted is taken in again, if its source is still
// there: only forgetting it is meant to lose it. A folder that was merely moved
// is put back by Settle.
func (r *run) handEdited() {
	if r.options.Only != "" {
		r.edited[r.options.Only] = true
		return
	}
	var other []ingest.SessionID
	stat := r.stat()
	for id, s := range r.seen.Sessions {
		now := stat(s.Path)
		if now == s.Page {
			continue
		}
		if known, ok := r.seen.Faults[id]; ok && known.Page == now && !known.due(r.Time()) {
			continue // and it is reported
		}
		other = append(other, id)
	}
	if len(other) == 0 {
		return
	}
	// A look at the folders as they are now. A fault of it shows when something
	// is asked of the library.
	_, _ = r.Library.Sessions()
	for _, id := range other {
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

// keysAtOnce keeps a sync with nothing new over 10,000 sessions quick: a look at
// each payload.md is most of what it does, and this is another at each folder.
var keysAtOnce = 2000

// lookAtKeys tells of sessions whose session.json can't be used, where nothing
// else has the library read them. While all are as they were when they were last
// read, it only looks at their sizes and times; of very many, each time at some, until
// one isn't: the library reads all of them for that one.
func (r *run) lookAtKeys() {
	if r.options.Only != "" {
		return
	}
	other := map[ingest.SessionID]fileStat{}
	looked, stat := 0, r.stat()
	for id, s := range r.seen.Sessions { // in any order
		if looked++; looked > keysAtOnce && len(other) == 0 {
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

// statPage is a payload.md, or a session.json, as it is now; size edited if there is none.
func statPage(path string) fileStat {
	fi, err := os.Stat(path)
	if err != nil {
		return fileStat{Size: edited}
	}
	return fileStat{fi.Size(), fi.ModTime().UnixNano()}
}

// foldersAtOnce is how many folders of sessions a run looks at for links: more cost a
// sync with nothing new a tenth of its time.
const foldersAtOnce = 200

// stat returns statPage for files of sessions, by their paths in the library. What lies
// behind a link is as if it weren't there: the library follows none. Of very many
// sessions, each time the folders of some are looked at.
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
		if looked++; !ok || looked <= foldersAtOnce && !isReal(session) {
			return fileStat{Size: edited}
		}
		return statPage(filepath.Join(r.of.Library.Dir(), path))
	}
}
