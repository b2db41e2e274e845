package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"recall/answer"
	"recall/cmd/recall/terminal"
	"recall/index"
	"recall/ingest"
	"recall/library"
	txt "recall/text"
)

// Read parses a session from the library, secrets out.
func (a *App) Read(ctx context.Context, l *library.Library, e library.Entry) (*ingest.Session, error) {
	p, err := a.Pipeline(l)
	if err != nil {
		return nil, err
	}
	return p.Read(ctx, e.ID)
}

func DayOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format(time.DateOnly)
}

// SessionRef names a session in a document about something else.
type SessionRef struct {
	Session string    `json:"session"`
	Project string    `json:"project"`
	Number  int       `json:"number"`
	Title   string    `json:"title"`
	Start   time.Time `json:"start,omitzero"`
}

// Indexed opens the index to ask it something, and makes it first where it
// must be.
func (a *App) Indexed(ctx context.Context, l *library.Library) error {
	err := a.ReadIndex(l)
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, index.ErrRebuild) {
		return err
	}
	fmt.Fprintln(a.Err, "recall: the index must be made again from the library; this takes a while, once")
	return a.Reindex(ctx, l)
}

// Ref names a session by its id.
func (s *Shelf) Ref(id string) SessionRef {
	for _, e := range s.Entries {
		if string(e.ID) == id {
			return SessionRef{id, s.Of(e).Name, s.Number[e.ID], e.Title, e.Start}
		}
	}
	return SessionRef{Session: id}
}

// Line is a session on a line for people.
func (r SessionRef) Line(w int) string {
	return fmt.Sprintf("%s  session %d of %s, %s  %s", cmp.Or(DayOf(r.Start), "no date"), r.Number,
		terminal.Line(r.Project), answer.ShortID(ingest.SessionID(r.Session)),
		txt.Clip(terminal.Line(r.Title), max(20, w-60)))
}

// Listed is a session in the JSON form of recall list.
type Listed struct {
	ID        ingest.SessionID `json:"id"`
	Source    ingest.Source    `json:"source"`
	Project   string           `json:"project"`
	Number    int              `json:"number"`
	Title     string           `json:"title"`
	Start     time.Time        `json:"start,omitzero"`
	End       time.Time        `json:"end,omitzero"`
	Turns     int              `json:"turns"`
	State     library.State    `json:"state"`
	Distilled bool             `json:"distilled"`
	Parent    ingest.SessionID `json:"parent,omitempty"`
	Folder    string           `json:"folder"`
}

// List is what is said of the sessions of one project, of all if it is "", by project and start time.
func (s *Shelf) List(project string) []Listed {
	entries := s.In(project)
	safe := states(entries)
	in := map[string][]Listed{}
	for i, e := range entries {
		p := s.Of(e).Name
		key := strings.ToLower(p)
		in[key] = append(in[key], Listed{e.ID, e.Source, p, s.Number[e.ID], e.Title, e.Start, e.End, e.Turns, safe[i],
			!e.Behind(), e.Parent, e.Folder})
	}
	all := make([]Listed, 0, len(entries))
	for _, key := range slices.Sorted(maps.Keys(in)) {
		all = append(all, in[key]...)
	}
	return all
}

// states is state of each entry: a look at the disk for every one, so on
// several cores.
func states(entries []library.Entry) []library.State {
	out := make([]library.State, len(entries))
	const block = 256
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for from := 0; from < len(entries); from += block {
		g.Go(func() error {
			for i := from; i < min(from+block, len(entries)); i++ {
				out[i] = State(entries[i])
			}
			return nil
		})
	}
	g.Wait()
	return out
}
