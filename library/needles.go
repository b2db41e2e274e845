package library

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
	"recall/library/disk"
	"recall/library/needle"
	"recall/library/raw"
)

// Needles are the forms in which a text stands in files.
type Needles = needle.Needles

// NewNeedles makes them; the error is for a text too short to look for.
var NewNeedles = needle.New

// A Holder is a session, or a file at the top, that a text stands in.
type Holder struct {
	ID    ingest.SessionID // "" of a file that is no session's
	Files []string         // relative to the library, slash-separated
}

// Holders finds the text in every file of the library, compressed ones
// decompressed. Problems are files that could not be looked through: the text
// may stand in them too.
func (l *Library) Holders(ctx context.Context, n *Needles) ([]Holder, []ingest.Problem, error) {
	entries, err := l.Shelved()
	if err != nil {
		return nil, nil, err
	}
	h := &holding{needles: n, owner: map[string]ingest.SessionID{}, at: map[ingest.SessionID]*Holder{}}
	for _, e := range entries {
		h.owner[e.Folder] = e.ID
	}
	err = disk.Walk(l.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if d.IsDir() && (path == filepath.Join(l.dir, ".tmp") || path == filepath.Join(l.dir, ".locks")) {
			return fs.SkipDir
		}
		if d.Type().IsRegular() {
			h.file(l.dir, path)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		h.across(l, e)
	}
	var all []Holder
	for _, holder := range h.at {
		all = append(all, *holder)
	}
	slices.SortFunc(all, func(a, b Holder) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return all, h.problems, nil
}

type holding struct {
	needles  *Needles
	owner    map[string]ingest.SessionID // by folder
	at       map[ingest.SessionID]*Holder
	ends     map[string]needle.Ends // of a session's segments, by path
	problems []ingest.Problem
}

func (h *holding) file(root, path string) {
	f, err := disk.Open(path)
	if err != nil {
		h.problems = append(h.problems, ingest.Problem{Path: path, Reason: err.Error()})
		return
	}
	defer f.Close()
	var r io.Reader = f
	packed := strings.HasSuffix(path, ".zst")
	if packed {
		in, done, bad := raw.Unpacked(f)
		if err = bad; err == nil {
			defer done()
			r = in
		}
	}
	found, ends, err2 := h.needles.InStream(r)
	switch {
	case errors.Join(err, err2) != nil:
		h.problems = append(h.problems, ingest.Problem{Path: path, Reason: errors.Join(err, err2).Error()})
	case found:
		h.found(root, path)
	case packed:
		if h.ends == nil {
			h.ends = map[string]needle.Ends{}
		}
		h.ends[path] = ends
	}
}

// found notes a file for the session whose folder it is in.
func (h *holding) found(root, path string) {
	id := ingest.SessionID("")
	for dir := filepath.Dir(path); len(dir) > len(root); dir = filepath.Dir(dir) {
		if owner, ok := h.owner[dir]; ok {
			id = owner
			break
		}
	}
	name, err := filepath.Rel(root, path)
	if err != nil {
		name = path
	}
	if h.at[id] == nil {
		h.at[id] = &Holder{ID: id}
	}
	h.at[id].Files = append(h.at[id].Files, filepath.ToSlash(name))
}

// across looks for the text where one segment ends and the next begins.
func (h *holding) across(l *Library, e Entry) {
	if h.at[e.ID] != nil {
		return
	}
	v, err := raw.ReadVersions(e.Folder)
	if err != nil {
		return // verify tells of it
	}
	raw := filepath.Join(e.Folder, "raw")
	for _, list := range v.Files {
		for _, ver := range list {
			var edge []byte
			for _, s := range ver.Segs {
				path := filepath.Join(raw, s.String())
				ends := h.ends[path]
				edge = append(edge, ends.Head...)
				if h.needles.In(edge) {
					h.found(l.dir, path)
					return
				}
				if ends.Size > len(ends.Head) {
					edge = slices.Clone(ends.Tail)
				}
			}
		}
	}
}
