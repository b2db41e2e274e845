package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/ingest"
	"recall/library"
)

// shelf is the library's sessions with what is computed when they are shown:
// their project's name and their number in it.
type shelf struct {
	entries []library.Entry // by start time
	project map[string]library.Project
	number  map[ingest.SessionID]int
}

func newShelf(l *library.Library) (*shelf, error) {
	entries, err := l.Sessions()
	if err != nil {
		return nil, err
	}
	projects, err := l.Projects()
	if err != nil {
		return nil, err
	}
	s := &shelf{entries: entries, project: map[string]library.Project{}, number: map[ingest.SessionID]int{}}
	for _, p := range projects {
		s.project[p.ID] = p
		for _, merged := range p.Ids {
			s.project[merged] = p
		}
	}
	n := map[string]int{}
	for _, e := range entries {
		id := s.of(e).ID
		n[id]++
		s.number[e.ID] = n[id]
	}
	return s, nil
}

// numbers are the sessions' numbers by id.
func (s *shelf) numbers() map[string]int {
	numbers := map[string]int{}
	for id, n := range s.number {
		numbers[string(id)] = n
	}
	return numbers
}

// of is the project of a session; one without a name while it isn't distilled.
func (s *shelf) of(e library.Entry) library.Project {
	if p, ok := s.project[e.Project]; ok {
		return p
	}
	return library.Project{ID: e.Project, Name: "unsorted"}
}

// projects counts those that have a session.
func (s *shelf) projects() int {
	ids := map[string]bool{}
	for _, e := range s.entries {
		ids[s.of(e).ID] = true
	}
	return len(ids)
}

// in lists the sessions of one project, all if it is "".
func (s *shelf) in(id string) []library.Entry {
	if id == "" {
		return s.entries
	}
	var in []library.Entry
	for _, e := range s.entries {
		if s.of(e).ID == id {
			in = append(in, e)
		}
	}
	return in
}

// state is how safe a session is.
func state(e library.Entry) library.State {
	s, _ := e.State()
	return s
}

// named opens the library and finds the session in it that a person names.
func (a *app) named(ctx context.Context, name string) (*library.Library, library.Entry, error) {
	l, err := a.library(ctx)
	if err != nil {
		return nil, library.Entry{}, err
	}
	e, err := a.session(l, name)
	return l, e, err
}

// session finds the session that a person names.
func (a *app) session(l *library.Library, name string) (library.Entry, error) {
	e, err := l.Lookup(name)
	var many *library.AmbiguousError
	switch {
	case errors.As(err, &many):
		var list []string
		for _, c := range many.Candidates[:min(len(many.Candidates), 5)] {
			list = append(list, fmt.Sprintf("%s %q", shortID(c.ID), clip(oneLine(c.Title), 40)))
		}
		return e, withHint(err, "write more of the id: %s", strings.Join(list, ", "))
	case errors.Is(err, library.ErrNoSession):
		return e, withHint(err, "recall list shows all; a session is named by its title or the beginning of its id")
	}
	return e, err
}

// shortID is enough of an id for a person.
func shortID(id ingest.SessionID) string { return answer.ShortID(id) }

// completeSession offers ids with titles to the shell.
func completeSession(a *app) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= strings.Count(cmd.Use, "SESSION") {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		a.flags = cmd.Flags()
		l, err := a.library(cmd.Context())
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		entries, err := l.Sessions()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var names []string
		for _, e := range entries {
			names = append(names, shortID(e.ID)+"\t"+clip(oneLine(e.Title), 60))
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeProject offers the projects' names to the shell.
func completeProject(a *app) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		a.flags = cmd.Flags()
		l, err := a.library(cmd.Context())
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		projects, err := l.Projects()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var names []string
		for _, p := range projects {
			names = append(names, p.Name)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// projectID turns a project's name into its id, "" into "".
func projectID(l *library.Library, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	p, err := l.Project(name)
	if errors.Is(err, library.ErrNoProject) {
		return "", withHint(err, "recall project list names them")
	}
	return p.ID, err
}
