package check

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
	"recall/library"
	"recall/library/disk"
	"recall/library/raw"
	"recall/payload"
)

// Mended says what Repair did about a finding.
type Mended struct {
	Finding
	Done bool   `json:"done"`
	How  string `json:"how"` // what was done, or why nothing could be
}

// Repaired is the outcome of Repair.
type Repaired struct {
	Mended []Mended
	Render []ingest.SessionID // sessions whose derived files must be made again, by distilling them
}

// Repair repairs what Verify found, as far as it can: segments from sources, from sessions that hold the same bytes,
// or else from a backup (see merge.OpenBackup); session.json and versions.jsonl from what else is in the folder;
// sums. Unreadable lines are moved to another file, never deleted. Sessions whose distilled files are damaged are
// only marked, to be distilled again.
func Repair(ctx context.Context, l *library.Library, found []Finding, from *library.Library) (Repaired, error) {
	if err := l.ReadOnly(); err != nil {
		return Repaired{}, err
	}
	r := &repairing{l: l, from: from, ctx: ctx, render: map[ingest.SessionID]bool{}}
	found = slices.Clone(found)
	slices.SortStableFunc(found, func(a, b Finding) int { return repairOrder(a) - repairOrder(b) })
	for _, f := range found {
		if err := ctx.Err(); err != nil {
			return r.out, err
		}
		if f.State != Damaged && f.State != Leftover && f.State != Unfinished {
			continue
		}
		how, err := r.mend(f)
		m := Mended{Finding: f, Done: err == nil, How: how}
		if err != nil {
			m.How = err.Error()
		}
		r.out.Mended = append(r.out.Mended, m)
	}
	for id := range r.render {
		if err := r.l.MarkBehind(id); err != nil && !errors.Is(err, library.ErrNoSession) {
			return r.out, err
		}
		r.out.Render = append(r.out.Render, id)
	}
	slices.Sort(r.out.Render)
	return r.out, nil
}

// repairOrder puts the key to a folder first, then the list of its versions, then their bytes.
func repairOrder(f Finding) int {
	for i, suffix := range []string{"library.toml", "projects.toml", "session.json", "versions.jsonl", ".zst"} {
		if strings.HasSuffix(f.Path, suffix) {
			return i
		}
	}
	return 9
}

type repairing struct {
	l      *library.Library
	from   *library.Library // a backup, or nil
	ctx    context.Context
	render map[ingest.SessionID]bool
	out    Repaired
}

var errLost = errors.New("it can't be rebuilt; a backup might have it")

func (r *repairing) mend(f Finding) (how string, err error) {
	path := filepath.Join(r.l.Dir(), filepath.FromSlash(f.Path))
	switch name := filepath.Base(path); {
	case name == "library.toml":
		return "written again", r.libraryFile()
	case name == "session.json":
		return r.session(filepath.Dir(path))
	case strings.HasPrefix(f.Path, library.CacheName+"/"):
		return "removed; a model is asked again", disk.Remove(path)
	case f.Session != "":
		err = r.l.WithSession(f.Session, func(e library.Entry) error {
			how, err = r.inSession(f, e, path)
			return err
		})
		return how, err
	case name == "README.md":
		return "written again", errors.Join(r.l.PutReadme(), r.libraryFile())
	case name == "projects.toml":
		how, again, err := r.l.MendProjects()
		for _, e := range again {
			r.render[e.ID] = true // distilling adds its project
		}
		return how, err
	case strings.HasSuffix(name, ".jsonl"):
		lock := "folders"
		if name == library.LinksName {
			lock = "links"
		}
		err = r.l.UnderLock(lock, func() error {
			how, err = r.log(f, path)
			return err
		})
		return how, err
	}
	return "", errLost
}

// inSession repairs a file of a session's folder, whose lock is held.
func (r *repairing) inSession(f Finding, e library.Entry, path string) (string, error) {
	switch name := filepath.Base(path); {
	case f.State == Leftover:
		return "removed", r.dropLeftover(e, path)
	case name == "versions.jsonl":
		return r.versions(e)
	case strings.HasSuffix(name, ".zst"):
		return r.segment(e, f.segment)
	case strings.HasSuffix(name, ".jsonl"):
		return r.log(f, path)
	}
	return r.derived(f, path)
}

func (r *repairing) libraryFile() error {
	f, err := r.l.File()
	if err != nil {
		return err
	}
	return r.l.PutFile(f)
}

