package history

import (
	"bytes"
	"context"
	"encoding/binary"
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
		literal = lower(literal, nil)
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

// lower is a text with the letters of ASCII in small ones, in the room of another: eight bytes at once, which takes an
// eighth of the time.
func lower(text, room []byte) []byte {
	const each = 0x0101010101010101
	low := append(room[:0], text...)
	i := 0
	for ; i+8 <= len(low); i += 8 {
		x := binary.LittleEndian.Uint64(low[i:])
		bits := x & (each * 0x7f)
		capital := (bits + each*(0x80-'A')) &^ (bits + each*(0x7f-'Z')) &^ x & (each * 0x80)
		binary.LittleEndian.PutUint64(low[i:], x|capital>>2)
	}
	for ; i < len(low); i++ {
		if 'A' <= low[i] && low[i] <= 'Z' {
			low[i] |= 0x20
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

// reading is the room that a file and its small letters take, used again: most time went into making it.
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
		if fi, unknown := f.Stat(); unknown == nil {
			room.text.Grow(int(fi.Size()) + bytes.MinRead)
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
	turnHead   = []byte("</a>\n### ") // so begins a turn's heading, and not what looks like one in a session
	newline    = []byte("\n")
	oddLetters = [][]byte{[]byte("ſ"), []byte("\u212a")} // ſ is an s too, and the sign for kelvin a k
)

// file looks through one file, and notes in which turn it ends.
func (g *Grep) file(name string, room *reading, turn *int) (lines []Line) {
	data := room.text.Bytes()
	low, literal := data, g.literal
	if g.fold && literal != nil {
		room.low = lower(data, room.low)
		low = room.low
		if slices.ContainsFunc(oddLetters, func(odd []byte) bool { return bytes.Contains(data, odd) }) {
			literal = nil
		}
	}
	type place struct{ from, to, line, turn int }
	show := func(at place, spans []Span) {
		lines = append(lines, Line{File: name, Line: at.line, Turn: at.turn, Text: plain(data[at.from:at.to]), Spans: spans})
	}
	var before []place // the lines that would be shown with a match
	after, next := 0, -1
	for at := (place{line: 1}); at.from < len(data); at.from, at.line = at.to+1, at.line+1 {
		if next < at.from {
			next = g.next(data, low, literal, at.from)
		}
		if over := g.over(data, at.from, next); after == 0 && len(over) > 0 {
			at.line += bytes.Count(over, newline)
			noteTurn(data[max(0, at.from-len(turnHead)):at.from+len(over)], turn)
			if at.from += len(over); at.from == len(data) {
				break
			}
		}
		at.to = endOf(data, at.from)
		noteTurn(data[max(0, at.from-len(turnHead)):at.to], turn)
		at.turn = *turn
		var spans []Span
		if next <= at.to {
			for _, span := range g.re.FindAllStringIndex(plain(data[at.from:at.to]), -1) {
				spans = append(spans, Span{span[0], span[1]})
			}
		}
		switch {
		case len(spans) > 0:
			for _, b := range before {
				show(b, nil)
			}
			show(at, spans)
			if before, after = before[:0], g.Context; g.Only {
				return lines
			}
		case after > 0:
			show(at, nil)
			after--
		case g.Context > 0:
			before = append(before[max(0, len(before)-g.Context+1):], at)
		}
	}
	return lines
}

// over are the whole lines from a place on that are shown with no match, the next of which stands where next says.
func (g *Grep) over(data []byte, from, next int) []byte {
	to := min(next, len(data))
	for lines := 0; next <= len(data) && lines <= g.Context && to > from; lines++ {
		to = 1 + bytes.LastIndexByte(data[:to-min(lines, 1)], '\n')
	}
	return data[from:max(from, to)]
}

// noteTurn notes which turn the last heading in a text is of, if there is one.
func noteTurn(text []byte, turn *int) {
	i := bytes.LastIndex(text, turnHead)
	if i < 0 {
		return
	}
	number, _, _ := bytes.Cut(text[i+len(turnHead):], []byte(" · "))
	if n, err := strconv.Atoi(string(number)); err == nil {
		*turn = n
	}
}

// next is the first place from which something may match; beyond the end if there is none.
func (g *Grep) next(data, low, literal []byte, pos int) int {
	at := g.re.FindIndex
	if len(literal) > 0 {
		data, at = low, func(text []byte) []int {
			if i := bytes.Index(text, literal); i >= 0 {
				return []int{i}
			}
			return nil
		}
	}
	if found := at(data[pos:]); found != nil {
		return pos + found[0]
	}
	return len(data) + 1
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
