package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"recall/answer"
	"recall/cmd/recall/terminal"
	"recall/ingest"
	"recall/library"
	txt "recall/text"
)

// DemoMark is a file in the folder of a demo, beside its library.
const DemoMark = ".recall-demo"

// IsDemo reports whether a library is one that recall demo made.
func IsDemo(l *library.Library) bool {
	_, err := os.Stat(filepath.Join(filepath.Dir(l.Dir()), DemoMark))
	return err == nil && filepath.Base(l.Dir()) == "Recall"
}

// EnvSession is where Claude Code tells its MCP servers which session it runs.
const EnvSession = "CLAUDE_CODE_SESSION_ID"

// Shelf is the library's sessions with what is computed when they are shown:
// their project's name and their number in it.
type Shelf struct {
	Entries []library.Entry // by start time
	Project map[string]library.Project
	Number  map[ingest.SessionID]int
}

func NewShelf(l *library.Library) (*Shelf, error) {
	entries, err := l.Sessions()
	if err != nil {
		return nil, err
	}
	projects, err := l.Projects()
	if err != nil {
		return nil, err
	}
	s := &Shelf{Entries: entries, Project: map[string]library.Project{}, Number: map[ingest.SessionID]int{}}
	for _, p := range projects {
		s.Project[p.ID] = p
		for _, merged := range p.Ids {
			s.Project[merged] = p
		}
	}
	n := map[string]int{}
	for _, e := range entries {
		id := s.Of(e).ID
		n[id]++
		s.Number[e.ID] = n[id]
	}
	return s, nil
}

// Numbers are the sessions' numbers by id.
func (s *Shelf) Numbers() map[string]int {
	numbers := map[string]int{}
	for id, n := range s.Number {
		numbers[string(id)] = n
	}
	return numbers
}

// Of is the project of a session; one without a name while it isn't distilled.
func (s *Shelf) Of(e library.Entry) library.Project {
	if p, ok := s.Project[e.Project]; ok {
		return p
	}
	return library.Project{ID: e.Project, Name: "unsorted"}
}

// Projects counts those that have a session.
func (s *Shelf) Projects() int {
	ids := map[string]bool{}
	for _, e := range s.Entries {
		ids[s.Of(e).ID] = true
	}
	return len(ids)
}

// In lists the sessions of one project, all if it is "".
func (s *Shelf) In(id string) []library.Entry {
	if id == "" {
		return s.Entries
	}
	var in []library.Entry
	for _, e := range s.Entries {
		if s.Of(e).ID == id {
			in = append(in, e)
		}
	}
	return in
}

// State is how safe a session is.
func State(e library.Entry) library.State {
	s, _ := e.State()
	return s
}

// Named opens the library and finds the session in it that a person names.
func (a *App) Named(ctx context.Context, name string) (*library.Library, library.Entry, error) {
	l, err := a.Library(ctx)
	if err != nil {
		return nil, library.Entry{}, err
	}
	e, err := a.Session(l, name)
	return l, e, err
}

// Session finds the session that a person names.
func (a *App) Session(l *library.Library, name string) (library.Entry, error) {
	e, err := l.Lookup(name)
	var many *library.AmbiguousError
	switch {
	case errors.As(err, &many):
		var list []string
		for _, c := range many.Candidates[:min(len(many.Candidates), 5)] {
			list = append(list, fmt.Sprintf("%s %q", answer.ShortID(c.ID), txt.Clip(terminal.Line(c.Title), 40)))
		}
		return e, terminal.WithHint(err, "write more of the id: %s", strings.Join(list, ", "))
	case errors.Is(err, library.ErrNoSession):
		return e, terminal.WithHint(err, "recall list shows all; a session is named by its title or the beginning of its id")
	}
	return e, err
}

// ProjectID turns a project's name into its id, "" into "".
func ProjectID(l *library.Library, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	p, err := l.Project(name)
	if errors.Is(err, library.ErrNoProject) {
		return "", terminal.WithHint(err, "recall project list names them")
	}
	return p.ID, err
}
