package check

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"recall/library"
	"recall/library/disk"
	"recall/library/raw"
	"recall/library/render"
)

// beforeRepair is the folder in a session's folder that holds what repair found in another one of that session.
const beforeRepair = "before repair"

// unite makes one folder of two: if a session.json can't be read, the next sync archives the session again. The
// contents, edits and notes of the old folder are merged into the new one, as in an import; its other files are kept
// there in a folder of their own, for a person to look at. Repeating it finishes an interrupted run.
func (r *repairing) unite(old, now library.Entry) (string, error) {
	src, aside, err := r.view(old, now)
	if err != nil {
		return "", err
	}
	var lost []string
	merge := func() error {
		lost = nil
		return r.l.MergeVersions(r.ctx, src, nil, func(file string, _ error) { lost = append(lost, file) })
	}
	for try := 0; ; try++ {
		if err = merge(); !errors.Is(err, library.ErrStale) || try == 5 {
			break
		}
		r.l.Reload()
	}
	if err != nil {
		return "", err
	}
	edits, _ := src.PendingEdits("repair") // of a page that can't be read as an edit, the page is kept
	if _, err := r.l.MergeEdits(old.ID, src, edits); err != nil {
		return "", err
	}
	r.render[old.ID] = true
	if now, err = r.l.Session(old.ID); err != nil {
		return "", err
	}
	if len(lost) > 0 {
		return "", fmt.Errorf("the session was archived again in %s, which has all that can be read here; this "+
			"folder is kept for the damaged bytes of %s, which a backup may have", r.l.Rel(now.Folder),
			strings.Join(slices.Compact(lost), ", "))
	}
	if err := r.keepRest(src, aside, now.Folder); err != nil {
		return "", err
	}
	if err := r.l.RemoveFolder(old.ID, old.Folder, false); err != nil {
		return "", err
	}
	r.l.Reload()
	if err := r.l.Move(old.ID); err != nil { // its name is free now
		return "", err
	}
	if now, err = r.l.Session(old.ID); err != nil {
		return "", err
	}
	return "merged into " + r.l.Rel(now.Folder) + ", where the session was archived again", nil
}

// view reads the old folder: its lists as far as the bytes confirm them, and damaged segments from wherever their
// bytes are. aside: there are lines in its list of versions that can't be read.
func (r *repairing) view(old, now library.Entry) (src *library.Folder, aside bool, err error) {
	if src, err = library.ReadFolder(old.Folder); err != nil {
		return nil, false, err
	}
	const list = "raw/versions.jsonl"
	old.Files = now.Files // for the roles of their names; where it was found is uncertain
	v, keep, bad := r.sortVersions(old, src.Text[list])
	if len(bad) > 0 || len(keep) == 0 {
		keep = append(keep, raw.EncodeLines(r.strays(old, v))...)
		v = raw.ParseVersions(list, disk.SplitLines(keep))
	}
	src.Entry, src.Versions, src.Text[list], src.Still = library.Entry{ID: old.ID, Folder: old.Folder}, v, keep, true
	for _, name := range []string{"edits.jsonl", "notes.jsonl"} {
		src.Text[name], _, _ = sortLines(src.Text[name], name)
	}
	for _, s := range v.Stored() {
		at := raw.Path(old.Folder, s.Segment)
		if (raw.Staged{Segment: s.Segment, Temp: at}).ReadsBack(r.ctx) == nil {
			continue
		}
		if st, _, ok := r.fetch(old, s.Segment); ok {
			err = errors.Join(err, disk.SyncFiles([]string{st.Temp}), disk.Rename(st.Temp, at))
		}
	}
	return src, len(bad) > 0, errors.Join(err, r.ctx.Err())
}

// keepRest moves what isn't among the versions and can't be made again, session.json last: it tells whose folder it is.
func (r *repairing) keepRest(src *library.Folder, list bool, to string) error {
	to = disk.FreeName(to, beforeRepair)
	names := slices.DeleteFunc(src.Names(), func(name string) bool {
		if s, err := raw.ParseSegment(strings.TrimPrefix(name, "raw/")); err == nil {
			return src.Versions.Covers(r.ctx, src.Entry.Folder, s)
		}
		return render.IsTranscript(name) || name == "session.json" || name == "raw/versions.jsonl" && !list
	})
	for _, name := range append(names, "session.json") {
		from, at := filepath.Join(src.Entry.Folder, filepath.FromSlash(name)), filepath.Join(to, filepath.FromSlash(name))
		if !disk.Exists(from) {
			continue
		}
		dir := filepath.Dir(at)
		if err := disk.MakeDirs(dir); err != nil {
			return err
		}
		if err := errors.Join(disk.Rename(from, at), disk.SyncDir(dir)); err != nil {
			return err
		}
	}
	return nil
}
