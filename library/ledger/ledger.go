// Package ledger keeps records in an append-only file: a JSON object a line, each with its checksum. What a crash left
// of a line is no record.
package ledger

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"

	"recall/library/disk"
)

// A Log is such a file, of records of one type.
type Log[T any] struct {
	Path  string
	Check func(T) error // what is wrong with a record; nil where nothing can be
}

// atOnce is how many records are written at once, so that memory doesn't follow how many there are.
const atOnce = 5_000

// Add adds records durably, up to atOnce of them in one write. The caller holds the file's lock.
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

// Share adds records as anybody may at any time: one write, no lock, durable after Sync.
func (g Log[T]) Share(records ...T) error {
	text, err := g.Text(records)
	if err == nil {
		err = disk.AppendShared(g.Path, text)
	}
	if errors.Is(err, fs.ErrNotExist) { // its folder
		if err = disk.MakeDirs(filepath.Dir(g.Path)); err == nil {
			err = disk.AppendShared(g.Path, text)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(g.Path), err)
	}
	return nil
}

// Sync makes durable what was shared.
func (g Log[T]) Sync() error { return disk.SyncFiles([]string{g.Path}) }

// Each reads the records as written. A line that can't be read is an error that names it (disk.ErrDamaged), and the
// next follows. A file that isn't there has none.
func (g Log[T]) Each() iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		n := 0
		for line, err := range disk.EachLine(g.Path) {
			n++
			r, err := g.line(n, line, err)
			if !yield(r, err) {
				return
			}
		}
	}
}

// line is the record of a file's nth line, if that could be read.
func (g Log[T]) line(n int, line []byte, unread error) (r T, err error) {
	if unread != nil {
		return r, unread
	}
	if r, err = g.read(line); err != nil {
		err = fmt.Errorf("%s:%d: %w: %w", g.Path, n, disk.ErrDamaged, err)
	}
	return r, err
}

// All are the records; lines that can't be read are an error beside them.
func (g Log[T]) All() ([]T, error) { return all(g.Each()) }

// Of are the records that lines of such a file hold, as All has them.
func (g Log[T]) Of(lines [][]byte) ([]T, error) {
	return all(func(yield func(T, error) bool) {
		for i, line := range lines {
			if !yield(g.line(i+1, line, nil)) {
				return
			}
		}
	})
}

func all[T any](each iter.Seq2[T, error]) (records []T, err error) {
	var bad []error
	for r, err := range each {
		if err != nil {
			bad = append(bad, err)
			continue
		}
		records = append(records, r)
	}
	return records, errors.Join(bad...)
}

// Text is what a file of these records alone holds.
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

func (g Log[T]) read(line []byte) (r T, err error) {
	if disk.SealOf(line) == disk.SealBad {
		return r, errors.New("not as it was written")
	}
	if err = json.Unmarshal(line, &r); err == nil {
		err = g.check(r)
	}
	return r, err
}

func (g Log[T]) check(r T) error {
	if g.Check == nil {
		return nil
	}
	return g.Check(r)
}
