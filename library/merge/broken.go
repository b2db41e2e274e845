package merge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"recall/library"
	"recall/library/check"
	"recall/library/disk"
	"recall/library/raw"
)

// broken copies unchanged the folders whose session.json is unusable, as recall check --repair may recover much of
// them. Nothing here is overwritten, and nothing forgotten returns.
func (m *merging) broken(ctx context.Context) error {
	for _, b := range m.from.Broken() {
		what, err := m.copyBroken(ctx, b.Path)
		if bad := (raw.SourceError{}); errors.As(err, &bad) && ctx.Err() == nil {
			what, err = bad.Error(), nil
		}
		if err != nil {
			return err
		}
		m.problem(b.Path, fmt.Errorf("%w; %s", b.Err, what))
	}
	return nil
}

// copyBroken copies what is missing here of such a folder, beside files of the same name, and says what it did.
func (m *merging) copyBroken(ctx context.Context, folder string) (what string, err error) {
	if disk.RealDir(folder) != nil { // a link
		return "not copied", nil
	}
	src, err := library.ReadFolder(folder)
	if err != nil {
		return "", raw.AtSource(err)
	}
	src.Entry = library.Entry{ID: library.SessionIn(folder), Folder: folder}
	src.Versions = raw.ParseVersions("versions.jsonl", disk.SplitLines(src.Text["raw/versions.jsonl"]))
	if why, err := m.reasonToSkip(src); why != "" || err != nil {
		return "left out: " + why, err
	}
	to := filepath.Join(m.l.Dir(), filepath.FromSlash(m.from.Rel(folder)))
	if _, err := library.ReadEntry(to); err == nil { // a good one; the end of the name still identifies the session
		to = filepath.Join(filepath.Dir(to), "damaged "+filepath.Base(to))
	}
	var names []string
	for _, name := range src.Names() {
		there, err := copyIn(filepath.Join(to, filepath.FromSlash(name)), filepath.Join(folder, filepath.FromSlash(name)))
		if err != nil {
			return "", raw.AtSource(err)
		}
		if !there {
			names = append(names, name)
		}
	}
	files, err := m.stageCopies(ctx, src, names)
	if err != nil {
		return "", err
	}
	defer dropCopies(files)
	for _, f := range files {
		at := filepath.Join(to, filepath.FromSlash(f.name))
		dir := filepath.Dir(at)
		if err := disk.MakeDirs(dir); err != nil {
			return "", err
		}
		if err := errors.Join(disk.Rename(f.temp, disk.FreeName(dir, filepath.Base(at))), disk.SyncDir(dir)); err != nil {
			return "", err
		}
	}
	return "copied unchanged; recall check --repair can repair it", nil
}

// reasonToSkip says why a folder is not copied, "" if it should be.
func (m *merging) reasonToSkip(src *library.Folder) (string, error) {
	id := src.Entry.ID
	if id == "" {
		gone, err := m.l.Tombstones()
		if err == nil && len(gone) > 0 {
			return "its session is unknown, and sessions were forgotten here", nil
		}
		return "", err
	}
	if gone, err := m.l.Forgotten(id); err != nil || gone {
		return "the session was forgotten here", err
	}
	dst, err := m.l.View(id)
	switch {
	case errors.Is(err, library.ErrNoSession):
		return "", nil
	case err == nil && dst.Covers(src) && len(src.Versions.Stored()) > 0:
		return "this session is here in full", nil
	}
	return "", err
}

// copyIn reports whether a file with the content of file is at path, or beside it under a longer name.
func copyIn(path, file string) (bool, error) {
	want, err := disk.SumFile(file)
	if err != nil {
		return false, err
	}
	taken, _ := disk.ReadDir(filepath.Dir(path))
	return slices.ContainsFunc(taken, func(d fs.DirEntry) bool {
		got, err := disk.SumFile(filepath.Join(filepath.Dir(path), d.Name()))
		return strings.HasPrefix(d.Name(), filepath.Base(path)) && err == nil && got == want
	}), nil
}

// uniteHealed unites, in a backup, folders that were copied while damaged with their sessions' folders, once these are
// intact again in the other library.
func (m *merging) uniteHealed(ctx context.Context) error {
	still := map[string]bool{}
	for _, b := range m.from.Broken() {
		still[m.from.Rel(b.Path)] = true
	}
	if _, err := m.l.AllEntries(); err != nil || !m.options.Follow {
		return err
	}
	for _, b := range m.l.Broken() {
		id := library.SessionIn(b.Path)
		now, ok := m.l.Known(id)
		if !ok || now.Folder == b.Path || still[m.l.Rel(b.Path)] {
			continue
		}
		if err := check.Unite(ctx, m.l.Library, id, b.Path, now); err != nil {
			m.problem(b.Path, err)
		}
	}
	return ctx.Err()
}
