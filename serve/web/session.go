package web

import (
	"cmp"
	"context"
	"errors"
	"html/template"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"recall/answer"
	"recall/ingest"
	"recall/internal/text"
	"recall/library"
	"recall/library/render"
	"recall/payload"
	"recall/pipeline"
)

// window is the number of turns per page of a transcript, so that a page of a long session opens as fast as that of a
// short one.
const window = 60

// sessionView is a session: its outcome, and a window of its transcript or a sub-agent's.
type sessionView struct {
	library.ListEntry
	Branch   string
	Payload  *payload.Payload  // nil: not distilled
	Agent    *ingest.Subagent  // whose turns are shown; nil: the session's own
	Astray   []ingest.Subagent // without a known call
	Turns    []turnView
	From, Of int  // position of the first turn shown, from 0, and the total
	All      bool // turns are shown, instead of a window of them
	Outline  []outlined
	Strip    []stretch
	Find     string
	Found    []match
	Resume   string // the command that continues it, "" for none
	Missing  bool   // its client has deleted it
	Files    []library.FileState
	Shared   *answer.Shared // somebody else's: nothing else is known
}

// turnView is a turn, and the items based on it.
type turnView struct {
	Day   string // if a new day begins
	HTML  template.HTML
	Items []payload.Item
	Cut   string // how much of a long turn isn't shown

	Agents []ingest.Subagent // started by its calls
	Gone   bool              // the first of some abandoned turns
	Back   bool              // the first turn after abandoned ones
}

// readSession is a parsed session, redacted.
type readSession struct {
	input string // identifies its content
	of    *ingest.Session
}

// keptRead is how many parsed sessions a server keeps, so that further windows need no parsing.
const keptRead = 2

// parsed returns a session, parsing it unless it is cached: one at a time, because a large one takes memory.
func (s *Server) parsed(r *http.Request, m *Memory, e library.Entry) (*ingest.Session, error) {
	key := string(e.ID) + " " + e.Input
	if of := s.held(key); of != nil {
		return of, nil
	}
	s.parsing.Lock()
	defer s.parsing.Unlock()
	if of := s.held(key); of != nil { // parsed meanwhile
		return of, nil
	}
	read, err := m.Pipeline.Read(r.Context(), e.ID)
	if err == nil {
		s.holding.Lock()
		defer s.holding.Unlock()
		s.read = append(s.read[max(0, len(s.read)-keptRead+1):], readSession{key, read})
	}
	return read, err
}

// held returns a cached session, or nil.
func (s *Server) held(key string) *ingest.Session {
	s.holding.Lock()
	defer s.holding.Unlock()
	if i := slices.IndexFunc(s.read, func(one readSession) bool { return one.input == key }); i >= 0 {
		return s.read[i].of
	}
	return nil
}

func (s *Server) session(r *http.Request, m *Memory) (any, error) {
	e, err := m.Library.Session(ingest.SessionID(r.PathValue("id")))
	if errors.Is(err, library.ErrNoSession) {
		shared, err := m.Shared(r.PathValue("id"))
		return sessionView{Shared: shared}, err
	}
	if err != nil {
		return nil, err
	}
	catalog, err := m.Library.Catalog()
	if err != nil {
		return nil, err
	}
	v := sessionView{ListEntry: library.ListEntry{ID: e.ID, Source: e.Source, Project: catalog.Of(e).Name,
		Number: catalog.Number[string(e.ID)], Title: e.Title, Start: e.Start, End: e.End, Turns: e.Turns,
		State: catalog.State(e, nil),
		Marks: e.Marks}, Branch: e.Branch, Files: e.Files,
		Find: strings.ToValidUTF8(r.URL.Query().Get("find"), "\ufffd")}
	parsed, err := s.parsed(r, m, e)
	if err != nil {
		return nil, err
	}
	if v.Payload, err = outcome(r.Context(), m, e.ID); err != nil {
		return nil, err
	}
	if v.Find != "" {
		v.Found = matches(parsed, v.Find)
	}
	turns := v.cut(r, parsed)
	v.Outline, v.Strip = outlineOf(turns, v.Payload), stripOf(turns)
	if r.URL.Query().Has("all") {
		v.From, v.All = 0, true
	}
	if err := v.fill(parsed, turns, v.All || v.Find != "" || r.URL.Query().Has("whole")); err != nil {
		return nil, err
	}
	v.Resume, v.Missing = m.Resume(e)
	return v, nil
}

// outcome returns a session's payload with the present state of its items; nil if it wasn't distilled.
func outcome(ctx context.Context, m *Memory, id ingest.SessionID) (*payload.Payload, error) {
	p, err := m.Library.Payload(id)
	if errors.Is(err, library.ErrNoPayload) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	out := *p
	out.Doubted, err = pipeline.Doubts(ctx, m.Library, m.Pipeline.Index, map[string]*payload.Payload{}, p.Items)
	out.Items = slices.Clone(p.Items)
	for i := range out.Items {
		if it := &out.Items[i]; out.Doubted[it.ID].Sure {
			it.State = payload.Superseded
		}
	}
	return &out, err
}

