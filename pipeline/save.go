package pipeline

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"time"

	"recall/index"
	"recall/ingest"
	"recall/ingest/trace"
	"recall/library"
	"recall/library/forget"
	"recall/library/manifest"
	"recall/library/render"
	"recall/payload"
)

// page is a payload with its Markdown, before it is saved.
type page struct {
	payload *payload.Payload
	seen    []byte // payload.md on disk at the time of the merge
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
	if err := forget.InFolder(r.p.Library, m.Entry.ID); err != nil {
		return page{}, err
	}
	forgotten, err := r.p.Library.ForgottenItems()
	if err != nil {
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
	old = withoutCopied(old, m.Session, edits)
	if old != nil && old.Made.Rules != fresh.Made.Rules { // the new rules may find more secrets
		old = redactedAgain(old, r.p.Rules.Session().Text)
		renumber(old, m.Session)
	}
	if !m.improved {
		r.keepModelItems(old, &fresh, m)
	}
	if old != nil {
		was, now := old.Made, fresh.Made
		if was.Beside != now.Beside && was.Input == now.Input && was.Distiller == now.Distiller && was.Rules == now.Rules {
			old = sameAs(old, &fresh, edits) // only the family's other sessions changed
		}
	}
	payload.Inherit(old, &fresh) // also what was forgotten: it may be worded differently now
	gone := restingOn(m.Session, forgotten[m.Entry.ID])
	fresh.Items, fresh.Retired = slices.DeleteFunc(fresh.Items, gone), slices.DeleteFunc(fresh.Retired, gone)
	fresh.Did = slices.DeleteFunc(fresh.Did, func(d payload.Deed) bool { // words of a call go with its item
		return slices.ContainsFunc(forgotten[m.Entry.ID], func(g library.ForgottenItem) bool {
			return slices.ContainsFunc(g.At, func(at library.Passage) bool { return at.Turn == d.Turn })
		})
	})
	fresh.Title = titleOf(m.Session, &fresh)
	p := payload.Apply(&fresh, edits)
	m.Session.Title = p.Title // a person may have set it
	md := payload.Render(p, payload.Options{Variant: r.p.Variant, Budget: r.p.Budget,
		Editable: true})
	p.Written, p.WrittenIDs = md.Text, md.Shown
	return page{payload: p, seen: onDisk}, nil
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
	clean := p.Rules.Session().Text
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
		Headless: s.Headless, Archived: s.Archived,
		Less: !inPlace(e.Source) && slices.ContainsFunc(s.Turns, func(t ingest.Turn) bool { return t.Gone }),
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

// writtenLines returns the page's lines, parsed once.
func (m *Member) writtenLines() []index.Line {
	if p := m.page.payload; m.linesOf != p {
		m.lines, m.linesOf = linesIn(p), p
	}
	return m.lines
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

// withoutCopied removes from an earlier payload the items that are based on another session's turns: the parent of a
// fork may have arrived after it. They aren't retired, since they never were this session's. Items that a person
// touched stay.
func withoutCopied(old *payload.Payload, s *ingest.Session, edits []payload.Edit) *payload.Payload {
	if old == nil || s.Parent == nil {
		return old
	}
	q := *old
	q.Items, q.Retired = butTouched(old.Items, edits, copied(s)), butTouched(old.Retired, edits, copied(s))
	return &q
}

// butTouched removes the items that out selects, except those that a person touched.
func butTouched(items []payload.Item, edits []payload.Edit, out func(payload.Item) bool) []payload.Item {
	return slices.DeleteFunc(slices.Clone(items), func(it payload.Item) bool {
		return out(it) && !slices.ContainsFunc(edits, func(e payload.Edit) bool { return e.ID == it.ID })
	})
}

// sameAs removes from an earlier payload the items that the new one, which only knows more of the family, doesn't
// have: they were never right, and the payload must not depend on which member of the family arrived first. Items
// that a person touched stay.
func sameAs(old, fresh *payload.Payload, edits []payload.Edit) *payload.Payload {
	claim := func(it payload.Item) [3]string {
		return [3]string{string(it.Kind), it.Path + it.Text, it.First().Turn}
	}
	has := map[[3]string]bool{}
	for _, it := range fresh.Items {
		has[claim(it)] = true
	}
	q := *old
	q.Items = butTouched(old.Items, edits, func(it payload.Item) bool { return !has[claim(it)] })
	return &q
}
