package library

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

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
		lacks := len(disk.Lacking(s.Text[name], o.Text[name])) > 0
		if lacks || slices.ContainsFunc(disk.SplitLines(o.Text[name]), bad) {
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

// MergeVersions adds contents and sources of a session's folder in another library that are missing here; from is nil
// for another folder of the session in this one.
func (l *Library) MergeVersions(ctx context.Context, src *Folder, from *Library) error {
	id := src.Entry.ID
	now, err := l.Session(id)
	if err != nil {
		return err
	}
	v, err := now.Versions()
	if err != nil {
		return err
	}
	a := &archiving{l: l, found: ingest.Found{ID: id}, entry: now.Clone(), versions: v}
	number := map[string][]int{} // the other library's versions, by their numbers here
	for _, name := range slices.Sorted(maps.Keys(src.Versions.Files)) {
		for i := range src.Versions.Files[name] {
			n, err := a.mergeVersion(ctx, src, from, name, i+1)
			if err != nil {
				raw.Drop(a.segs...)
				return err
			}
			number[name] = append(number[name], n)
		}
	}
	for _, f := range src.Entry.Files {
		a.mergeSources(f, number[f.Name])
	}
	a.entry.settle(a.versions)
	before, _ := now.encode(nil)
	if after, _ := a.entry.encode(nil); bytes.Equal(before, after) && len(a.lines) == 0 {
		return nil
	}
	if err := l.commitChange(a); err != nil {
		raw.Drop(a.segs...)
		return err
	}
	return nil
}

// mergeVersion finds or adds one version of the other library, and returns its number here.
func (a *archiving) mergeVersion(ctx context.Context, src *Folder, from *Library, name string, n int) (int, error) {
	ver := src.Versions.Files[name][n-1]
	if have := a.versions.Find(name, ver.Size, ver.Sum); have > 0 {
		return have, nil
	}
	file := ingest.File{Name: name, Role: src.Versions.Roles[name], Size: ver.Size}
	file.Open = func() (io.ReadCloser, error) {
		if from == nil {
			return raw.Read(src.Entry.Folder, ver.Segs...), nil
		}
		r, _, err := from.OpenVersion(src.Entry.ID, name, n)
		return r, err
	}
	for have, mine := range a.versions.Files[name] { // has ours already grown out of it?
		if mine.Size < ver.Size || len(a.lines) > 0 {
			continue
		}
		same, err := a.l.sameAs(ctx, a.entry.ID, file, have+1)
		if err != nil && !errors.Is(err, ErrDamaged) {
			return 0, raw.AtSource(err)
		}
		if same {
			return have + 1, nil
		}
	}
	base := 0
	if state := a.entry.File(name); state != nil {
		base = state.Version
	}
	r, err := raw.ReadSource(ctx, a.l.Temp, "", file, a.available(name, base))
	if err != nil {
		return 0, err
	}
	if r.Size != ver.Size || r.Sum != ver.Sum {
		raw.Drop(r.Added...)
		return 0, raw.AtSource(ErrDamaged)
	}
	return a.newVersion(file, r, base), nil
}

// mergeSources records where the other library found a file. If both know a path, the later record wins.
func (a *archiving) mergeSources(f FileState, number []int) {
	state := a.entry.File(f.Name)
	if state == nil {
		state = a.entry.fileOf(f.Name)
		state.Role, state.Place = f.Role, f.Place
	}
	for _, s := range f.Sources {
		if s.Version < 1 || s.Version > len(number) || number[s.Version-1] < 1 {
			continue
		}
		s.Version = number[s.Version-1]
		have := state.SourceAt(s.Path)
		switch {
		case have == nil:
			state.Sources = append(state.Sources, s)
		case s.Mod.After(have.Mod) || s.Mod.Equal(have.Mod) && s.Size > have.Size:
			*have = s
		}
	}
}

// MergeEdits adds edits, including pending ones, which are who's, and notes that people and agents wrote about a
// session, ordered by time. It reports whether an edit was new.
func (l *Library) MergeEdits(id ingest.SessionID, src *Folder, who string) (fresh bool, err error) {
	pending, err := src.pendingEdits(who)
	if err != nil {
		return false, raw.AtSource(err)
	}
	edits, err := editsLog.Text(pending)
	if err != nil {
		return false, err
	}
	theirs := map[string][]byte{"edits.jsonl": slices.Concat(src.Text["edits.jsonl"], edits),
		"notes.jsonl": src.Text["notes.jsonl"]}
	err = l.WithSession(id, func(e Entry) error {
		for _, name := range slices.Sorted(maps.Keys(theirs)) {
			path := filepath.Join(e.Folder, name)
			have, err := disk.ReadIfThere(path)
			if err != nil {
				return err
			}
			lacking := disk.Lacking(have, theirs[name])
			if len(lacking) == 0 {
				continue
			}
			fresh = fresh || name == "edits.jsonl"
			if err := l.Put(path, SortLines(append(disk.SplitLines(have), lacking...))); err != nil {
				return err
			}
			if err := l.SaveEntry(e); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && fresh {
		err = l.UpdateMarks(id)
	}
	return fresh, err
}

// SortLines sorts lines by time, then by text, so that the result doesn't depend on their order before.
func SortLines(lines [][]byte) []byte {
	type timed struct {
		at   time.Time
		line []byte
	}
	var all []timed
	for _, line := range lines {
		var t struct{ At time.Time }
		_ = json.Unmarshal(line, &t)           // a line without a time comes first
		if disk.SealOf(line) != disk.SealBad { // a bad line stays as it is, for verify to find
			line = disk.SealLine(line)
		}
		all = append(all, timed{t.At, line})
	}
	slices.SortStableFunc(all,
		func(a, b timed) int { return cmp.Or(a.at.Compare(b.at), bytes.Compare(a.line, b.line)) })
	all = slices.CompactFunc(all, func(a, b timed) bool { return bytes.Equal(a.line, b.line) })
	var out []byte
	for _, t := range all {
		out = append(append(out, t.line...), '\n')
	}
	return out
}
