package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"recall/ingest"
	"recall/library"
	"recall/library/disk"
	"recall/library/raw"
	"recall/payload"
)

// A session whose session.json can't be read is taken in anew by the next
// archive: it has two folders then. What only the old one has is brought into
// the new one, read back there, and only then is the old one removed. Cut off
// anywhere, it is finished by doing it again.
type twins struct {
	r     *repairing
	src   *library.Folder   // the old folder
	now   library.Entry     // of the new one
	aside map[string][]byte // lines of append-only files that can't be read, by file
	page  bool              // payload.md was changed by hand in a way that can't be read
}

// Unite brings what is in the folder of a session that goes, whose session.json may
// not be read, into the one that the session is known by, and removes it.
func Unite(ctx context.Context, l *library.Library, id ingest.SessionID, folder string, now library.Entry) error {
	r := &repairing{l: l.Inside(), ctx: ctx, render: map[ingest.SessionID]bool{}}
	_, err := r.unite(library.Entry{ID: id, Folder: folder, Format: library.Format}, now)
	return err
}

// unite makes one folder of two. old is what is known of the one that goes.
func (r *repairing) unite(old, now library.Entry) (string, error) {
	t := &twins{r: r, now: now, aside: map[string][]byte{}}
	var err error
	if t.src, err = t.view(old); err != nil {
		return "", err
	}
	for try := 0; ; try++ {
		if err = t.bring(); errors.Is(err, library.ErrStale) && try < 5 {
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
		return "", fmt.Errorf("the session was taken in anew since, in %s, and has all that can be read here; this folder stays for the damaged bytes of %s; a backup may have them", r.l.Rel(t.now.Folder), strings.Join(lost, ", "))
	}
	if t.now, err = r.l.Session(old.ID); err != nil {
		return "", err
	}
	if err := t.carry(); err != nil {
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
	return "united with " + r.l.Rel(t.now.Folder) + ", where the session was taken in anew", nil
}

// view reads the old folder, its lists as far as they can be borne out, and its
// damaged segments taken again from wherever their bytes are.
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
		keep = append(keep, raw.EncodeLines(t.unnamed(t.r.strays(e, v)))...)
		v = raw.ParseVersions(list, disk.SplitLines(keep))
	}
	if len(aside) > 0 || disk.SealOfJSON(s.Text["session.json"]) != disk.SealGood {
		e.Files = nil // where it was found is as sure as that
	}
	s.Entry = e
	s.Versions, s.Text[list], t.aside[list] = v, keep, aside
	for _, name := range []string{"edits.jsonl", "notes.jsonl"} {
		s.Text[name], t.aside[name], _ = sortLines(s.Text[name], name)
	}
	for _, seg := range v.Stored() {
		if err := t.again(e, seg.Segment); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// unnamed leaves out the files made of stray segments whose content the new
// folder has under its name.
func (t *twins) unnamed(lines []raw.Line) []raw.Line {
	v, err := raw.ReadVersions(t.now.Folder)
	if err != nil {
		return lines
	}
	var out []raw.Line
	for _, line := range lines {
		known := false
		for name := range v.Files {
			known = known || v.Find(name, line.Size, line.Sum) > 0
		}
		if !known {
			out = append(out, line)
		}
	}
	return out
}

// again puts a damaged segment's bytes back where they are found elsewhere.
func (t *twins) again(e library.Entry, s raw.Segment) error {
	at := filepath.Join(e.Folder, "raw", s.String())
	if (raw.Staged{Segment: s, Temp: at}).ReadsBack(t.r.ctx) == nil {
		return nil
	}
	from := e
	from.Files, from.Root = t.now.Files, t.now.Root
	for _, p := range t.r.places(from, s) {
		st, err := t.r.take(p, s)
		if err != nil {
			continue
		}
		return errors.Join(disk.SyncFiles([]string{st.Temp}), disk.Rename(st.Temp, at))
	}
	return t.r.ctx.Err()
}

// bring adds what the old folder has to the new one: contents, edits, notes,
// and the payload whose items people's edits and links are about.
func (t *twins) bring() error {
	l, id, src := t.r.l, t.src.Entry.ID, t.src
	if err := l.Blend(t.r.ctx, src, nil, func(string, error) {}); err != nil {
		return err
	}
	dst, err := l.View(id)
	if err != nil {
		return err
	}
	old := l.PayloadIn(src.Entry.Folder)
	edits, err := src.PendingEdits("repair")
	t.page = err != nil
	takeOld := old != nil && (len(src.Text["edits.jsonl"]) > 0 || len(dst.Text["edits.jsonl"]) == 0)
	if takeOld {
		here, err := dst.PendingEdits("repair")
		edits = append(edits, here...)
		takeOld = err == nil // else the page stays as its author left it
	}
	pending, err := payload.EncodeEdits(edits)
	if err != nil {
		return err
	}
	if _, err := l.UniteLines(id, "edits.jsonl", append(bytes.Clone(src.Text["edits.jsonl"]), pending...)); err != nil {
		return err
	}
	if _, err := l.UniteLines(id, "notes.jsonl", src.Text["notes.jsonl"]); err != nil {
		return err
	}
	if !takeOld {
		return nil
	}
	return l.SavePayload(id, library.Derived{Payload: old, Markdown: []byte(old.Written), Seen: dst.Text["payload.md"]})
}

// lacking reads back every content that the old folder's list names, and names
// the files of those that the new folder doesn't have.
func (t *twins) lacking() ([]string, error) {
	var names []string
	for name, list := range t.src.Versions.Files {
		for _, ver := range list {
			ok, err := t.holdsContent(t.src.Entry.ID, name, ver)
			if err != nil {
				return nil, err
			}
			if !ok {
				names = append(names, name)
				break
			}
		}
	}
	return names, nil
}

// holdsContent says, by reading, whether some version of a session's file
// begins with a content.
func (t *twins) holdsContent(id ingest.SessionID, name string, want raw.Version) (bool, error) {
	_, v, err := t.r.l.VersionsOf(id)
	if err != nil {
		return false, err
	}
	for n := len(v.Files[name]); n > 0; n-- {
		if v.Files[name][n-1].Size < want.Size {
			continue
		}
		in, _, err := t.r.l.OpenVersion(id, name, n)
		if err != nil {
			return false, err
		}
		got, err := disk.Sum(io.LimitReader(disk.Until(t.r.ctx, in), want.Size))
		in.Close()
		if err == nil && got.SHA256 == want.Sum {
			return true, nil
		}
	}
	return false, t.r.ctx.Err()
}

// carry moves what is no content of a version and can't be made again: lines
// and files that can't be read, outputs changed by hand, what somebody put there.
func (t *twins) carry() error {
	held := map[string]bool{}
	for c := range t.src.Contents() {
		held[c.Sum] = true
	}
	needed := map[string]bool{}
	for _, s := range t.src.Versions.Stored() {
		needed["raw/"+s.String()] = true
	}
	for name, lines := range t.aside {
		if err := t.putAside(name+".damaged", lines); err != nil {
			return err
		}
	}
	whole := t.r.l.PayloadIn(t.src.Entry.Folder) != nil
	return disk.Walk(t.src.Entry.Folder, func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(t.src.Entry.Folder, at)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		seg, notSeg := raw.ParseSegment(strings.TrimPrefix(name, "raw/"))
		switch {
		case name == "session.json":
			if text, err := disk.ReadPlain(at); err != nil || disk.SealOfJSON(text) == disk.SealGood {
				return err
			}
			return t.move(at, "session.json.damaged")
		case name == "raw/versions.jsonl", name == "edits.jsonl", name == "notes.jsonl", needed[name],
			t.r.l.IsRendered(name), path.Dir(name) == "vectors",
			name == library.NewMarkdown, name == library.NewPayload, whole && name == "payload.json", whole && !t.page &&
				name == "payload.md":
			return nil // brought already, or made again
		case name == "payload.md":
			return t.move(at, "payload before repair.md")
		case name == "payload.json":
			return t.move(at, "payload.json.damaged")
		case path.Dir(name) == "raw" && notSeg == nil && t.src.Versions.Covers(t.r.ctx, t.src.Entry.Folder, seg):
			return nil
		case strings.HasPrefix(name, "outputs/"):
			if sum, err := disk.SumFile(at); err != nil || held[sum.SHA256] {
				return err
			}
		}
		return t.move(at, name)
	})
}

// putAside keeps lines that can't be read, once.
func (t *twins) putAside(name string, lines []byte) error {
	if len(lines) == 0 {
		return nil
	}
	to := filepath.Join(t.now.Folder, filepath.FromSlash(name))
	have, err := disk.ReadPlain(to)
	if bytes.Contains(have, lines) || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return disk.AppendAside(to, lines)
}

// move gives a file a place in the new folder, under a name of its own where
// another file has that one.
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
	return errors.Join(disk.Rename(from, t.r.l.FreeName(dir, filepath.Base(to))), disk.SyncDir(dir))
}
