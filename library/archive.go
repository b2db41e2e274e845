package library

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"

	"recall/ingest"
	"recall/library/disk"
	"recall/library/raw"
)

// Change says what Archive found to be different. Files have their names in the session.
type Change struct {
	New       []string // files that the library didn't have
	Grown     []string // same beginning, more bytes
	Rewritten []string // other bytes: a new version
	Shrunk    []string // fewer bytes: a new version; what the earlier ones had stays
	Again     []string // as archived, but segments of it were gone from the library
	Vanished  []string // missing at the source; what is archived stays
	Bytes     int64    // newly archived
	Unchanged bool     // nothing of the above
	Problems  []ingest.Problem
}

// Archive durably stores the bytes of every file of a session, before anything is parsed. Files whose size and time
// haven't changed aren't opened. A file that can't be read is a Problem and doesn't affect the others; the error is
// for faults of the library, and then nothing archived before is changed. A Found without files records which known
// sources have vanished. Archive may run for several sessions at once, and in several processes.
func (l *Library) Archive(ctx context.Context, f ingest.Found) (Change, error) {
	fail := func(err error) (Change, error) {
		return Change{}, fmt.Errorf("session %s: %w", f.ID, err)
	}
	if err := l.ReadOnly(); err != nil {
		return fail(err)
	}
	if !ValidID(f.ID) {
		return fail(fmt.Errorf("its id %q can't name a folder", f.ID))
	}
	for try := 0; ; try++ {
		e, have, err := l.current(f.ID)
		if err != nil {
			return fail(err)
		}
		if !have && try == 0 && l.revive(f.ID) {
			continue
		}
		f := e.keepNames(f)
		if have && e.unchanged(f) && e.Lacks() == nil {
			return Change{Unchanged: true}, nil
		}
		// An entry without sources has also lost whose it was, so it fits any client's.
		whose := slices.ContainsFunc(e.Files, func(s FileState) bool { return len(s.Sources) > 0 })
		if whose && len(f.Files) > 0 && f.Source != e.Source {
			return fail(fmt.Errorf("a session of %s already has this id, so the one of %s is left out", e.Source, f.Source))
		}
		if closed, err := l.Closed(f.ID); closed || err != nil {
			return fail(cmp.Or(err, ErrForgotten))
		}
		a := &archiving{l: l, found: f, entry: e.Clone(), versions: raw.NewVersions()}
		if err = a.run(ctx, have); err != nil {
			raw.Drop(a.segs...)
		}
		if errors.Is(err, ErrStale) && try < 5 {
			l.Reload()
			continue
		}
		if err != nil {
			return fail(err)
		}
		return a.change, nil
	}
}

// keepNames gives conversations the names under which they are archived. A reader names them by the files that exist
// now: if a session has two and the first disappears, the second becomes "transcript.jsonl" and would take the first
// one's place.
func (e *Entry) keepNames(f ingest.Found) ingest.Found {
	taken, free := map[string]bool{}, []int{}
	files := slices.Clone(f.Files)
	for i, file := range files {
		name := file.Name
		if file.Role == ingest.Transcript {
			if name = e.nameOf(file); name == "" {
				free = append(free, i)
				continue
			}
		}
		files[i].Name = name
		taken[name] = true
	}
	for _, i := range free {
		name := files[i].Name
		for n := 1; taken[name]; n++ {
			name = "transcripts/" + path.Base(path.Dir(ingest.SlashPath(files[i].Path)))
			if n > 1 {
				name += "-" + strconv.Itoa(n)
			}
			name += ".jsonl"
		}
		files[i].Name = name
		taken[name] = true
	}
	f.Files = files
	return f
}

// nameOf returns the name of the archived file that has the conversation as its only source, else of another that has
// it as a source, else "".
func (e *Entry) nameOf(file ingest.File) string {
	known := ""
	for i := range e.Files {
		have := &e.Files[i]
		if have.Role != ingest.Transcript || have.SourceAt(file.Path) == nil {
			continue
		}
		if len(have.Sources) == 1 {
			return have.Name
		}
		if known == "" || have.Name == file.Name {
			known = have.Name
		}
	}
	return known
}

