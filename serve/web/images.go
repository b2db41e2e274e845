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
	"regexp"
	"slices"
	"strconv"

	"recall/ingest"
	"recall/library"
)

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
			at, found := slices.BinarySearchFunc(in, line, func(b begin, line int) int { return cmp.Compare(b.line, line) })
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
