package jsonl

import (
	"bytes"
	"encoding/json"
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

// TestLongLine holds that a long line stays the JSON it was but for base64,
// whose middle is left out, and that the lines around it are untouched.
func TestLongLine(t *testing.T) {
	blob := strings.Repeat("iVBORw0KGgo/+aZ9", 4<<20/16)
	text := strings.Repeat(`a \"quoted\" word, `, 3<<20/19) + `\\`
	long := `{"a":"` + blob + `","text":"` + text + `","n":[1,{"data":"` + blob + `"}],"end":"\ud83d\ude00"}`
	in := "{\"first\":1}\n" + long + "\n{\"last\":1}"
	got := readAll(t, iotest.HalfReader(strings.NewReader(in)))
	if len(got) != 3 {
		t.Fatalf("got %d lines, want 3", len(got))
	}
	if string(got[0].Bytes) != `{"first":1}` || string(got[2].Bytes) != `{"last":1}` {
		t.Errorf("neighbours: got %q and %q", got[0].Bytes, got[2].Bytes)
	}
	l := got[1]
	if l.Size != int64(len(long))+1 || l.Cut != int64(len(long)-len(l.Bytes)) {
		t.Errorf("got size %d cut %d of %d, want %d and what is missing", l.Size, l.Cut,
			len(l.Bytes), len(long)+1)
	}
	if len(l.Bytes) > len(text)+3*keepBlob {
		t.Errorf("got %d bytes kept, want no more than the text and the heads of the images", len(l.Bytes))
	}
	var m struct{ Text, End string }
	if err := json.Unmarshal(l.Bytes, &m); err != nil {
		t.Fatalf("the squeezed line: %v", err)
	}
	if m.End != "😀" || !strings.HasSuffix(m.Text, ` "quoted" word, \`) {
		t.Errorf("got text ending in %q and end %q", m.Text[len(m.Text)-20:], m.End)
	}
}

func TestGiganticString(t *testing.T) {
	for _, unit := range []string{`x y\n`, `\\`, `\u00e9 `, `é `} {
		in := `{"t":"` + strings.Repeat(unit, (keepString+1000)/len(unit)) + `"}` + "\n"
		got := readAll(t, strings.NewReader(in))
		if len(got) != 1 || !json.Valid(got[0].Bytes) {
			t.Errorf("%d bytes of %q: got something that is not JSON", len(in), unit)
		}
		if len(got[0].Bytes) > keepString+100 {
			t.Errorf("%q: got %d bytes kept, want at most %d", unit, len(got[0].Bytes), keepString)
		}
	}
}

// zeros is an endless stream of one byte.
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
	f.Add([]byte("a\n\nb"), 1)
	f.Add([]byte(`{"a":"b\"c"}`+"\n"), 3)
	f.Fuzz(func(t *testing.T, in []byte, step int) {
		size := int64(0)
		for _, l := range readAll(t, iotest.HalfReader(bytes.NewReader(in))) {
			size += l.Size
		}
		if size != int64(len(in)) {
			t.Fatalf("got %d bytes in lines, want %d", size, len(in))
		}
		// Squeezing in parts of any size leaves short strings as they are.
		s := squeezer{}
		for part := in; len(part) > 0; {
			n := min(max(1, step&15), len(part))
			s.addPart(part[:n])
			part = part[n:]
		}
		if !bytes.Equal(s.out, in) {
			t.Fatalf("squeezed: got %q, want %q", s.out, in)
		}
	})
}
