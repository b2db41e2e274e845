package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"recall/index"
	"recall/ingest"
	"recall/internal/redact"
	"recall/internal/text"
	"recall/library"
	"recall/library/disk"
	"recall/library/received"
	"recall/payload"
	"recall/pipeline/memory"
)

// withReceived adds to a thread's payload what people here accepted from other people's handoffs for its project.
// Kinds that accumulate over sessions are added; goal, where it ended, next, files and status only if they are newer
// than the thread. If no session has worked on the project yet (p is nil), they are all there is.
func withReceived(l *library.Library, p *payload.Payload, projects map[string]bool,
	remote string) (*payload.Payload, error) {
	handed, err := received.All(l)
	if err != nil && !errors.Is(err, library.ErrDamaged) {
		return nil, err
	}
	for i := range handed {
		h := &handed[i]
		if items := h.Taken(); projects[cmp.Or(h.Project, h.Handover.Project)] && h.Fits(remote) && len(items) > 0 {
			if p == nil {
				p = &payload.Payload{Schema: payload.Schema, Title: h.Title, Project: h.Handover.Project,
					Origins: map[payload.ItemID]payload.Origin{}}
			}
			handOn(p, h, items)
		}
	}
	return p, nil
}

// HandedOver returns what people here accepted from handoffs for a project that this library doesn't have yet, by the
// sender's name for it and its repository's remote ("" if unknown); nil if nothing.
func HandedOver(l *library.Library, name, remote string) (*payload.Payload, error) {
	return withReceived(l, nil, map[string]bool{name: name != ""}, remote)
}

func handOn(p *payload.Payload, h *received.Handoff, items []payload.Item) {
	newer := h.At.After(p.End)
	first := h.From // short enough for the note behind a line
	if i := strings.IndexAny(first, " ,()"); i >= 0 {
		first = first[:i]
	}
	type section struct {
		kind  payload.Kind
		ended bool
	}
	under := func(it *payload.Item) (s section) {
		s.kind, s.ended = it.Under()
		return s
	}
	replaced := map[section]bool{}
	for _, it := range items {
		to := under(&it)
		switch {
		case slices.ContainsFunc(p.Items, func(o payload.Item) bool {
			return o.ID == it.ID || o.Kind == it.Kind && payload.LineOf(&o) == payload.LineOf(&it)
		}):
			continue
		case payload.Accumulates(to.kind) && !to.ended:
		case !newer:
			continue
		case !to.ended && !replaced[to]:
			replaced[to] = true
			p.Items = slices.DeleteFunc(p.Items, func(o payload.Item) bool { return under(&o) == to })
		}
		p.Items = append(p.Items, it)
		p.Origins[it.ID] = payload.Origin{Session: "from-" + first}
	}
	slices.SortStableFunc(p.Items, func(a, b payload.Item) int { return a.Kind.Order() - b.Kind.Order() })
}

// IndexReceived indexes at once what people accepted from handoffs. A sync does that as well.
func (p *Pipeline) IndexReceived(ctx context.Context) error {
	r := &run{p: p, seen: openSeen(p.Cache, false)}
	return errors.Join(r.indexReceived(ctx), r.seen.close())
}

// IndexShared brings the index up to date with what others share, and how that bears on what was decided here. A sync
// does that as well.
func (p *Pipeline) IndexShared(ctx context.Context) error {
	r := &run{p: p, seen: openSeen(p.Cache, false), report: &Report{}}
	err := r.indexShared(ctx)
	if err == nil {
		err = r.relate(ctx)
	}
	return errors.Join(err, r.seen.close())
}

// indexReceived makes the index's entries for handoffs of what people accepted of them, without what the library has
// anyway, and for the notes of clients' own memories, if any of them or the projects' names changed.
func (r *run) indexReceived(ctx context.Context) error {
	noted, err := r.p.rememberedStamp()
	made := received.Stamp(r.p.Library) + noted
	if err != nil || made == r.seen.facts[handed] && !r.options.Reindex {
		return err
	}
	docs, err := r.receivedDocs(ctx)
	if err != nil {
		return err
	}
	notes, err := r.rememberedDocs(ctx)
	if err != nil {
		return err
	}
	docs = append(docs, notes...)
	stamps, err := r.p.Index.Stamps(ctx)
	if err != nil {
		return err
	}
	for id := range stamps {
		if strings.HasPrefix(id, index.HandedID("")) && !index.IsShared(id) {
			if err := r.p.Index.Delete(ctx, id); err != nil {
				return err
			}
		}
	}
	if err := r.p.Index.PutAll(ctx, docs); err != nil {
		return err
	}
	r.seen.setFact(handed, made)
	return nil
}

// Shared is what others share with a library, as it was last fetched.
type Shared interface {
	Stamp() (string, error)                // changes whenever what Each calls may
	Each(take func(index.Doc) error) error // calls take for each entry that the index should have of it
	IsMine(id string) bool                 // whether such an entry is of the library's own person, from another machine
}

// sharedAtOnce is how many entries are put into the index in one transaction.
const sharedAtOnce = 200

