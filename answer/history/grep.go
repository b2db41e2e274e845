package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"recall/ingest"
	"recall/ingest/trace"
	"recall/internal/text"
	"recall/library"
	"recall/library/disk"
	"recall/library/holders"
	"recall/library/needle"
	"recall/library/render"
)

// A Grep searches line by line for a pattern: in rendered transcripts, which contain no secrets and remain after the
// source is gone, and in the complete outputs of calls, of which a transcript has the beginning.
type Grep struct {
	Context int  // lines shown around a match
	Only    bool // only report whether a session matches

	Problems []error // sessions that couldn't be searched

	re      *regexp.Regexp
	literal []byte // with which every match begins; lower-case if fold
	fold    bool
}

// A Line is a line that matches, or is shown as context.
type Line struct {
	File  string `json:"file,omitempty"`  // transcript.md; "" if it is in an output only
	Line  int    `json:"line"`            // in the file or output, from 1
	Turn  int    `json:"turn,omitempty"`  // the turn that contains it; 0 above the first
	Text  string `json:"text"`            // without line end and anchors
	Spans []Span `json:"spans,omitempty"` // the matches in it; none in context lines
}

// A Span is a match in a line, as byte offsets.
type Span struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// Grepped holds the lines of a session.
type Grepped struct {
	library.SessionRef
	Lines []Line `json:"lines"`
}

// NewGrep compiles a pattern in Go's syntax, or a fixed text, for whole words if word, ignoring case if fold.
func NewGrep(pattern string, fixed, fold, word bool) (*Grep, error) {
	if fixed {
		pattern = regexp.QuoteMeta(pattern)
	}
	plain, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	begins, _ := plain.LiteralPrefix()
	literal := []byte(begins)
	if fold {
		literal = lower(literal)
	}
	if word {
		pattern = `\b(?:` + pattern + `)\b`
	}
	if fold {
		pattern = "(?i)" + pattern
	}
	re, err := regexp.Compile("(?m)" + pattern)
	if err != nil {
		return nil, err
	}
	return &Grep{re: re, literal: literal, fold: fold}, nil
}

// lower converts ASCII letters to lower case; everything else keeps its position.
func lower(text []byte) []byte {
	low := bytes.Clone(text)
	for i, c := range low {
		if c-'A' <= 'Z'-'A' {
			low[i] = c + 'a' - 'A'
		}
	}
	return low
}

// A Search finds the lines of one session.
type Search func(context.Context, library.Entry) ([]Line, error)

// Each calls found with the matches of each session that has any, in order. Several are searched at once.
func (g *Grep) Each(ctx context.Context, sessions []library.Entry, search Search,
	found func(library.Entry, []Line) error) error {
	for some := range slices.Chunk(sessions, runtime.GOMAXPROCS(0)) {
		lines, faults := make([][]Line, len(some)), make([]error, len(some))
		var all sync.WaitGroup
		for i := range some {
			all.Go(func() { lines[i], faults[i] = search(ctx, some[i]) })
		}
		all.Wait()
		for i, e := range some {
			if faults[i] != nil {
				g.Problems = append(g.Problems, fmt.Errorf("%s: %w", e.ID, faults[i]))
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if len(lines[i]) == 0 {
				continue
			}
			if err := found(e, lines[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// Transcript searches a session's transcript.
func (g *Grep) Transcript(_ context.Context, e library.Entry) ([]Line, error) {
	data, err := disk.ReadPlain(filepath.Join(e.Folder, render.TranscriptName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("it has no transcript.md yet: recall sync makes it")
	}
	if err != nil {
		return nil, err
	}
	return g.file(render.TranscriptName, disk.Markdown.Text(data), 0), nil
}

// Text searches one text under the name of its file.
func (g *Grep) Text(name, text string) []Line {
	return g.file(name, []byte(text), 0)
}

// Outputs returns a search of the complete outputs of a session's calls. Only sessions whose bytes hold the pattern's
// literal text are parsed; ok is false if it has none that is long enough.
func (g *Grep) Outputs(l *library.Library, read func(context.Context, ingest.SessionID) (*ingest.Session, error)) (
	search Search, ok bool) {
	needles, err := needle.New(string(g.literal))
	if err != nil {
		return nil, false
	}
	if g.fold {
		needles = needles.Folded()
	}
	return func(ctx context.Context, e library.Entry) (lines []Line, err error) {
		if holds, err := holders.Holds(ctx, l, e, needles); err != nil || !holds {
			return nil, err
		}
		s, err := read(ctx, e.ID)
		if err != nil {
			return nil, err
		}
		for _, a := range trace.Actions(s) {
			for _, line := range g.file("", []byte(a.Call.Result), a.N) {
				lines = append(lines, g.clipped(line))
			}
			if g.Only && len(lines) > 0 {
				break
			}
		}
		return lines, nil
	}, true
}

// longest bounds a line of an output: what programs print for programs can be all on one.
const longest = 400

// clipped returns a line without what is far from its first match.
func (g *Grep) clipped(l Line) Line {
	if len(l.Text) <= longest {
		return l
	}
	from := 0
	if len(l.Spans) > 0 {
		from = max(0, l.Spans[0].From-longest/4)
	}
	l.Text = strings.ToValidUTF8(l.Text[from:min(len(l.Text), from+longest)], "")
	l.Spans = g.spans(l.Text)
	return l
}

func (g *Grep) spans(line string) (all []Span) {
	for _, span := range g.re.FindAllStringIndex(line, -1) {
		all = append(all, Span{span[0], span[1]})
	}
	return all
}

var (
	linkTarget = text.Pattern(`<a id="[^"]*"></a>`)
	oddLetters = [][]byte{[]byte("ſ"), []byte("\u212a")} // ſ also matches s, and the kelvin sign k
)

// file searches one file and records the turn in which it ends.
func (g *Grep) file(name string, data []byte, turn int) (lines []Line) {
	low, literal := data, g.literal
	if g.fold && literal != nil {
		low = lower(data)
		if slices.ContainsFunc(oddLetters, func(odd []byte) bool { return bytes.Contains(data, odd) }) {
			literal = nil
		}
	}
	var before []Line // context for the next match
	n, after, at, named := 0, 0, 0, false
	for raw := range bytes.Lines(data) {
		n++
		from := at
		at += len(raw)
		// A turn's heading follows an anchor; text that looks like one doesn't.
		if head, ok := bytes.CutPrefix(raw, []byte("### ")); ok && named {
			number, _, _ := bytes.Cut(head, []byte(" · "))
			if is, err := strconv.Atoi(string(number)); err == nil {
				turn = is
			}
		}
		named = bytes.HasSuffix(raw, []byte("</a>\n"))
		possible := bytes.Contains(low[from:at], literal)
		if !possible && after == 0 && g.Context == 0 {
			continue
		}
		line := Line{File: name, Line: n, Turn: turn, Text: plain(bytes.TrimSuffix(raw, []byte("\n")))}
		if possible {
			line.Spans = g.spans(line.Text)
		}
		switch {
		case len(line.Spans) > 0:
			lines = append(append(lines, before...), line)
			if before, after = nil, g.Context; g.Only {
				return lines
			}
		case after > 0:
			lines = append(lines, line)
			after--
		case g.Context > 0:
			before = append(before[max(0, len(before)-g.Context+1):], line)
		}
	}
	return lines
}

// plain returns a line without anchors.
func plain(line []byte) string {
	if bytes.Contains(line, []byte("<a id=")) {
		line = linkTarget().ReplaceAll(line, nil)
	}
	return string(line)
}
