package check

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
	"recall/library"
	"recall/library/disk"
	"recall/library/raw"
	"recall/library/render"
)

// If a session.json can't be read, the next sync archives the session again, so it has two folders. What only the old
// one has is moved into the new one and read back there before the old one is removed. Repeating it finishes an
// interrupted run.
type twins struct {
	r     *repairing
	src   *library.Folder   // the old folder
	now   library.Entry     // of the new one
	aside map[string][]byte // unreadable lines of append-only files, by file
	page  bool              // payload.md was edited by hand, but the edit can't be read
}

// Unite moves what is in a second folder of a session, whose session.json may be unreadable, into the session's
// current one, and removes the second.
func Unite(ctx context.Context, l *library.Library, id ingest.SessionID, folder string, now library.Entry) error {
	r := &repairing{l: l.Inside(), ctx: ctx, render: map[ingest.SessionID]bool{}}
	_, err := r.unite(library.Entry{ID: id, Folder: folder}, now)
	return err
}

// unite makes one folder of two. old is what is known of the one to be removed.
func (r *repairing) unite(old, now library.Entry) (string, error) {
	t := &twins{r: r, now: now, aside: map[string][]byte{}}
	var err error
	if t.src, err = t.view(old); err != nil {
		return "", err
	}
	for try := 0; ; try++ {
		if err = t.mergeContents(); errors.Is(err, library.ErrStale) && try < 5 {
			r.l.Reload()
			continue
		}
		break
	}
	if err != nil {
		return "", err
	}
	r.render[old.ID] = true
	if lost, err := t.lacking(); err != nil {
		return "", err
	} else if len(lost) > 0 {
		return "", fmt.Errorf("the session was archived again in %s, which has all that can be read here; this "+
			"folder is kept for the damaged bytes of %s, which a backup may have", r.l.Rel(t.now.Folder),
			strings.Join(lost, ", "))
	}
	if t.now, err = r.l.Session(old.ID); err != nil {
		return "", err
	}
	if err := t.moveRest(); err != nil {
		return "", err
	}
	if err := r.l.RemoveFolder(old.ID, old.Folder); err != nil {
		return "", err
	}
	r.l.Reload()
	if err := r.l.Move(old.ID); err != nil { // its name is free now
		return "", err
	}
	if t.now, err = r.l.Session(old.ID); err != nil {
		return "", err
	}
	return "merged into " + r.l.Rel(t.now.Folder) + ", where the session was archived again", nil
}

