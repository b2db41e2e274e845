package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"recall/answer"
	"recall/index"
	"recall/ingest"
	"recall/ingest/trace"
	"recall/library"
	"recall/library/manifest"
	"recall/payload"
	"recall/pipeline"
	"recall/pipeline/notes"
)

// stateParts are the parts of a session's state, in order.
var stateParts = []struct {
	name string
	tell func(*reading, context.Context) error
}{{"decisions", (*reading).decisions}, {"files", (*reading).files}, {"apps", (*reading).apps},
	{"data", (*reading).data},
	{"actions", (*reading).actions}}

const (
	mostActions = 60
	mostPart    = 3_500 // characters of each part among several
)

type stateIn struct {
	Session string   `json:"session,omitempty"`
	Parts   []string `json:"parts,omitempty"`
	From    int      `json:"from,omitempty"`
	To      int      `json:"to,omitempty"`
}

func (s *Server) state(ctx context.Context, m *Memory, in stateIn) (string, error) {
	e, err := s.meantSession(m.Library, in.Session)
	if err != nil {
		return "", err
	}
	t, err := m.Pipeline.Read(ctx, e.ID)
	if err != nil {
		return "", err
	}
	r := &reading{m: m, entry: e, session: t, did: trace.OfSession(t), in: in, sheet: newSheet()}
	r.linef("State of session %s %q, %s, %d turns. %s", answer.ShortID(e.ID), payload.Data(t.Title, 120),
		answer.Day(t.Start), len(t.Turns), asData)
	for _, p := range stateParts {
		if len(in.Parts) > 0 && !slices.Contains(in.Parts, p.name) {
			continue
		}
		r.most = mostAnswer
		if len(in.Parts) != 1 {
			r.most = min(mostAnswer, r.size+mostPart)
		}
		if err := p.tell(r, ctx); err != nil {
			return "", err
		}
		if r.cut > 0 { // what didn't fit is counted and doesn't block the next part
			n, more := r.cut, ""
			if p.name == "actions" {
				more = ", with from and to"
			}
			r.cut, r.most = 0, r.size+200
			r.linef("… and %d more; ask for parts [%s] alone%s.", n, p.name, more)
		}
	}
	return r.text(""), nil
}

// meantSession returns the named session, else the running one, else the latest of the project here.
func (s *Server) meantSession(l *library.Library, name string) (library.Entry, error) {
	if strings.TrimSpace(name) != "" {
		return l.Lookup(name)
	}
	if s.o.Session != "" {
		e, err := l.Lookup(string(s.o.Session))
		if err == nil || !errors.Is(err, library.ErrNoSession) {
			return e, err
		}
	}
	here, err := s.o.Here(l)
	if err != nil {
		return library.Entry{}, err
	}
	catalog, err := l.Catalog()
	if err != nil {
		return library.Entry{}, err
	}
	return catalog.Last(here)
}

// reading is a session whose state is being described.
type reading struct {
	m       *Memory
	entry   library.Entry
	session *ingest.Session
	did     *trace.Trace
	in      stateIn
	*sheet
}

func (r *reading) decisions(ctx context.Context) error {
	p, err := r.m.Library.Payload(r.entry.ID)
	if err != nil && !errors.Is(err, library.ErrNoPayload) {
		return err
	}
	r.linef("## Decisions and what is open")
	told := 0
	if p != nil {
		doubted, err := pipeline.Doubts(ctx, r.m.Library, r.m.Index, map[string]*payload.Payload{}, p.Items)
		if err != nil {
			return err
		}
		for _, it := range p.Items {
			if !it.Current() {
				continue
			}
			told++
			line := short(&it, index.Place{Session: p.Session}, it.First().N)
			if r.add(line + overtaken(&it, doubted[it.ID])) {
				r.of(it.ID)
			}
		}
	}
	lines, err := r.m.Library.Notes(r.entry.ID)
	if err != nil && !errors.Is(err, library.ErrDamaged) {
		return err
	}
	for _, n := range notes.GroundNotes(r.session, payload.DecodeNotes(lines)) {
		if n.Item == nil {
			told++
			r.linef("[note, not grounded: %s] %s: %s", n.Why, answer.KindWord(n.Note.Kind), payload.Data(n.Note.Text, mostText))
		}
	}
	if told == 0 {
		r.linef("nothing distilled from it yet")
	}
	return nil
}

