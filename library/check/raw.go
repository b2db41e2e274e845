package check

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"

	"recall/ingest"
	"recall/library"
	"recall/library/disk"
	"recall/library/raw"
)

// segment restores a damaged segment's bytes: from its own file if only the stored form differs, else from the
// source, another session or the backup.
func (r *repairing) segment(e library.Entry, s raw.Segment) (string, error) {
	if s.Sum == "" {
		return "", errLost
	}
	for from, in := range r.places(e, s) {
		st, err := raw.Stage(r.l.Temp, io.LimitReader(disk.Until(r.ctx, in), s.Length), s.Offset)
		in.Close()
		if err != nil {
			continue
		}
		if st.Segment != s {
			raw.Drop(st)
			continue
		}
		if err := r.replace(e, st); err != nil {
			raw.Drop(st)
			return "", err
		}
		if from == raw.Path(e.Folder, s) {
			return "stored again", nil
		}
		return "restored from " + from, nil
	}
	if r.from != nil {
		return "", fmt.Errorf("neither a source, nor another session, nor the backup has these %d bytes", s.Length)
	}
	return "", fmt.Errorf("no source and no other session has these %d bytes any more; a backup may have them",
		s.Length)
}

// replace replaces the segment of the same name by a staged one.
func (r *repairing) replace(e library.Entry, st raw.Staged) error {
	v, err := e.Versions()
	if err == nil {
		err = raw.Sync([]raw.Staged{st})
	}
	if err != nil {
		return err
	}
	return v.Replace(e.Folder, st, r.l.Put)
}

// places yields where a segment's bytes might be, each opened there: its own file, a source at its offset, another
// session, a backup.
func (r *repairing) places(e library.Entry, s raw.Segment) iter.Seq2[string, io.ReadCloser] {
	return func(yield func(string, io.ReadCloser) bool) {
		if own := raw.Path(e.Folder, s); !yield(own, raw.ReadFile(own, s)) {
			return
		}
		for _, f := range e.Files {
			for _, src := range f.Sources {
				now, err := ingest.FileNow(f.Name, f.Role, src.Path)
				if err != nil || disk.Within(e.Root, ingest.OnDisk(src.Path)) != nil {
					continue
				}
				in, err := raw.OpenAt(r.ctx, now, s.Offset)
				if err == nil && !yield(src.Path, in) {
					return
				}
			}
		}
		twins, _ := disk.Glob(r.l.Dir(), "*", "*", "raw", s.String())
		for _, t := range twins {
			if !yield(t, raw.ReadFile(t, s)) {
				return
			}
		}
		if r.from == nil {
			return
		}
		b, v, err := r.from.VersionsOf(e.ID)
		if err != nil {
			return
		}
		for _, list := range v.Files {
			for _, ver := range list {
				if s.Offset+s.Length > ver.Size {
					continue
				}
				in := raw.Read(b.Folder, ver.Segs...)
				in.At = s.Offset
				if !yield(b.Folder, in) {
					return
				}
			}
		}
	}
}

// session repairs session.json from what else is in the folder.
func (r *repairing) session(folder string) (string, error) {
	id := library.SessionIn(folder)
	if id == "" {
		return "", errors.New("its session can't be identified any more; recall sync archives it again if its source " +
			"still exists")
	}
	if twin, err := r.l.Session(id); err == nil && twin.Folder != folder {
		how, err := r.unite(id, folder)
		if err != nil {
			err = fmt.Errorf("%s holds the same session, too, and this can't be merged into it: %w",
				r.l.Rel(twin.Folder), err)
		}
		return how, err
	}
	how, err := r.l.Rebuild(id, folder)
	if err != nil {
		return "", err
	}
	r.render[id] = true
	return "rebuilt from what else is in the folder" + how, nil
}

// beforeRepair is the folder in a session's folder that holds what repair found in another one of that session.
const beforeRepair = "before repair"