// view reads the old folder: its lists as far as the bytes confirm them, and damaged segments from wherever their
// bytes are.
func (t *twins) view(e library.Entry) (*library.Folder, error) {
	s, err := library.ReadFolder(e.Folder)
	if err != nil {
		return nil, err
	}
	e.Sums = nil
	s.Still = true
	const list = "raw/versions.jsonl"
	trial := e
	trial.Files = t.now.Files
	v, keep, aside := t.r.sortVersions(trial, s.Text[list])
	if len(aside) > 0 || len(keep) == 0 {
		keep = append(keep, raw.EncodeLines(t.dropNamed(t.r.strays(e, v)))...)
		v = raw.ParseVersions(list, disk.SplitLines(keep))
	}
	if len(aside) > 0 || disk.SealOfJSON(s.Text["session.json"]) != disk.SealGood {
		e.Files = nil // where it was found is just as uncertain
	}
	s.Entry = e
	s.Versions, s.Text[list], t.aside[list] = v, keep, aside
	for _, name := range []string{"edits.jsonl", "notes.jsonl"} {
		s.Text[name], t.aside[name], _ = sortLines(s.Text[name], name)
	}
	for _, seg := range v.Stored() {
		if err := t.restoreSegment(e, seg.Segment); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// dropNamed omits files of stray segments whose content the new folder has under its proper name.
func (t *twins) dropNamed(lines []raw.Line) []raw.Line {
	v, err := t.now.Versions()
	if err != nil {
		return lines
	}
	return slices.DeleteFunc(lines, func(line raw.Line) bool {
		for name := range v.Files {
			if v.Find(name, line.Size, line.Sum) > 0 {
				return true
			}
		}
		return false
	})
}

// restoreSegment restores a damaged segment's bytes if they are found elsewhere.
func (t *twins) restoreSegment(e library.Entry, s raw.Segment) error {
	at := raw.Path(e.Folder, s)
	if (raw.Staged{Segment: s, Temp: at}).ReadsBack(t.r.ctx) == nil {
		return nil
	}
	e.Files, e.Root = t.now.Files, t.now.Root
	st, _, ok := t.r.fetch(e, s)
	if !ok {
		return t.r.ctx.Err()
	}
	return errors.Join(disk.SyncFiles([]string{st.Temp}), disk.Rename(st.Temp, at))
}

// mergeContents adds to the new folder what the old one has: contents, edits, notes, and the payload that people's
// edits and links refer to.
func (t *twins) mergeContents() error {
	l, id, src := t.r.l, t.src.Entry.ID, t.src
	if err := l.MergeVersions(t.r.ctx, src, nil, func(string, error) {}); err != nil {
		return err
	}
	dst, err := l.View(id)
	if err != nil {
		return err
	}
	old := library.PayloadIn(src.Entry.Folder)
	edits, err := src.PendingEdits("repair")
	t.page = err != nil
	takeOld := old != nil && (len(src.Text["edits.jsonl"]) > 0 || len(dst.Text["edits.jsonl"]) == 0)
	if takeOld {
		here, err := dst.PendingEdits("repair")
		edits = append(edits, here...)
		takeOld = err == nil // else the page stays as its author left it
	}
	if _, err := l.MergeEdits(id, src, edits); err != nil {
		return err
	}
	if !takeOld {
		return nil
	}
	return l.SavePayload(id, library.Derived{Payload: old, Markdown: []byte(old.Written), Seen: dst.Text["payload.md"]})
}

// lacking names the files that had a content in the old folder with which no version in the new one begins.
func (t *twins) lacking() (names []string, err error) {
	id := t.src.Entry.ID
	_, v, err := t.r.l.VersionsOf(id)
	if err != nil {
		return nil, err
	}
	reads := func(name string, n int, want raw.Version) bool {
		in, _, err := t.r.l.OpenVersion(id, name, n)
		if err != nil {
			return false
		}
		defer in.Close()
		got, err := disk.Sum(io.LimitReader(disk.Until(t.r.ctx, in), want.Size))
		return err == nil && got.SHA256 == want.Sum
	}
	for name, list := range t.src.Versions.Files {
		for _, want := range list {
			n := len(v.Files[name])
			for n > 0 && (v.Files[name][n-1].Size < want.Size || !reads(name, n, want)) {
				n--
			}
			if n == 0 {
				names = append(names, name)
				break
			}
		}
	}
	return names, t.r.ctx.Err()
}

// moveRest moves what isn't content and can't be made again: unreadable lines and files, changed outputs, and files
// that somebody put there.
func (t *twins) moveRest() error {
	for name, lines := range t.aside {
		if err := t.putAside(name+".damaged", lines); err != nil {
			return err
		}
	}
	brought := map[string]bool{"raw/versions.jsonl": true, "edits.jsonl": true, "notes.jsonl": true}
	for _, s := range t.src.Versions.Stored() {
		brought["raw/"+s.String()] = true
	}
	as := map[string]string{"session.json": "session.json.damaged"}
	if disk.SealOfJSON(t.src.Text["session.json"]) == disk.SealGood {
		brought["session.json"] = true
	}
	if t.page || library.PayloadIn(t.src.Entry.Folder) == nil {
		as["payload.md"] = "payload before repair.md"
	} else {
		brought["payload.md"] = true
	}
	for _, name := range t.src.Names() {
		if brought[name] || render.IsTranscript(name) || path.Dir(name) == "vectors" || t.held(name) {
			continue // these are there already or made again
		}
		if err := t.move(filepath.Join(t.src.Entry.Folder, filepath.FromSlash(name)), cmp.Or(as[name], name)); err != nil {
			return err
		}
	}
	return nil
}

// held reports whether an output, or a segment that no version needs, has bytes that some version has.
func (t *twins) held(name string) bool {
	if seg, err := raw.ParseSegment(strings.TrimPrefix(name, "raw/")); err == nil {
		return t.src.Versions.Covers(t.r.ctx, t.src.Entry.Folder, seg)
	}
	sum, err := disk.SumFile(filepath.Join(t.src.Entry.Folder, filepath.FromSlash(name)))
	if err != nil || !strings.HasPrefix(name, "outputs/") {
		return false
	}
	for c := range t.src.Contents() {
		if c.Sum == sum.SHA256 {
			return true
		}
	}
	return false
}

// putAside keeps unreadable lines, once.
func (t *twins) putAside(name string, lines []byte) error {
	if len(lines) == 0 {
		return nil
	}
	to := filepath.Join(t.now.Folder, filepath.FromSlash(name))
	have, err := disk.ReadIfThere(to)
	if err != nil || bytes.Contains(have, lines) {
		return err
	}
	return disk.AppendAside(to, lines)
}

// move moves a file to the new folder, under a different name if another file has that one.
func (t *twins) move(from, name string) error {
	sum, err := disk.SumFile(from)
	if err != nil {
		return err
	}
	to := filepath.Join(t.now.Folder, filepath.FromSlash(name))
	if have, err := disk.SumFile(to); err == nil && have == sum {
		return nil
	}
	dir := filepath.Dir(to)
	if err := disk.MakeDirs(dir); err != nil {
		return err
	}
	return errors.Join(disk.Rename(from, disk.FreeName(dir, filepath.Base(to))), disk.SyncDir(dir))
}