// files lists the working set: each file once, changed ones first, by last touch.
func (r *reading) files(context.Context) error {
	type touched struct {
		read, turn int // read: 1 if only read; turn: of the last touch
		path       string
		hows       []string
	}
	by := map[string]*touched{}
	for _, a := range r.did.Actions {
		for _, t := range a.Touches {
			if by[t.Path] == nil {
				by[t.Path] = &touched{read: 1, path: t.Path}
			}
			f := by[t.Path]
			f.turn = max(f.turn, a.N)
			if t.How != trace.Read {
				f.read = 0
			}
			f.hows = ingest.Union(f.hows, string(t.How))
		}
	}
	r.linef("## Files")
	for _, f := range slices.SortedFunc(maps.Values(by), func(a, b *touched) int {
		return cmp.Or(a.read-b.read, b.turn-a.turn, strings.Compare(a.path, b.path))
	}) {
		r.linef("%s · %s · turn %d", payload.Data(f.path, 300), strings.Join(f.hows, ", "), f.turn)
	}
	if len(by) == 0 {
		r.linef("none")
	}
	return nil
}

// apps lists the tools by number of calls, and what was installed.
func (r *reading) apps(context.Context) error {
	calls := map[string]int{}
	for _, a := range r.did.Actions {
		calls[payload.Data(a.Call.Name, 80)]++
	}
	r.linef("## Apps")
	for _, name := range slices.SortedFunc(maps.Keys(calls), func(a, b string) int {
		return cmp.Or(calls[b]-calls[a], strings.Compare(a, b))
	}) {
		r.linef("%s · %s", name, answer.Count(calls[name], "call"))
	}
	for _, p := range r.did.Packages {
		r.linef("package %s %s %s · turn %d", payload.Data(p.Manager, 20), payload.Data(p.Name, 80),
			payload.Data(cmp.Or(p.Version, "of unknown version"), 40), p.N)
	}
	if len(r.session.Models) > 0 {
		r.linef("models: %s", payload.Data(strings.Join(r.session.Models, ", "), 200))
	}
	return nil
}

// data lists inputs and outputs as in the manifest.
func (r *reading) data(context.Context) error {
	kept := func(sum string) string {
		if sum == "" {
			return ""
		}
		return " · its bytes are in the library"
	}
	m := r.m.Pipeline.Manifest(r.session, r.did, r.entry)
	r.linef("## Data (its commands ran on: %s)", m.Machine)
	for _, in := range m.Inputs {
		r.linef("input %s · %s%s", payload.Data(in.Path, 300), in.Machine, kept(in.SHA256))
	}
	for _, made := range [][]manifest.Made{m.Outputs, m.Intermediate} {
		for _, f := range made {
			again := "not rebuildable"
			if f.Rebuildable {
				again = "rebuildable"
			}
			r.linef("%s %s · %s · %s: %s%s", f.How, payload.Data(f.Path, 300), f.Machine, again, payload.Data(f.Reason, 160),
				kept(f.SHA256))
		}
	}
	for _, c := range m.Commits {
		r.linef("commit %s %s · turn %d", payload.Data(c.Hash, 40), payload.Data(c.Subject, 120), c.N)
	}
	return nil
}

// actions lists the calls: the latest, or those of the turns asked for.
func (r *reading) actions(context.Context) error {
	var chain []*trace.Action
	for i := range r.did.Actions {
		a := &r.did.Actions[i]
		if !a.Copied && a.N >= r.in.From && (r.in.To <= 0 || a.N <= r.in.To) {
			chain = append(chain, a)
		}
	}
	more := 0
	if r.in.From <= 0 && len(chain) > mostActions {
		more = len(chain) - mostActions
		chain = chain[more:]
	}
	r.linef("## Tool calls")
	if more > 0 {
		r.linef("%d earlier ones: ask for parts [actions] with from and to", more)
	}
	why := ""
	for _, a := range chain {
		text := fmt.Sprintf("turn %d %s\n", a.N, callText(a.Call))
		if a.Agent != "" {
			text = "  (sub-agent) " + text
		}
		if a.Why != "" && a.Why != why {
			why = a.Why
			text += "  why " + quoted(why) + "\n"
		}
		r.add(text)
	}
	if len(chain) == 0 {
		r.linef("none")
	}
	if end := r.session.End; !end.IsZero() {
		r.linef("last active at %s", end.UTC().Format(time.RFC3339))
	}
	return nil
}
