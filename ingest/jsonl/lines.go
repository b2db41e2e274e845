// Package jsonl reads JSON Lines as coding tools write them: lines of any length, torn, doubled, with NULs and stray
// bytes. Lines never holds more than one line; Cursor decodes only what is asked for.
package jsonl

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

const (
	// MaxLine is the longest line that is read, in bytes; a longer one is given as TooLong.
	MaxLine = 256 << 20

	readAtOnce = 64 << 10
	window     = 1 << 20  // a longer line is squeezed:
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

// Lines reads line by line in memory bounded by the longest line without its base64.
type Lines struct {
	r    *bufio.Reader
	next Line   // its N and Offset
	long []byte // room for a line that takes more than one read
}

// NewLines returns a reader of the lines of r.
func NewLines(r io.Reader) *Lines {
	return &Lines{r: bufio.NewReaderSize(r, readAtOnce), next: Line{N: 1}}
}

// Next returns the next line, io.EOF after the last; another error is the stream's, after the lines before it.
func (l *Lines) Next() (Line, error) {
	line := l.next
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
			long.add(part)
		}
		if more {
			continue
		}
		if line.Ended = err == nil; !whole {
			l.long, line.Bytes, line.Cut = long.out, long.out, long.cut
		}
		line.Bytes = bytes.TrimSuffix(bytes.TrimSuffix(line.Bytes, []byte{'\n'}), []byte{'\r'})
		l.next = Line{N: line.N + 1, Offset: line.Offset + line.Size}
		return line, nil
	}
}
