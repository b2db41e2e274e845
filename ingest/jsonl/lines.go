// Package jsonl reads JSON Lines as coding tools write them: lines of any length, torn, doubled, with NULs and stray
// bytes. Lines never holds more than one line; Cursor decodes only what is requested.
package jsonl

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

const (
	// MaxLine is the longest line that is read, in bytes; a longer one is marked TooLong.
	MaxLine = 256 << 20

	readAtOnce = 64 << 10
	window     = 1 << 20  // longer lines are squeezed:
	keepBlob   = 16 << 10 // how much is kept of a base64 string in a longer line
	keepString = 4 << 20  // and of any other string
	keepBuffer = 8 << 20  // a larger line buffer is released after use
)

// A Line is one line of a stream, without its newline.
type Line struct {
	N       int    // 1-based
	Size    int64  // bytes in the stream, including the newline
	Bytes   []byte // valid until the next call of Next
	Cut     int64  // bytes omitted from strings too long to keep (mostly base64)
	Ended   bool   // it ends in a newline; false only for the last one
	TooLong bool   // more than MaxLine bytes: Bytes is empty
}

// Lines reads line by line, in memory bounded by the longest line without its base64.
type Lines struct {
	r    *bufio.Reader
	n    int    // lines read so far
	long []byte // buffer for lines that take more than one read
}

// NewLines returns a reader of the lines of r.
func NewLines(r io.Reader) *Lines { return &Lines{r: bufio.NewReaderSize(r, readAtOnce)} }

// Next returns the next line, io.EOF after the last; any other error is the stream's, returned after the lines before
// it.
func (l *Lines) Next() (Line, error) {
	line := Line{N: l.n + 1}
	if cap(l.long) > keepBuffer {
		l.long = nil
	}
	long := squeezer{out: l.long[:0]}
	for {
		part, err := l.r.ReadSlice('\n')
		more := errors.Is(err, bufio.ErrBufferFull)
		if err != nil && !more && (line.Size+int64(len(part)) == 0 || !errors.Is(err, io.EOF)) {
			return Line{}, err
		}
		whole := line.Size == 0 && !more
		switch line.Size += int64(len(part)); {
		case whole:
			line.Bytes = part
		case line.Size > MaxLine:
			line.TooLong, long.out = true, nil
		default:
			long.addPart(part)
		}
		if more {
			continue
		}
		if line.Ended = err == nil; !whole {
			l.long, line.Bytes, line.Cut = long.out, long.out, long.cut
		}
		line.Bytes = bytes.TrimSuffix(bytes.TrimSuffix(line.Bytes, []byte{'\n'}), []byte{'\r'})
		l.n++
		return line, nil
	}
}

// A squeezer copies a JSON line that arrives in parts and, beyond the window, omits most of its very long strings, so
// that images are never held in memory. Well-formed JSON stays well-formed.
type squeezer struct {
	out      []byte
	cut      int64
	squeezes bool
	inString bool
	slashes  int // backslashes at the end of the text so far
	dropping bool
	begin    int // of the current string, in out
	judged   bool
}

func (s *squeezer) addPart(part []byte) {
	if !s.squeezes && len(s.out)+len(part) <= window {
		s.out = append(s.out, part...)
		return
	}
	if !s.squeezes {
		whole := s.out
		s.out, s.squeezes = s.out[:0], true // in place: it never gets longer
		s.addPart(whole)
	}
	for len(part) > 0 {
		text, rest, quote := bytes.Cut(part, []byte{'"'})
		n := backslashes(text)
		if n == len(text) {
			n += s.slashes
		}
		s.keep(text)
		switch {
		case !quote:
			s.slashes = n
			return
		case s.inString && n%2 == 1: // escaped
			s.keep(part[len(text) : len(text)+1])
		default:
			s.out = append(s.out, '"')
			s.inString, s.dropping, s.judged, s.begin = !s.inString, false, false, len(s.out)
		}
		part, s.slashes = rest, 0
	}
}

// backslashes counts the backslashes at the end of b.
func backslashes(b []byte) int {
	n := 0
	for n < len(b) && b[len(b)-1-n] == '\\' {
		n++
	}
	return n
}

func (s *squeezer) keep(b []byte) {
	if s.dropping {
		s.cut += int64(len(b))
		return
	}
	s.out = append(s.out, b...)
	switch n := len(s.out) - s.begin; {
	case !s.inString:
	case !s.judged && n > keepBlob:
		if s.judged = true; isBlob(s.out[s.begin : s.begin+keepBlob]) {
			s.drop(s.begin + keepBlob)
		}
	case n > keepString:
		s.drop(s.begin + keepString)
	}
}

// drop cuts the current string at the last position before at that isn't within an escape.
func (s *squeezer) drop(at int) {
	for at > s.begin && bytes.IndexByte(s.out[max(s.begin, at-12):at], '\\') >= 0 {
		at--
	}
	s.cut += int64(len(s.out) - at)
	s.out = s.out[:at]
	s.dropping = true
}

const blobChars = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-"

// isBlob reports whether b can be the beginning of base64.
func isBlob(b []byte) bool { return len(bytes.TrimLeft(b, blobChars)) == 0 }
