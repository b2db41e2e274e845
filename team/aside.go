package team

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"recall/ingest"
	"recall/library"
	"recall/library/disk"
)

// Sessions that are forgotten here because somebody's database says so are kept in .aside/DATE NAME of the library,
// which backups leave out.
const (
	asideIn   = ".aside"
	asideDays = 30
)

// setAside copies a session's folder.
func setAside(l *library.Library, id ingest.SessionID) (to string, err error) {
	e, err := l.Session(id)
	if err != nil {
		return "", err
	}
	to = filepath.Join(l.Dir(), asideIn, time.Now().UTC().Format(time.DateOnly)+" "+filepath.Base(e.Folder))
	if err := disk.UnlinkAll(to); err != nil { // of an attempt that was broken off
		return "", err
	}
	return to, disk.Walk(e.Folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		below, err := filepath.Rel(e.Folder, path)
		if err != nil {
			return err
		}
		if err := disk.MakeDirs(filepath.Dir(filepath.Join(to, below))); err != nil {
			return err
		}
		f, err := disk.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		return disk.Create(filepath.Join(to, below), func(w io.Writer) error { _, err := io.Copy(w, f); return err })
	})
}

// ForgetAside removes what was set aside of sessions that a person forgets here, or holds one of the texts, if any.
func ForgetAside(ctx context.Context, l *library.Library, texts *library.Needles, ids ...ingest.SessionID) error {
	all, err := disk.Glob(l.Dir(), asideIn, "*")
	for _, path := range all {
		e, bad := library.ReadEntry(path)
		e.Folder = path
		gone := bad == nil && slices.Contains(ids, e.ID)
		if !gone && texts != nil {
			gone, bad = l.Holds(ctx, e, texts)
			err = errors.Join(err, bad)
		}
		if gone {
			err = errors.Join(err, disk.UnlinkAll(path))
		}
	}
	return err
}

// dropAside removes what was set aside more than asideDays before a time.
func dropAside(l *library.Library, now time.Time) error {
	all, err := disk.Glob(l.Dir(), asideIn, "*")
	for _, path := range all {
		day, bad := time.Parse(time.DateOnly, filepath.Base(path)[:min(len(filepath.Base(path)), len(time.DateOnly))])
		if bad == nil && now.Sub(day) > asideDays*24*time.Hour && err == nil {
			err = disk.UnlinkAll(path)
		}
	}
	return err
}
