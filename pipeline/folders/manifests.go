package folders

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
	"recall/ingest/trace"
	"recall/internal/text"
	"recall/library"
	"recall/library/disk"
	"recall/library/manifest"
)

// manifestsName is the folder beside the page that has a manifest of each Cowork session.
const manifestsName = "recall-manifests"

// stampBegin begins a manifest's first line, which ends in a checksum of all that the manifest is made from.
const stampBegin = "# written by recall at each archive; changes here are not kept. Of "

// Manifests brings the manifests in all folders up to date. An error with one doesn't affect the others.
func (f *Folders) Manifests(ctx context.Context) (faults []error) {
	list, err := f.read()
	if err != nil {
		return []error{err}
	}
	for _, k := range list {
		if _, gone := os.Stat(k.Folder); k.Library == f.Library.ID() && gone == nil {
			if err := f.keepManifests(ctx, k); err != nil {
				faults = append(faults, err)
			}
		}
	}
	return faults
}

// keepManifests writes the manifests of a folder that would change, and removes those of sessions that are no longer
// the project's. A session is among them from its first archived bytes on.
func (f *Folders) keepManifests(ctx context.Context, k Folder) error {
	entries, err := f.coworkSessions(ctx, k.Project)
	if err != nil {
		return err
	}
	root, err := disk.OpenRoot(k.Folder)
	if err != nil {
		return err
	}
	defer root.Close()
	var faults []error
	wanted := map[string]bool{}
	for _, e := range entries {
		name := path.Join(manifestsName, manifest.Manifest{Session: e.ID}.FileName())
		wanted[name] = true
		faults = append(faults, f.keepManifest(ctx, root, name, e))
	}
	faults = append(faults, removeManifests(root, func(name string) bool { return !wanted[name] }))
	return errors.Join(faults...)
}

// keepManifest writes one session's manifest, unless it would stay as it is.
func (f *Folders) keepManifest(ctx context.Context, root *os.Root, name string, e library.Entry) error {
	stamp := stampBegin + text.Hash(e.Input+"\n"+e.Title+"\n"+f.Rules.Version(), 8)
	have, there := stampAt(root, name)
	switch {
	case have == stamp:
		return nil
	case there && !strings.HasPrefix(have, stampBegin):
		return &fs.PathError{Op: "write", Path: filepath.Join(root.Name(), name), Err: ErrNotOurs}
	}
	s, err := f.Read(ctx, e.ID)
	if err != nil {
		return nil // recall sync reports it
	}
	m := f.Manifest(s, trace.OfSession(s), e)
	for i := range m.Inputs {
		in := &m.Inputs[i]
		if inside, err := filepath.Rel(root.Name(), in.Host); in.SHA256 == "" && err == nil && filepath.IsLocal(inside) {
			in.SHA256 = in.Look().SHA256 // its bytes aren't in the library, but in this folder
		}
	}
	said, err := m.TOML()
	if err != nil {
		return err
	}
	if err := root.Mkdir(manifestsName, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return disk.PutIn(root, name, append([]byte(stamp+"\n"), said...))
}

// coworkSessions lists a project's Cowork sessions, also those that no sync has seen yet.
func (f *Folders) coworkSessions(ctx context.Context, project string) (of []library.Entry, err error) {
	known, err := f.Library.Project(project)
	if err != nil && !errors.Is(err, library.ErrNoProject) {
		return nil, err
	}
	all, err := f.Library.Sessions()
	if err != nil {
		return nil, err
	}
	roots, err := f.Library.Roots()
	if err != nil {
		return nil, err
	}
	for _, e := range all {
		if e.Source != ingest.Cowork {
			continue
		}
		in := e.Project
		if in == "" {
			if s, err := f.ReadExact(ctx, e.ID); err == nil {
				p, _ := f.Library.Project(ingest.ProjectOf(s, roots).Root) // unknown: none of a kept folder's
				in = p.ID
			}
		}
		if in == project || slices.Contains(known.Ids, in) {
			of = append(of, e)
		}
	}
	return of, nil
}

// removeManifests removes manifests that recall wrote, and their folder once it is empty.
func removeManifests(root *os.Root, which func(name string) bool) error {
	files, err := fs.ReadDir(root.FS(), manifestsName)
	if err != nil {
		return nil // there are none
	}
	for _, file := range files {
		name := path.Join(manifestsName, file.Name())
		if have, _ := stampAt(root, name); strings.HasPrefix(have, stampBegin) && which(name) {
			err = errors.Join(err, root.Remove(name))
		}
	}
	_ = root.Remove(manifestsName) // unless it is empty, it stays
	return err
}

// stampAt returns the first line of a file, and whether anything is there.
func stampAt(root *os.Root, name string) (line string, there bool) {
	if fi, err := root.Lstat(name); err != nil || !fi.Mode().IsRegular() {
		return "", err == nil
	}
	said, _ := root.ReadFile(name)
	line, _, _ = strings.Cut(string(said), "\n")
	return line, true
}
