package library

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"recall/ingest"
	"recall/library/disk"
	"recall/library/raw"
)

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
	file := ingest.File{Name: name, Role: src.Versions.Roles[name], Size: ver.Size, Open: func() (io.ReadCloser, error) {
		if from == nil {
			return raw.Read(src.Entry.Folder, ver.Segs...), nil
		}
		r, _, err := from.OpenVersion(src.Entry.ID, name, n)
		return r, err
	}}
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
	r, _, err := raw.ReadSource(ctx, a.l.Temp, "", file, a.available(name, base))
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
