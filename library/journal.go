package library

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"slices"
	"time"

	"recall/library/disk"
)

// journalTail is how many bytes of journal.jsonl are looked through for what was done last: some thousand lines.
const journalTail = 512 << 10

// A Fact is a line of journal.jsonl.
type Fact struct {
	At    time.Time
	What  string
	Facts map[string]any // numbers are float64
}

// N is a number of a fact, 0 where it has none by that name.
func (f Fact) N(name string) int {
	n, _ := f.Facts[name].(float64)
	return int(n)
}

// Last is the last line of journal.jsonl about each of these, but for one not found or far back. A damaged line is
// passed by: verify tells of it.
func (l *Library) Last(what ...string) (map[string]Fact, error) {
	last := map[string]Fact{}
	f, err := disk.Open(l.journal().Path)
	if errors.Is(err, fs.ErrNotExist) {
		return last, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	from := max(0, fi.Size()-journalTail)
	text, err := io.ReadAll(io.NewSectionReader(f, from, fi.Size()-from))
	if err != nil {
		return nil, err
	}
	if from > 0 {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	lines, _ := l.journal().Of(disk.SplitLines(text))
	for _, line := range lines {
		name, _ := line["what"].(string)
		at, _ := line["at"].(string)
		if when, err := time.Parse(time.RFC3339, at); err == nil && slices.Contains(what, name) {
			last[name] = Fact{when, name, line}
		}
	}
	return last, nil
}
