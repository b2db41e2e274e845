package library

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"recall/ingest"
	"recall/library/disk"
	"recall/library/ledger"
	"recall/payload"
)

// LinksName holds which decision refines, supersedes or contradicts which. Earlier recalls kept one in each project's
// folder: their lines count too, before those at the top, since of links the last word counts.
const LinksName = "links.jsonl"

func linksIn(path string) ledger.Log[payload.Link] {
	return ledger.Log[payload.Link]{Path: path, Check: payload.Link.Check}
}

// linkFiles are the file at the top and those of earlier recalls.
func (l *Library) linkFiles() (top string, old []string, err error) {
	old, err = disk.Glob(l.dir, "*", LinksName)
	return filepath.Join(l.dir, LinksName), old, err
}

// Links are all lines, each file's in order. What can't be read is an error that names file and line, beside the lines
// that can.
func (l *Library) Links() (lines []payload.Link, err error) {
	top, old, err := l.linkFiles()
	bad := []error{err}
	for _, path := range append(old, top) {
		some, err := linksIn(path).All()
		lines, bad = append(lines, some...), append(bad, err)
	}
	return lines, errors.Join(bad...)
}

// LinkLines are the lines of all links.jsonl as they are written.
func (l *Library) LinkLines() (lines []byte, err error) {
	top, old, err := l.linkFiles()
	bad := []error{err}
	for _, path := range append(old, top) {
		text, err := disk.ReadIfThere(path)
		lines, bad = append(append(lines, text...), '\n'), append(bad, err)
	}
	return lines, errors.Join(bad...)
}

// LinksStamp changes whenever any links.jsonl does.
func (l *Library) LinksStamp() (string, error) {
	top, old, err := l.linkFiles()
	if err != nil {
		return "", err
	}
	return l.filesStamp(append(old, top)...)
}

// filesStamp changes whenever one of the files does.
func (l *Library) filesStamp(paths ...string) (string, error) {
	var b strings.Builder
	for _, path := range paths {
		fi, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s %d %d\n", l.rel(path), fi.Size(), fi.ModTime().UnixNano())
	}
	return b.String(), nil
}

// AppendLinks adds lines; when it returns they are durable. The error is ErrNoSession for a line about sessions that
// aren't here.
func (l *Library) AppendLinks(lines []payload.Link) error {
	_, err := l.ChangeLinks(func([]payload.Link) ([]payload.Link, error) { return lines, nil })
	if errors.Is(err, ErrDamaged) {
		return nil // which Links tells
	}
	return err
}

// ChangeLinks adds the lines that change makes of all that there are, while
// nobody else adds any. What can't be read is an error beside the others, as of
// Links; it keeps nothing from being added.
func (l *Library) ChangeLinks(change func(lines []payload.Link) ([]payload.Link, error)) (
	lines []payload.Link, err error) {
	var damaged error
	err = l.underLock("links", func() error {
		if lines, damaged = l.Links(); damaged != nil && !errors.Is(damaged, ErrDamaged) {
			return damaged
		}
		more, err := change(lines)
		for _, line := range more {
			_, gone := l.Session(ingest.SessionID(line.FromSession))
			if gone != nil && err == nil {
				if _, other := l.Session(ingest.SessionID(line.ToSession)); other != nil {
					err = fmt.Errorf("link of %s: %w", line.From, gone)
				}
			}
		}
		if err == nil && len(more) > 0 {
			err = linksIn(filepath.Join(l.dir, LinksName)).Add(more...)
		}
		if err == nil {
			lines = append(lines, more...)
		}
		return err
	})
	return lines, cmp.Or(err, damaged)
}
