package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"recall/library"
	"recall/library/disk"
	"recall/library/render"
	"recall/text"
)

// A Grep looks for a pattern, line by line, in rendered transcripts: without secrets, and there after the source is
// gone.
type Grep struct {
	Context int  // lines shown around a match
	Only    bool // that a session matches is enough

	Problems []error // sessions that could not be searched

	re      *regexp.Regexp
	literal []byte // stands in each line that matches; in small letters if fold
	fold    bool
}

// A Line is one of a transcript that matches, or stands beside one that does.
type Line struct {
	File  string `json:"file"`            // transcript.md, transcript-2.md
	Line  int    `json:"line"`            // in the file, from 1
	Turn  int    `json:"turn,omitempty"`  // in which it stands; 0 above the first
	Text  string `json:"text"`            // without the line's end and the places that links lead to
	Spans []Span `json:"spans,omitempty"` // the matches in it; none of a line beside
}

// A Span is a match in a line, from byte to byte.
type Span struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// Grepped are the lines of a session.
type Grepped struct {
	library.SessionRef
	Lines []Line `json:"lines"`
}

// NewGrep compiles a pattern in Go's syntax, of whole words if that is wanted, in either case if fold.
func NewGrep(pattern string, fold, word bool) (*Grep, error) {
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
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	literal := needed(tree.Simplify(), fold)
	if fold {
		literal = lower(literal)
	}
	return &Grep{re: re, literal: literal, fold: fold}, nil
}

// needed is the longest text in all that a pattern matches, in either case if fold; nil if none is known.
func needed(re *syntax.Regexp, fold bool) (longest []byte) {
	switch {
	case re.Op == syntax.OpLiteral:
		text := []byte(string(re.Rune))
		folded := re.Flags&syntax.FoldCase != 0
		if folded && (!fold || len(text) != len(re.Rune)) {
			return nil
		}
		return text
	case re.Op == syntax.OpCapture || re.Op == syntax.OpPlus || re.Op == syntax.OpRepeat && re.Min > 0:
		return needed(re.Sub[0], fold)
	case re.Op == syntax.OpConcat:
		for _, sub := range re.Sub {
			if one := needed(sub, fold); len(one) > len(longest) {
				longest = one
			}
		}
	}
	return longest
}

// lower is a text with the letters of ASCII in small ones; all else stays where it stands.
func lower(text []byte) []byte {
	low := bytes.Clone(text)
	for i, c := range low {
		if c-'A' <= 'Z'-'A' {
			low[i] = c + 'a' - 'A'
		}
	}
	return low
}

// Each calls found with what sessions match, in their order. The sessions' files are read side by side, a few at once.
func (g *Grep) Each(ctx context.Context, sessions []library.Entry, found func(library.Entry, []Line) error) error {
	for some := range slices.Chunk(sessions, runtime.GOMAXPROCS(0)) {
		lines, faults := make([][]Line, len(some)), make([]error, len(some))
		var all sync.WaitGroup
		for i := range some {
			all.Go(func() { lines[i], faults[i] = g.session(some[i]) })
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

// session looks through the parts of a session's transcript.
func (g *Grep) session(e library.Entry) (lines []Line, err error) {
	turn := 0
	for part := 0; ; part++ {
		name := render.TranscriptName(part)
		data, err := disk.ReadPlain(filepath.Join(e.Folder, name))
		if errors.Is(err, fs.ErrNotExist) && part > 0 {
			return lines, nil
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil, errors.New("it has no transcript.md yet: recall sync makes it")
		}
		if err != nil {
			return lines, err
		}
		lines = append(lines, g.file(name, data, &turn)...)
		if g.Only && len(lines) > 0 {
			return lines, nil
		}
	}
}

var (
	linkTarget = text.Pattern(`<a id="[^"]*"></a>`)
	oddLetters = [][]byte{[]byte("ſ"), []byte("\u212a")} // ſ is an s too, and the sign for kelvin a k
)

// file looks through one file, and notes in which turn it ends.
func (g *Grep) file(name string, data []byte, turn *int) (lines []Line) {
	low, literal := data, g.literal
	if g.fold && literal != nil {
		low = lower(data)
		if slices.ContainsFunc(oddLetters, func(odd []byte) bool { return bytes.Contains(data, odd) }) {
			literal = nil
		}
	}
	var before []Line // those that would be shown with a match
	n, after, at, named := 0, 0, 0, false
	for raw := range bytes.Lines(data) {
		n++
		from := at
		at += len(raw)
		// So begins a turn's heading, and not what looks like one in a session.
		if head, ok := bytes.CutPrefix(raw, []byte("### ")); ok && named {
			number, _, _ := bytes.Cut(head, []byte(" · "))
			if is, err := strconv.Atoi(string(number)); err == nil {
				*turn = is
			}
		}
		named = bytes.HasSuffix(raw, []byte("</a>\n"))
		possible := bytes.Contains(low[from:at], literal)
		if !possible && after == 0 && g.Context == 0 {
			continue
		}
		line := Line{File: name, Line: n, Turn: *turn, Text: plain(bytes.TrimSuffix(raw, []byte("\n")))}
		if possible {
			for _, span := range g.re.FindAllStringIndex(line.Text, -1) {
				line.Spans = append(line.Spans, Span{span[0], span[1]})
			}
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

// plain is a line without the places that links lead to.
func plain(line []byte) string {
	if bytes.Contains(line, []byte("<a id=")) {
		line = linkTarget().ReplaceAll(line, nil)
	}
	return string(line)
}
