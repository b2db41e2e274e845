package pipeline

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"recall/index"
	"recall/ingest"
	"recall/library"
	"recall/library/disk"
	"recall/payload"
)

// edited is a mark that no file has: that of a payload.md that isn't as recall last wrote it.
const edited = "edited"

// lookAtPage returns the mark to remember of a session's payload.md, which should read as written. It takes the mark
// before it reads the text: a later edit changes the time, an earlier one shows in the text.
func lookAtPage(e library.Entry, written string) string {
	path := filepath.Join(e.Folder, "payload.md")
	mark := disk.Mark(path)
	if text, err := disk.ReadPlain(path); err != nil || string(text) != written {
		mark = edited
	}
	return mark
}

// asWritten reports whether a session's payload.md is as it was last written, and records it if so.
func (r *run) asWritten(e library.Entry) bool {
	p, err := r.p.Library.Payload(e.ID)
	if err != nil {
		return false
	}
	mark := lookAtPage(e, p.Written)
	if mark == edited {
		return false
	}
	r.keepPage(e, mark)
	return true
}

func (r *run) keepPage(e library.Entry, mark string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.seen.sessions[e.ID]
	s.Page = mark
	r.keep(e, s)
}

// keep remembers a session's folder as it is now. The caller holds mu, or is alone.
func (r *run) keep(e library.Entry, s seenSession) {
	s.Folder, _ = filepath.Rel(r.p.Library.Dir(), e.Folder) // always inside
	s.Key = r.p.keyOf(s)
	r.seen.set(e.ID, s)
}

// keyOf returns the mark of a session's session.json and of the folder of its segments, which changes as soon as one
// comes or goes.
func (p *Archiver) keyOf(s seenSession) string {
	return disk.Mark(p.inFolder(s, "session.json")) + " " + disk.Mark(p.inFolder(s, "raw"))
}

// inFolder returns the path of a file in a session's folder. filepath.Join would take longer than looking at it.
func (p *Archiver) inFolder(s seenSession, name string) string {
	return p.Library.Dir() + string(filepath.Separator) + s.Folder + string(filepath.Separator) + name
}

// asLeft reports whether a session's folder is as recall left it.
func (p *Archiver) asLeft(s seenSession) bool {
	return (s.Page == "" || disk.Mark(p.inFolder(s, "payload.md")) == s.Page) &&
		p.keyOf(s) == s.Key
}

// changedFolders lists the sessions whose folders aren't as recall left them. Those of a project that is behind a link
// count as missing: the library follows none.
func (r *run) changedFolders() (changed []ingest.SessionID) {
	if r.options.Only != "" {
		return nil
	}
	real := map[string]bool{} // by project
	for id, s := range r.seen.sessions {
		project := filepath.Dir(s.Folder)
		if _, known := real[project]; !known {
			fi, err := os.Lstat(filepath.Join(r.p.Library.Dir(), project))
			real[project] = err == nil && fi.IsDir()
		}
		if !real[project] || !r.p.asLeft(s) {
			changed = append(changed, id)
		}
	}
	return changed
}

// handEdited finds out what happened to folders that changed: payload.md may have been edited. A deleted payload.md is
// written again: deleting it says nothing about any item. A session whose whole folder was deleted is archived again
// if its source still exists: only forget is meant to lose it. A folder that was merely moved is put back by Settle. If
// the key to a folder is another one, or segments have gone, an older copy may have been put there: what is remembered
// of the session's sources is looked at again.
func (r *run) handEdited(changed []ingest.SessionID) {
	if r.options.Only != "" {
		r.edited[r.options.Only] = true
		return
	}
	if len(changed) == 0 {
		return
	}
	// Refresh the list of folders. An error shows when the library is next used.
	_, _ = r.p.Library.Sessions()
	for _, id := range changed {
		switch e, err := r.p.Library.Session(id); {
		case errors.Is(err, library.ErrNoSession):
			r.seen.drop(id)
			r.lost = true
		case err == nil && r.seen.sessions[id].Key != r.p.keyOf(seenSession{Folder: r.p.Library.Rel(e.Folder)}):
			r.seen.drop(id)
			r.lost = true
		case err == nil && r.asWritten(e):
			r.moved = true
		default:
			r.edited[id] = true
		}
	}
}

// written is a line of a payload.md that was rendered in this run.
type written struct {
	session string
	ids     []string
}

// writtenLines are the lines of payloads, by index.LineHash.
type writtenLines struct {
	index *index.Index
	of    map[int64]written // rendered in this run
	known map[int64]bool    // hashes indexed before this run; nil: query them one by one
}

// MarkPasted marks what a session contains that was pasted from payloads of others.
func (p *Pipeline) MarkPasted(ctx context.Context, s *ingest.Session, family []string) {
	s.MarkPasted((&writtenLines{index: p.Index}).pasted(ctx, family))
}

// pasted returns a function that reports whether a line was pasted, without its marker, from another session's
// payload, and for which items. Forks contain the same words because they copied them, so a family's own lines don't
// count.
//
// Somebody may well type the same sentence twice, so a line must be part of a list, as all but a single goal are, or
// follow a payload's title.
func (w *writtenLines) pasted(ctx context.Context, family []string) func(line string) ([]string, bool) {
	page := 0 // how many more lines may belong to a pasted page
	return func(line string) ([]string, bool) {
		line = strings.TrimSpace(line)
		page--
		if line == ingest.PayloadHeading || strings.HasPrefix(line, ingest.PayloadHeading+": ") {
			page = pageLines
			return nil, true
		}
		// The session line and the note of how many items were cut are around a page's items.
		frame := strings.HasPrefix(line, "Session ") && strings.Contains(line, " · distilled by ") || payload.IsCutNote(line)
		if page > 0 && (frame || payload.IsHeading(line) || line == ingest.Confirmation) {
			return nil, true
		}
		if len(line) < shortestLine || page <= 0 && !index.Listed(line) {
			return nil, false
		}
		hash := index.LineHash(line)
		if of, ok := w.of[hash]; ok && !slices.Contains(family, of.session) {
			return of.ids, true
		}
		if w.known != nil && !w.known[hash] {
			return nil, false
		}
		// An index error shows when something is written to it.
		ids, ok, _ := w.index.Known(ctx, line, family...)
		return ids, ok
	}
}

const (
	// shortestLine is the length in bytes from which equality with a payload's line is no coincidence.
	shortestLine = 24
	// pageLines is the maximum length of a payload.md.
	pageLines = 200
)
