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
	MaxLine = 128 << 20

	readAtOnce = 64 << 10
	keepBuffer = 8 << 20 // a larger line buffer is released after use
)

// A Line is one line of a stream, without its newline.
type Line struct {
	N       int    // 1-based
	Size    int64  // bytes in the stream, including the newline
	Bytes   []byte // valid until the next call of Next
	Ended   bool   // it ends in a newline; false only for the last one
	TooLong bool   // more than MaxLine bytes: Bytes is empty
}

// Lines reads line by line, in memory bounded by the longest line.
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
	long := l.long[:0]
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
			line.TooLong, long = true, nil
		default:
			long = append(long, part...)
		}
		if more {
			continue
		}
		if line.Ended = err == nil; !whole {
			l.long, line.Bytes = long, long
		}
		line.Bytes = bytes.TrimSuffix(bytes.TrimSuffix(line.Bytes, []byte{'\n'}), []byte{'\r'})
		l.n++
		return line, nil
	}
}