// A match is an occurrence of a text in a session: in a message, a command or a tool's output.
type match struct {
	ID                  string // of the turn
	N                   int
	Agent               string // the sub-agent; "" for the session itself
	Before, Text, After string
}

// matches finds a text in a session and its sub-agents, ignoring case: the first occurrence in each part of a turn.
func matches(s *ingest.Session, find string) (all []match) {
	look := looking(find)
	in := func(agent string, turns []ingest.Turn) {
		for _, t := range turns {
			parts := []string{t.Text}
			for _, c := range t.Calls {
				parts = append(parts, c.Command, c.Result)
			}
			for _, part := range parts {
				if at := look.FindStringIndex(part); at != nil && len(all) < aPage {
					before := strings.ToValidUTF8(part[max(0, at[0]-beside):at[0]], "")
					all = append(all, match{ID: string(t.ID), N: t.N, Agent: agent, Before: before,
						Text: part[at[0]:at[1]], After: text.Head(part[at[1]:], beside)})
				}
			}
		}
	}
	in("", s.Turns)
	for _, agent := range s.Subagents {
		in(cmp.Or(agent.Type, "sub-agent"), agent.Turns)
	}
	return all
}

func looking(find string) *regexp.Regexp { return regexp.MustCompile("(?i)" + regexp.QuoteMeta(find)) }

// hits marks what is looked for in the text of a page, not in its tags.
func hits(page template.HTML, look *regexp.Regexp) template.HTML {
	var b strings.Builder
	for rest := string(page); rest != ""; {
		words, tag, _ := strings.Cut(rest, "<")
		b.WriteString(look.ReplaceAllString(words, `<mark class="hit">$0</mark>`))
		if rest = rest[len(words):]; rest == "" {
			break
		}
		tag, rest, _ = strings.Cut(tag, ">")
		b.WriteString("<" + tag + ">")
	}
	return template.HTML(b.String())
}

// beside is how many bytes are shown before and after a match.
const beside = 100

// cut selects the turns, the session's or a sub-agent's, and the start of the window: near the requested turn, or at a
// position.
func (v *sessionView) cut(r *http.Request, s *ingest.Session) []ingest.Turn {
	q := r.URL.Query()
	v.From, _ = strconv.Atoi(q.Get("from"))
	id, turns := q.Get("turn"), s.Turns
	number, _ := strconv.Atoi(id)
	place := func(turns []ingest.Turn) int {
		return slices.IndexFunc(turns, func(t ingest.Turn) bool {
			return string(t.ID) == id || slices.Contains(t.Records, id) || number > 0 && t.N == number ||
				slices.ContainsFunc(t.Calls, func(c ingest.ToolCall) bool { return string(c.ResultTurn) == id })
		})
	}
	at := -1
	if id != "" {
		at = place(turns)
	}
	for i, agent := range s.Subagents {
		found := -1
		if id != "" && at < 0 && number == 0 {
			found = place(agent.Turns)
		}
		if found >= 0 || agent.ID != "" && agent.ID == q.Get("agent") {
			v.Agent, turns, at = &s.Subagents[i], agent.Turns, found
			break
		}
	}
	if at >= 0 {
		v.From = at - 4 // few enough for the turn to be shown even if they are long
	}
	v.Of = len(turns)
	v.From = max(0, min(v.From, v.Of-1))
	return turns
}

// Limits in bytes: a window of long turns has fewer, and a long turn is cut.
const (
	mostShown  = 150 << 10
	mostOfTurn = 20 << 10
)

// fill renders the window, each turn with the items based on it; long turns are cut unless whole is set.
func (v *sessionView) fill(s *ingest.Session, turns []ingest.Turn, whole bool) error {
	agents := started(s)
	v.Astray = agents[""]
	resting := map[string][]payload.Item{} // by turn
	if v.Payload != nil {
		for _, it := range v.Payload.Items {
			resting[it.First().Turn] = append(resting[it.First().Turn], it)
		}
	}
	page, err := render.Turns(s, render.About{Title: v.Title, Project: v.Project})
	if err != nil {
		return err
	}
	shown, day, gone, look := 0, "", false, looking(template.HTMLEscapeString(v.Find))
	last := v.Of
	if !v.All {
		last = min(last, v.From+window)
	}
	for _, t := range turns[v.From:last] {
		one := turnView{Gone: t.Abandoned && !gone, Back: !t.Abandoned && gone}
		gone = t.Abandoned
		for _, c := range t.Calls {
			if c.ID != "" {
				one.Agents = append(one.Agents, agents[c.ID]...)
			}
		}
		if today := t.At.UTC().Format(time.DateOnly); today != day && !t.At.IsZero() {
			one.Day, day = today, today
		}
		if left := len(t.Text) - mostOfTurn; left > 0 && !whole {
			t.Text, t.Foreign = text.Head(t.Text, mostOfTurn), nil
			one.Cut = answer.Count(left>>10+1, "KB")
		}
		if shown += len(t.Text) + 1000*len(t.Calls); shown > mostShown && len(v.Turns) > 0 && !v.All {
			break
		}
		for _, id := range slices.Compact(append([]string{string(t.ID)}, t.Records...)) {
			one.Items = append(one.Items, resting[id]...)
			delete(resting, id)
		}
		t.Text = quoted(t.Text, one.Items)
		if one.HTML, err = page(t); err != nil {
			return err
		}
		if len(one.Items) > 0 {
			one.HTML = marked(one.HTML)
		}
		if v.Find != "" {
			one.HTML = hits(one.HTML, look)
		}
		v.Turns = append(v.Turns, one)
	}
	return nil
}

