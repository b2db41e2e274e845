// Package ledger keeps records in an append-only file: a JSON object a line, each
// with its checksum. What a crash left of a line is no record.
package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"

	"recall/library/disk"
)

// A Log is such a file, of records of one type.
type Log[T any] struct {
	Path  string
	Valid func(T) bool // whether a line says something; nil where any does
}

// Add adds records in one write; when it returns they are durable. The caller holds
// the file's lock.
func (g Log[T]) Add(records ...T) error {
	text, err := g.text(records)
	if err == nil {
		err = disk.AppendLines(g.Path, text)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(g.Path), err)
	}
	return disk.SyncDir(filepath.Dir(g.Path))
}

// Share adds records as anybody may at any time: in one write, without a lock. They
// are durable after Sync.
func (g Log[T]) Share(records ...T) error {
	text, err := g.text(records)
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

// Each reads the records in the order in which they were written. A line that can't be
// read is an error that names it (disk.ErrDamaged), and the next follows. A file
// that isn't there has none.
func (g Log[T]) Each() iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		lines, err := disk.WholeLines(g.Path)
		if err != nil {
			yield(none, err)
			return
		}
		for i, line := range lines {
			r, err := g.read(line)
			if err != nil {
				err = fmt.Errorf("%s:%d: %w: %w", g.Path, i+1, disk.ErrDamaged, err)
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// All are the records; lines that can't be read are an error beside them.
func (g Log[T]) All() ([]T, error) {
	var all []T
	var bad []error
	for r, err := range g.Each() {
		if err != nil {
			bad = append(bad, err)
			continue
		}
		all = append(all, r)
	}
	return all, errors.Join(bad...)
}

// Text is what a file of these records alone holds.
func (g Log[T]) Text(records []T) ([]byte, error) {
	text, err := g.text(records)
	return disk.SealLines(text), err
}

func (g Log[T]) text(records []T) ([]byte, error) {
	var text []byte
	for _, r := range records {
		line, err := json.Marshal(r)
		if err != nil {
			return nil, err
		}
		text = append(append(text, line...), '\n')
	}
	return text, nil
}

func (g Log[T]) read(line []byte) (T, error) {
	var r, none T
	if disk.SealOf(line) == disk.SealBad {
		return none, errors.New("not as it was written")
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return none, err
	}
	if g.Valid != nil && !g.Valid(r) {
		return none, errors.New("it says nothing")
	}
	return r, nil
}
