package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"recall/ingest"
	"recall/ingest/trace"
	"recall/internal/redact"
	"recall/internal/text"
	"recall/library"
	"recall/payload"
)

// A Family is a unit of work: sessions that depend on one another, usually just one.
type Family struct {
	Members []*Member
	anew    bool // distill them all; otherwise they are only missing from the index
	ready   chan struct{}
	weight  int64 // see Weight
}

// A Member is a session of a family while it is being processed.
type Member struct {
	Entry   library.Entry
	Session *ingest.Session // parsed and redacted; nil if that failed
	Fault   error           // why it failed

	beside   string // what Provenance.Beside should be
	name     string // its project's current name
	planKeys []string
	ran      ingest.Where // where it really ran; only for finding its projects, as worked
	worked   ingest.Work
	clean    *redact.Redactor // with which it was redacted
	project  library.Project
	also     []string           // ids of other projects that it worked in
	briefly  []string           // those in which it spent few turns
	made     payload.Provenance // provenance of its payload
	fresh    *payload.Payload   // as distilled; nil if the saved payload stays
	noted    []*payload.Item    // grounded notes
	improved bool               // a model made fresh
	page     page
}

// IDs returns the members' ids.
func (f *Family) IDs() []string {
	var ids []string
	for _, m := range f.Members {
		ids = append(ids, string(m.Entry.ID))
	}
	return ids
}

// signature identifies a family and the work to be done on it.
func (f *Family) signature() string {
	var parts []string
	for _, m := range f.Members {
		parts = append(parts, string(m.Entry.ID), m.Entry.Input, m.beside, m.name)
	}
	return fmt.Sprint(f.anew, parts)
}

// Families that are parsed but not yet written are held in memory: at most InHand bytes of the sources, where
// each family counts for at least InHand/parseAhead. A larger one has the memory to itself.
const (
	InHand     = 36 << 20
	parseAhead = 18
)

// Weight is how much of InHand a family counts for.
func (f *Family) Weight() int64 {
	var n int64
	for _, m := range f.Members {
		n += parsedBytes(m.Entry)
	}
	return min(max(n, InHand/parseAhead), InHand)
}

// parsedBytes returns how many bytes of a session a parser reads.
func parsedBytes(e library.Entry) int64 {
	var n int64
	for _, f := range e.Files {
		if f.Role != ingest.UploadFile && f.Role != ingest.OutputFile {
			n += f.Size
		}
	}
	return n
}

// Families groups the entries into sessions that may be forks of one another: those that begin with the same record.
// Groups and their members keep the order of the entries.
func Families(entries []library.Entry) []*Family {
	group := map[string]int{} // by head key
	joined := text.NewGroups(len(entries))
	for i, e := range entries {
		for _, key := range e.Heads {
			if j, ok := group[key]; ok {
				joined.Join(i, j)
			} else {
				group[key] = i
			}
		}
	}
	of := map[int]*Family{}
	var all []*Family
	for i, e := range entries {
		g := joined.Find(i)
		if of[g] == nil {
			of[g] = &Family{}
			all = append(all, of[g])
		}
		of[g].Members = append(of[g].Members, &Member{Entry: e})
	}
	for _, f := range all {
		f.seeBeside()
	}
	return all
}

// familyOf returns the family that a session belongs to, nil if the id is unknown.
func familyOf(entries []library.Entry, id ingest.SessionID) *Family {
	for _, f := range Families(entries) {
		if slices.Contains(f.IDs(), string(id)) {
			return f
		}
	}
	return nil
}

// seeBeside sets each member's hash of the others.
func (f *Family) seeBeside() {
	for i, m := range f.Members {
		if m.beside = ""; len(f.Members) == 1 {
			continue
		}
		var others strings.Builder
		for k, o := range f.Members {
			if k != i {
				fmt.Fprintf(&others, "%s %s\n", o.Entry.ID, o.Entry.Input)
			}
		}
		m.beside = text.Hash(others.String(), 8)
	}
}

