package library

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
	"recall/library/disk"
	"recall/library/raw"
	"recall/payload"
)

// A Folder is the state of a session's folder at one moment: files that change are read, files that never do are only
// listed.
type Folder struct {
	Entry    Entry
	Text     map[string][]byte // by slash-separated name: all but raw/*.zst and outputs/
	Size     map[string]int64  // of the other files
	Versions *raw.Versions
	implied  bool // Text has a list of versions that doesn't exist on disk
}

// View reads a session's folder under its lock, or without a lock if the library can't be written.
func (l *Library) View(id ingest.SessionID) (*Folder, error) {
	unlock, err := l.Acquire(SessionLock(id), l.lockWait)
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
	s, err := ReadFolder(e.Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrMoved
	}
	if err != nil {
		return nil, err
	}
	if p, err := s.Payload(); err == nil && !s.Pending() {
		s.Text["payload.md"] = []byte(p.Written)
	}
	return s, nil
}

// ReadFolder reads and lists the files of a session's folder.
func ReadFolder(folder string) (*Folder, error) {
	s := &Folder{Text: map[string][]byte{}, Size: map[string]int64{}}
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
				s.Size[name] = fi.Size()
			}
			return err
		}
		s.Text[name], err = disk.ReadPlain(path)
		return err
	})
	if err != nil {
		return nil, err
	}
	if s.Entry, err = DecodeEntry(s.Text["session.json"], folder); err != nil {
		return nil, fmt.Errorf("%s: session.json: %w", folder, err)
	}
	if s.Text[listName] == nil {
		if text := s.Entry.ImpliedList(); text != nil {
			s.Text[listName], s.implied = text, true
		}
	}
	s.Versions = raw.ParseVersions("versions.jsonl", disk.SplitLines(s.Text[listName]))
	return s, nil
}

// listName is the list of versions in a session's folder.
const listName = "raw/versions.jsonl"

// Names returns the names of all its files, sorted.
func (s *Folder) Names() []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(s.Text)), maps.Keys(s.Size))
	slices.Sort(names)
	return slices.DeleteFunc(names, func(name string) bool { return s.implied && name == listName })
}

// Same reports whether two folders are equal: files that change by content, the others by name and size.
func (s *Folder) Same(o *Folder) bool {
	return maps.EqualFunc(s.Text, o.Text, bytes.Equal) && maps.Equal(s.Size, o.Size)
}

// Covers reports whether s could replace o without losing anything.
func (s *Folder) Covers(o *Folder) bool {
	held := s.contents()
	for file, list := range o.Versions.Files {
		for _, ver := range list {
			if !held[content{file, ver.Size, ver.Sum}] {
				return false
			}
		}
	}
	for _, name := range []string{"edits.jsonl", "notes.jsonl"} {
		bad := func(line []byte) bool { return disk.SealOf(line) == disk.SealBad }
		if len(disk.Lacking(s.Text[name], o.Text[name])) > 0 || slices.ContainsFunc(disk.SplitLines(o.Text[name]), bad) {
			return false
		}
	}
	if len(s.Versions.Lost) > 0 || len(o.Versions.Lost) > 0 {
		return false
	}
	_, lost := o.Payload() // without it, nobody knows what is a person's in the page
	return lost == nil && !o.Pending() || bytes.Equal(s.Text["payload.md"], o.Text["payload.md"])
}

// content identifies one content of a file.
type content struct {
	file string
	size int64
	sum  string
}

// contents returns every content that the session's files have had.
func (s *Folder) contents() map[content]bool {
	all := map[content]bool{}
	for _, text := range disk.SplitLines(s.Text[listName]) {
		var line raw.Line
		if json.Unmarshal(text, &line) == nil {
			all[content{line.File, line.Size, line.Sum}] = true
		}
	}
	return all
}

// Payload returns the session's payload. The error is ErrNoPayload, or says why it can't be read.
func (s *Folder) Payload() (*payload.Payload, error) {
	saved := payloadOf(s.Text["session.json"])
	if saved == nil {
		return nil, ErrNoPayload
	}
	return payload.Decode(saved)
}

// Pending reports whether a person edited payload.md and no sync has recorded the edits yet.
func (s *Folder) Pending() bool {
	p, err := s.Payload()
	return err == nil && s.Entry.edited(p, s.Text["payload.md"])
}

// pendingEdits returns those edits, dated by when the file was written.
func (s *Folder) pendingEdits(who string) ([]payload.Edit, error) {
	if !s.Pending() {
		return nil, nil
	}
	p, err := s.Payload()
	if err != nil {
		return nil, err
	}
	fi, err := os.Stat(filepath.Join(s.Entry.Folder, "payload.md"))
	if err != nil {
		return nil, err
	}
	return payload.Merge(p, string(s.Text["payload.md"]), who, fi.ModTime().UTC().Truncate(1e9))
}

// mostFlipped is how many bits a fault flips at most. An edit of one letter can be as small, so Flipped checks the
// file's time too.
const mostFlipped = 3

// Flipped reports whether a payload.md was damaged rather than edited: only a few bits differ, and it wasn't written
// after the transcript, which each save writes after it.
func Flipped(folder string, written, now []byte) bool {
	if len(written) != len(now) {
		return false
	}
	n := 0
	for i := range now {
		if n += bits.OnesCount8(written[i] ^ now[i]); n > mostFlipped {
			return false
		}
	}
	if n == 0 {
		return false
	}
	page, err := os.Stat(filepath.Join(folder, "payload.md"))
	if err != nil {
		return false
	}
	return !page.ModTime().After(Entry{Folder: folder}.Made())
}
