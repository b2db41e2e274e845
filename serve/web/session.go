package web

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"hash/fnv"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"recall/answer"
	"recall/answer/history"
	"recall/ingest"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
)

// sessionView is a session: its head, which is shown at once, and the rest, which is read and rendered while the page
// is sent.
type sessionView struct {
	library.ListEntry
	Branch string
	Find   string
	Shared *answer.Shared // somebody else's: nothing else is known

	rest   func() (*sessionRest, error)
	resume func() Resumed
}

// Resume looks how the session is continued, for which its source is read.
func (v sessionView) Resume() Resumed { return v.resume() }

// Rest reads the session; what prevents that is told on the page, whose head is on its way.
func (v sessionView) Rest() *sessionRest {
	rest, err := v.rest()
	if err != nil {
		return &sessionRest{Fault: err.Error()}
	}
	return rest
}

// readSession is a parsed session, redacted.
type readSession struct {
	of       *ingest.Session
	pictures map[ingest.TurnID][]picture
}

// parsed parses a session: one at a time, because a large one takes memory.
func (s *Server) parsed(ctx context.Context, m *Memory, e library.Entry) (*readSession, error) {
	s.parsing.Lock()
	defer s.parsing.Unlock()
	of, err := m.Read(ctx, e.ID)
	if err != nil {
		return nil, err
	}
	pictures, err := picturesOf(ctx, m, e, of)
	return &readSession{of, pictures}, err
}

func (s *Server) session(r *http.Request, m *Memory) (any, error) {
	catalog, err := m.Library.Catalog() // first, as it sees what another recall took in
	if err != nil {
		return nil, err
	}
	e, err := m.Library.Session(ingest.SessionID(r.PathValue("id")))
	if errors.Is(err, library.ErrNoSession) {
		shared, err := m.Shared(r.PathValue("id"))
		return sessionView{Shared: shared}, err
	}
	if err != nil {
		return nil, err
	}
	v := sessionView{ListEntry: library.ListEntry{ID: e.ID, Source: e.Source, Project: catalog.Of(e).Name,
		Number: catalog.Number[string(e.ID)], Title: e.Title, Start: e.Start, End: e.End, Turns: e.Turns,
		State: catalog.State(e, nil),
		Marks: e.Marks}, Branch: e.Branch,
		Find: strings.ToValidUTF8(r.URL.Query().Get("find"), "\ufffd")}
	parsed := sync.OnceValues(func() (*readSession, error) { return s.parsed(r.Context(), m, e) })
	v.resume = func() Resumed {
		var of *ingest.Session
		if read, err := parsed(); err == nil { // else the rest says why
			of = read.of
		}
		return m.Resume(e, of)
	}
	v.rest = func() (*sessionRest, error) {
		read, err := parsed()
		if err != nil {
			return nil, err
		}
		p, err := outcome(r.Context(), m, e.ID)
		if err != nil {
			return nil, err
		}
		rest, err := restOf(read, p, v.Find, r.URL)
		if err == nil {
			rest.Cost = history.CostOf(read.of.Requests(), m.Prices)
		}
		return rest, err
	}
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
	out.Doubted, err = pipeline.Doubts(ctx, m.Library, m.Index, map[string]*payload.Payload{}, p.Items)
	out.Items = slices.Clone(p.Items)
	for i := range out.Items {
		if it := &out.Items[i]; out.Doubted[it.ID].Sure {
			it.State = payload.Superseded
		}
	}
	return &out, err
}

// live reports changes as server-sent events until the page is left. While a session's page is open, what its client
// adds to it is taken in as it comes.
func (s *Server) live(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	last, tried := s.o.Stamp(), ""
	for tick := time.NewTicker(2 * time.Second); ; {
		if err := out.Flush(); err != nil {
			return
		}
		select {
		case <-r.Context().Done():
			tick.Stop()
			return
		case <-tick.C:
		}
		if id := r.URL.Query().Get("session"); id != "" && !s.o.ReadOnly {
			tried = s.takeIn(r.Context(), ingest.SessionID(id), tried)
		}
		word := ": still here\n\n"
		if now := s.o.Stamp(); now != last {
			last, word = now, "event: changed\ndata: \n\n"
		}
		if _, err := w.Write([]byte(word)); err != nil {
			return
		}
	}
}

// takeIn syncs if a session's sources have grown: not twice for the same growth, which a stamp identifies.
func (s *Server) takeIn(ctx context.Context, id ingest.SessionID, tried string) string {
	m, err := s.o.Open(ctx, false)
	if err != nil {
		return tried
	}
	defer m.Close()
	e, err := m.Library.Session(id)
	if err != nil {
		return tried
	}
	var sources []string
	behind := false
	for _, f := range e.Files {
		for _, source := range f.Sources {
			sources = append(sources, source.Path)
			fi, err := os.Stat(source.Path)
			behind = behind || err == nil && fi.Size() > f.Size
		}
	}
	stamp := StampOf(sources...)
	if !behind || stamp == tried {
		return stamp
	}
	if fresh, err := s.o.Open(ctx, true); err == nil {
		fresh.Close()
	}
	return stamp
}