// unite merges a second folder of a session, as there is if its project's was away for a while, into the one in use:
// contents, edits and notes. The rest of it is kept there for a person to look at.
func (r *repairing) unite(id ingest.SessionID, folder string) (how string, err error) {
	src, err := library.ReadFolder(folder)
	if err == nil && len(src.Versions.Lost) > 0 {
		err = library.ErrDamaged
	}
	if err == nil {
		err = r.l.MergeVersions(r.ctx, src, nil)
	}
	if err != nil {
		return "", err
	}
	if _, err = r.l.MergeEdits(id, src, "repair"); err != nil {
		return "", err
	}
	r.render[id] = true
	err = r.l.WithSession(id, func(e library.Entry) error {
		how = "merged into " + r.l.Rel(e.Folder)
		to := disk.FreeName(e.Folder, beforeRepair)
		if err := disk.Rename(folder, to); err != nil {
			return err
		}
		return errors.Join(disk.SyncDir(e.Folder), disk.SyncDir(filepath.Dir(folder)),
			disk.UnlinkAll(filepath.Join(to, "raw"))) // merged
	})
	r.l.Reload()
	return how, err
}

// versions repairs versions.jsonl: damaged lines are kept if the bytes confirm them, and contents that only
// session.json names are assembled from the segments that exist.
func (r *repairing) versions(e library.Entry) (string, error) {
	path := raw.ListPath(e.Folder)
	text, err := disk.ReadIfThere(path)
	if err != nil {
		return "", err
	}
	if text == nil {
		text = e.ImpliedList()
	}
	v, keep, aside := r.sortVersions(e, text)
	lost := 0
	e = e.Clone()
	for i := range e.Files {
		state := &e.Files[i]
		if ver := v.At(state.Name, state.Version); ver != nil && ver.Size == state.Size && ver.Sum == state.Sum {
			continue
		}
		line, ok := r.assemble(e, v, *state)
		if !ok {
			lost++
			continue
		}
		state.Version = line.Version
		for j := range state.Sources {
			state.Sources[j].Version, state.Sources[j].Size = line.Version, -1 // compared again next time
		}
		keep = append(keep, raw.EncodeLines([]raw.Line{line})...)
	}
	if len(aside) > 0 || len(text) == 0 {
		keep = append(keep, raw.EncodeLines(r.strays(e, v))...)
	}
	if len(aside) > 0 {
		if err := disk.AppendAside(path+".damaged", aside); err != nil {
			return "", err
		}
	}
	if err := r.l.Put(path, keep); err != nil {
		return "", err
	}
	e.FillFrom(v, e.Folder)
	if err := r.l.SaveEntry(e); err != nil {
		return "", err
	}
	if lost > 0 {
		return "", fmt.Errorf("%d files have no bytes left in the library; recall sync archives them again if their "+
			"source still exists", lost)
	}
	if len(aside) > 0 {
		return fmt.Sprintf("the current files are intact; %d lines that could not be read, perhaps of older "+
			"versions, are kept in versions.jsonl.damaged", countLines(aside)), nil
	}
	return "rebuilt from the segments", nil
}

// sortVersions separates the valid lines of a versions.jsonl, sealed, from those that can't be read.
func (r *repairing) sortVersions(e library.Entry, text []byte) (v *raw.Versions, keep, aside []byte) {
	v = raw.NewVersions()
	for line := range completeLines(text) {
		var vl raw.Line
		good := disk.SealOf(line) == disk.SealGood
		err := json.Unmarshal(line, &vl)
		if err == nil && !good {
			err = r.confirm(e, v, vl)
		}
		if err == nil {
			err = v.Apply(vl)
		}
		if err != nil {
			aside = append(append(aside, line...), '\n')
			continue
		}
		if disk.SealOf(line) == disk.SealBad {
			line = disk.Unseal(line)
		}
		keep = append(append(keep, disk.SealLine(line)...), '\n')
	}
	return v, keep, aside
}

// confirm checks that the bytes that a line describes are there.
func (r *repairing) confirm(e library.Entry, v *raw.Versions, line raw.Line) error {
	if e.File(line.File) == nil || e.File(line.File).Role != line.Role {
		return errors.New("no such file")
	}
	trial := raw.NewVersions()
	trial.Files[line.File] = slices.Clone(v.Files[line.File])
	if err := trial.Apply(line); err != nil {
		return err
	}
	ver := trial.At(line.File, line.Version)
	got, err := r.sum(e.Folder, ver.Segs)
	if err == nil && (got.Size != ver.Size || got.SHA256 != ver.Sum) {
		err = library.ErrDamaged
	}
	return err
}

