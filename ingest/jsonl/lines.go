// Package jsonl reads JSON Lines as coding tools write them: lines of any
// length, torn, doubled, with NULs and stray bytes. Lines gives the lines of a
// stream without ever holding more than one; Cursor walks the JSON of a line
// in one pass and decodes only what is asked for.
package jsonl

import (
	"bytes"
	"errors"
	"io"
)

const (
	// MaxLine is the longest line that is read, in bytes; a longer one is
	// given as TooLong.
	MaxLine = 256 << 20

	firstRead  = 64 << 10 // the window's size at first
	window     = 1 << 20  // and at most; longer lines are copied out of it
	keepBlob   = 16 << 10 // of a base64 string in a longer line, this much is kept
	keepString = 4 << 20  // of any other string in it
	keepBuffer = 8 << 20  // a larger line buffer is given back after use
)

// A Line is one line of a stream, without its end.
type Line struct {
	N       int    // 1-based
	Offset  int64  // of its first byte in the stream
	Size    int64  // bytes in the stream, the line end included
	Bytes   []byte // valid until the next call of Next
	Cut     int64  // bytes left out of strings too long to keep (base64, mostly)
	Ended   bool   // it ends in a newline; false only for the last one
	TooLong bool   // more than MaxLine bytes: Bytes is empty
}

// Lines reads a stream line by line in memory bounded by the longest line
// without its base64.
type Lines struct {
	r    io.Reader
	buf  []byte
	i, j int // unread part of buf
	n    int
	off  int64
	long []byte
	err  error
}

// NewLines returns a reader of the lines of r.
func NewLines(r io.Reader) *Lines {
	return &Lines{r: r}
}

// Next returns the next line, and io.EOF after the last. Another error is
// the stream's; the lines before it have been given.
func (l *Lines) Next() (Line, error) {
	if l.buf == nil {
		l.buf = make([]byte, firstRead)
	}
	if cap(l.long) > keepBuffer {
		l.long = nil
	}
	from := l.i
	for {
		if k := bytes.IndexByte(l.buf[from:l.j], '\n'); k >= 0 {
			return l.take(from+k+1, true), nil
		}
		if l.err != nil {
			return l.last()
		}
		if l.j-l.i == len(l.buf) {
			if len(l.buf) >= window {
				return l.longLine()
			}
			l.buf = append(make([]byte, 0, 4*len(l.buf)), l.buf[l.i:l.j]...)[:4*len(l.buf)]
			l.i, l.j = 0, l.j-l.i
		}
		from = l.fill()
	}
}

// fill reads more into the window and returns where the new bytes begin.
func (l *Lines) fill() int {
	if l.i > 0 {
		l.j = copy(l.buf, l.buf[l.i:l.j])
		l.i = 0
	}
	from := l.j
	for tries := 0; l.j == from && l.err == nil; tries++ {
		n, err := l.r.Read(l.buf[l.j:])
		l.j += n
		l.err = err
		if n == 0 && err == nil && tries > 100 {
			l.err = io.ErrNoProgress
		}
	}
	return from
}

// take cuts a line that ends at end off the window.
func (l *Lines) take(end int, ended bool) Line {
	l.n++
	raw := l.buf[l.i:end]
	line := Line{N: l.n, Offset: l.off, Size: int64(len(raw)), Bytes: trimEnd(raw), Ended: ended}
	l.i = end
	l.off += line.Size
	return line
}

func (l *Lines) last() (Line, error) {
	if l.j > l.i && errors.Is(l.err, io.EOF) {
		return l.take(l.j, false), nil
	}
	return Line{}, l.err
}

// longLine reads a line that is longer than the window, squeezing it.
func (l *Lines) longLine() (Line, error) {
	l.n++
	line := Line{N: l.n, Offset: l.off}
	s := squeezer{out: l.long[:0]}
	for {
		part := l.buf[l.i:l.j]
		k := bytes.IndexByte(part, '\n')
		if k >= 0 {
			part = part[:k+1]
			line.Ended = true
		}
		line.Size += int64(len(part))
		l.i += len(part)
		if line.Size > MaxLine {
			line.TooLong = true
			s.out = nil
		} else {
			s.add(part)
		}
		if line.Ended || l.err != nil {
			break
		}
		l.fill()
	}
	l.off += line.Size
	if l.err != nil && !errors.Is(l.err, io.EOF) && !line.Ended {
		return Line{}, l.err
	}
	l.long = s.out
	line.Bytes = trimEnd(s.out)
	line.Cut = s.cut
	return line, nil
}

func trimEnd(b []byte) []byte {
	b = bytes.TrimSuffix(b, []byte{'\n'})
	return bytes.TrimSuffix(b, []byte{'\r'})
}
