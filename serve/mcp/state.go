package mcp

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

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

// stateParts are the parts of a session's state, in order, each with its form.
var stateParts = []string{"decisions", "files", "apps", "data", "actions"}

// mostPart is how many characters each part among several takes.
const mostPart = 3_500

type stateIn struct {
	Session string   `json:"session,omitempty"`
	Parts   []string `json:"parts,omitempty"`
}

func (s *Server) state(ctx context.Context, m *Memory, in stateIn) (string, error) {
	find := m.Running
	if strings.TrimSpace(in.Session) != "" {
		find = func() (library.Entry, error) { return m.Library.Lookup(in.Session) }
	}
	e, err := find()
	if err != nil {
		return "", err
	}
	t, err := m.Read(ctx, e.ID)
	if err != nil {
		return "", err
	}
	sh := newSheet()
	did := trace.OfSession(t)
	doc := stateDoc{Session: t, Manifest: m.Manifest(t, did, e)}
	doc.read(did)
	if asked := len(in.Parts) == 0 || slices.Contains(in.Parts, "decisions"); asked {
		if doc.Items, doc.Notes, err = decisions(ctx, m, e, t); err != nil {
			return "", err
		}
	}
	sh.linef("State of session %s %q, %s, %s. %s", payload.ShortID(e.ID), payload.Data(t.Title, 120),
		answer.Day(t.Start), answer.Count(len(t.Turns), "turn"), asData)
	for _, part := range stateParts {
		if len(in.Parts) > 0 && !slices.Contains(in.Parts, part) {
			continue
		}
		if sh.most = mostAnswer; len(in.Parts) != 1 {
			sh.most = min(mostAnswer, sh.size+mostPart)
		}
		sh.lines(m.Words.Form("state/"+part, doc), doc.Items)
		if n := sh.cut; n > 0 { // what didn't fit is counted and doesn't block the next part
			sh.cut, sh.most = 0, sh.size+200
			sh.linef("… and %d more lines; ask for parts [%s] alone.", n, part)
		}
	}
	return sh.text(""), nil
}

// stateDoc is a session's state.
type stateDoc struct {
	Session  *ingest.Session
	Items    []listed       // that stand
	Notes    []notes.Noted  // that the transcript doesn't bear out
	Files    []file         // the last touched first
	Apps     []app          // the tools, by number of calls
	Calls    []trace.Action // the latest first
	Manifest manifest.Manifest
}

// listed is an item, what may have overtaken it, and where it stands.
type listed struct {
	Item  payload.Item
	Doubt payload.Doubt
	Place index.Place
	Turn  int
}

// file is a file that a session touched, how, and in which turn last.
type file struct {
	Path string
	Hows []string
	N    int
}

type app struct {
	Name  string
	Calls int
}

// decisions returns a session's items that stand and the notes that the transcript doesn't bear out.
func decisions(ctx context.Context, m *Memory, e library.Entry, s *ingest.Session) (items []listed,
	left []notes.Noted, err error) {
	p, err := m.Library.Payload(e.ID)
	if err != nil && !errors.Is(err, library.ErrNoPayload) {
		return nil, nil, err
	}
	if p != nil {
		doubted, err := pipeline.Doubts(ctx, m.Library, m.Index, map[string]*payload.Payload{}, p.Items)
		if err != nil {
			return nil, nil, err
		}
		for _, it := range p.Items {
			if it.Current() {
				items = append(items, listed{it, doubted[it.ID], index.Place{Session: p.Session}, it.First().N})
			}
		}
	}
	lines, err := m.Library.Notes(e.ID)
	if err != nil && !errors.Is(err, library.ErrDamaged) {
		return nil, nil, err
	}
	of := notes.GroundNotes(s, payload.DecodeNotes(lines))
	return items, slices.DeleteFunc(of, func(n notes.Noted) bool { return n.Item != nil }), nil
}

// read takes from what a session did its files, tools and calls.
func (d *stateDoc) read(did *trace.Trace) {
	hows, calls := map[string][]string{}, map[string]int{}
	for _, a := range did.Actions {
		calls[a.Call.Name]++
		for _, t := range a.Touches {
			hows[t.Path] = ingest.Union(hows[t.Path], string(t.How))
		}
	}
	for _, a := range slices.Backward(did.Actions) {
		if !a.Copied {
			d.Calls = append(d.Calls, a)
		}
		for _, t := range slices.Backward(a.Touches) {
			if how := hows[t.Path]; how != nil {
				d.Files = append(d.Files, file{t.Path, how, a.N})
				delete(hows, t.Path)
			}
		}
	}
	for _, name := range slices.SortedFunc(maps.Keys(calls), func(a, b string) int {
		return cmp.Or(calls[b]-calls[a], strings.Compare(a, b))
	}) {
		d.Apps = append(d.Apps, app{name, calls[name]})
	}
}