// indexShared brings the index's entries for what others share up to date, without what the library has itself.
func (r *run) indexShared(ctx context.Context) error {
	made := ""
	if r.p.Shared != nil {
		var err error
		if made, err = r.p.Shared.Stamp(); err != nil { // what is indexed stays, and the rest of the sync goes on
			r.report.problem(r.p.Library.Dir(), err)
			return nil
		}
	} else if r.seen.facts[shared] == "" && !r.options.Reindex {
		return nil
	}
	if made == r.seen.facts[shared] && !r.options.Reindex && len(r.touched) == 0 {
		return nil
	}
	had, err := r.p.Index.Stamps(ctx)
	if err != nil {
		return err
	}
	for id := range had {
		if !index.IsShared(id) {
			delete(had, id)
		}
	}
	taken := func(id string) bool { // it is in the library by now
		_, session, _ := index.OfShared(id)
		return r.touched[ingest.SessionID(session)] != nil
	}
	here := slices.ContainsFunc(slices.Collect(maps.Keys(had)), taken)
	if made == r.seen.facts[shared] && !r.options.Reindex && !here {
		return nil
	}
	var due []index.Doc
	put := func() error {
		err := r.p.Index.PutAll(ctx, due)
		due = nil
		return err
	}
	if r.p.Shared != nil {
		if err = r.p.Shared.Each(func(d index.Doc) error {
			is, same := had[d.Session]
			delete(had, d.Session)
			if same && is == d.Stamp {
				return nil
			}
			if due = append(due, d); len(due) < sharedAtOnce {
				return nil
			}
			return put()
		}); err != nil {
			return err
		}
	}
	if err = put(); err != nil {
		return err
	}
	if len(had) > 0 { // nothing of what may no longer be read is left in free pages
		if err := r.p.Index.Forget(ctx, slices.Collect(maps.Keys(had))...); err != nil {
			return err
		}
	}
	r.seen.setFact(shared, made)
	return nil
}

// receivedDocs returns the index entries that handoffs should have. Lines that can't be read don't affect others;
// recall check reports them.
func (r *run) receivedDocs(ctx context.Context) ([]index.Doc, error) {
	handed, err := received.All(r.p.Library)
	if err != nil && !errors.Is(err, library.ErrDamaged) {
		return nil, err
	}
	projects, err := r.p.Library.ProjectsByID()
	if err != nil {
		return nil, err
	}
	var docs []index.Doc
	taken := map[payload.ItemID]bool{}
	for i := range handed {
		h := &handed[i]
		project := projects[h.Project].Name
		if h.Project == "" {
			project = h.Handover.Project
		}
		if project == "" {
			continue
		}
		d := index.Doc{Session: index.HandedID(h.ID), Project: project, Title: "handed over by " + h.From,
			Source: index.HandoffSource, Start: h.At, End: h.At, Stamp: h.ID}
		for _, it := range h.Taken() {
			p, err := r.p.Index.ItemByID(ctx, it.ID)
			if err != nil && !errors.Is(err, index.ErrNoItem) {
				return nil, err
			}
			if taken[it.ID] || err == nil && p.Source != index.HandoffSource {
				continue
			}
			taken[it.ID] = true
			if it.At.Before(d.Start) && !it.At.IsZero() {
				d.Start = it.At
			}
			d.Items = append(d.Items, index.Item{Item: it, Context: strings.Join(it.Quotes(), "\n")})
		}
		if len(d.Items) > 0 {
			d.Thread.ThreadInfo = payload.InfoOf(&payload.Payload{Session: d.Session, Start: d.Start, End: d.End,
				Items: h.Taken()})
			docs = append(docs, d)
		}
	}
	return docs, nil
}

// A Remembered is what a client is told at each session's start, without secrets: a note that its agent wrote for
// itself, as kept in the library, or rules such as CLAUDE.md.
type Remembered struct {
	Project string // name; "" if no project here ran in its folder
	Title   string // whose it is: "Claude Code's memory, redis.md", "CLAUDE.md of billing"
	Name    string // its file's, in the client's folder, or a path
	Text    string
	At      time.Time // when it was last written

	entry library.Entry
}

// mostOfNote is how many bytes of a note are read.
const mostOfNote = 256 << 10

