package jsonl

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func readAll(t *testing.T, r io.Reader) []Line {
	t.Helper()
	var out []Line
	lines := NewLines(r)
	for {
		l, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		l.Bytes = bytes.Clone(l.Bytes)
		out = append(out, l)
	}
}

func TestLines(t *testing.T) {
	in := "one\r\n\ntwo\nlast"
	want := []Line{
		{N: 1, Size: 5, Bytes: []byte("one"), Ended: true},
		{N: 2, Size: 1, Bytes: []byte{}, Ended: true},
		{N: 3, Size: 4, Bytes: []byte("two"), Ended: true},
		{N: 4, Size: 4, Bytes: []byte("last")},
	}
	for name, r := range map[string]io.Reader{
		"at once": strings.NewReader(in), "byte by byte": iotest.OneByteReader(strings.NewReader(in)),
		"end with the data": iotest.DataErrReader(strings.NewReader(in)),
	} {
		if d := cmp.Diff(want, readAll(t, r)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	if got := readAll(t, strings.NewReader("")); len(got) != 0 {
		t.Errorf("empty: got %d lines, want none", len(got))
	}
}

func TestLinesReportsReadError(t *testing.T) {
	broken := errors.New("disk on fire")
	lines := NewLines(io.MultiReader(strings.NewReader("one\ntw"), iotest.ErrReader(broken)))
	if l, err := lines.Next(); err != nil || string(l.Bytes) != "one" {
		t.Fatalf("got %q, %v, want the first line", l.Bytes, err)
	}
	if _, err := lines.Next(); !errors.Is(err, broken) {
		t.Errorf("got error %v, want %v", err, broken)
	}
}

// endless is an endless stream of one byte.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

func TestLineTooLong(t *testing.T) {
	r := io.MultiReader(strings.NewReader("{}\n"), io.LimitReader(endless('1'), MaxLine+10), strings.NewReader("\n{}\n"))
	var got []Line
	lines := NewLines(r)
	for {
		l, err := lines.Next()
		if err != nil {
			break
		}
		got = append(got, Line{N: l.N, Size: l.Size, TooLong: l.TooLong, Ended: l.Ended})
	}
	want := []Line{
		{N: 1, Size: 3, Ended: true}, {N: 2, Size: MaxLine + 11, TooLong: true, Ended: true},
		{N: 3, Size: 3, Ended: true},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("a\n\nb"))
	f.Fuzz(func(t *testing.T, in []byte) {
		size := int64(0)
		for _, l := range readAll(t, iotest.HalfReader(bytes.NewReader(in))) {
			size += l.Size
		}
		if size != int64(len(in)) {
			t.Fatalf("got %d bytes in lines, want %d", size, len(in))
		}
	})
}
