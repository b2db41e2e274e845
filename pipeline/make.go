package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"recall/distill"
	"recall/index"
	"recall/ingest"
	"recall/internal/redact"
	"recall/internal/text"
	"recall/library"
	"recall/library/inbox"
	"recall/payload"
	"recall/pipeline/notes"
)

// make makes a family's payloads in order, on one core: what it renders may have been pasted into later sessions. It
// returns the members that were made.
func (r *run) make(ctx context.Context, f *Family) []*Member {
	var all []*Member
	for _, m := range f.Members {
		m.made = r.p.made(m)
		m.Entry.Heads = withPlanKeys(m.Entry.Heads, m.planKeys)
		err := m.Fault
		if err == nil {
			err = Safely("distill", func() error { return r.makeOne(ctx, m, f) })
		}
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			r.fail(m.Entry, err)
		default:
			all = append(all, m)
		}
	}
	return all
}

func (r *run) makeOne(ctx context.Context, m *Member, f *Family) error {
	if m.Session.MarkPasted(r.lines.pasted(ctx, f.IDs())) {
		m.fresh = nil // distilled too early: part of it isn't the session's own
	}
	err := library.ErrNoPayload
	if !f.anew { // only the index lacks it
		if m.page.payload, err = r.p.Library.Payload(m.Entry.ID); err == nil {
			m.page.lines = linesIn(m.page.payload)
			m.Session.Title = m.page.payload.Title // as merge sets it
			m.also, m.briefly = m.Entry.Also, m.Entry.Briefly
			m.project, err = r.p.Library.Project(m.Entry.Project)
		}
	}
	if errors.Is(err, library.ErrNoPayload) { // or it was deleted
		err = r.distillOne(ctx, m)
	}
	if err != nil {
		return err
	}
	// For later sessions: the index has these lines only once they are written.
	for _, l := range m.page.lines {
		r.lines.of[index.LineHash(l.Text)] = written{string(m.Entry.ID), l.IDs}
	}
	return nil
}

// distillOne makes a session's payload anew, from m.fresh if it was distilled already.
func (r *run) distillOne(ctx context.Context, m *Member) error {
	var err error
	if err = r.p.findProjects(m); err != nil {
		return err
	}
	if m.fresh == nil {
		m.fresh, err = r.p.Distiller.Distill(ctx, m.Session)
	}
	if err == nil {
		err = r.addNotes(m)
	}
	if err != nil {
		return err
	}
	r.describe(m)
	m.page, err = r.merge(m)
	return err
}

// describe fills in what a distiller doesn't know.
func (r *run) describe(m *Member) {
	p, e, s := m.fresh, m.Entry, m.Session
	p.Schema = payload.Schema
	p.Session, p.Source = string(e.ID), string(e.Source)
	p.Title, p.Branch, p.Project = s.Title, s.Where.Branch, ownName(m.project)
	p.Start, p.End = s.Start, s.End
	p.Carried, p.Injected, p.Quoted = nil, nil, nil
	for _, id := range s.Carried {
		list := &p.Quoted
		switch {
		case slices.Contains(s.Pasted, id):
			list = &p.Carried
		case slices.Contains(s.Injected, id):
			list = &p.Injected
		}
		*list = append(*list, payload.ItemID(id))
	}
	p.Made = m.made
}

// Keep saves and indexes a payload that a model made of a session, merged with people's edits of the previous one;
// asked says what it was made of. If the session has grown meanwhile, the next sync adds what rules find in the
// rest.
func (p *Pipeline) Keep(ctx context.Context, m *Member, fresh *payload.Payload, asked payload.Asked) error {
	if err := p.FinishForgetting(ctx); err != nil {
		return err
	}
	m.Entry.Heads = withPlanKeys(m.Entry.Heads, m.planKeys)
	m.fresh, m.improved, m.made = fresh, true, p.made(m)
	m.made.Model = asked
	r := p.startRun(Options{Only: m.Entry.ID}, &Report{})
	if err := r.distillOne(ctx, m); err != nil {
		return err
	}
	w := newWriter(ctx, r)
	w.write([]*Member{m}, func() {})
	if err := cmp.Or(w.wait(), r.seen.close()); err != nil {
		return err
	}
	if failed := r.report.Problems; len(failed) > 0 {
		return failed[0].Err
	}
	if now, err := p.Library.Session(m.Entry.ID); err == nil && now.Behind() {
		return p.LookAgain()
	}
	return nil
}

// made returns the provenance that a member's payload would have if it were up to date. What a model made of it stays,
// whatever the rest says.
func (p *Pipeline) made(m *Member) payload.Provenance {
	e := m.Entry
	made := payload.Provenance{Distiller: p.Distiller.Name(), Rules: redact.Version(), Input: e.Input,
		Beside: m.beside}
	if e.Distilled != nil {
		made.Model = e.Distilled.Model
	}
	return made
}

// ownName returns a project's name as files hold it: as its root or a person names it, without the suffix that tells
// projects of the same name apart.
func ownName(p library.Project) string {
	if p.Named {
		return p.Name
	}
	return p.Base
}

// named returns the current names of projects, by id.
func (p *Pipeline) named(ids []string) (names []string) {
	for _, id := range ids {
		if of, err := p.Library.Project(id); err == nil {
			names = append(names, of.Name)
		}
	}
	return names
}

// indexStamp stamps an index entry. It includes the names of its projects, which change when another project of that
// name turns up.
func indexStamp(stamp, project string, also ...string) string {
	return strings.Join(append([]string{stamp, project}, also...), " ")
}

