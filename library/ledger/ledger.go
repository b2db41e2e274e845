// Package ledger keeps records in an append-only file: one JSON object per line, each with its checksum. An
// incomplete line left by a crash is not a record.
package ledger

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"recall/library/disk"
)

// A Log is such a file, with records of one type.
type Log[T any] struct {
	Path  string
	Check func(T) error // returns what is wrong with a record; may be nil
}

// atOnce limits how many records are written at once, so that memory use doesn't grow with their number.
const atOnce = 5_000

// Add durably appends records, up to atOnce in one write. The caller holds the file's lock.
func (g Log[T]) Add(records ...T) error {
	for some := range slices.Chunk(records, atOnce) {
		text, err := g.Text(some)
		if err == nil {
			err = disk.AppendLines(g.Path, text)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(g.Path), err)
		}
	}
	return disk.SyncDir(filepath.Dir(g.Path))
}

// Share appends records in one write, durable after Sync.
func (g Log[T]) Share(records ...T) error {
	text, err := g.Text(records)
	if err == nil {
		err = disk.AppendShared(g.Path, text)
	}
	if errors.Is(err, fs.ErrNotExist) { // the folder is missing
		if err = disk.MakeDirs(filepath.Dir(g.Path)); err == nil {
			err = disk.AppendShared(g.Path, text)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(g.Path), err)
	}
	return nil
}

// Sync makes shared records durable.
func (g Log[T]) Sync() error { return disk.SyncFiles([]string{g.Path}) }

// line decodes a file's nth line.
func (g Log[T]) line(n int, line []byte) (r T, err error) {
	if disk.SealOf(line) == disk.SealBad {
		err = errors.New("it doesn't match its checksum")
	} else if err = json.Unmarshal(line, &r); err == nil {
		err = g.check(r)
	}
	if err != nil {
		err = fmt.Errorf("%s:%d: %w: %w", g.Path, n, disk.ErrDamaged, err)
	}
	return r, err
}

// All returns the records in order. An unreadable line costs no other; the error (disk.ErrDamaged) names each. A
// missing file has no records.
func (g Log[T]) All() ([]T, error) {
	text, err := disk.ReadIfThere(g.Path)
	if err != nil {
		return nil, err
	}
	return g.Of(disk.SplitLines(text))
}

// Of decodes lines of such a file, as All does.
func (g Log[T]) Of(lines [][]byte) (records []T, err error) {
	var bad []error
	for i, line := range lines {
		if r, err := g.line(i+1, line); err != nil {
			bad = append(bad, err)
		} else {
			records = append(records, r)
		}
	}
	return records, errors.Join(bad...)
}

// Text returns the content of a file that holds only these records.
func (g Log[T]) Text(records []T) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, r := range records {
		if err := cmp.Or(g.check(r), enc.Encode(r)); err != nil {
			return nil, err
		}
	}
	return disk.SealLines(b.Bytes()), nil
}

func (g Log[T]) check(r T) error {
	if g.Check == nil {
		return nil
	}
	return g.Check(r)
}
