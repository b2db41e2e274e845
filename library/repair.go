package library

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
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
	Render []ingest.SessionID // sessions whose derived files are to be made again: distill them
}

// Repair makes good what Verify found, as far as this package can: segments
// from their sources or from other sessions that hold the same bytes,
// session.json and versions.jsonl from what else stands in the folder, sums.
// Lines that can't be read are put aside into a file beside, never deleted. What
// is made by distilling is only marked for it. Bytes that are nowhere else are
// taken from a backup, where one is given (see OpenBackup).
func (l *Library) Repair(ctx context.Context, found []Finding, from *Library) (Repaired, error) {
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
		if err := l.markBehind(id); err != nil && !errors.Is(err, ErrNoSession) {
			return r.out, err
		}
		r.out.Render = append(r.out.Render, id)
	}
	slices.Sort(r.out.Render)
	return r.out, nil
}

// repairOrder: the key of a folder first, then what versions are there, then
// their bytes.
func repairOrder(f Finding) int {
	for i, suffix := range []string{"library.toml", "projects.toml", "session.json", "versions.jsonl", ".zst"} {
		if strings.HasSuffix(f.Path, suffix) {
			return i
		}
	}
	return 9
}

type repairing struct {
	l      *Library
	from   *Library // a backup, or nil
	ctx    context.Context
	render map[ingest.SessionID]bool
	out    Repaired
}

var errLost = errors.New("it can't be made again; a backup may have it")

func (r *repairing) mend(f Finding) (string, error) {
	path := filepath.Join(r.l.dir, filepath.FromSlash(f.Path))
	name := filepath.Base(path)
	switch {
	case f.State == Leftover:
		return "removed", r.dropLeftover(f, path)
	case name == "library.toml":
		return "written again", r.libraryFile()
	case name == "README.md" && f.Session == "":
		return "written again", errors.Join(r.l.put(path, readme), r.libraryFile())
	case name == "projects.toml" && f.Session == "":
		return r.projects(path)
	case name == "session.json":
		return r.session(f, filepath.Dir(path))
	case name == "versions.jsonl":
		return r.versions(f)
	case strings.HasPrefix(f.Path, cacheName+"/"):
		return "removed; a model is asked again", disk.Remove(path)
	case strings.HasSuffix(name, ".zst"):
		return r.segment(f)
	case strings.HasSuffix(name, ".jsonl"):
		return r.log(f, path)
	case f.Session != "":
		return r.derived(f, path)
	}
	return "", errLost
}

func (r *repairing) libraryFile() error {
	f, err := readLibraryFile(r.l.dir)
	if err != nil {
		return err
	}
	return errors.Join(r.l.putLibraryFile(f), disk.SyncDir(r.l.dir))
}

// dropLeftover removes a segment whose bytes are held elsewhere.
func (r *repairing) dropLeftover(f Finding, path string) error {
	e, unlock, err := r.l.hold(f.Session)
	if err != nil {
		return err
	}
	defer unlock()
	v, err := raw.ReadVersions(e.Folder)
	if err != nil {
		return err
	}
	if err := v.DropStrays(r.ctx, e.Folder); err != nil {
		return err
	}
	if disk.Exists(filepath.Join(e.Folder, "raw", filepath.Base(path))) {
		return errors.New("kept: no version has its bytes")
	}
	return nil
}

// log puts the lines of an append-only file that can't be read aside and seals
// the others as they read.
func (r *repairing) log(f Finding, path string) (string, error) {
	name := "folders"
	if f.Session != "" {
		name = "s-" + string(f.Session)
	} else if filepath.Base(path) == linksName {
		name = "links"
	}
	unlock, err := r.l.lock(name)
	if err != nil {
		return "", err
	}
	defer unlock()
	text, err := disk.ReadPlain(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", errLost
	}
	if err != nil {
		return "", err
	}
	keep, aside, doubtful := sortLines(text, filepath.Base(path))
	if len(aside) > 0 {
		if err := appendAside(path+".damaged", aside); err != nil {
			return "", err
		}
	}
	if err := errors.Join(r.l.replaceShared(path, int64(len(text)), keep, nil),
		disk.SyncDir(filepath.Dir(path))); err != nil {
		return "", err
	}
	if len(aside) == 0 && doubtful == 0 {
		return "sealed again", nil
	}
	how := fmt.Sprintf("%d lines taken as they read now, %d put aside in %s.damaged", doubtful, countLines(aside),
		filepath.Base(path))
	if filepath.Base(path) == "journal.jsonl" { // what happened when; nothing rests on it
		return how, nil
	}
	return "", fmt.Errorf("%s; a backup may have them as they were", how)
}

