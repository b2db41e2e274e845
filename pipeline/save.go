package pipeline

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"recall/index"
	"recall/ingest"
	"recall/ingest/trace"
	"recall/internal/redact"
	"recall/library"
	"recall/library/disk"
	"recall/library/manifest"
	"recall/library/render"
	"recall/payload"
)

// page is a payload with its Markdown, before it is saved.
type page struct {
	payload *payload.Payload
	lines   []index.Line // of the Markdown
	seen    []byte       // payload.md on disk at the time of the merge
}

// merge combines a new distillation, the previous payload and people's edits, and renders the result.
func (r *run) merge(m *Member) (page, error) {
	old, onDisk, err := r.p.Library.Saved(m.Entry.ID)
	if err != nil {
		return page{}, err
	}
	if err := r.takeEdits(m.Entry.ID, old, onDisk); err != nil {
		return page{}, err
	}
	edits, err := r.p.Library.Edits(m.Entry.ID)
	if err != nil {
		return page{}, err
	}
	if slices.ContainsFunc(edits, func(e payload.Edit) bool { return e.Op == payload.OpMark }) {
		if err := r.p.Library.UpdateMarks(m.Entry.ID); err != nil { // in case a run stopped between the edit and the mark
			return page{}, err
		}
	}
	fresh := *m.fresh
	fresh.Items = slices.Clone(fresh.Items)
	if old != nil && old.Made.Rules != fresh.Made.Rules { // the new rules may find more secrets
		old = redactedAgain(old, redact.New().Text)
		renumber(old, m.Session)
	}
	if !m.improved {
		r.keepModelItems(old, &fresh, m)
	}
	old = withoutOthers(old, &fresh, m.Session, edits)
	payload.Inherit(old, &fresh)
	fresh.Title = titleOf(m.Session, &fresh)
	p := payload.Apply(&fresh, edits)
	m.Session.Title = p.Title // a person may have set it
	md := payload.Render(p, payload.Options{Variant: r.p.Variant, Budget: r.p.Budget,
		Editable: true})
	p.Written, p.WrittenIDs = md.Text, md.Shown
	return page{payload: p, lines: linesIn(p), seen: onDisk}, nil
}

// titleOf returns a session's title. One that is only what was asked first gives way to what was turned to since.
func titleOf(s *ingest.Session, p *payload.Payload) string {
	for _, it := range p.Items {
		if it.Kind != payload.Goal || !it.Current() || len(it.Evidence) == 0 {
			continue
		}
		for i := range s.Turns {
			if t := &s.Turns[i]; !t.Aside() && t.N < it.Evidence[0].N && ingest.TitleOf(t.OwnText()) == s.Title {
				return ingest.TitleOf(it.Text)
			}
		}
	}
	return s.Title
}

// save places a session and writes its derived files. If a person edits payload.md at the same time, the edit is
// merged, not overwritten.
func (r *run) save(m *Member) error {
	meta := r.meta(m)
	if r.mu.Lock(); meta.Less && !m.Entry.Shorter() && len(r.touched[m.Entry.ID]) > 0 && r.report.Grown > 0 {
		r.report.Grown, r.report.Shrunk = r.report.Grown-1, r.report.Shrunk+1 // only reading it told so
	}
	r.mu.Unlock()
	transcript := render.Transcript(m.Session, render.About{Title: m.Session.Title, Project: ownName(m.project),
		Outputs: m.Entry.Outputs()})
	for try := 0; ; try++ {
		p := m.page.payload
		err := r.p.Library.SavePayload(m.Entry.ID, library.Derived{
			Payload: p, Markdown: []byte(p.Written), Transcript: transcript, Seen: m.page.seen, Meta: &meta,
		})
		if !errors.Is(err, library.ErrEdited) || try == 3 {
			return err
		}
		if m.page, err = r.merge(m); err != nil {
			return err
		}
	}
}

// Manifest describes what the work of a session, as Read returns it, needs and left behind. Names of uploads and
// outputs are redacted too.
func (p *Pipeline) Manifest(s *ingest.Session, did *trace.Trace, e library.Entry) manifest.Manifest {
	archived := Archived(e)
	clean := redact.New().Text
	for i := range archived {
		archived[i].Name = clean(archived[i].Name)
	}
	return manifest.Of(s, did, archived)
}

