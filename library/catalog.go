package library

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"recall/ingest"
	"recall/internal/text"
	"recall/payload"
)

// A Catalog lists the library's sessions with what is computed to show them: their projects and their numbers in those.
type Catalog struct {
	Entries []Entry                     // by start time
	Project map[string]Project          // see ProjectsByID
	Number  map[string]int              // by the session's id
	Closed  map[ingest.SessionID]string // why nothing more is archived of it: "frozen", or as added by the caller
}

// Catalog reads all sessions and projects.
func (l *Library) Catalog() (*Catalog, error) {
	entries, err := l.Sessions()
	if err != nil {
		return nil, err
	}
	projects, err := l.ProjectsByID()
	if err != nil {
		return nil, err
	}
	s := &Catalog{Entries: entries, Project: projects, Number: map[string]int{}}
	s.Closed = map[ingest.SessionID]string{}
	frozen, _ := l.AllFrozen() // if this fails, none count as frozen
	for _, id := range frozen {
		s.Closed[id] = "frozen"
	}
	n := map[string]int{}
	for _, e := range entries {
		id := s.Of(e).ID
		n[id]++
		s.Number[string(e.ID)] = n[id]
	}
	return s, nil
}

// Of returns the project of a session, a placeholder if it isn't distilled yet.
func (s *Catalog) Of(e Entry) Project { return s.project(e.Project) }

func (s *Catalog) project(id string) Project {
	if p, ok := s.Project[id]; ok {
		return p
	}
	return Project{ID: id, Name: "unsorted"}
}

// Projects counts the projects that have a session.
func (s *Catalog) Projects() int {
	ids := map[string]bool{}
	for _, e := range s.Entries {
		ids[s.Of(e).ID] = true
	}
	return len(ids)
}

// In lists the sessions that worked in one project, or all if id is "".
func (s *Catalog) In(id string) []Entry {
	if id == "" {
		return s.Entries
	}
	var in []Entry
	for _, e := range s.Entries {
		if s.WorkedIn(e, id) {
			in = append(in, e)
		}
	}
	return in
}

// WorkedIn reports whether a session belongs to a project, by its id or name, or also worked in it.
func (s *Catalog) WorkedIn(e Entry, project string) bool {
	return slices.ContainsFunc(e.projects(), func(id string) bool {
		p := s.project(id)
		return p.ID == project || p.Name == project
	})
}

// projects lists the ids of the projects that a session worked in, its own first.
func (e *Entry) projects() []string { return append([]string{e.Project}, e.Also...) }

// Spoken leaves out the sessions that a program held, unless there are no others.
func Spoken(entries []Entry) []Entry {
	return others(entries, func(e Entry) bool { return e.Headless })
}

// Stayed leaves out the sessions that worked in a project only briefly, unless there are no others; is recognizes its
// ids.
func Stayed(entries []Entry, is func(id string) bool) []Entry {
	return others(entries, func(e Entry) bool { return slices.ContainsFunc(e.Briefly, is) })
}

// others leaves out some sessions, unless there are no others.
func others[T any](all []T, some func(T) bool) []T {
	if rest := slices.DeleteFunc(slices.Clone(all), some); len(rest) > 0 {
		return rest
	}
	return all
}

// WithoutHeadless is Spoken for a list; left is how many it leaves out.
func WithoutHeadless(list []ListEntry) (persons []ListEntry, left int) {
	persons = others(list, func(e ListEntry) bool { return e.Headless })
	return persons, len(list) - len(persons)
}

// Last returns the most recently active session of a project, by the project's id or name, ignoring helpers and, if it
// can, those that worked there briefly and those of programs; else ErrNoSession.
func (s *Catalog) Last(project string) (Entry, error) {
	in := slices.DeleteFunc(slices.Clone(s.Entries), func(e Entry) bool { return e.Helper || !s.WorkedIn(e, project) })
	if len(in) == 0 {
		return Entry{}, ErrNoSession
	}
	in = Spoken(Stayed(in, func(id string) bool { return id == project || s.project(id).Name == project }))
	slices.SortStableFunc(in, func(a, b Entry) int { return a.End.Compare(b.End) })
	return in[len(in)-1], nil
}

// A SessionRef refers to a session from a document about something else.
type SessionRef struct {
	Session string    `json:"session"`
	Project string    `json:"project"`
	Number  int       `json:"number"`
	Title   string    `json:"title"`
	Start   time.Time `json:"start,omitzero"`
}

// Ref returns the reference for a session's id.
func (s *Catalog) Ref(id string) SessionRef {
	for _, e := range s.Entries {
		if string(e.ID) == id {
			return SessionRef{id, s.Of(e).Name, s.Number[id], e.Title, e.Start}
		}
	}
	return SessionRef{Session: id}
}

