package history

import (
	"bytes"
	"cmp"
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

// A Grep looks for a pattern, line by line, in transcripts as they are rendered: secrets are out of them, and they stay
// where the source is gone.
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
		literal = lower(literal, nil)
	}
	return &Grep{re: re, literal: literal, fold: fold}, nil
}

// needed is the longest text that stands in all that a pattern matches, perhaps in either case if fold; nil if none is
// known.
func needed(re *syntax.Regexp, fold bool) (longest []byte) {
	switch {
	case re.Op == syntax.OpLiteral:
		text := []byte(string(re.Rune))
		folded := re.Flags&syntax.FoldCase != 0
		if folded && (!fold || len(text) != len(re.Rune) || bytes.ContainsAny(text, "kKsS")) {
			return nil // ſ is an s, and the sign for kelvin a k
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

// lower is a text with the letters of ASCII in small ones, in the room of another.
func lower(text, room []byte) []byte {
	low := slices.Grow(room[:0], len(text))[:len(text)]
	for i, c := range text {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		low[i] = c
	}
	return low
}

// Each calls found with what sessions match, in their order. The sessions' files are read side by side, a few at once.
func (g *Grep) Each(ctx context.Context, sessions []library.Entry, found func(library.Entry, []Line) error) error {
	type result struct {
		lines []Line
		err   error
	}
	ahead := 2 * runtime.GOMAXPROCS(0)
	results := make([]chan result, len(sessions))
	start := func(i int) {
		if i < len(sessions) {
			results[i] = make(chan result, 1)
			go func() {
				lines, err := g.session(sessions[i])
				results[i] <- result{lines, err}
			}()
		}
	}
	for i := range min(ahead, len(sessions)) {
		start(i)
	}
	var err error
	for i, e := range sessions {
		r := <-results[i]
		results[i] = nil
		if err = cmp.Or(err, ctx.Err()); err == nil {
			start(i + ahead)
			if r.err != nil {
				g.Problems = append(g.Problems, fmt.Errorf("%s: %w", e.ID, r.err))
			}
			if len(r.lines) > 0 {
				err = found(e, r.lines)
			}
		}
		if err != nil && (i+1 == len(sessions) || results[i+1] == nil) {
			return err // none is at work any more
		}
	}
	return err
}

// reading is the room that a file and its small letters take, used again for the next: most of the time went into
// making it.
type reading struct {
	text bytes.Buffer
	low  []byte
}

var rooms = sync.Pool{New: func() any { return &reading{} }}

// session looks through the parts of a session's transcript.
func (g *Grep) session(e library.Entry) (lines []Line, err error) {
	room := rooms.Get().(*reading)
	defer rooms.Put(room)
	turn := 0
	for part := 0; ; part++ {
		room.text.Reset()
		name := render.TranscriptName(part)
		f, err := disk.Open(filepath.Join(e.Folder, name))
		if errors.Is(err, fs.ErrNotExist) && part > 0 {
			return lines, nil
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil, errors.New("it has no transcript.md yet: recall sync makes it")
		}
		if err != nil {
			return lines, err
		}
		_, err = room.text.ReadFrom(f)
		f.Close()
		if err != nil {
			return lines, err
		}
		lines = append(lines, g.file(name, room, &turn)...)
		if g.Only && len(lines) > 0 {
			return lines, nil
		}
	}
}

var (
	linkTarget = text.Pattern(`<a id="[^"]*"></a>`)
	turnHead   = []byte("\n### ")
	anchored   = []byte("</a>") // before a turn's heading, and not before what looks like one in a session
)

// file looks through one file, and notes in which turn it ends.
func (g *Grep) file(name string, room *reading, turn *int) (lines []Line) {
	data := room.text.Bytes()
	low := data
	if g.fold {
		room.low = lower(data, room.low)
		low = room.low
	}
	number, counted, heads := 1, 0, 0
	shown := 0 // where the last line that was shown ends
	at := func(from, to int, spans []Span) Line {
		number += bytes.Count(data[counted:from], []byte("\n"))
		counted = from
		heads = turnsTo(data, heads, to, turn)
		shown = to
		return Line{File: name, Line: number, Turn: *turn, Text: plain(data[from:to]), Spans: spans}
	}
	after := 0
	for pos := 0; pos < len(data); {
		next := g.next(data, low, pos)
		for after > 0 && shown+1 < len(data) && (next < 0 || next > endOf(data, shown+1)) {
			lines = append(lines, at(shown+1, endOf(data, shown+1), nil))
			after--
		}
		if next < 0 {
			break
		}
		from, to := bytes.LastIndexByte(data[:next], '\n')+1, endOf(data, next)
		pos = to + 1
		var spans []Span
		for _, at := range g.re.FindAllStringIndex(plain(data[from:to]), -1) {
			spans = append(spans, Span{at[0], at[1]})
		}
		if len(spans) == 0 {
			continue
		}
		for _, before := range linesBefore(data, from, shown, g.Context) {
			lines = append(lines, at(before, endOf(data, before), nil))
		}
		lines = append(lines, at(from, to, spans))
		if after = g.Context; g.Only {
			break
		}
	}
	turnsTo(data, heads, len(data), turn) // in which the next part begins
	return lines
}

// turnsTo reads the numbers of the turns' headings from one place to another, and returns that.
func turnsTo(data []byte, from, to int, turn *int) int {
	for {
		i := bytes.Index(data[from:max(from, to)], turnHead)
		if i < 0 {
			return max(from, to)
		}
		at := from + i
		from = at + len(turnHead)
		n, _, _ := bytes.Cut(data[from:min(len(data), from+12)], []byte(" · "))
		if n, err := strconv.Atoi(string(n)); err == nil && bytes.HasSuffix(data[:at], anchored) {
			*turn = n
		}
	}
}

// next is the first place from which something may match; -1 if there is none.
func (g *Grep) next(data, low []byte, pos int) int {
	if len(g.literal) == 0 {
		at := g.re.FindIndex(data[pos:])
		if at == nil {
			return -1
		}
		return pos + at[0]
	}
	if i := bytes.Index(low[pos:], g.literal); i >= 0 {
		return pos + i
	}
	return -1
}

// plain is a line without the places that links lead to.
func plain(line []byte) string {
	if bytes.Contains(line, []byte("<a id=")) {
		line = linkTarget().ReplaceAll(line, nil)
	}
	return string(line)
}

func endOf(data []byte, from int) int {
	if i := bytes.IndexByte(data[from:], '\n'); i >= 0 {
		return from + i
	}
	return len(data)
}

// linesBefore are the places where lines begin before one, at most n, none before what is shown.
func linesBefore(data []byte, from, shown, n int) (begins []int) {
	for ; n > 0 && from > 0 && (shown == 0 || from-1 > shown); n-- {
		from = bytes.LastIndexByte(data[:from-1], '\n') + 1
		begins = append(begins, from)
	}
	slices.Reverse(begins)
	return begins
}
