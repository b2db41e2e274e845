package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"recall/answer"
	"recall/index"
	"recall/ingest"
	"recall/ingest/trace"
	"recall/library"
	"recall/library/manifest"
	"recall/payload"
	"recall/pipeline/notes"
)

// The parts of a session's state, in the order in which they are told.
const (
	partDecisions = "decisions"
	partFiles     = "files"
	partApps      = "apps"
	partData      = "data"
	partActions   = "actions"
)

var parts = []string{partDecisions, partFiles, partApps, partData, partActions}

const (
	mostActions = 60
	mostPart    = 3_500 // characters of a part among others
)

type stateIn struct {
	Session string   `json:"session,omitempty" jsonschema:"id or title; default: the running one, else the current folder's latest"`
	Parts   []string `json:"parts,omitempty" jsonschema:"default all; apps: tools, programs, packages; data: inputs and outputs; actions: tool calls"`
	From    int      `json:"from,omitempty" jsonschema:"of actions: first turn"`
	To      int      `json:"to,omitempty" jsonschema:"of actions: last turn"`
}

func (s *Server) addState() {
	addTool(s, &mcp.Tool{
		Name: "recall_state", Title: "Read a session's state back",
		Description: `Where a session stood: decisions and dead ends, working set of files, programs and packages used, data and whether it can be made again, the chain of tool calls. Use it after a crash or a compaction, or to take over another session's work. Paths are as they were then.`,
		Annotations: readOnly("Read a session's state back"),
	}, false, map[string]bound{"parts": oneOf(parts...), "from": from1, "to": from1}, withMemory(s, Fresh, s.state))
}

func (s *Server) state(ctx context.Context, m *Memory, in stateIn) (string, error) {
	want := in.Parts
	if len(want) == 0 {
		want = parts
	}
	e, err := s.meantSession(m.Library, in.Session)
	if err != nil {
		return "", err
	}
	t, err := m.Pipeline.Read(ctx, e.ID)
	if err != nil {
		return "", err
	}
	r := reading{m: m, entry: e, session: t, did: trace.Of(t), in: in, sheet: newSheet()}
	r.linef("State of session %s %q, %s, %d turns. %s", answer.ShortID(e.ID), payload.Data(t.Title, 120),
		answer.Day(t.Start), len(t.Turns), asData)
	for _, p := range parts {
		if !slices.Contains(want, p) {
			continue
		}
		r.most = mostAnswer
		if len(want) > 1 {
			r.most = min(mostAnswer, r.size+mostPart)
		}
		if err := r.tell(p); err != nil {
			return "", err
		}
		r.end(p)
	}
	return r.text(""), nil
}

// meantSession is the one that is named, else the running one, else the latest of
// the project here.
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
	shelf, err := l.Shelf()
	if err != nil {
		return library.Entry{}, err
	}
	return shelf.Last(here)
}

// reading is a session whose state is being told.
type reading struct {
	m       *Memory
	entry   library.Entry
	session *ingest.Session
	did     *trace.Trace
	in      stateIn
	*sheet
}

func (r *reading) tell(part string) error {
	switch part {
	case partDecisions:
		return r.decisions()
	case partFiles:
		r.files()
	case partApps:
		r.apps()
	case partData:
		r.data()
	case partActions:
		r.actions()
	}
	return nil
}

// end closes a part: what didn't fit is counted, and doesn't keep the next one out.
func (r *reading) end(part string) {
	if r.cut > 0 {
		n := r.cut
		r.cut, r.most = 0, r.size+200
		r.linef("… and %d more; ask for parts [%s] alone%s.", n, part,
			map[string]string{partActions: ", with from and to"}[part])
	}
}

func (r *reading) decisions() error {
	p, err := r.m.Library.Payload(r.entry.ID)
	if err != nil && !errors.Is(err, library.ErrNoPayload) {
		return err
	}
	r.linef("## Decisions and what is open")
	told := 0
	if p != nil {
		for i := range p.Items {
			it := &p.Items[i]
			if !it.Current() {
				continue
			}
			told++
			turn := 0
			if len(it.Evidence) > 0 {
				turn = it.Evidence[0].N
			}
			if r.add(short(it, index.Place{Session: p.Session}, turn)) {
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

// files tells the working set: each file once, what was changed first, by last touch.
func (r *reading) files() {
	type touched struct {
		path    string
		turn    int // of the last touch
		hows    []string
		changed bool
	}
	by := map[string]*touched{}
	for i := range r.did.Actions {
		a := &r.did.Actions[i]
		for _, t := range a.Touches {
			f := by[t.Path]
			if f == nil {
				f = &touched{path: t.Path}
				by[t.Path] = f
			}
			f.turn = max(f.turn, a.N)
			f.changed = f.changed || t.How != trace.Read
			if !slices.Contains(f.hows, string(t.How)) {
				f.hows = append(f.hows, string(t.How))
			}
		}
	}
	list := slices.SortedFunc(maps.Values(by), func(a, b *touched) int {
		if a.changed != b.changed {
			return map[bool]int{true: -1, false: 1}[a.changed]
		}
		return cmp.Or(b.turn-a.turn, strings.Compare(a.path, b.path))
	})
	r.linef("## Files")
	for _, f := range list {
		r.linef("%s · %s · turn %d", payload.Data(f.path, 300), strings.Join(f.hows, ", "), f.turn)
	}
	if len(list) == 0 {
		r.linef("it touched none")
	}
}

// apps tells the tools by how often they were called, and what was installed.
func (r *reading) apps() {
	calls := map[string]int{}
	for i := range r.did.Actions {
		calls[payload.Data(r.did.Actions[i].Call.Name, 80)]++
	}
	names := slices.SortedFunc(maps.Keys(calls), func(a, b string) int {
		return cmp.Or(calls[b]-calls[a],
			strings.Compare(a, b))
	})
	r.linef("## Apps")
	for _, name := range names {
		r.linef("%s · %d calls", name, calls[name])
	}
	for _, p := range r.did.Packages {
		r.linef("package %s %s %s · turn %d", payload.Data(p.Manager, 20), payload.Data(p.Name, 80),
			payload.Data(cmp.Or(p.Version, "of unknown version"), 40), p.N)
	}
	if len(r.session.Models) > 0 {
		r.linef("models: %s", payload.Data(strings.Join(r.session.Models, ", "), 200))
	}
}

// data tells inputs and outputs as the manifest has them.
func (r *reading) data() {
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
		r.linef("commit %s %s · turn %d", payload.Data(c.Hash, 40), payload.Data(c.Subject, 120), c.Turn)
	}
}

func kept(sum string) string {
	if sum == "" {
		return ""
	}
	return " · its bytes are in the library"
}

// actions tells the chain of calls: the latest, or those of the turns asked for.
func (r *reading) actions() {
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
		r.linef("last heard of at %s", end.UTC().Format(time.RFC3339))
	}
}
