package library

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"recall/ingest"
	"recall/library/disk"
	"recall/library/raw"
	"recall/library/render"
	"recall/payload"
)

func jsonUnmarshal(text []byte, v any) error { return json.Unmarshal(text, v) }

// adopt takes over a session that isn't here: its folder as it is.
func (m *merging) adopt(ctx context.Context, src *folderView) error {
	names := slices.Concat(slices.Collect(maps.Keys(src.text)), slices.Collect(maps.Keys(src.size)))
	slices.Sort(names)
	files, err := m.stageCopies(ctx, src, names)
	if err != nil {
		return err
	}
	defer dropCopies(files)
	build, err := m.l.tempName()
	if err != nil {
		return err
	}
	defer disk.UnlinkAll(build) // of a failure
	dirs := map[string]bool{build: true}
	for _, f := range files {
		at := filepath.Join(build, filepath.FromSlash(f.name))
		for dir := filepath.Dir(at); !dirs[dir]; dir = filepath.Dir(dir) {
			dirs[dir] = true
		}
		if err := disk.MakeAllDirs(filepath.Dir(at)); err != nil {
			return err
		}
		if err := disk.Rename(f.temp, at); err != nil {
			return err
		}
	}
	for dir := range dirs {
		if err := disk.SyncDir(dir); err != nil {
			return err
		}
	}
	return m.settleNew(src.entry, build)
}

// settleNew puts a finished folder where it belongs.
func (m *merging) settleNew(e Entry, build string) error {
	l := m.l
	reg, err := l.readRegistry()
	if err != nil {
		return err
	}
	unlock, err := l.lockFolders()
	if err != nil {
		return err
	}
	defer unlock()
	if _, ok := l.known(e.ID); ok {
		return errStale
	}
	if gone, err := l.forgotten(e.ID); err != nil || gone {
		return err
	}
	e.Folder = filepath.Join(l.dir, "unsorted", string(e.ID))
	want := l.wanted(e, reg)
	above := filepath.Dir(want)
	if err := disk.MakeDirs(above); err != nil {
		return err
	}
	e.Folder = l.freeName(above, filepath.Base(want))
	if err := l.relocate(build, e); err != nil {
		return err
	}
	m.count(func(d *Merged) { d.New++ })
	return disk.SyncDir(above)
}

// follow makes a session's folder equal to the other's, which has all that it
// has: what never changes first, then what names it, session.json last, and
// what isn't needed any more goes after that.
func (m *merging) follow(ctx context.Context, src, dst *folderView) error {
	var names []string
	for name, size := range src.size {
		have, ok := dst.size[name]
		if ok && !m.options.Follow && !isSegment(name) {
			continue // outputs here may be changed by hand; SaveOutputs looks after them
		}
		if !ok || have != size || isSegment(name) && !storedAlike(src.v, dst.v, path.Base(name)) {
			names = append(names, name)
		}
	}
	for name, text := range src.text {
		if have, ok := dst.text[name]; !ok || !bytes.Equal(have, text) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a,
		b string) int {
		return cmp.Or(cmp.Compare(followOrder(a), followOrder(b)), cmp.Compare(a, b))
	})
	files, err := m.stageCopies(ctx, src, names)
	if err != nil {
		return err
	}
	defer dropCopies(files)
	if files, err = m.spare(src, dst, files); err != nil {
		return err
	}
	now, unlock, err := m.l.hold(src.entry.ID)
	if err != nil {
		return err
	}
	defer unlock()
	if fresh, err := raw.ReadVersions(now.Folder); err != nil || fresh.Read != dst.v.Read || now.Input != dst.entry.Input {
		return errors.Join(err, errStale)
	}
	if err := m.l.heal(&now); err != nil {
		return err
	}
	if err := putInOrder(now.Folder, files); err != nil {
		return err
	}
	if err := m.dropUnneeded(now.Folder, src, dst); err != nil {
		return err
	}
	fresh, err := readEntry(now.Folder)
	if err != nil {
		return err
	}
	if !m.options.Follow {
		return m.l.saveEntry(keepSources(fresh, src, dst))
	}
	return m.l.remember(fresh)
}

// keepSources notes the places where a session was found on this side too, in
// the entry that was taken over from the other.
func keepSources(e Entry, src, dst *folderView) Entry {
	number := map[fileContent]int{} // the other's version that holds a content, or has grown out of it
	for _, text := range disk.SplitLines(src.text["raw/versions.jsonl"]) {
		var line raw.Line
		if jsonUnmarshal(text, &line) == nil {
			number[fileContent{line.File, line.Size, line.Sum}] = line.Version
		}
	}
	a := &archiving{entry: e.clone()}
	for _, f := range dst.entry.Files {
		var there []int
		for _, ver := range dst.v.Files[f.Name] {
			there = append(there, number[fileContent{f.Name, ver.Size, ver.Sum}])
		}
		a.uniteSources(f, there)
	}
	for i := range a.entry.Files {
		a.entry.Files[i].choose(src.v)
	}
	a.entry.finish()
	a.entry.Root, a.entry.Named = dst.entry.Root, cmp.Or(dst.entry.Named, e.Named)
	return a.entry
}