// unchanged reports whether all sources are as they were when archived, and none has vanished.
func (e Entry) unchanged(f ingest.Found) bool {
	names := map[string]bool{}
	for _, file := range f.Files {
		names[file.Name] = true
		if have := e.File(file.Name); have == nil || !have.SourceAt(file.Path).matches(file) {
			return false
		}
	}
	for _, have := range e.Files {
		if !names[have.Name] && !have.gone() {
			return false
		}
	}
	return true
}

// archiving is one call of Archive in progress.
type archiving struct {
	l        *Library
	found    ingest.Found
	entry    Entry // as it will be
	versions *raw.Versions
	lines    []raw.Line
	segs     []raw.Staged
	change   Change
	read     int // files that could be read
}

func (a *archiving) run(ctx context.Context, have bool) error {
	if have {
		v, err := a.entry.Versions()
		if err != nil {
			return err
		}
		a.versions = v
		a.change.Problems = append(a.change.Problems, v.Lost...)
	}
	a.entry.ID = a.found.ID
	if len(a.found.Files) > 0 {
		a.entry.Source, a.entry.Root = a.found.Source, a.found.Root
	}
	var before []byte
	if have {
		before, _ = a.entry.encode(nil)
	}
	for i, f := range a.found.Files {
		if err := a.take(ctx, f); err != nil {
			var src raw.SourceError
			if ctx.Err() != nil || !errors.As(err, &src) {
				return err
			}
			a.problem(f.Path, src)
			continue
		}
		a.read++
		a.entry.File(f.Name).Place = i
	}
	a.vanished()
	a.entry.settle(a.versions)
	c := &a.change
	c.Unchanged = len(c.New)+len(c.Grown)+len(c.Rewritten)+len(c.Shrunk)+len(c.Again)+len(c.Vanished) == 0
	if !have && a.read == 0 {
		return nil // nothing could be read, so there is nothing to archive
	}
	if !have {
		return a.l.commitNew(a)
	}
	if after, _ := a.entry.encode(nil); bytes.Equal(after, before) && len(a.lines) == 0 {
		return nil
	}
	return a.l.commitChange(a)
}

func (a *archiving) problem(path string, err error) {
	a.change.Problems = append(a.change.Problems, ingest.Problem{Path: path, Err: err})
}

// take compares one source with what is archived and stages what is new.
func (a *archiving) take(ctx context.Context, f ingest.File) error {
	state := a.entry.File(f.Name)
	var from *SourceState
	base := 0
	if state != nil {
		base = state.Version
		if from = state.SourceAt(f.Path); from != nil {
			base = from.Version
			if ver := a.versions.At(f.Name, base); from.matches(f) && ver != nil &&
				len(a.available(f.Name, base).Segs) == len(ver.Segs) {
				return nil
			}
		}
	}
	r, err := raw.ReadSource(ctx, a.l.Temp, a.found.Root, f, a.available(f.Name, base))
	if err != nil {
		return err
	}
	a.record(f, r, base, from)
	return nil
}

// available returns a version of a file, up to its first segment that is missing or empty; the rest is read again from
// the source.
func (a *archiving) available(file string, number int) raw.Version {
	v := a.versions.At(file, number)
	if v == nil {
		return raw.Version{}
	}
	for i, s := range v.Segs {
		if !disk.HasBytes(filepath.Join(a.entry.Folder, "raw", s.String())) {
			return raw.Version{Segs: v.Segs[:i]}
		}
	}
	return *v
}