func countLines(text []byte) int { return bytes.Count(text, []byte("\n")) }

// appendAside keeps what can't be read.
func appendAside(path string, text []byte) error {
	return disk.Do(disk.OpAppend, path, "", func() error {
		f, err := disk.OpenPlain(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return err
		}
		_, err = f.Write(text)
		return errors.Join(err, f.Close())
	})
}

// sortLines tells lines that are as they were written, or mean something all
// the same (doubtful of them), from those that don't.
func sortLines(text []byte, name string) (keep, aside []byte, doubtful int) {
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		if whole := disk.Unended(line); whole != nil {
			line = whole
		}
		switch s := disk.SealOf(line); {
		case s == disk.SealGood:
			keep = append(append(keep, line...), '\n')
		case !lineMeans(line, name):
			aside = append(append(aside, line...), '\n')
		default:
			if s == disk.SealBad {
				doubtful++
				line = unseal(line)
			}
			keep = append(append(keep, disk.SealLine(line)...), '\n')
		}
	}
	return keep, aside, doubtful
}

// unseal cuts a line's checksum off.
func unseal(line []byte) []byte {
	return append(bytes.Clone(line[:bytes.LastIndex(line, []byte(disk.LineCheck))]), '}')
}

// lineMeans reports whether a line can be used as it reads.
func lineMeans(line []byte, name string) bool {
	switch name {
	case "edits.jsonl":
		_, err := payload.DecodeEdits(line)
		return err == nil
	case linksName:
		_, err := payload.DecodeLinks(line)
		return err == nil
	case "tombstones.jsonl":
		var t struct{ ID ingest.SessionID }
		return json.Unmarshal(line, &t) == nil && t.ID != ""
	}
	return json.Valid(line)
}

// derived makes way for a file that is made by distilling. A payload.md that
// can't be compared with what was written any more may hold edits: a copy stays.
func (r *repairing) derived(f Finding, path string) (string, error) {
	unlock, err := r.l.lockSession(f.Session)
	if err != nil {
		return "", err
	}
	defer unlock()
	how := "made again from the transcript"
	if name := filepath.Base(path); name == "payload.json" {
		page := filepath.Join(filepath.Dir(path), "payload.md")
		if text, err := disk.ReadPlain(page); err == nil {
			kept := r.l.freeName(filepath.Dir(path), "payload before repair.md")
			if err := r.l.put(kept, text); err != nil {
				return "", err
			}
			how += "; payload.md as it was is kept as " + filepath.Base(kept)
		}
	}
	if f.State == Unfinished {
		e, err := readEntry(filepath.Dir(path))
		if err != nil {
			return "", err
		}
		return "finished or undone", r.l.heal(&e)
	}
	if f.Mend != MendRender {
		return "", errLost
	}
	if strings.Contains(f.Path, "/outputs/") {
		if err := keepChanged(r.l, path, "", ""); err != nil {
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
	if p := payloadIn(filepath.Dir(path)); p != nil && filepath.Base(path) == "payload.md" {
		return "written again", errors.Join(r.l.put(path, []byte(p.Written)), disk.SyncDir(filepath.Dir(path)))
	}
	if name := filepath.Base(filepath.Dir(path)); name == "vectors" {
		return "removed; recall embed makes it again", r.dropSum(f.Session, "vectors/"+filepath.Base(path))
	}
	r.render[f.Session] = true
	return how, nil
}

// dropSum forgets a rendered file. The caller holds the session's lock.
func (r *repairing) dropSum(id ingest.SessionID, name string) error {
	e, err := r.l.reread(id)
	if err != nil {
		return err
	}
	e = e.clone()
	delete(e.Sums, name)
	return r.l.saveEntry(e)
}

// markBehind has a session distilled again by the next sync.
func (l *Library) markBehind(id ingest.SessionID) error {
	e, unlock, err := l.hold(id)
	if err != nil {
		return err
	}
	defer unlock()
	e = e.clone()
	e.Distilled = nil
	return l.saveEntry(e)
}
