package ingest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"strconv"
	"strings"
	"time"

	"recall/ingest/jsonl"
	"recall/internal/text"
)

// maxSkips bounds how many unusable lines are listed; further ones are only counted.
const maxSkips = 1000

// Skip records a line that could not be used.
func (r *Report) Skip(s Skip) {
	r.SkippedTotal++
	if len(r.Skipped) < maxSkips {
		r.Skipped = append(r.Skipped, s)
	}
}

// Unread notes a file that could not be read to its end.
func (r *Report) Unread(f File, err error) {
	r.Lines++
	r.Skip(Skip{f.Name, 1, WithoutPath(err).Error()})
}

// A Gap is how many lines could not be read between a turn and the one before it in its file, and behind the last.
type Gap struct {
	Before int `json:"before,omitempty"`
	After  int `json:"after,omitempty"`
}

// MarkGaps marks the turns beside lines that could not be read, so that what is missing is missed where it was.
func (s *Session) MarkGaps() {
	for _, turns := range s.conversations() {
		for _, skip := range s.Report.Skipped {
			var next, last *Turn // in the file
			for i := range turns {
				t := &turns[i]
				switch {
				case t.File != skip.File || t.Line == 0:
				case t.Line >= skip.Line && (next == nil || t.Line < next.Line):
					next = t
				case t.Line < skip.Line && (last == nil || t.Line > last.Line):
					last = t
				}
			}
			switch {
			case next != nil:
				next.Gap.Before++
			case last != nil:
				last.Gap.After++
			}
		}
	}
}

// CountUnknown counts a record or block of a type that this version doesn't know.
func (r *Report) CountUnknown(name string) {
	if r.Unknown == nil {
		r.Unknown = map[string]int{}
	}
	r.Unknown[name]++
}

// Partial reports whether something of the session could not be read, or is of a type that this version doesn't know.
func (r *Report) Partial() bool { return r.SkippedTotal > 0 || r.Tail || len(r.Unknown) > 0 }

// AddReport adds the report on more of the session's files.
func (r *Report) AddReport(more Report) {
	r.Lines += more.Lines
	r.Records += more.Records
	r.Duplicates += more.Duplicates
	r.Blank += more.Blank
	r.SkippedTotal += more.SkippedTotal
	r.Skipped = append(r.Skipped, more.Skipped...)
	r.Skipped = r.Skipped[:min(len(r.Skipped), maxSkips)]
	if r.Unknown == nil {
		r.Unknown = more.Unknown
	}
	maps.Copy(r.Unknown, more.Unknown)
	r.Tail = r.Tail || more.Tail
}

// EachLine calls take with each line of a file.
func EachLine(ctx context.Context, f File, take func(jsonl.Line)) (err error) {
	r, err := f.Open()
	if err != nil {
		return fmt.Errorf("open %s: %w", f.Name, err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	lines := jsonl.NewLines(r)
	for {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", f.Name, err)
		}
		take(line)
		if line.N%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// EachTranscript calls read with each of a session's conversations, and ends with the first that can't be read.
func (f Found) EachTranscript(ctx context.Context, read func(context.Context, File) error) error {
	if err := CheckID(f.ID); err != nil {
		return err
	}
	for _, file := range f.FilesOf(Transcript) {
		if err := read(ctx, file); err != nil {
			return fmt.Errorf("parse session %s: %w", f.ID, err)
		}
	}
	return nil
}

var bom = []byte("\xef\xbb\xbf")

// Objects calls read with each object of a line; there are two where two writers lost a newline. read returns what
// follows, nil if nothing does, and why the object is of no use, if it isn't. Objects accounts for the line.
func (r *Report) Objects(l jsonl.Line, file string, read func(b []byte) (rest []byte, why string)) {
	skip := func(why string) {
		r.Lines++
		r.Skip(Skip{file, l.N, why})
	}
	if l.TooLong {
		skip(fmt.Sprintf("line of %d MB is longer than %d MB", l.Size>>20, jsonl.MaxLine>>20))
		return
	}
	b := bytes.ReplaceAll(bytes.TrimPrefix(l.Bytes, bom), []byte{0}, nil)
	b = bytes.TrimSpace(b)
	switch {
	case l.Ended && bytes.Contains(l.Bytes, zeros):
		skip("zeros in the place of what was written")
	case len(b) == 0:
		r.Lines++
		r.Blank++
	}
	for len(b) > 0 {
		rest, why := read(b)
		switch {
		case rest == nil && !l.Ended && why == jsonl.ErrCut.Error(): // it is still being written, or never was
			r.Tail = true
			return
		case rest == nil:
			skip(why)
			rest = afterStub(b)
		case why != "":
			skip(why)
		default:
			r.Lines++
		}
		b = rest
	}
}

// zeros is how many of them a line has at least if the system lost what was there, as when power fails.
var zeros = make([]byte, 16)

// openings are how objects begin.
var openings = text.Pattern(`\{"(parentUuid|type|timestamp|id)"`)

// afterStub returns what begins within a torn object: a writer was killed, once or several times, and the next went on
// on the same line. nil if there is nothing that is whole.
func afterStub(b []byte) []byte {
	const most = 50 // places that are tried, since each is read to the line's end
	for _, at := range openings().FindAllIndex(b[1:], most) {
		if rest := b[at[0]+1:]; allObjects(rest) {
			return rest
		}
	}
	return nil
}

// allObjects reports whether b is one valid object or several.
func allObjects(b []byte) bool {
	in := json.NewDecoder(bytes.NewReader(b))
	for {
		var object json.RawMessage
		if err := in.Decode(&object); err != nil {
			return errors.Is(err, io.EOF)
		}
	}
}

// NotObject says why a cursor found no object in b.
func NotObject(c *jsonl.Cursor, b []byte) string {
	switch err := c.Err(); {
	case err == nil && c.Kind() == 0, errors.Is(err, jsonl.ErrSyntax):
		if bytes.IndexFunc(b[:min(len(b), 512)], func(r rune) bool { return r < ' ' && r != '\t' }) >= 0 {
			return "binary data"
		}
		return "not JSON"
	case err == nil:
		return "not a JSON object"
	default:
		return err.Error()
	}
}

var earliest, latest = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)

// ParseTime parses an RFC 3339 time, one without a zone, or a number of milliseconds since 1970, or of seconds if it
// would otherwise be before March 1973. Times before the first coding tools, or after this century, are refused.
func ParseTime(text string) (t time.Time, ok bool) {
	text = strings.TrimSpace(text)
	err := error(nil)
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999",
		"2006-01-02 15:04:05.999999999"} {
		if t, err = time.Parse(layout, text); err == nil {
			break
		}
	}
	if err != nil {
		var n float64
		if n, err = strconv.ParseFloat(text, 64); math.Abs(n) < 1e11 {
			n *= 1000
		}
		t = time.UnixMilli(int64(min(max(n, 0), 1e14)))
	}
	if err != nil || t.Before(earliest) || t.After(latest) {
		return time.Time{}, false
	}
	return t.UTC(), true
}