// record turns a reading into lines for versions.jsonl and the new state of the source.
func (a *archiving) record(f ingest.File, r raw.Reading, base int, from *SourceState) {
	old := a.versions.At(f.Name, base)
	number := base
	asItWas := old != nil && old.Size == r.Size && old.Sum == r.Sum
	switch same := a.versions.Find(f.Name, r.Size, r.Sum); {
	case asItWas && r.Keep < len(old.Segs) && len(r.Added) > 0:
		// Missing segments are put back; the content is unchanged.
		a.addVersion(raw.Line{Version: base, Keep: r.Keep}, f, r)
		a.change.Again = append(a.change.Again, f.Name)
	case same > 0:
		raw.Drop(r.Added...)
		number = same
		if from != nil && same != base {
			a.rewritten(f, r, old)
		}
	case old != nil && r.Whole:
		a.addVersion(raw.Line{Version: base, Keep: r.Keep}, f, r)
		a.change.Grown = append(a.change.Grown, f.Name)
	case old != nil && from != nil && from.Size == r.Size && len(r.Added) == 0:
		// Another copy of the file has grown, this one hasn't changed.
	default:
		number = a.newVersion(f, r, base)
		if old == nil {
			a.change.New = append(a.change.New, f.Name)
		} else {
			a.rewritten(f, r, old)
			at := a.entry.File(f.Name).Sources // without a path if only part of it was kept
			another := from == nil && f.Role == ingest.Transcript && f.Path != ""
			if another && len(at) > 0 && at[0].Path != "" {
				a.problem(f.Path, errors.New("another file claims to be the same session: "+at[0].Path))
			}
		}
	}
	a.seen(f, SourceState{Path: f.Path, Size: r.Size, Mod: r.Mod.UTC(), Stamp: f.Stamp, Version: number})
}

func (a *archiving) rewritten(f ingest.File, r raw.Reading, old *raw.Version) {
	if old != nil && r.Size < old.Size {
		a.change.Shrunk = append(a.change.Shrunk, f.Name)
		return
	}
	a.change.Rewritten = append(a.change.Rewritten, f.Name)
}

// newVersion adds a version that begins like base.
func (a *archiving) newVersion(f ingest.File, r raw.Reading, base int) int {
	line := raw.Line{Version: len(a.versions.Files[f.Name]) + 1, Keep: r.Keep}
	if r.Keep > 0 {
		line.From = base
	}
	a.addVersion(line, f, r)
	return line.Version
}

func (a *archiving) addVersion(line raw.Line, f ingest.File, r raw.Reading) {
	line.File, line.Role, line.Size, line.Sum, line.Add = f.Name, f.Role, r.Size, r.Sum, []string{}
	for _, s := range r.Added {
		line.Add, line.CRC = append(line.Add, s.String()), append(line.CRC, s.CRC)
		a.change.Bytes += s.Length
	}
	if err := a.versions.Apply(line); err != nil {
		panic("library: a version that doesn't follow on the last: " + err.Error())
	}
	a.lines = append(a.lines, line)
	a.segs = append(a.segs, r.Added...)
}

// seen records the state of a source.
func (a *archiving) seen(f ingest.File, s SourceState) {
	state := a.entry.fileOf(f.Name)
	state.Role = f.Role
	// A file of this machine may be left out from now on, and the other way round.
	state.Sources = slices.DeleteFunc(state.Sources, func(o SourceState) bool {
		return (o.Path == "") != (f.Path == "")
	})
	if have := state.SourceAt(f.Path); have != nil {
		*have = s
		return
	}
	state.Sources = append(state.Sources, s)
}

// vanished marks sources that are gone. If the bytes of one turned up at another path, it was moved and is dropped.
func (a *archiving) vanished() {
	found := map[[2]string]bool{}
	for _, f := range a.found.Files {
		found[[2]string{f.Name, f.Path}] = true
	}
	for i := range a.entry.Files {
		f := &a.entry.Files[i]
		was := f.gone()
		for j := range f.Sources {
			s := &f.Sources[j]
			if s.Path == "" || found[[2]string{f.Name, s.Path}] {
				continue
			}
			_, err := ingest.FileNow(f.Name, f.Role, s.Path)
			s.Gone = errors.Is(err, fs.ErrNotExist) // any other error says nothing
		}
		all := slices.Clone(f.Sources)
		f.Sources = slices.DeleteFunc(f.Sources, func(s SourceState) bool {
			return s.Gone && slices.ContainsFunc(all,
				func(o SourceState) bool { return !o.Gone && o.Version == s.Version && o.Size >= s.Size })
		})
		if !was && f.gone() {
			a.change.Vanished = append(a.change.Vanished, f.Name)
		}
	}
}