// ListEntry is a session in a list, also as JSON.
type ListEntry struct {
	ID        ingest.SessionID `json:"id"`
	Source    ingest.Source    `json:"source"`
	Project   string           `json:"project"`
	Number    int              `json:"number"`
	Also      []string         `json:"also,omitempty"` // other projects that it worked in
	Title     string           `json:"title"`
	Start     time.Time        `json:"start,omitzero"`
	End       time.Time        `json:"end,omitzero"`
	Turns     int              `json:"turns"`
	State     State            `json:"state"`
	Distilled bool             `json:"distilled"`
	Headless  bool             `json:"headless,omitempty"`
	Parent    ingest.SessionID `json:"parent,omitempty"`
	Folder    string           `json:"folder"`
	payload.Marks
}

// Named reports whether a session's title, project, id and client together have all words.
func (e ListEntry) Named(words string) bool {
	names := strings.ToLower(fmt.Sprint(e.Title, "\n", payload.Handle(e.Project, e.Number), "\n", e.Project, "\n", e.ID,
		"\n", e.Source))
	lacks := func(word string) bool { return !strings.Contains(names, word) }
	return !slices.ContainsFunc(strings.Fields(strings.ToLower(words)), lacks)
}

// List describes the sessions of one project, or of all if project is "", by project and start time. For found, see
// Entry.State.
func (s *Catalog) List(project string, found map[string]ingest.File) []ListEntry {
	entries := s.In(project)
	all := make([]ListEntry, len(entries))
	inParallel(len(entries), 256, func(i int) {
		e := &entries[i]
		all[i] = ListEntry{ID: e.ID, Source: e.Source, Project: s.Of(*e).Name, Number: s.Number[string(e.ID)],
			Title: e.Title, Start: e.Start, End: e.End, Turns: e.Turns, State: s.State(*e, found), Distilled: !e.Behind(),
			Headless: e.Headless, Parent: e.Parent, Folder: e.Folder, Marks: e.Marks}
		for _, id := range e.Also {
			all[i].Also = append(all[i].Also, s.project(id).Name)
		}
	})
	slices.SortStableFunc(all, func(a, b ListEntry) int {
		return strings.Compare(strings.ToLower(a.Project), strings.ToLower(b.Project))
	})
	return all
}

// State is Entry.State, but a session of which nothing more is to be archived isn't behind, and one of which no word is
// here isn't safe: nothing was said in it, or its client keeps that elsewhere, in its cloud. What wasn't read may be
// words.
func (s *Catalog) State(e Entry, found map[string]ingest.File) State {
	state, _ := e.State(found)
	if state == Behind && s.Closed[e.ID] != "" {
		state = Safe
	}
	saysNothing := e.Turns == 0 && e.Project != "" && !e.Unread
	if saysNothing && (state == Safe || state == OnlyHere) {
		return Wordless
	}
	return state
}

// Tally counts sessions by state.
type Tally struct {
	Safe       int       `json:"safe"`
	Shorter    int       `json:"shorter,omitempty"`  // kept, with a source that is shorter now
	Behind     int       `json:"behind"`             // sources with bytes that aren't archived
	OnlyHere   int       `json:"only_here"`          // archived, with no source left
	Unreadable int       `json:"unreadable"`         // sources that can't be read
	Wordless   int       `json:"wordless,omitempty"` // of which nothing that was said is here
	Lost       int       `json:"lost,omitempty"`     // whose bytes are gone from the library, and at their sources
	Waiting    int       `json:"waiting"`            // archived, but the current bytes aren't distilled
	Grown      int       `json:"-"`                  // of those: an earlier state was distilled
	Made       time.Time `json:"-"`                  // the oldest of those payloads
	Newest     time.Time `json:"newest,omitzero"`    // last thing said in any session
}

// Tally counts the sessions by state. For found, see Entry.State.
func (s *Catalog) Tally(found map[string]ingest.File) (t Tally) {
	states := make([]State, len(s.Entries))
	inParallel(len(states), 256, func(i int) { states[i] = s.State(s.Entries[i], found) })
	n := map[State]*int{Safe: &t.Safe, Shorter: &t.Shorter, Behind: &t.Behind, OnlyHere: &t.OnlyHere,
		Unreadable: &t.Unreadable, Lost: &t.Lost, Wordless: &t.Wordless}
	for i, e := range s.Entries {
		*n[states[i]]++
		if e.Behind() {
			t.Waiting++
			if e.Distilled != nil {
				t.Grown++
				if made := e.Made(); t.Made.IsZero() || made.Before(t.Made) {
					t.Made = made
				}
			}
		}
		if e.End.After(t.Newest) && e.End.Before(time.Now()) { // not by a clock that was ahead
			t.Newest = e.End
		}
	}
	return t
}

// States describes the number of sessions in each state.
func (t Tally) States() string {
	var parts []string
	if t.Safe > 0 || t.OnlyHere+t.Shorter == 0 {
		parts = append(parts, fmt.Sprintf("%d safe", t.Safe))
	}
	parts = append(parts, text.Counts("kept, only here|kept, with a source that is shorter now|behind|"+
		"whose source can't be read|whose bytes are gone from here and from its source|without a conversation",
		t.OnlyHere, t.Shorter, t.Behind, t.Unreadable, t.Lost, t.Wordless)...)
	return strings.Join(parts, "; ")
}
