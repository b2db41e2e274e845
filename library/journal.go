package library

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"recall/library/disk"
)

// journalTail is how much of journal.jsonl is looked through for what was done
// last, in bytes: some thousand lines.
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

// Last is the last line of journal.jsonl about each of these; one that isn't
// found, or lies far back, is left out. A damaged line is passed by: verify
// tells of it.
func (l *Library) Last(what ...string) (map[string]Fact, error) {
	last := map[string]Fact{}
	f, err := disk.Open(filepath.Join(l.dir, "journal.jsonl"))
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
	wanted := map[string]bool{}
	for _, w := range what {
		wanted[w] = true
	}
	for line := range bytes.Lines(text) {
		facts := map[string]any{}
		if disk.SealOf(line) == disk.SealBad || json.Unmarshal(line, &facts) != nil {
			continue
		}
		name, _ := facts["what"].(string)
		at, _ := facts["at"].(string)
		when, err := time.Parse(time.RFC3339, at)
		if wanted[name] && err == nil {
			last[name] = Fact{when, name, facts}
		}
	}
	return last, nil
}
