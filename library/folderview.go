package library

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
	"recall/library/disk"
	"recall/library/raw"
	"recall/payload"
)

// errMoved: a session's folder was moved or packed while it was read.
var errMoved = errors.New("the session's folder has changed meanwhile")

// A folderView is a session's folder at one moment: what changes is read, what
// never changes once it is there is only listed.
type folderView struct {
	entry Entry
	text  map[string][]byte // by slash-separated name: all but raw/*.zst and outputs/
	size  map[string]int64  // of the others
	v     *raw.Versions
	still bool // nobody moves or packs it: what never changes is read where it is
}

// viewFolder reads a session's folder under its lock. A library that nobody can
// write to is read without.
func (l *Library) viewFolder(id ingest.SessionID) (*folderView, error) {
	unlock, err := l.acquire("s-" + string(id))
	if errors.Is(err, ErrBusy) {
		return nil, err
	}
	if err == nil {
		defer unlock()
	}
	e, err := l.reread(id)
	if err != nil {
		return nil, err
	}
	s, err := readFolder(e.Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errMoved
	}
	if err != nil {
		return nil, err
	}
	if s.entry, err = decodeEntry(s.text["session.json"], e.Folder); err != nil {
		return nil, fmt.Errorf("%s: session.json: %w", e.Folder, err)
	}
	s.v = raw.ParseVersions("versions.jsonl", disk.SplitLines(s.text["raw/versions.jsonl"]))
	if p, err := payload.Decode(s.text["payload.json"]); err == nil &&
		flipped(e.Folder, []byte(p.Written), s.text["payload.md"]) {
		s.text["payload.md"] = []byte(p.Written)
	}
	return s, nil
}

// readFolder reads and lists the files of a session's folder.
func readFolder(folder string) (*folderView, error) {
	s := &folderView{text: map[string][]byte{}, size: map[string]int64{}}
	err := disk.Walk(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(folder, path)
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		name := filepath.ToSlash(rel)
		if strings.HasPrefix(name, "outputs/") || strings.HasPrefix(name, "raw/") && strings.HasSuffix(name, ".zst") {
			fi, err := d.Info()
			if err == nil {
				s.size[name] = fi.Size()
			}
			return err
		}
		s.text[name], err = disk.ReadPlain(path)
		return err
	})
	return s, err
}

// plausible refuses what no recall has written: a stretch of bytes packed so
// small that unpacking it is meant to hurt.
func (s *folderView) plausible() error {
	for name := range s.size {
		seg, err := raw.ParseSegment(strings.TrimPrefix(name, "raw/"))
		if strings.HasPrefix(name, "raw/") && err != nil {
			return fmt.Errorf("%s: %w: %v", name, ErrSuspect, err)
		}
		if strings.HasPrefix(name, "raw/") && seg.Length > 64<<20 && seg.Length/(s.size[name]+1) > mostPacked {
			return fmt.Errorf("%s: %w: %d bytes that unpack to %d", name, ErrSuspect, s.size[name], seg.Length)
		}
	}
	return nil
}

// mostPacked is more than anything in a transcript gets smaller by.
const mostPacked = 20_000

// same reports whether two folders are equal: what changes byte for byte, what
// never does by name and size.
func (s *folderView) same(o *folderView) bool {
	if len(s.text) != len(o.text) || len(s.size) != len(o.size) {
		return false
	}
	for name, text := range s.text {
		other, ok := o.text[name]
		if !ok || !bytes.Equal(text, other) {
			return false
		}
	}
	for name, size := range s.size {
		if other, ok := o.size[name]; !ok || other != size {
			return false
		}
	}
	return true
}

// covers reports whether nothing of o would be lost if s took its place.
func (s *folderView) covers(o *folderView) bool {
	held := s.contents()
	for file, list := range o.v.Files {
		for _, ver := range list {
			if !held[fileContent{file, ver.Size, ver.Sum}] {
				return false
			}
		}
	}
	for _, name := range []string{"edits.jsonl", "notes.jsonl"} {
		if len(lacking(s.text[name], o.text[name])) > 0 || hasBadLine(o.text[name]) {
			return false
		}
	}
	if len(s.v.Lost) > 0 || len(o.v.Lost) > 0 {
		return false
	}
	return !o.pending() || bytes.Equal(s.text["payload.md"], o.text["payload.md"])
}

// fileContent is one content of a file.
type fileContent struct {
	file string
	size int64
	sum  string
}

// contents are all that a session's files have had, those they have grown out
// of too.
func (s *folderView) contents() map[fileContent]bool {
	all := map[fileContent]bool{}
	for _, text := range disk.SplitLines(s.text["raw/versions.jsonl"]) {
		var line raw.Line
		if jsonUnmarshal(text, &line) == nil {
			all[fileContent{line.File, line.Size, line.Sum}] = true
		}
	}
	return all
}

// hasBadLine reports whether a line isn't as it was written.
func hasBadLine(text []byte) bool {
	return slices.ContainsFunc(disk.SplitLines(text),
		func(line []byte) bool { return disk.SealOf(line) == disk.SealBad })
}

// lacking lists the lines of b that a doesn't have, sealed; not those that aren't
// as they were written.
func lacking(a, b []byte) [][]byte {
	have := map[string]bool{}
	for _, line := range disk.SplitLines(a) {
		have[string(disk.SealLine(line))] = true
	}
	var out [][]byte
	for _, line := range disk.SplitLines(b) {
		if disk.SealOf(line) == disk.SealBad {
			continue
		}
		if line = disk.SealLine(line); !have[string(line)] {
			have[string(line)] = true
			out = append(out, line)
		}
	}
	return out
}

// pending reports whether a person edited payload.md and no sync has taken it in.
func (s *folderView) pending() bool {
	md, js := s.text["payload.md"], s.text["payload.json"]
	if len(md) == 0 || len(js) == 0 {
		return false
	}
	p, err := payload.Decode(js)
	return err == nil && p.Written != string(md)
}

// pendingEdits are what such a person did, told by when the file was written.
func (s *folderView) pendingEdits(who string) ([]payload.Edit, error) {
	if !s.pending() {
		return nil, nil
	}
	p, err := payload.Decode(s.text["payload.json"])
	if err != nil {
		return nil, err
	}
	fi, err := os.Stat(filepath.Join(s.entry.Folder, "payload.md"))
	if err != nil {
		return nil, err
	}
	return payload.Merge(p, string(s.text["payload.md"]), who, fi.ModTime().UTC().Truncate(1e9))
}
