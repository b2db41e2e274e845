package library

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"

	"recall/ingest"
	"recall/library/disk"
	"recall/library/raw"
)

// Needles are the forms in which a text stands in files: as it is, and as JSON
// writes it, in a string and in a string within a string.
type Needles struct {
	forms [][]byte
	most  int // length of the longest
}

// NewNeedles makes them; the error is for a text too short to look for.
func NewNeedles(text string) (*Needles, error) {
	if len(strings.TrimSpace(text)) < 4 {
		return nil, fmt.Errorf("%q is too short to look for: give at least four characters", text)
	}
	n := &Needles{}
	add := func(form string) {
		if b := []byte(form); !slices.ContainsFunc(n.forms, func(o []byte) bool { return bytes.Equal(o, b) }) {
			n.forms = append(n.forms, b)
			n.most = max(n.most, len(b))
		}
	}
	add(text)
	form := []string{text}
	for range 2 { // strings within strings
		var next []string
		for _, f := range form {
			for _, escape := range []func(string) string{jsonText, jsonHTMLText, asciiText} {
				add(escape(f))
				next = append(next, escape(f))
			}
		}
		form = next
	}
	return n, nil
}

func jsonText(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(s) // of a string, into memory
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), `"`), `"`)
}

func jsonHTMLText(s string) string {
	b, _ := json.Marshal(s) // of a string
	return string(b[1 : len(b)-1])
}

// asciiText is how writers escape that keep to ASCII.
func asciiText(s string) string {
	var b strings.Builder
	for _, r := range jsonText(s) {
		if r < 0x80 {
			b.WriteRune(r)
			continue
		}
		for _, u := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, u)
		}
	}
	return b.String()
}

// In reports whether the text stands in data. Nil stands nowhere.
func (n *Needles) In(data []byte) bool {
	return n != nil && slices.ContainsFunc(n.forms, func(f []byte) bool { return bytes.Contains(data, f) })
}

// inStream is In of all that a stream has; ends are the bytes that a find could
// reach over to its neighbours with.
func (n *Needles) inStream(r io.Reader) (found bool, ends streamEnds, err error) {
	buf := make([]byte, 0, 512<<10)
	for {
		keep := min(len(buf), n.most-1)
		copy(buf, buf[len(buf)-keep:])
		m, err := io.ReadFull(r, buf[keep:cap(buf)])
		fresh := buf[keep : keep+m]
		buf = buf[:keep+m]
		ends.add(fresh, n.most-1)
		if n.In(buf) {
			return true, ends, nil
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return false, ends, nil
		}
		if err != nil {
			return false, ends, err
		}
	}
}

// streamEnds are the first and last bytes of a stream; all of a short one.
type streamEnds struct {
	head, tail []byte
	size       int
}

func (e *streamEnds) add(data []byte, most int) {
	e.size += len(data)
	e.head = append(e.head, data[:min(len(data), max(0, 2*most-len(e.head)))]...)
	e.tail = append(e.tail, data[max(0, len(data)-most):]...)
	e.tail = e.tail[max(0, len(e.tail)-most):]
}

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
	ends     map[string]streamEnds // of a session's segments, by path
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
	found, ends, err2 := h.needles.inStream(r)
	switch {
	case errors.Join(err, err2) != nil:
		h.problems = append(h.problems, ingest.Problem{Path: path, Reason: errors.Join(err, err2).Error()})
	case found:
		h.found(root, path)
	case packed:
		if h.ends == nil {
			h.ends = map[string]streamEnds{}
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
				edge = append(edge, ends.head...)
				if h.needles.In(edge) {
					h.found(l.dir, path)
					return
				}
				if ends.size > len(ends.head) {
					edge = slices.Clone(ends.tail)
				}
			}
		}
	}
}