// withPlanKeys replaces the plan keys among a session's heads, by which plans tie sessions to one another.
func withPlanKeys(heads, plans []string) []string {
	all := slices.DeleteFunc(slices.Clone(heads), ingest.IsPlanKey)
	return append(all, plans...)
}

// heads reads, several at once, the beginnings of entries that are new or changed, so that their families are known
// before anything is distilled.
func (r *run) heads(ctx context.Context, entries []library.Entry) error {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range entries {
		e := &entries[i]
		if !e.Behind() {
			continue
		}
		g.Go(func() error {
			var head ingest.Head
			reader, found, err := r.p.archived(*e)
			if err == nil {
				head, err = ingest.HeadOf(ctx, reader, found)
			}
			if err != nil {
				return nil // parsing will report it
			}
			e.Heads = withPlanKeys(head.Keys, slices.DeleteFunc(slices.Clone(e.Heads),
				func(k string) bool { return !ingest.IsPlanKey(k) }))
			if e.Start.IsZero() {
				e.Start = head.Started
			}
			return nil
		})
	}
	g.Wait()
	slices.SortStableFunc(entries, func(a, b library.Entry) int { return a.Start.Compare(b.Start) })
	return ctx.Err()
}

// ReadFamily reads a family from the library in its current state, settles which session owns which turns, and
// redacts. What can't be read becomes a member's Fault.
func (p *Pipeline) ReadFamily(ctx context.Context, f *Family) {
	for _, m := range f.Members {
		if now, err := p.Library.Session(m.Entry.ID); err == nil {
			m.Entry = now // it may have grown
		}
	}
	f.seeBeside()
	p.parse(ctx, f)
}

// parse reads a family from the library, settles which session owns which turns, and redacts. Nothing after it sees
// an unredacted word.
func (p *Pipeline) parse(ctx context.Context, f *Family) {
	err := p.readAll(ctx, f)
	roots, lost := p.Library.Roots()
	err = cmp.Or(err, lost)
	for _, m := range f.Members {
		if m.Fault == nil && err == nil {
			m.Session.Where.Root = ingest.ProjectOf(m.Session, roots).Root
			m.ran, m.worked = m.Session.Where, trace.WorkedIn(m.Session)
			m.Fault = Safely("redact", func() error { m.clean = Redact(m.Session); return nil })
		}
		m.Fault = cmp.Or(m.Fault, err)
	}
}

// readAll is parse without redaction.
func (p *Pipeline) readAll(ctx context.Context, f *Family) error {
	var whole []*ingest.Session
	for _, m := range f.Members {
		m.Fault = Safely("parse", func() (err error) {
			m.Session, err = p.parseOne(ctx, m.Entry)
			if err == nil {
				m.planKeys = ingest.PlanKeys(m.Session)
			}
			return err
		})
		if m.Fault == nil {
			whole = append(whole, m.Session)
		}
	}
	return Safely("compare with its forks", func() error {
		ingest.Own(whole)
		ingest.AdoptPlans(whole)
		return nil
	})
}

// Safely turns a panic into an error: a transcript that breaks some rule affects no other session.
func Safely(what string, do func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%s: a fault in recall: %v", what, v)
		}
	}()
	return do()
}

func (p *Pipeline) parseOne(ctx context.Context, m library.Entry) (*ingest.Session, error) {
	reader, found, err := p.archived(m)
	if err != nil {
		return nil, err
	}
	s, err := reader.Parse(ctx, found)
	if err != nil {
		return nil, err
	}
	if err := p.addEarlier(ctx, reader, m, found, s); err != nil {
		return nil, err
	}
	s.MarkGaps()
	s.ID = m.ID // the key of its folder, whatever its lines say
	return s, nil
}