// madeStamp is the provenance as one string.
func madeStamp(m payload.Provenance) string {
	s := fmt.Sprintf("%s %s %s %s", m.Input, m.Distiller, m.Rules, m.Beside)
	if a := m.Model; a.Name != "" { // only then: the stamps of other sessions stay as they are
		s += fmt.Sprintf(" %s %s %s", a.Name, a.Prompt, a.Input)
	}
	return s
}

// keepModelItems keeps the items that a model made of a session when rules distill it again, because it grew or
// because the rules are newer than the payload. The rules add what stands in turns that the model hasn't seen.
func (r *run) keepModelItems(old, fresh *payload.Payload, m *Member) {
	m.made.Model, fresh.Made.Model = payload.Asked{}, payload.Asked{}
	if old == nil || old.Made.Model.Name == "" {
		return
	}
	asked := old.Made.Model
	place := places(m.Session)
	last := min(asked.Turns, len(m.Session.Turns)) - 1
	if at := place(asked.Last); at >= 0 {
		last = at
	}
	fresh.Items = withNotes(payload.ExtendModelItems(old, fresh, place, last), m.noted)
	fresh.Items = slices.DeleteFunc(fresh.Items, copied(m.Session))
	distill.Hold(m.Session, fresh) // a rewritten session may lack its evidence
	m.made.Model, fresh.Made.Model = asked, asked
}

// places returns a function that gives the index of a turn, by any id that evidence may use; -1 if there is no such
// turn.
func places(s *ingest.Session) func(turn string) int {
	at := s.Places()
	return func(turn string) int {
		if i, ok := at[turn]; ok {
			return i
		}
		return -1
	}
}

// copied reports whether an item is based on a turn that its session copied.
func copied(s *ingest.Session) func(payload.Item) bool {
	place := places(s)
	return func(it payload.Item) bool {
		return slices.ContainsFunc(it.Evidence, func(e payload.Evidence) bool {
			at := place(e.Turn)
			return at >= 0 && s.Turns[at].Copied
		})
	}
}

// redactedAgain redacts a payload's items again, including retired ones.
func redactedAgain(p *payload.Payload, clean func(string) string) *payload.Payload {
	q := *p
	q.Items, q.Retired = slices.Clone(p.Items), slices.Clone(p.Retired)
	for _, items := range [][]payload.Item{q.Items, q.Retired} {
		for i := range items {
			items[i].MapText(clean)
		}
	}
	return &q
}

var placeholder = text.Pattern(`‹([^‹› ]+) \d+›`)

// renumber updates the numbers of placeholders in quotes: rules that find one more secret number the later ones
// differently.
func renumber(p *payload.Payload, s *ingest.Session) {
	place := places(s)
	for i := range p.Items {
		for k := range p.Items[i].Evidence {
			e := &p.Items[i].Evidence[k]
			if at := place(e.Turn); at >= 0 && placeholder().MatchString(e.Quote) {
				e.Quote = asNumbered(s.Turns[at].Text, e.Quote)
			}
		}
	}
}

// asNumbered returns a quote as it stands in a text, with whatever numbers its placeholders have there; the quote
// itself if it isn't there.
func asNumbered(text, quote string) string {
	if strings.Contains(text, quote) {
		return quote
	}
	var any strings.Builder
	from := 0
	for _, at := range placeholder().FindAllStringSubmatchIndex(quote, -1) {
		any.WriteString(regexp.QuoteMeta(quote[from:at[0]]) + "‹" + regexp.QuoteMeta(quote[at[2]:at[3]]) + ` \d+›`)
		from = at[1]
	}
	re, err := regexp.Compile(any.String() + regexp.QuoteMeta(quote[from:]))
	if err != nil {
		return quote
	}
	return cmp.Or(re.FindString(text), quote)
}

// addNotes adds a session's grounded notes to its fresh payload.
func (r *run) addNotes(m *Member) error {
	lines, err := r.p.Library.Notes(m.Entry.ID)
	if err != nil {
		return err
	}
	m.noted = nil
	for _, n := range notes.GroundNotes(m.Session, payload.DecodeNotes(lines)) {
		if n.Item != nil {
			m.noted = append(m.noted, n.Item)
		}
	}
	m.fresh.Items = withNotes(m.fresh.Items, m.noted)
	if len(m.noted) > 0 { // what a distiller returns holds
		distill.Hold(m.Session, m.fresh)
	}
	return nil
}

// withNotes adds noted items to a session's items: a note strengthens an item that already says the same, and
// otherwise becomes an item itself.
func withNotes(items []payload.Item, noted []*payload.Item) []payload.Item {
	for _, it := range noted {
		items = notes.Join(items, it)
	}
	slices.SortStableFunc(items, func(a, b payload.Item) int { return a.Kind.Order() - b.Kind.Order() })
	return items
}

// later reports whether a file of a session's folder was added to after the payload was saved.
func later(e library.Entry, name string) bool {
	file, err := os.Stat(filepath.Join(e.Folder, name))
	if err != nil {
		return false
	}
	saved := e.Made()
	return !saved.IsZero() && file.ModTime().After(saved)
}

// fold moves notes from the inbox to their sessions. One that fails is reported as a problem and stays in the inbox.
func (r *run) fold() {
	if r.p.Library.ReadOnly() != nil {
		return
	}
	f, err := inbox.Fold(r.p.Library)
	for _, id := range f.Sessions {
		if lines, err := r.p.Library.Notes(id); err == nil && len(payload.DecodeNotes(lines)) > 0 {
			r.noted[id] = true // not just hook events
		}
	}
	r.report.Problems = append(r.report.Problems, f.Problems...)
	if err != nil {
		r.report.problem(filepath.Join(r.p.Library.Dir(), "inbox"), err)
	}
}