// Remembered reads the notes of clients' own memories, as they are kept now, and the rules that are there.
func (p *Pipeline) Remembered() (all []Remembered, err error) {
	memories, err := p.Library.Memories()
	if err != nil {
		return nil, err
	}
	projects, err := p.Library.Projects()
	if err != nil {
		return nil, err
	}
	var bad []error
	var roots []string
	at := map[string]string{} // the projects' names by their roots
	for _, project := range projects {
		for _, root := range project.Roots() {
			roots, at[root] = append(roots, root), project.Name
		}
	}
	inSession := p.planned()
	for _, e := range memories {
		reader, found, err := p.archived(e)
		if err != nil {
			bad = append(bad, err)
			continue
		}
		for _, f := range found.Files {
			if !ingest.IsNote(f.Name) || memory.IsPlan(f.Name) && inSession(f.Name) {
				continue
			}
			n := Remembered{Title: memory.Title(e.Source, f.Name), Name: f.Name, At: f.Mod, entry: e}
			if of, ok := reader.(ingest.Keeper); ok && len(roots) > 0 {
				n.Project = at[of.About(e.Root, f.Name, roots)]
			}
			said, _, err := f.Head(mostOfNote)
			bad = append(bad, err)
			n.Text = redact.Text(strings.ToValidUTF8(string(said), "\ufffd"))
			all = append(all, n)
		}
	}
	rules, err := p.ruleFiles()
	bad = append(bad, err)
	for _, f := range rules {
		said, err := disk.ReadRegular(f.Path, mostOfNote)
		bad = append(bad, err)
		if info, lost := os.Stat(f.Path); err == nil && lost == nil {
			all = append(all, Remembered{Project: f.Project, Title: f.Title(), Name: f.Path, At: info.ModTime().UTC(),
				Text: redact.Text(strings.ToValidUTF8(string(said), "\ufffd"))})
		}
	}
	return all, errors.Join(bad...)
}

// planned tells which plans are in a session's transcript anyway: one that names it, or in whose folder it lies.
func (p *Pipeline) planned() func(name string) bool {
	sessions, _ := p.Library.Sessions() // one that can't be read is reported elsewhere
	known := map[string]bool{}
	for _, e := range sessions {
		known[string(e.ID)] = true
		for _, plan := range e.Plans {
			known[ingest.LastName(plan)] = true
		}
	}
	return func(name string) bool {
		return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return known[part] })
	}
}

// Session returns the id of a note's entry in the index.
func (n *Remembered) Session() string { return index.HandedID(string(n.entry.ID) + " " + n.Name) }

// doc returns a note's index entry: like what another person handed over, it is a quote that no session here holds.
func (n *Remembered) doc() index.Doc {
	d := index.Doc{Session: n.Session(), Project: n.Project, Title: n.Title,
		Source: index.HandoffSource, Start: n.At, End: n.At}
	var items []payload.Item
	for _, said := range n.said() {
		items = append(items, payload.Item{Kind: payload.Lead, Text: said, By: payload.ByAssistant,
			Maker: payload.ByModel, Handed: true, State: payload.Stands, At: n.At})
	}
	payload.Mint(d.Session, items, map[payload.ItemID]bool{})
	for _, it := range items {
		d.Items = append(d.Items, index.Item{Item: it})
	}
	return d
}

const (
	leastOfNote = 3   // words
	mostSaid    = 600 // characters
)

// said returns what a note says: its paragraphs and list items, without headings and fields.
func (n *Remembered) said() (all []string) {
	open := ""
	flush := func() {
		if len(text.Words(open)) >= leastOfNote {
			all = append(all, text.Clip(text.OneLine(open), mostSaid))
		}
		open = ""
	}
	body := n.Text
	if fields, ok := strings.CutPrefix(body, "---\n"); ok {
		_, body, _ = strings.Cut(fields, "\n---\n")
	}
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		item := strings.TrimLeft(line, "-*•+ ")
		if line == "" || strings.HasPrefix(line, "#") || item != line && !strings.HasPrefix(line, "**") {
			flush()
		}
		if !strings.HasPrefix(line, "#") {
			open += " " + strings.ReplaceAll(item, "**", "")
		}
	}
	flush()
	return all
}

// rememberedStamp changes whenever the notes of clients' memories do.
func (p *Pipeline) rememberedStamp() (string, error) {
	stamp := ""
	memories, err := p.Library.Memories()
	for _, e := range memories {
		stamp += " " + string(e.ID) + e.Input
	}
	rules, fault := p.ruleFiles()
	for _, f := range rules {
		if info, lost := os.Stat(f.Path); lost == nil {
			stamp += fmt.Sprintln("", f.Path, f.Project, info.Size(), info.ModTime())
		}
	}
	return stamp, errors.Join(err, fault)
}

// rememberedDocs returns the index entries of clients' notes.
func (r *run) rememberedDocs(ctx context.Context) (docs []index.Doc, err error) {
	all, err := r.p.Remembered()
	for i := range all {
		if d := all[i].doc(); len(d.Items) > 0 && ctx.Err() == nil {
			docs = append(docs, d)
		}
	}
	if err != nil && !errors.Is(err, library.ErrDamaged) {
		return nil, err
	}
	return docs, ctx.Err()
}

// ruleFiles lists the files that clients read before sessions of any project here, without those that are archived.
func (p *Pipeline) ruleFiles() (files []memory.File, err error) {
	projects, err := p.Library.Projects()
	if err != nil {
		return nil, err
	}
	leave := p.Unwanted(nil)
	seen := map[string]bool{}
	for _, project := range append([]library.Project{{}}, projects...) {
		if project.ID != "" && leave != nil && leave("", project.Root) {
			continue
		}
		for _, f := range memory.Files(p.Library, project.ID) {
			real, err := filepath.EvalSymlinks(f.Path) // AGENTS.md is often a link to CLAUDE.md
			if err == nil && !f.Kept && !seen[real] {
				seen[real] = true
				files = append(files, f)
			}
		}
	}
	return files, nil
}