// addEarlier adds to a session what only earlier versions of its files had, the newest first. A document that is
// rewritten as it grows has many; of these only one that was longer than the next lost anything, unless the newest has
// nothing, such as one of zeros.
func (p *Pipeline) addEarlier(ctx context.Context, reader ingest.Reader, m library.Entry, found ingest.Found,
	s *ingest.Session) error {
	if len(m.Files) == 1 && m.Files[0].CRC != "" {
		return nil // one segment, so one version
	}
	versions, err := p.Library.Versions(m.ID)
	if err != nil {
		return err
	}
	slices.Reverse(versions) // so the newest come first
	nothing := len(s.Turns) == 0
	for i, v := range versions {
		at := slices.IndexFunc(found.Files, func(f ingest.File) bool { return f.Name == v.Name })
		lost := nothing || i > 0 && versions[i-1].Name == v.Name && versions[i-1].Size < v.Size
		said := v.Role == ingest.Transcript || v.Role == ingest.SubagentFile
		kept := inPlace(m.Source) && !lost
		if v.Current || at < 0 || !said || kept {
			continue
		}
		was := found
		was.Files = slices.Clone(found.Files)
		was.Files[at].Size, was.Files[at].Open = v.Size, func() (io.ReadCloser, error) {
			r, _, err := p.Library.OpenVersion(m.ID, v.Name, v.Version)
			return r, err
		}
		if earlier, err := reader.Parse(ctx, was); err == nil { // else recall check says more
			ingest.UniteVersions(s, earlier)
			nothing = len(s.Turns) == 0
		}
	}
	return nil
}

// inPlace reports whether a client rewrites a session as it grows; others only ever append to it.
func inPlace(client ingest.Source) bool { return client == ingest.OpenCode || client == ingest.Gemini }

// Read reads a session back from the library as distillers see it: parsed, redacted, with turns that it copied as a
// fork marked, under the title that a person may have given it.
func (p *Pipeline) Read(ctx context.Context, id ingest.SessionID) (*ingest.Session, error) {
	s, err := p.ReadExact(ctx, id)
	if err == nil {
		err = Safely("redact", func() error { Redact(s); return nil })
	}
	if e, lost := p.Library.Session(id); err == nil && lost == nil {
		s.Title = cmp.Or(e.Title, s.Title)
	}
	return s, err
}

// ReadExact is Read without redaction: show or derive nothing from it except what a person gets back unchanged.
// Relatives that can't be read are left out.
func (p *Pipeline) ReadExact(ctx context.Context, id ingest.SessionID) (*ingest.Session, error) {
	if _, err := p.Library.Session(id); err != nil {
		return nil, err
	}
	entries, err := p.Library.Sessions()
	if err != nil {
		return nil, err
	}
	f := familyOf(entries, id)
	if f == nil {
		return nil, library.ErrNoSession
	}
	err = p.readAll(ctx, f)
	m := f.Members[slices.Index(f.IDs(), string(id))]
	return m.Session, cmp.Or(m.Fault, err)
}

// Redact takes the secrets out of a session, places and names too: everything derived sees only the result. What
// reveals a secret may come after it (a folder is named by a password that a later turn gives away), so a session
// with secrets is gone through twice.
func Redact(s *ingest.Session) *redact.Redactor {
	r := redact.New()
	s.MapText(r.Text)
	if len(r.Counts()) > 0 {
		s.MapText(r.Known)
	}
	return r
}

// findProjects determines a redacted session's projects from the places where it really ran. Only the projects' entries
// know those; their names hold no secret.
func (p *Pipeline) findProjects(m *Member) error {
	roots, err := p.Library.Roots()
	if err != nil {
		return err
	}
	exact := *m.Session
	exact.Where = m.ran
	own := ingest.ProjectOf(&exact, roots)
	also, briefly := ingest.AlsoIn(&exact, roots, own, m.worked)
	own.Clean(m.clean.Name)
	m.project, err = p.Library.ProjectFor(own)
	m.also, m.briefly = nil, nil
	for i, one := range slices.Concat(also, briefly) {
		if err != nil {
			break
		}
		var other library.Project
		one.Clean(m.clean.Name)
		other, err = p.Library.ProjectFor(one)
		if m.also = append(m.also, other.ID); i >= len(also) {
			m.briefly = append(m.briefly, other.ID)
		}
	}
	return err
}
