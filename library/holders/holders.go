// Package holders finds a text in every file of a library.
package holders

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
	"recall/library"
	"recall/library/disk"
	"recall/library/needle"
	"recall/library/raw"
)

// A Holder is a session, or the files at the top, where a text was found.
type Holder struct {
	ID    ingest.SessionID // "" for files outside sessions
	Files []string         // relative to the library, slash-separated
}

// Of finds the text in every file of the library, decompressed. The problems are files that could not be searched, so
// the text may be in them too.
func Of(ctx context.Context, l *library.Library, n *needle.Needles) ([]Holder, []ingest.Problem, error) {
	entries, err := l.AllEntries()
	if err != nil {
		return nil, nil, err
	}
	h, err := search(ctx, l, n, l.Dir(), entries)
	if err != nil {
		return nil, nil, err
	}
	all := slices.Collect(maps.Values(h.at))
	slices.SortFunc(all, func(a, b Holder) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return all, h.problems, nil
}

// Holds reports whether any file of a session, in any of its versions, contains the text.
func Holds(ctx context.Context, l *library.Library, e library.Entry, n *needle.Needles) (bool, error) {
	h, err := search(ctx, l, n, e.Folder, []library.Entry{e})
	return len(h.at) > 0, err
}

type textSearch struct {
	l        *library.Library
	needles  *needle.Needles
	owner    map[string]ingest.SessionID // by folder
	at       map[ingest.SessionID]Holder
	problems []ingest.Problem
}

// search searches all files below a folder of the library that contains the given sessions.
func search(ctx context.Context, l *library.Library, n *needle.Needles, dir string, entries []library.Entry) (
	*textSearch, error) {
	h := &textSearch{l: l, needles: n, owner: map[string]ingest.SessionID{}, at: map[ingest.SessionID]Holder{}}
	for _, e := range entries {
		h.owner[e.Folder] = e.ID
	}
	err := disk.Walk(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if d.IsDir() && (path == filepath.Join(l.Dir(), ".tmp") || path == filepath.Join(l.Dir(), ".locks")) {
			return fs.SkipDir
		}
		if d.Type().IsRegular() {
			h.file(path)
		}
		return nil
	})
	if err == nil {
		for _, e := range entries {
			h.searchSeams(e)
		}
	}
	return h, err
}

func (h *textSearch) file(path string) {
	f, err := disk.Open(path)
	if err != nil {
		h.look(path, nil, err)
		return
	}
	defer f.Close()
	if !strings.HasSuffix(path, ".zst") {
		h.look(path, f, nil)
		return
	}
	in, done, err := raw.Unpacked(f)
	h.look(path, in, err)
	if err == nil {
		done()
	}
}

// look searches the content of a file; err is why it can't be read.
func (h *textSearch) look(path string, in io.Reader, err error) {
	found := false
	if err == nil {
		found, err = h.needles.InStream(in)
	}
	if err != nil {
		h.problems = append(h.problems, ingest.Problem{Path: path, Err: err})
	}
	if found {
		h.found(path)
	}
}

// found records a file under the session whose folder it is in.
func (h *textSearch) found(path string) {
	id := ingest.SessionID("")
	for dir := filepath.Dir(path); len(dir) > len(h.l.Dir()); dir = filepath.Dir(dir) {
		if owner, ok := h.owner[dir]; ok {
			id = owner
			break
		}
	}
	h.at[id] = Holder{id, append(h.at[id].Files, h.l.Rel(path))}
}

// searchSeams searches where one segment ends and the next begins.
func (h *textSearch) searchSeams(e library.Entry) {
	v, err := e.Versions()
	if err != nil {
		return // verify reports it
	}
	for _, list := range v.Files {
		for _, ver := range list {
			if _, ok := h.at[e.ID]; ok || len(ver.Segs) < 2 {
				continue
			}
			in := raw.Read(e.Folder, ver.Segs...)
			h.look(raw.Path(e.Folder, ver.Segs[0]), in, nil)
			in.Close()
		}
	}
}
