package merge

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"recall/library"
	"recall/library/check"
	"recall/library/disk"
	"recall/library/raw"
)

// broken brings over, as they lie, the folders of the other library whose
// session.json can't be used: recall repair may get much out of them. Nothing
// here is overwritten, and nothing comes back that was forgotten here.
func (m *merging) broken(ctx context.Context) error {
	for _, b := range m.from.Broken() {
		if disk.RealDir(b.Path) != nil { // a link
			m.problem(b.Path, b.Reason+"; not copied")
			continue
		}
		if why, err := m.leaveBroken(b.Path); err != nil {
			return err
		} else if why != "" {
			m.problem(b.Path, b.Reason+"; "+why)
			continue
		}
		err := m.carryFolder(ctx, b.Path)
		if bad := (raw.SourceError{}); errors.As(err, &bad) && ctx.Err() == nil {
			m.problem(b.Path, bad.Error())
			continue
		}
		if err != nil {
			return err
		}
		m.problem(b.Path, b.Reason+"; copied as it lies; recall repair makes it good")
	}
	return nil
}

// leaveBroken says why a folder isn't brought over, "" if it is to be.
func (m *merging) leaveBroken(folder string) (string, error) {
	id := m.l.SessionIn(folder)
	if id == "" {
		gone, err := m.l.Tombstones()
		if err == nil && len(gone) > 0 {
			return "left out: whose it is can't be told, and sessions were forgotten here", nil
		}
		return "", err
	}
	if gone, err := m.l.Forgotten(id); err != nil || gone {
		return "left out: the session was forgotten here", err
	}
	if _, err := m.l.Session(id); errors.Is(err, library.ErrNoSession) {
		return "", nil
	}
	src, err := library.ReadFolder(folder)
	if err != nil {
		return err.Error(), nil
	}
	src.Entry = library.Entry{ID: id, Folder: folder}
	src.Versions = raw.ParseVersions("versions.jsonl", disk.SplitLines(src.Text["raw/versions.jsonl"]))
	dst, err := m.l.View(id)
	if err != nil {
		return "", err
	}
	if dst.Covers(src) && len(src.Versions.Stored()) > 0 {
		return "left out: this session is here whole", nil
	}
	return "", nil
}

// carryFolder copies what isn't there yet.
func (m *merging) carryFolder(ctx context.Context, folder string) error {
	rel, err := filepath.Rel(m.from.Dir(), folder)
	if err != nil {
		return err
	}
	to := filepath.Join(m.l.Dir(), rel)
	if _, err := m.l.ReadEntry(to); err == nil { // a good one; the name's end still tells the session
		to = filepath.Join(filepath.Dir(to), "damaged "+filepath.Base(to))
	}
	return disk.Walk(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return raw.AtSource(err)
		}
		name, err := filepath.Rel(folder, path)
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		return m.carryFile(ctx, path, filepath.Join(to, name))
	})
}

// carryFile copies one file, beside one of that name with other content.
func (m *merging) carryFile(ctx context.Context, from, to string) error {
	want, err := disk.SumFile(from)
	if err != nil {
		return raw.AtSource(err)
	}
	dir, base := filepath.Dir(to), filepath.Base(to)
	taken, _ := disk.Glob(dir, disk.GlobSafe(base)+"*")
	for _, have := range taken {
		if got, err := disk.SumFile(have); err == nil && got == want {
			return nil
		}
	}
	f, err := disk.Open(from)
	if err != nil {
		return raw.AtSource(err)
	}
	defer f.Close()
	temp, sum, err := m.l.TempOf(raw.FromSource(disk.Until(ctx, f)))
	if err != nil {
		return err
	}
	defer disk.Unlink(temp) // of a failure
	if err := errors.Join(disk.SyncFiles([]string{temp}), disk.CheckFile(temp, sum)); err != nil {
		return err
	}
	if err := disk.MakeDirs(dir); err != nil {
		return err
	}
	if err := disk.Rename(temp, m.l.FreeName(dir, base)); err != nil {
		return err
	}
	m.count(func(d *Merged) { d.Files++; d.Bytes += sum.Size })
	return disk.SyncDir(dir)
}

// healed unites, in a copy that follows, folders that came over damaged with
// those of their sessions, where the other library is whole again.
func (m *merging) healed(ctx context.Context) error {
	still := map[string]bool{}
	for _, b := range m.from.Broken() {
		still[m.from.Rel(b.Path)] = true
	}
	if _, err := m.l.Shelved(); err != nil || !m.options.Follow {
		return err
	}
	for _, b := range m.l.Broken() {
		id := m.l.SessionIn(b.Path)
		now, ok := m.l.Known(id)
		if !ok || now.Folder == b.Path || still[m.l.Rel(b.Path)] {
			continue
		}
		if err := check.Unite(ctx, m.l.Library, id, b.Path, now); err != nil {
			m.problem(b.Path, err.Error())
		}
	}
	return ctx.Err()
}