func (r *repairing) sum(folder string, segs []raw.Segment) (disk.Sums, error) {
	in := raw.Read(folder, segs...)
	defer in.Close()
	return disk.Sum(disk.Until(r.ctx, in))
}

// assemble looks for segments that give the content of a file in session.json.
func (r *repairing) assemble(e library.Entry, v *raw.Versions, state library.FileState) (raw.Line, bool) {
	for _, run := range runsIn(e.Folder) {
		for n := range run {
			if sizeOf(run[:n+1]) != state.Size {
				continue
			}
			if line, err := r.describe(e.Folder, run[:n+1]); err == nil && line.Sum == state.Sum {
				line.File, line.Role, line.Version = state.Name, state.Role, len(v.Files[state.Name])+1
				return line, v.Apply(line) == nil
			}
		}
	}
	return raw.Line{}, false
}

// runsIn returns runs of adjoining segments from a file's beginning, so many that each segment is in one. Where
// several adjoin, as after a rewrite, the first is taken: what belongs together is known only from a list.
func runsIn(folder string) (runs [][]raw.Segment) {
	all := slices.DeleteFunc(raw.In(folder), func(s raw.Segment) bool { return s.Length == 0 })
	from, to := map[int64]raw.Segment{}, map[int64]raw.Segment{}
	for _, s := range slices.Backward(all) {
		from[s.Offset], to[s.Offset+s.Length] = s, s
	}
	used := map[raw.Segment]bool{}
	for _, s := range all {
		if used[s] {
			continue
		}
		run := []raw.Segment{s}
		for before, ok := to[s.Offset]; ok; before, ok = to[before.Offset] {
			run = slices.Insert(run, 0, before)
		}
		for next, ok := from[s.Offset+s.Length]; ok; next, ok = from[next.Offset+next.Length] {
			run = append(run, next)
		}
		for _, s := range run {
			used[s] = true
		}
		if run[0].Offset == 0 {
			runs = append(runs, run)
		}
	}
	return runs
}

// describe returns the line for a file made of these segments, without its name.
func (r *repairing) describe(folder string, chain []raw.Segment) (raw.Line, error) {
	sum, err := r.sum(folder, chain)
	line := raw.Line{Add: []string{}, Size: sizeOf(chain), Sum: sum.SHA256}
	for _, s := range chain {
		file, bad := disk.SumFile(raw.Path(folder, s))
		err = cmp.Or(err, bad)
		line.Add, line.CRC = append(line.Add, s.String()), append(line.CRC, file.CRC)
	}
	return line, err
}

// strays makes files of segments that no version has. The longest becomes the conversation if there is none; other
// names aren't known.
func (r *repairing) strays(e library.Entry, v *raw.Versions) (lines []raw.Line) {
	needed := v.Needed()
	runs := slices.DeleteFunc(runsIn(e.Folder), func(run []raw.Segment) bool {
		return !slices.ContainsFunc(run, func(s raw.Segment) bool { return !needed[s] })
	})
	slices.SortStableFunc(runs, func(a, b []raw.Segment) int { return int(sizeOf(b) - sizeOf(a)) })
	for i, run := range runs {
		line, err := r.describe(e.Folder, run)
		line.File, line.Role, line.Version = fmt.Sprintf("recovered-%d", i+1), ingest.ToolResult, 1
		if i == 0 && v.Files["transcript.jsonl"] == nil && e.Source != ingest.Cowork {
			line.File, line.Role = "transcript.jsonl", ingest.Transcript
		}
		if err == nil && v.Apply(line) == nil {
			lines = append(lines, line)
		}
	}
	return lines
}

func sizeOf(chain []raw.Segment) int64 {
	var n int64
	for _, s := range chain {
		n += s.Length
	}
	return n
}
