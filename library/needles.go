package library

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
	"recall/library/disk"
	"recall/library/needle"
	"recall/library/raw"
)

// Needles are the forms in which a text can appear in files.
type Needles = needle.Needles

// NewNeedles returns the forms of a text; the error is for a text too short to look for.
var NewNeedles = needle.New

// A Holder is a session, or the files at the top, where a text was found.
type Holder struct {
	ID    ingest.SessionID // "" for files outside sessions
	Files []string         // relative to the library, slash-separated
}

// Holders finds the text in every file of the library, decompressed. The problems are files that could not be
// searched, so the text may be in them too.
func (l *Library) Holders(ctx context.Context, n *Needles) ([]Holder, []ingest.Problem, error) {
	entries, err := l.Shelved()
	if err != nil {
		return nil, nil, err
	}
	h := &textSearch{needles: n, owner: map[string]ingest.SessionID{}, at: map[ingest.SessionID]Holder{}}
	if err := h.searchFolder(ctx, l.dir, l.dir, entries); err != nil {
		return nil, nil, err
	}
	all := slices.Collect(maps.Values(h.at))
	slices.SortFunc(all, func(a, b Holder) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return all, h.problems, nil
}

// Holds reports whether any file of a session, in any of its versions, contains the text.
func (l *Library) Holds(ctx context.Context, e Entry, n *Needles) (bool, error) {
	h := &textSearch{needles: n, owner: map[string]ingest.SessionID{}, at: map[ingest.SessionID]Holder{}}
	err := h.searchFolder(ctx, l.dir, e.Folder, []Entry{e})
	return len(h.at) > 0, err
}

type textSearch struct {
	needles  *Needles
	owner    map[string]ingest.SessionID // by folder
	at       map[ingest.SessionID]Holder
	problems []ingest.Problem
}

// searchFolder searches all files below a folder of the library that contains the given sessions.
func (h *textSearch) searchFolder(ctx context.Context, root, dir string, entries []Entry) error {
	for _, e := range entries {
		h.owner[e.Folder] = e.ID
	}
	err := disk.Walk(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if d.IsDir() && (path == filepath.Join(root, ".tmp") || path == filepath.Join(root, ".locks")) {
			return fs.SkipDir
		}
		if d.Type().IsRegular() {
			h.file(root, path)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, e := range entries {
		h.searchSeams(root, e)
	}
	return nil
}

func (h *textSearch) file(root, path string) {
	f, err := disk.Open(path)
	if err != nil {
		h.look(root, path, nil, err)
		return
	}
	defer f.Close()
	if !strings.HasSuffix(path, ".zst") {
		h.look(root, path, f, nil)
		return
	}
	in, done, err := raw.Unpacked(f)
	h.look(root, path, in, err)
	if err == nil {
		done()
	}
}

// look searches the content of a file; err is why it can't be read.
func (h *textSearch) look(root, path string, in io.Reader, err error) {
	found := false
	if err == nil {
		found, err = h.needles.InStream(in)
	}
	if err != nil {
		h.problems = append(h.problems, ingest.Problem{Path: path, Reason: err.Error()})
	}
	if found {
		h.found(root, path)
	}
}

// found records a file under the session whose folder it is in.
func (h *textSearch) found(root, path string) {
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
	h.at[id] = Holder{id, append(h.at[id].Files, filepath.ToSlash(name))}
}

// searchSeams searches where one segment ends and the next begins.
func (h *textSearch) searchSeams(root string, e Entry) {
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
			h.look(root, raw.Path(e.Folder, ver.Segs[0]), in, nil)
			in.Close()
		}
	}
}
