package library

import (
	"errors"
	"fmt"
	"path/filepath"

	"recall/library/disk"
	"recall/library/raw"
	"recall/library/registry"
)

// commitNew builds the folder of a new session aside and puts it into
// unsorted in one rename.
func (l *Library) commitNew(a *archiving) error {
	build, err := l.tempName()
	if err != nil {
		return err
	}
	defer disk.UnlinkAll(build) // of a failure
	segs := filepath.Join(build, "raw")
	// synced below
	if err := disk.Do(disk.OpMakeDirs, segs, "", func() error { return disk.MakeAllDirs(segs) }); err != nil {
		return err
	}
	a.entry.Format = Format
	text, err := a.entry.encode()
	if err != nil {
		return err
	}
	lines := raw.ListPath(build)
	err = errors.Join(disk.Overwrite(lines, raw.EncodeLines(a.lines)),
		disk.Overwrite(sessionFile(build), text))
	if err != nil {
		return err
	}
	// Into place before they are synced: all this is still out of sight, and
	// one wait for the disk does for the files and their names.
	if err := raw.Place(a.segs, build, nil); err != nil {
		return err
	}
	files := []string{lines, sessionFile(build)}
	for _, s := range a.segs {
		files = append(files, raw.Path(build, s.Segment))
	}
	if err := disk.SyncFiles(files); err != nil {
		return err
	}
	if err := errors.Join(disk.SyncDir(segs), disk.SyncDir(build)); err != nil {
		return err
	}
	return l.shelve(build, a.entry)
}

// shelve gives the folder of a new session that was built aside its place.
func (l *Library) shelve(build string, e Entry) error {
	e.Folder = filepath.Join(l.dir, "unsorted", string(e.ID))
	reg := &registry.Registry{}
	if e.Project != "" {
		var err error
		if reg, err = l.readRegistry(); err != nil {
			return err
		}
	}
	unlock, err := l.lockFolders()
	if err != nil {
		return err
	}
	defer unlock()
	if _, ok := l.known(e.ID); ok {
		return ErrStale
	}
	if gone, err := l.forgotten(e.ID); err != nil {
		return err
	} else if gone { // while it was read
		return ErrForgotten
	}
	want := l.wanted(e, reg)
	above := filepath.Dir(want)
	if err := disk.MakeDirs(above); err != nil {
		return err
	}
	e.Folder = l.freeName(above, filepath.Base(want))
	if err := l.relocate(build, e); err != nil {
		return err
	}
	return disk.SyncDir(above)
}

// freeName is dir/name, or the first dir/name~2, … that isn't taken: two ids
// may be one name to a file system that ignores case.
func (l *Library) freeName(dir, name string) string {
	path := filepath.Join(dir, name)
	for n := 2; disk.Exists(path); n++ {
		path = filepath.Join(dir, fmt.Sprintf("%s~%d", name, n))
	}
	return path
}

// commitChange adds what is new to a session's folder: segments first, then
// the lines that name them, then session.json.
func (l *Library) commitChange(a *archiving) error {
	if err := raw.Sync(a.segs); err != nil {
		return err
	}
	now, unlock, err := l.hold(a.entry.ID)
	if err != nil {
		return err
	}
	defer unlock()
	v, err := raw.ReadVersions(now.Folder)
	if err != nil {
		return err
	}
	if v.Read != a.versions.Read {
		return ErrStale
	}
	segs := filepath.Join(now.Folder, "raw")
	if err := disk.MakeDirs(segs); err != nil {
		return err
	}
	if err := raw.Place(a.segs, now.Folder, v); err != nil {
		return err
	}
	// Before they are named: a line must never speak of what may not be there.
	if len(a.segs) > 0 {
		if err := disk.SyncDir(segs); err != nil {
			return err
		}
	}
	if len(a.lines) > 0 {
		list := raw.ListPath(now.Folder)
		fresh := !disk.Exists(list)
		if err := disk.AppendLines(list, raw.EncodeLines(a.lines)); err != nil {
			return err
		}
		if fresh {
			if err := disk.SyncDir(segs); err != nil {
				return err
			}
		}
		if err := v.DropMerged(now.Folder, a.lines); err != nil {
			return err
		}
	}
	now.Source, now.Root, now.Files, now.Input = a.entry.Source, a.entry.Root, a.entry.Files, a.entry.Input
	return l.saveEntry(now)
}
