package library

import (
	"errors"
	"fmt"
	"path/filepath"

	"recall/library/disk"
	"recall/library/raw"
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
	unlock, err := l.lockFolders()
	if err != nil {
		return err
	}
	defer unlock()
	if _, ok := l.known(a.entry.ID); ok {
		return errStale
	}
	if gone, err := l.forgotten(a.entry.ID); err != nil {
		return err
	} else if gone { // while it was read
		return ErrForgotten
	}
	unsorted := filepath.Join(l.dir, "unsorted")
	if err := disk.MakeDirs(unsorted); err != nil {
		return err
	}
	a.entry.Folder = l.freeName(unsorted, string(a.entry.ID))
	if err := l.relocate(build, a.entry); err != nil {
		return err
	}
	return disk.SyncDir(unsorted)
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
		return errStale
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