// Archived lists the uploads and outputs of a session that the library has.
func Archived(e library.Entry) (all []manifest.Archived) {
	for _, f := range e.Files {
		if f.Role == ingest.UploadFile || f.Role == ingest.OutputFile {
			all = append(all, manifest.Archived{Name: f.Name, Size: f.Size, SHA256: f.Sum})
		}
	}
	return all
}

// quietFor is how long a session must be quiet before its title becomes part of its folder's name.
const quietFor = 24 * time.Hour

// meta is what parsing told of a session: the content of its entry, and where its folder belongs.
func (r *run) meta(m *Member) library.Meta {
	e, s := m.Entry, m.Session
	meta := library.Meta{
		Project: m.project.ID, Also: m.also, Briefly: m.briefly,
		Title: s.Title, Start: s.Start, End: s.End, Branch: s.Where.Branch,
		Aliases: s.Aliases, Heads: e.Heads, Turns: len(s.Turns), Plans: s.PlanFiles, Helper: s.Helper,
		Headless: s.Headless, Less: lacks(e.Source, s.Turns), Unread: s.Report.Partial(),
	}
	e.End = s.End
	meta.Settled = e.Quiet(r.p.Time()) > quietFor
	if s.Parent != nil {
		meta.Parent, meta.How = s.Parent.Session, s.Parent.How
	}
	return meta
}

// nameQuiet gives their final folder name to sessions that were still active when they were archived and are quiet
// now.
func (r *run) nameQuiet() error {
	entries, err := r.p.Library.Sessions()
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Named != "" || e.Project == "" || e.Title == "" || e.Quiet(r.p.Time()) <= quietFor {
			continue
		}
		meta := e.Meta
		meta.Settled = true
		if err := r.p.Library.Place(e.ID, meta); err != nil {
			return err
		}
	}
	return nil
}

// linesIn pairs the lines of a rendered payload with its items. It omits lines that are too short to be told from
// coincidence.
func linesIn(p *payload.Payload) []index.Line {
	doc, err := payload.Read(p.Written)
	if err != nil || len(doc.Lines) != len(p.WrittenIDs) {
		return nil
	}
	text := strings.Split(p.Written, "\n")
	var lines []index.Line
	for i, l := range doc.Lines {
		if line := text[l.N-1]; len(line) >= shortestLine {
			lines = append(lines, index.Line{Text: line, IDs: []string{string(p.WrittenIDs[i])}})
		}
	}
	return lines
}

// takeEdits stores what a person changed in payload.md as operations, before anything is rendered over it.
func (r *run) takeEdits(id ingest.SessionID, old *payload.Payload, onDisk []byte) error {
	if old == nil || len(onDisk) == 0 || bytes.Equal(onDisk, []byte(old.Written)) {
		return nil
	}
	edits, err := payload.Merge(old, string(onDisk), r.p.Who, r.p.Time().Truncate(time.Second))
	if err != nil || len(edits) == 0 {
		return err
	}
	r.count(func(rep *Report) { rep.Edited++ })
	return r.p.Library.AppendEdits(id, edits)
}

// takeMarks gives session.json and the index what was said of a session as a whole, in case whoever recorded it was
// killed before.
func (r *run) takeMarks(ctx context.Context, id ingest.SessionID) {
	edits, _ := r.p.Library.Edits(id) // the intact lines count
	if !slices.ContainsFunc(edits, func(e payload.Edit) bool { return e.Op == payload.OpMark }) {
		return
	}
	// An error of either shows when it is next written to.
	_ = r.p.Library.UpdateMarks(id)
	_ = r.p.Index.SetArchived(ctx, string(id), payload.MarksOf(edits).Archived)
}

// withoutOthers removes from an earlier payload what never was this session's, so that it isn't retired and doesn't
// depend on which member of its family arrived first: items based on turns that it copied and, where only the family's
// other sessions changed, those that the new payload doesn't have. Items that a person touched stay.
func withoutOthers(old, fresh *payload.Payload, s *ingest.Session, edits []payload.Edit) *payload.Payload {
	if old == nil {
		return nil
	}
	claim := func(it payload.Item) [3]string {
		return [3]string{string(it.Kind), it.Path + it.Text, it.First().Turn}
	}
	has := map[[3]string]bool{}
	for _, it := range fresh.Items {
		has[claim(it)] = true
	}
	was, now := old.Made, fresh.Made
	others := was.Beside != now.Beside && was.Input == now.Input && was.Distiller == now.Distiller &&
		was.Rules == now.Rules
	ofParent := copied(s)
	q := *old
	q.Items = butTouched(old.Items, edits, func(it payload.Item) bool {
		return ofParent(it) || others && !has[claim(it)]
	})
	q.Retired = butTouched(old.Retired, edits, ofParent)
	return &q
}

