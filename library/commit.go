package library

import (
	"bytes"
	"maps"
	"path/filepath"
	"slices"

	"recall/library/disk"
	"recall/library/raw"
	"recall/library/registry"
)

// commitNew creates the folder of a new session.
func (l *Library) commitNew(a *archiving) error {
	alone := raw.ImpliesList(a.lines, a.segs)
	if alone {
		a.entry.Files[0].CRC = a.segs[0].CRC
	}
	text, err := a.entry.encode(nil)
	if err != nil {
		return err
	}
	temps := map[string]string{}
	for _, s := range a.segs {
		if name := "raw/" + s.String(); temps[name] == "" {
			temps[name] = s.Temp
		} else {
			raw.Drop(s) // the same content in another file
		}
	}
	temps["session.json"], _, err = l.TempOf(bytes.NewReader(text))
	if err == nil && !alone {
		temps[listName], _, err = l.TempOf(bytes.NewReader(raw.EncodeLines(a.lines)))
	}
	if err != nil {
		return err
	}
	return l.Build(a.entry, temps)
}

// Build makes a new session's folder from temporary files, given by their names in it, and moves it into place in one
// rename. The files needn't be synced: nothing is visible before the rename, so they are all synced together here.
// The errors are ErrStale and ErrForgotten.
func (l *Library) Build(e Entry, temps map[string]string) error {
	build, err := l.tempName()
	if err != nil {
		return err
	}
	defer disk.UnlinkAll(build) // after a failure
	dirs := map[string]bool{}
	var moved []string
	for _, name := range slices.Sorted(maps.Keys(temps)) {
		at := filepath.Join(build, filepath.FromSlash(name))
		if dir := filepath.Dir(at); !dirs[dir] {
			if err := disk.Do(disk.OpMakeDirs, dir, "", func() error { return disk.MakeAllDirs(dir) }); err != nil {
				return err
			}
			for ; dir != filepath.Dir(build); dir = filepath.Dir(dir) {
				dirs[dir] = true
			}
		}
		if err := disk.Rename(temps[name], at); err != nil {
			return err
		}
		moved = append(moved, at)
	}
	if err := disk.SyncFiles(moved); err != nil {
		return err
	}
	for dir := range dirs {
		if err := disk.SyncDir(dir); err != nil {
			return err
		}
	}
	return l.placeNew(build, e)
}

// placeNew moves the finished folder of a new session into place.
func (l *Library) placeNew(build string, e Entry) error {
	e.Folder = filepath.Join(l.dir, "unsorted", string(e.ID))
	reg := &registry.Registry{}
	if e.Project != "" {
		var err error
		if reg, err = l.readRegistry(); err != nil {
			return err
		}
	}
	return l.withFolders(func() error {
		if _, err := l.Session(e.ID); err == nil {
			return ErrStale
		}
		if gone, err := l.Forgotten(e.ID); err != nil {
			return err
		} else if gone { // forgotten while it was read
			return ErrForgotten
		}
		want := l.targetFolder(e, reg)
		above := filepath.Dir(want)
		if err := disk.MakeDirs(above); err != nil {
			return err
		}
		e.Folder = disk.FreeName(above, filepath.Base(want))
		if err := l.relocate(build, e); err != nil {
			return err
		}
		return disk.SyncDir(above)
	})
}

// commitChange adds what is new to a session's folder: segments first, then the lines that name them, then
// session.json.
func (l *Library) commitChange(a *archiving) error {
	if err := raw.Sync(a.segs); err != nil {
		return err
	}
	return l.WithSession(a.entry.ID, func(now Entry) error {
		v, err := now.Versions()
		if err != nil {
			return err
		}
		// In a folder that was moved meanwhile no segment was found, as if all were missing.
		if v.Read != a.versions.Read || len(a.lines) > 0 && now.Folder != a.entry.Folder {
			return ErrStale
		}
		segs := filepath.Join(now.Folder, "raw")
		if err := disk.MakeDirs(segs); err != nil {
			return err
		}
		if len(a.lines) > 0 {
			if err := v.MakeList(now.Folder, l.Put); err != nil {
				return err
			}
		}
		if err := raw.Place(a.segs, now.Folder, v); err != nil {
			return err
		}
		// Sync before they are named: a line must never refer to a segment that might be missing.
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
		if disk.Exists(raw.ListPath(now.Folder)) {
			for i := range a.entry.Files {
				a.entry.Files[i].CRC = "" // the list has it now
			}
		}
		now.Source, now.Root, now.Files, now.Input = a.entry.Source, a.entry.Root, a.entry.Files, a.entry.Input
		return l.SaveEntry(now)
	})
}