func isSegment(name string) bool { return path.Dir(name) == "raw" }

// storedAlike reports whether two files of a segment may be equal, by what is known
// of both.
func storedAlike(a, b *raw.Versions, name string) bool {
	return len(a.CRCs[name]) == 0 || len(b.CRCs[name]) == 0 ||
		slices.ContainsFunc(a.CRCs[name], func(crc string) bool { return slices.Contains(b.CRCs[name], crc) })
}

// followOrder is the order in which files may be put in place.
func followOrder(name string) int {
	switch {
	case name == "session.json":
		return 4
	case name == "payload.md" || name == "payload.json":
		return 3
	case name == "raw/versions.jsonl":
		return 1
	case path.Dir(name) == "raw" || path.Dir(name) == "outputs":
		return 0
	}
	return 2
}

// putInOrder gives copies their places, the two of a payload as SavePayload
// does.
func putInOrder(folder string, files []copied) error {
	var pair []copied
	rank := 0
	for i, f := range files {
		at := filepath.Join(folder, filepath.FromSlash(f.name))
		if r := followOrder(f.name); r != rank || i == len(files)-1 {
			rank = r
			if err := errors.Join(disk.SyncDir(folder), disk.SyncDir(filepath.Join(folder, "raw"))); err != nil {
				return err
			}
		}
		if rank == 3 {
			pair = append(pair, f)
			continue
		}
		if err := putPair(folder, pair); err != nil {
			return err
		}
		pair = nil
		if err := disk.MakeDirs(filepath.Dir(at)); err != nil {
			return err
		}
		if err := disk.Rename(f.temp, at); err != nil {
			return err
		}
	}
	return errors.Join(putPair(folder, pair), disk.SyncDir(folder), disk.SyncDir(filepath.Join(folder, "raw")))
}

func putPair(folder string, pair []copied) error {
	if len(pair) == 2 { // sorted: payload.json, payload.md
		if err := disk.Rename(pair[1].temp, filepath.Join(folder, newMarkdown)); err != nil {
			return err
		}
		if err := disk.Rename(pair[0].temp, filepath.Join(folder, newPayload)); err != nil {
			return err
		}
		if err := disk.Rename(filepath.Join(folder, newMarkdown), filepath.Join(folder, "payload.md")); err != nil {
			return err
		}
		return disk.Rename(filepath.Join(folder, newPayload), filepath.Join(folder, "payload.json"))
	}
	for _, f := range pair {
		if err := disk.Rename(f.temp, filepath.Join(folder, f.name)); err != nil {
			return err
		}
	}
	return nil
}