// A picture is an image in a line of a session's file, as all clients write them: in base64, which only Gemini CLI
// doesn't name.
type picture struct {
	File string
	Line int
	Sum  string // of its base64
	Size int64  // bytes
}

// Src returns where a picture of a session is served.
func (p picture) Src(session ingest.SessionID) string {
	q := url.Values{"file": {p.File}, "line": {strconv.Itoa(p.Line)}}
	return (&url.URL{Path: "/session/" + string(session) + "/image/" + p.Sum, RawQuery: q.Encode()}).String()
}

const (
	longestImaged = 64 << 20 // a longer line is skipped
	leastImage    = 26       // bytes; what is shorter is torn
)

// encoded finds PNG, JPEG, GIF and WebP by how they begin, alone or in a data URL, in JSON or in JSON that is a string.
var encoded = regexp.MustCompile(`(?:"|;base64,)((?:iVBORw0KGgo|/9j/|R0lGOD|UklGR)[A-Za-z0-9+/=]+)\\?"`)

// imagesOf calls f with the base64 of each image in a session's file, until that returns false.
func imagesOf(m *Memory, e library.Entry, file library.FileState, f func(line int, data []byte) bool) error {
	r, _, err := m.Library.OpenVersion(e.ID, file.Name, file.Version)
	if err != nil {
		return err
	}
	defer r.Close()
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, longestImaged)
	for n := 1; lines.Scan(); n++ {
		if !bytes.Contains(lines.Bytes(), []byte("base64")) && !bytes.Contains(lines.Bytes(), []byte("inlineData")) {
			continue
		}
		for _, found := range encoded.FindAllSubmatch(lines.Bytes(), -1) {
			if !f(n, found[1]) {
				return nil
			}
		}
	}
	return lines.Err()
}

func sumOf(data []byte) string {
	h := fnv.New128a()
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}

// picturesOf returns a session's images by the turn that they belong to: the last one that begins in their line or
// before. A record may have an image twice.
func picturesOf(ctx context.Context, m *Memory, e library.Entry, s *ingest.Session) (
	map[ingest.TurnID][]picture, error) {
	type begin struct {
		line int
		turn ingest.TurnID
	}
	begins := map[string][]begin{} // by file
	note := func(turns []ingest.Turn) {
		for _, t := range turns {
			if !t.Gone {
				begins[t.File] = append(begins[t.File], begin{t.Line, t.ID})
			}
		}
	}
	note(s.Turns)
	for _, a := range s.Subagents {
		note(a.Turns)
	}
	of := map[ingest.TurnID][]picture{}
	for _, file := range e.Files {
		in := begins[file.Name]
		slices.SortFunc(in, func(a, b begin) int { return cmp.Compare(a.line, b.line) })
		err := imagesOf(m, e, file, func(line int, data []byte) bool {
			byLine := func(b begin, line int) int { return cmp.Compare(b.line, line) }
			at, found := slices.BinarySearchFunc(in, line, byLine)
			if !found {
				at--
			}
			p := picture{File: file.Name, Line: line, Sum: sumOf(data),
				Size: int64(base64.StdEncoding.DecodedLen(len(data)))}
			again := func(o picture) bool { return o.Sum == p.Sum }
			if at >= 0 && p.Size >= leastImage && !slices.ContainsFunc(of[in[at].turn], again) {
				of[in[at].turn] = append(of[in[at].turn], p)
			}
			return ctx.Err() == nil
		})
		if err != nil && !errors.Is(err, bufio.ErrTooLong) {
			return of, err
		}
	}
	return of, ctx.Err()
}

// picture serves an image of a session.
func (s *Server) picture(w http.ResponseWriter, r *http.Request, m *Memory) {
	q := r.URL.Query()
	e, err := m.Library.Session(ingest.SessionID(r.PathValue("id")))
	i := slices.IndexFunc(e.Files, func(f library.FileState) bool { return f.Name == q.Get("file") })
	var raw []byte
	if err == nil && i >= 0 {
		err = imagesOf(m, e, e.Files[i], func(line int, data []byte) bool {
			if strconv.Itoa(line) == q.Get("line") && sumOf(data) == r.PathValue("sum") {
				raw, _ = base64.StdEncoding.AppendDecode(nil, data) // a torn one is told below
			}
			return raw == nil
		})
	}
	if err != nil || raw == nil {
		s.fail(w, r, http.StatusNotFound, errNone)
		return
	}
	w.Header().Set("Content-Type", http.DetectContentType(raw))
	// Opened by itself it is in a page of the browser's own, with the browser's style.
	w.Header().Set("Content-Security-Policy", "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'")
	w.Write(raw)
}
