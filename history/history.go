// Package history is what sessions did, asked about: who touched a file, why a line reads as it does, what was done
// about an error, what was decided when. A question rests on a pipeline whose index is open. All of recall's git runs
// here.
package history

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"recall/distill"
	"recall/index"
	"recall/ingest"
	"recall/ingest/trace"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
	"recall/sink"
	"recall/text"
)

// line is text from elsewhere as one harmless line.
func line(s string) string { return sink.Line(s, sink.Terminal) }

var lineEnd = text.Pattern(`^(.+?):(\d{1,9})(?::\d+)?$`)

// FileLine parts FILE:LINE or FILE:LINE:COLUMN; the line is 0 of neither, or of a file whose own name ends so.
func FileLine(arg string) (file string, line int) {
	m := lineEnd().FindStringSubmatch(arg)
	if m == nil || ingest.IsFile(arg) {
		return arg, 0
	}
	n, err := strconv.Atoi(m[2])
	if err != nil {
		return arg, 0
	}
	return m[1], n
}

// Called is a call on one line: the tool, and what it was called with.
func Called(c *ingest.ToolCall) string {
	switch with := c.With(); {
	case with == "":
		return c.Name
	case c.Command == "" && c.Path != "":
		return c.Name + " " + with
	default:
		return c.Name + ": " + with
	}
}

// skipped is the problem of a session that could not be read.
func skipped(session string, err error) ingest.Problem {
	return ingest.Problem{Path: session, Reason: strings.TrimSpace(err.Error())}
}

// Files is who touched a file.
type Files struct {
	Schema   int       `json:"schema"` // 1
	Path     string    `json:"path"`   // as asked for
	Project  string    `json:"project,omitempty"`
	Also     []string  `json:"also,omitempty"` // other names that it had, below the project's folder
	Sessions []Toucher `json:"sessions"`       // the newest first
}

// Toucher is a session that touched a file, and what it decided about it.
type Toucher struct {
	library.SessionRef
	Paths []string       `json:"paths"` // as the session's machine names it
	How   []trace.How    `json:"how"`
	Calls int            `json:"calls"`
	Turn  int            `json:"turn,omitempty"` // of the last touch
	At    time.Time      `json:"at,omitzero"`
	Items []payload.Item `json:"items"`
}

// FilesOf lists who touched the file that a path stands for, under whatever name it had then.
func FilesOf(ctx context.Context, p *pipeline.Pipeline, path string) (*Files, error) {
	names, err := nameFile(p.Library, path)
	if err != nil {
		return nil, err
	}
	doc := &Files{Schema: 1, Path: path, Sessions: []Toucher{}}
	if names.project != nil {
		doc.Project = names.project.Name
	}
	touched, err := names.touched(ctx, p.Index)
	if err != nil {
		return nil, err
	}
	shelf, err := p.Library.Shelf()
	if err != nil {
		return nil, err
	}
	at := map[string]int{}
	var ids []string
	for _, t := range touched {
		i, ok := at[t.Session]
		if !ok {
			i = len(ids)
			at[t.Session] = i
			ids = append(ids, t.Session)
			doc.Sessions = append(doc.Sessions, Toucher{SessionRef: shelf.Ref(t.Session), Turn: t.N, At: t.At,
				Items: []payload.Item{}})
		}
		doc.Sessions[i].add(t)
		if rel, ok := belowAny(slashed(t.Path), names.roots); ok && rel != names.rels[0] &&
			!slices.Contains(doc.Also, rel) {
			doc.Also = append(doc.Also, rel)
		}
	}
	items, err := p.Index.ItemsOf(ctx, ids)
	if err != nil {
		return nil, err
	}
	for i, id := range ids {
		for _, it := range items[id] {
			if names.concerns(it) {
				doc.Sessions[i].Items = append(doc.Sessions[i].Items, it)
			}
		}
	}
	return doc, nil
}

// Fate says that the file went with the session's machine; "" if it didn't.
func (s Toucher) Fate() string {
	if slices.ContainsFunc(s.Paths, func(path string) bool { return !distill.IsFleeting(path) }) {
		return ""
	}
	return distill.Fleeting
}

func (s *Toucher) add(t index.Touched) {
	s.Paths = append(s.Paths, t.Path)
	s.Calls += t.Calls
	for _, h := range t.Hows {
		if !slices.Contains(s.How, h) {
			s.How = append(s.How, h)
		}
	}
}