// dropLeftover removes a segment whose bytes are held elsewhere.
func (r *repairing) dropLeftover(e library.Entry, path string) error {
	v, err := e.Versions()
	s, bad := raw.ParseSegment(filepath.Base(path))
	if err := cmp.Or(err, bad); err != nil {
		return err
	}
	if v.Needed()[s] || !v.Covers(r.ctx, e.Folder, s) { // it might be the last copy of something
		return errors.New("kept: no version has its bytes")
	}
	return disk.RemoveIfThere(path)
}

// log moves unreadable lines of an append-only file aside and seals the others as they are. The file's lock is held.
func (r *repairing) log(f Finding, path string) (string, error) {
	var keep, aside []byte
	doubtful := 0
	err := r.l.ReplaceShared(path, func(text []byte) ([]byte, error) {
		keep, aside, doubtful = sortLines(text, filepath.Base(path))
		if len(aside) > 0 {
			return keep, disk.AppendAside(path+".damaged", aside)
		}
		return keep, nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = errLost
	}
	if err != nil {
		return "", err
	}
	if len(aside) == 0 && doubtful == 0 {
		return "sealed again", nil
	}
	taken := fmt.Sprintf("%d lines accepted as they are", doubtful)
	if doubtful == 1 {
		taken = "1 line accepted as it is"
	}
	how := fmt.Sprintf("%s, %d moved to %s.damaged", taken, countLines(aside), filepath.Base(path))
	if f.Mend == MendLines {
		return how, nil
	}
	return "", fmt.Errorf("%s; a backup may have the originals", how)
}

func countLines(text []byte) int { return bytes.Count(text, []byte("\n")) }

// completeLines yields the lines of an append-only file, except a line that an interrupted write left incomplete.
func completeLines(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for line := range bytes.Lines(text) {
			line = bytes.TrimSpace(line)
			if whole := disk.Unended(line); whole != nil {
				line = whole
			}
			if len(line) > 0 && !yield(line) {
				return
			}
		}
	}
}

// sortLines separates lines that are intact or at least usable (doubtful counts the latter) from the others.
func sortLines(text []byte, name string) (keep, aside []byte, doubtful int) {
	for line := range completeLines(text) {
		switch s := disk.SealOf(line); {
		case s == disk.SealGood:
			keep = append(append(keep, line...), '\n')
		case !lineUsable(line, name):
			aside = append(append(aside, line...), '\n')
		default:
			if s == disk.SealBad {
				doubtful++
				line = disk.Unseal(line)
			}
			keep = append(append(keep, disk.SealLine(line)...), '\n')
		}
	}
	return keep, aside, doubtful
}

// lineUsable reports whether a line is usable as it is.
func lineUsable(line []byte, name string) bool {
	var edit payload.Edit
	var link payload.Link
	var gone struct{ ID ingest.SessionID }
	switch name {
	case "edits.jsonl":
		return json.Unmarshal(line, &edit) == nil && edit.Check() == nil
	case library.LinksName:
		return json.Unmarshal(line, &link) == nil && link.Check() == nil
	case "tombstones.jsonl":
		return json.Unmarshal(line, &gone) == nil && gone.ID != ""
	}
	return json.Valid(line)
}

// derived repairs a file made by distilling, or removes it so that it is made again.
func (r *repairing) derived(f Finding, path string) (string, error) {
	if f.Mend != MendRender && f.State != Unfinished {
		return "", errLost
	}
	if strings.Contains(f.Path, "/outputs/") {
		if err := r.l.KeepChanged(path, "", ""); err != nil {
			return "", err
		}
		r.render[f.Session] = true
		return "written again; what was there is kept beside", nil
	}
	if filepath.Base(path) != "payload.md" {
		if err := disk.RemoveIfThere(path); err != nil {
			return "", err
		}
	}
	if p := library.PayloadIn(filepath.Dir(path)); p != nil && filepath.Base(path) == "payload.md" {
		return "written again", r.l.Put(path, []byte(p.Written))
	}
	r.render[f.Session] = true
	return "rebuilt from the transcript", nil
}

// RepairAll verifies and repairs until it can do nothing more, because some faults in a folder only show once its
// session is known.
func RepairAll(ctx context.Context, l, backup *library.Library, verify func() (Verified, error)) (Repaired, error) {
	var all Repaired
	tried := map[string]bool{}
	for {
		v, err := verify()
		if err != nil {
			return all, err
		}
		fresh := slices.DeleteFunc(v.Findings, func(f Finding) bool {
			key := f.Path + "\x00" + f.What
			was := tried[key]
			tried[key] = true
			return was
		})
		fixed, err := Repair(ctx, l, fresh, backup)
		if err != nil || len(fixed.Mended) == 0 {
			return all, err
		}
		all.Mended = append(all.Mended, fixed.Mended...)
		all.Render = append(all.Render, fixed.Render...)
	}
}
