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
	"recall/payload"
	"recall/pipeline"
	"recall/pipeline/notes"
)

// stateParts are the parts of a session's state, in order.
var stateParts = []struct {
	name string
	tell func(*reading, context.Context) error
}{{"decisions", (*reading).decisions}, {"files", (*reading).files}, {"apps", (*reading).apps},
	{"data", (*reading).data}, {"actions", (*reading).actions}}

// mostPart is how many characters each part among several takes.
const mostPart = 3_500

type stateIn struct {
	Session string   `json:"session,omitempty"`
	Parts   []string `json:"parts,omitempty"`
}

func (s *Server) state(ctx context.Context, m *Memory, in stateIn) (string, error) {
	e, err := s.meantSession(m, in.Session)
	if err != nil {
		return "", err
	}
	t, err := m.Pipeline.Read(ctx, e.ID)
	if err != nil {
		return "", err
	}
	r := &reading{m: m, entry: e, session: t, did: trace.OfSession(t), sheet: newSheet()}
	r.linef("State of session %s %q, %s, %d turns. %s", answer.ShortID(e.ID), payload.Data(t.Title, 120),
		answer.Day(t.Start), len(t.Turns), asData)
	for _, p := range stateParts {
		if len(in.Parts) > 0 && !slices.Contains(in.Parts, p.name) {
			continue
		}
		if r.most = mostAnswer; len(in.Parts) != 1 {
			r.most = min(mostAnswer, r.size+mostPart)
		}
		if err := p.tell(r, ctx); err != nil {
			return "", err
		}
		if n := r.cut; n > 0 { // what didn't fit is counted and doesn't block the next part
			r.cut, r.most = 0, r.size+200
			r.linef("… and %d more; ask for parts [%s] alone.", n, p.name)
		}
	}
	return r.text(""), nil
}

// meantSession returns the named session, else the running one, else the latest of the project here.
func (s *Server) meantSession(m *Memory, name string) (library.Entry, error) {
	if strings.TrimSpace(name) != "" {
		return m.Library.Lookup(name)
	}
	if s.o.Session != "" {
		e, err := m.Library.Lookup(string(s.o.Session))
		if err == nil || !errors.Is(err, library.ErrNoSession) {
			return e, err
		}
	}
	here, err := m.Here()
	if err != nil {
		return library.Entry{}, err
	}
	catalog, err := m.Library.Catalog()
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
			if r.add(r.m.Words.Listed(it, doubted[it.ID], index.Place{Session: p.Session}, it.First().N)) {
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
			r.linef("[note, not grounded: %s] %s: %s", n.Why, n.Note.Kind, payload.Data(n.Note.Text, mostText))
		}
	}
	if told == 0 {
		r.linef("nothing distilled from it yet")
	}
	return nil
}

// files lists the working set: each file once, the last touched first.
func (r *reading) files(context.Context) error {
	hows := map[string][]string{}
	for _, a := range r.did.Actions {
		for _, t := range a.Touches {
			hows[t.Path] = ingest.Union(hows[t.Path], string(t.How))
		}
	}
	r.linef("## Files")
	if len(hows) == 0 {
		r.linef("none")
	}
	for _, a := range slices.Backward(r.did.Actions) {
		for _, t := range slices.Backward(a.Touches) {
			if how := hows[t.Path]; how != nil {
				r.linef("%s · %s · turn %d", payload.Data(t.Path, 300), strings.Join(how, ", "), a.N)
				delete(hows, t.Path)
			}
		}
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
	m := r.m.Pipeline.Manifest(r.session, r.did, r.entry)
	r.linef("## Data (its commands ran on: %s)", m.Machine)
	file := func(how, path, more, sum string) {
		if sum != "" {
			more += " · its bytes are in the library"
		}
		r.linef("%s %s · %s", how, payload.Data(path, 300), more)
	}
	for _, in := range m.Inputs {
		file("input", in.Path, string(in.Machine), in.SHA256)
	}
	for _, f := range slices.Concat(m.Outputs, m.Intermediate) {
		again := "not rebuildable"
		if f.Rebuildable {
			again = "rebuildable"
		}
		file(string(f.How), f.Path, fmt.Sprintf("%s · %s: %s", f.Machine, again, payload.Data(f.Reason, 160)), f.SHA256)
	}
	for _, c := range m.Commits {
		r.linef("commit %s %s · turn %d", payload.Data(c.Hash, 40), payload.Data(c.Subject, 120), c.N)
	}
	return nil
}

// actions lists the calls, the latest first, with the turn that recall_session shows more of.
func (r *reading) actions(context.Context) error {
	r.linef("## Tool calls, the latest first")
	if end := r.session.End; !end.IsZero() {
		r.linef("last active at %s", end.UTC().Format(time.RFC3339))
	}
	told := 0
	for _, a := range slices.Backward(r.did.Actions) {
		if a.Copied {
			continue
		}
		text := fmt.Sprintf("turn %d %s\n", a.N, callText(a.Call))
		if a.Agent != "" {
			text = "  (sub-agent) " + text
		}
		if a.Why != "" {
			text += "  why " + quoted(a.Why) + "\n"
		}
		r.add(text)
		told++
	}
	if told == 0 {
		r.linef("none")
	}
	return nil
}