// butTouched removes the items that out selects, except those that a person touched.
func butTouched(items []payload.Item, edits []payload.Edit, out func(payload.Item) bool) []payload.Item {
	return slices.DeleteFunc(slices.Clone(items), func(it payload.Item) bool {
		return out(it) && !slices.ContainsFunc(edits, func(e payload.Edit) bool { return e.ID == it.ID })
	})
}

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

// asWritten reports whether a session's payload.md is as it was last written and has all that was said about it, and
// records it if so.
func (r *run) asWritten(e library.Entry) bool {
	p, err := r.p.Library.Payload(e.ID)
	if err != nil || later(e, "edits.jsonl") && r.changes(e.ID) {
		return false
	}
	mark := lookAtPage(e, p.Written)
	if mark == edited {
		return false
	}
	r.keepPage(e, mark)
	return true
}

// changes reports whether a person said of a session what changes its payload.
func (r *run) changes(id ingest.SessionID) bool {
	edits, _ := r.p.Library.Edits(id) // the intact lines count
	return slices.ContainsFunc(edits, func(e payload.Edit) bool {
		return e.Op != payload.OpKeep && e.Op != payload.OpMark
	})
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

// keyOf returns the mark of a session's session.json, of the folder of its segments, which changes as soon as one comes
// or goes, and of what people said: whoever recorded it may have been killed before the payload had it.
func (p *Archiver) keyOf(s seenSession) string {
	key := disk.Mark(p.inFolder(s, "session.json")) + " " + disk.Mark(p.inFolder(s, "raw"))
	if edits := p.inFolder(s, "edits.jsonl"); disk.Exists(edits) {
		key += " " + disk.Mark(edits)
	}
	return key
}

// hollow reports whether a session's folder has a segment that was emptied, which doesn't show from outside.
func (p *Archiver) hollow(s seenSession) bool {
	segments, _ := os.ReadDir(p.inFolder(s, "raw")) // asLeft knows of a folder that is gone
	return slices.ContainsFunc(segments, func(e os.DirEntry) bool {
		fi, err := e.Info()
		return err == nil && fi.Size() == 0
	})
}

// lacks reports whether a session's source lacks what it had. A document that is rewritten loses turns as it is edited,
// never all of them.
func lacks(client ingest.Source, turns []ingest.Turn) bool {
	gone := func(t ingest.Turn) bool { return t.Gone }
	there := func(t ingest.Turn) bool { return !t.Gone }
	return slices.ContainsFunc(turns, gone) && !(inPlace(client) && slices.ContainsFunc(turns, there))
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
	thorough := !r.bytesOnly && r.options.Budget == 0 // no question waits for it
	real := map[string]bool{}                         // by project
	for id, s := range r.seen.sessions {
		project := filepath.Dir(s.Folder)
		if _, known := real[project]; !known {
			fi, err := os.Lstat(filepath.Join(r.p.Library.Dir(), project))
			real[project] = err == nil && fi.IsDir()
		}
		if !real[project] || !r.p.asLeft(s) || thorough && r.p.hollow(s) {
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
func (r *run) handEdited(ctx context.Context, changed []ingest.SessionID) {
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
		e, err := r.p.Library.Session(id)
		if err == nil {
			r.takeMarks(ctx, id)
		}
		now := seenSession{Folder: r.p.Library.Rel(e.Folder)}
		switch {
		case errors.Is(err, library.ErrNoSession):
			r.seen.drop(id)
			r.lost = true
		case err == nil && (r.seen.sessions[id].Key != r.p.keyOf(now) || r.p.hollow(now)):
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
		frame := payload.IsCutNote(line) ||
			strings.HasPrefix(line, "Session ") && strings.Contains(line, " · distilled by ")
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