// Items' quotes are highlighted in a turn: private-use characters are put around the words before rendering, and the
// text between them afterwards is marked.
const opens, closes = "\ue000", "\ue001"

var signs = strings.NewReplacer(opens, "", closes, "")

func quoted(said string, items []payload.Item) string {
	said = signs.Replace(said)
	for _, it := range items {
		before, after, ok := strings.Cut(said, it.First().Quote)
		if begins := before == "" || strings.HasSuffix(before, "\n"); ok && it.First().Quote != "" &&
			!(begins && strings.ContainsAny(it.First().Quote[:1], "-*+>#|`0123456789")) { // Markdown at the start of a line
			said = before + opens + it.First().Quote + closes + after
		}
	}
	return said
}

// marked turns the text between the signs into <mark> elements; signs inside a tag, such as in a link's address, are
// removed.
func marked(page template.HTML) template.HTML {
	var b strings.Builder
	on := false
	for rest := string(page); rest != ""; {
		words, tag := rest, ""
		if i := strings.IndexByte(rest, '<'); i >= 0 {
			end := i + 1 + strings.IndexByte(rest[i:]+">", '>')
			words, tag, rest = rest[:i], rest[i:min(end, len(rest))], rest[min(end, len(rest)):]
		} else {
			rest = ""
		}
		for words != "" {
			end, next := len(words), len(words)
			if i := strings.IndexAny(words, opens+closes); i >= 0 {
				end, next = i, i+len(opens)
			}
			if run := words[:end]; on && strings.TrimSpace(run) != "" {
				b.WriteString("<mark>" + run + "</mark>")
			} else {
				b.WriteString(run)
			}
			if next > end {
				on = words[end:next] == opens
			}
			words = words[next:]
		}
		b.WriteString(signs.Replace(tag))
		on = on && !strings.Contains(tag, closes)
	}
	return template.HTML(b.String())
}

// started groups a session's sub-agents by the call that started them; "" for those whose call isn't in the session.
func started(s *ingest.Session) map[string][]ingest.Subagent {
	in := map[string]bool{}
	note := func(turns []ingest.Turn) {
		for _, t := range turns {
			for _, c := range t.Calls {
				in[c.ID] = c.ID != ""
			}
		}
	}
	note(s.Turns)
	for _, a := range s.Subagents {
		note(a.Turns)
	}
	by := map[string][]ingest.Subagent{}
	for _, a := range s.Subagents {
		if !in[a.Call] {
			a.Call = ""
		}
		by[a.Call] = append(by[a.Call], a)
	}
	return by
}

// Next and Before return where the neighbouring windows begin, -1 for none.
func (v sessionView) Next() int {
	if next := v.From + len(v.Turns); next < v.Of {
		return next
	}
	return -1
}

func (v sessionView) Before() int {
	if v.From > 0 {
		return max(0, v.From-window)
	}
	return -1
}

// raw serves a file of a session as its client wrote it, including secrets, after a click that confirms that.
func (s *Server) raw(w http.ResponseWriter, r *http.Request) {
	m, err := s.o.Open(r.Context(), false)
	if err != nil {
		s.fail(w, r, http.StatusServiceUnavailable, err)
		return
	}
	defer m.Close()
	id, name := ingest.SessionID(r.PathValue("id")), r.PathValue("name")
	e, err := m.Library.Session(id)
	i := slices.IndexFunc(e.Files, func(f library.FileState) bool { return f.Name == name })
	if err != nil || i < 0 {
		s.fail(w, r, http.StatusNotFound, errNone)
		return
	}
	if r.URL.Query().Get("secrets") != "shown" {
		of := library.ListEntry{ID: id, Title: e.Title}
		s.show(w, http.StatusOK, view{Name: "raw", URL: r.URL, Doc: rawView{of, name,
			answer.Count(int(e.Files[i].Size), "byte")}})
		return
	}
	file, _, err := m.Library.OpenVersion(id, name, e.Files[i].Version)
	if err != nil {
		s.fail(w, r, http.StatusInternalServerError, err)
		return
	}
	defer file.Close()
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	io.Copy(w, file) // an error means that the reader left
}

// rawView is a file of a session before the confirmation.
type rawView struct {
	library.ListEntry
	File, Size string
}