// dropUnneeded removes what the other folder hasn't any more: segments that were
// packed, parts of transcripts, and outputs of one that is followed.
func (m *merging) dropUnneeded(folder string, src, dst *folderView) error {
	needed := map[string]bool{} // also those that the other has lost
	for _, s := range src.v.Stored() {
		needed["raw/"+s.String()] = true
	}
	for name := range dst.size {
		if _, ok := src.size[name]; !ok && !needed[name] && (isSegment(name) || m.options.Follow) {
			if err := disk.RemoveIfThere(filepath.Join(folder, filepath.FromSlash(name))); err != nil {
				return err
			}
		}
	}
	for name := range dst.text {
		if _, ok := src.text[name]; !ok && render.IsTranscript(name) {
			if err := disk.RemoveIfThere(filepath.Join(folder, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// blend unites a session of which each side has something of its own.
func (m *merging) blend(ctx context.Context, src, dst *folderView) error {
	if err := m.blendVersions(ctx, src); err != nil {
		return err
	}
	id := src.entry.ID
	edits, err := src.pendingEdits("import")
	if err != nil {
		return raw.AtSource(err)
	}
	pending, err := payload.EncodeEdits(edits)
	if err != nil {
		return err
	}
	changed, err := m.l.uniteLines(id, "edits.jsonl", append(slices.Clone(src.text["edits.jsonl"]), pending...))
	if err != nil {
		return err
	}
	if _, err := m.l.uniteLines(id, "notes.jsonl", src.text["notes.jsonl"]); err != nil {
		return err
	}
	if len(dst.text["payload.json"]) == 0 && len(src.text["payload.json"]) > 0 {
		p, err := payload.Decode(src.text["payload.json"])
		if err != nil {
			return raw.AtSource(err)
		}
		return m.l.SavePayload(id, Derived{Payload: p, Markdown: []byte(p.Written), Seen: dst.text["payload.md"]})
	}
	if changed {
		return m.l.markBehind(id) // the next sync renders it with all edits
	}
	return nil
}

// blendVersions adds the contents that aren't here, and the places where they
// were found.
func (m *merging) blendVersions(ctx context.Context, src *folderView) error {
	l, id := m.l, src.entry.ID
	now, _, err := l.current(id)
	if err != nil {
		return err
	}
	v, err := raw.ReadVersions(now.Folder)
	if err != nil {
		return err
	}
	a := &archiving{l: l, found: ingest.Found{ID: id}, entry: now.clone(), versions: v, change: Change{ID: id}}
	number := map[string][]int{} // of the other's versions, here
	for _, name := range slices.Sorted(maps.Keys(src.v.Files)) {
		for i := range src.v.Files[name] {
			n, err := m.blendOne(ctx, a, src, name, i+1)
			if bad := (raw.SourceError{}); m.partial && errors.As(err, &bad) && ctx.Err() == nil {
				m.problem(src.entry.Folder, name+": "+bad.Error())
				n, err = 0, nil
			}
			if err != nil {
				raw.Drop(a.segs...)
				return err
			}
			number[name] = append(number[name], n)
		}
	}
	for _, f := range src.entry.Files {
		a.uniteSources(f, number[f.Name])
	}
	for i := range a.entry.Files {
		a.entry.Files[i].choose(a.versions)
	}
	a.entry.finish()
	before, _ := now.encode()
	if after, _ := a.entry.encode(); bytes.Equal(before, after) && len(a.lines) == 0 {
		return nil
	}
	if err := l.commitChange(a); err != nil {
		raw.Drop(a.segs...)
		return err
	}
	return nil
}

// blendOne finds, or adds, one of the other's versions, and returns the number
// that it has here.
func (m *merging) blendOne(ctx context.Context, a *archiving, src *folderView, name string, n int) (int, error) {
	ver := src.v.Files[name][n-1]
	if have := a.versions.Find(name, ver.Size, ver.Sum); have > 0 {
		return have, nil
	}
	file := ingest.File{Name: name, Role: src.v.Roles[name], Size: ver.Size, Open: func() (io.ReadCloser, error) {
		if src.still {
			return raw.Read(src.entry.Folder, ver.Segs...), nil
		}
		r, _, err := m.from.OpenVersion(src.entry.ID, name, n)
		return r, err
	}}
	for have, mine := range a.versions.Files[name] { // grown out of it already?
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
	if state := a.entry.file(name); state != nil {
		base = state.Version
	}
	r, _, err := a.l.readSource(ctx, "", file, a.stillThere(name, base))
	if err != nil {
		return 0, err
	}
	if r.size != ver.Size || r.sum != ver.Sum {
		raw.Drop(r.added...)
		return 0, raw.AtSource(ErrDamaged)
	}
	line := raw.Line{Version: len(a.versions.Files[name]) + 1, Keep: r.keep}
	if r.keep > 0 {
		line.From = base
	}
	a.addVersion(line, file, r)
	return line.Version, nil
}

// uniteSources notes where the other library found a file; of two records of
// one place the later counts.
func (a *archiving) uniteSources(f FileState, number []int) {
	state := a.entry.file(f.Name)
	if state == nil {
		a.entry.Files = append(a.entry.Files, FileState{Name: f.Name, Role: f.Role, Place: f.Place})
		state = &a.entry.Files[len(a.entry.Files)-1]
	}
	for _, s := range f.Sources {
		if s.Version < 1 || s.Version > len(number) || number[s.Version-1] < 1 {
			continue
		}
		s.Version = number[s.Version-1]
		have := state.source(s.Path)
		switch {
		case have == nil:
			state.Sources = append(state.Sources, s)
		case s.Mod.After(have.Mod) || s.Mod.Equal(have.Mod) && s.Size > have.Size:
			*have = s
		}
	}
}

// uniteLines adds the lines that an append-only file of a session lacks, in
// the order of their times, and reports whether there were any.
func (l *Library) uniteLines(id ingest.SessionID, name string, other []byte) (bool, error) {
	e, unlock, err := l.hold(id)
	if err != nil {
		return false, err
	}
	defer unlock()
	path := filepath.Join(e.Folder, name)
	have, err := disk.ReadPlain(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return false, err
	}
	fresh := lacking(have, other)
	if len(fresh) == 0 {
		return false, nil
	}
	if err := l.put(path, inOrder(append(disk.SplitLines(have), fresh...))); err != nil {
		return false, err
	}
	return true, errors.Join(disk.SyncDir(e.Folder), l.saveEntry(e))
}

// inOrder are lines by time, those of one time by text: whichever came first.
func inOrder(lines [][]byte) []byte {
	type timed struct {
		at   time.Time
		line []byte
	}
	var all []timed
	for _, line := range lines {
		var t struct{ At time.Time }
		_ = json.Unmarshal(line, &t)           // one without a time comes first
		if disk.SealOf(line) != disk.SealBad { // that stays for verify to find
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
