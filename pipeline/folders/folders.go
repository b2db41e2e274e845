// Package folders keeps projects' payloads current as RECALL.md in folders that the user named, and beside it a
// manifest of each Cowork session: Cowork, which mounts them, runs no hooks. The list is in the user's configuration
// folder, beside config.yaml, since folders belong to this computer:
//
//	into.json  [{"library": id, "project": id, "folder": absolute}]
package folders

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
	"recall/ingest/trace"
	"recall/internal/hint"
	"recall/internal/redact"
	"recall/internal/text"
	"recall/library"
	"recall/library/disk"
	"recall/library/manifest"
	"recall/payload"
	"recall/pipeline"
)

// PageName is the name of the page in a folder.
const PageName = "RECALL.md"

// most is how many bytes of a page or of the list are read.
const most = 16 << 20

// ErrNotOurs says that a file isn't as recall wrote it.
var ErrNotOurs = errors.New("it isn't as recall wrote it, so it is left alone")

// Folder is a folder in which a project's payload is kept current.
type Folder struct {
	Library string `json:"library"` // its id
	Project string `json:"project"` // its id
	Folder  string `json:"folder"`  // absolute
}

// Folders manages the folders of one library.
type Folders struct {
	*pipeline.Pipeline
	File string // into.json
}

func (f *Folders) read() ([]Folder, error) {
	list, err := disk.ReadList[Folder](f.File, most)
	if err != nil {
		err = hint.With(err, "fix it, or delete it and name the folders again: recall resume --into FOLDER")
	}
	return list, err
}

// same returns a function that reports whether an entry is this library's for the given folder.
func (f *Folders) same(folder string) func(Folder) bool {
	return func(k Folder) bool { return k.Library == f.Library.ID() && k.Folder == folder }
}

// Begin keeps a project's payload current in a folder from now on.
func (f *Folders) Begin(ctx context.Context, folder, project string) error {
	list, err := f.read()
	if err != nil {
		return err
	}
	k := Folder{Library: f.Library.ID(), Project: project, Folder: folder}
	switch err := f.keep(ctx, k); {
	case errors.Is(err, ErrNotOurs) && !slices.ContainsFunc(list, f.same(folder)):
		return hint.With(fmt.Errorf("%s is there already, and recall didn't write it", filepath.Join(folder, PageName)),
			"it is left alone; move it away, or name another folder")
	case err != nil:
		return err
	}
	err = disk.WriteList(f.File, append(slices.DeleteFunc(list, f.same(folder)), k))
	return cmp.Or(err, f.keepManifests(ctx, k))
}

// End stops keeping a page and manifests in a folder and removes them, reporting whether there was a page. If somebody
// changed it, the error is ErrNotOurs.
func (f *Folders) End(folder string) (removed bool, err error) {
	list, err := f.read()
	if err != nil {
		return false, err
	}
	if !slices.ContainsFunc(list, f.same(folder)) {
		return false, hint.With(fmt.Errorf("%s: nothing is kept there", folder), "recall resume --into FOLDER starts")
	}
	if err := disk.WriteList(f.File, slices.DeleteFunc(list, f.same(folder))); err != nil {
		return false, err
	}
	path := filepath.Join(folder, PageName)
	if root, err := disk.OpenRoot(folder); err == nil {
		defer root.Close()
		if err := removeManifests(root, func(string) bool { return true }); err != nil {
			return false, err
		}
	}
	have, err := ownPage(path)
	if err != nil {
		return false, fmt.Errorf("%w: %w", ErrNotOurs, err)
	}
	if have == "" {
		return false, nil
	}
	return true, os.Remove(path)
}

// Refresh brings the manifests in all folders up to date and, if wanted, the pages. An error with one doesn't affect
// the others.
func (f *Folders) Refresh(ctx context.Context, pages bool) (faults []error) {
	list, err := f.read()
	if err != nil {
		return []error{err}
	}
	for _, k := range list {
		if k.Library != f.Library.ID() {
			continue
		}
		if pages {
			faults = append(faults, f.keep(ctx, k))
		}
		if _, gone := os.Stat(k.Folder); gone == nil {
			faults = append(faults, f.keepManifests(ctx, k))
		}
	}
	return slices.DeleteFunc(faults, func(err error) bool { return err == nil })
}

// keep writes a folder's page if its content would change.
func (f *Folders) keep(ctx context.Context, k Folder) error {
	if _, err := os.Stat(k.Folder); errors.Is(err, fs.ErrNotExist) { // a folder is never recreated
		return hint.With(fmt.Errorf("%s, where RECALL.md is kept, no longer exists", k.Folder),
			"recall resume --into %q --stop ends it", k.Folder)
	}
	path := filepath.Join(k.Folder, PageName)
	have, err := ownPage(path)
	if err != nil {
		return hint.With(fmt.Errorf("%s: %w", path, err), "move it away, or recall resume --into %q --stop", k.Folder)
	}
	p, err := pipeline.NextPayload(ctx, f.Library, nil, k.Project, "", "")
	if err == nil && p == nil {
		err = hint.With(errors.New("no session to continue from"), "recall sync imports sessions; recall list shows them")
	}
	page := ""
	if err == nil {
		page = seal(payload.RenderData(p, payload.Options{Budget: f.Budget}).Text)
	}
	if err == nil && have != page {
		err = disk.Replace(path, []byte(page), 0o600)
	}
	if err != nil && have != "" && have != page { // it may hold what was forgotten
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// The last line shows that recall wrote what is above it: a person's own file lacks it, and in
// a changed file the checksum doesn't match.
const (
	sealBegin = ingest.KeptSeal + "; changes here are not kept, recall edit makes them. Sum "
	sealEnd   = " -->\n"
)

func seal(page string) string { return page + "\n" + sealBegin + text.Hash(page, 8) + sealEnd }

// ownPage returns the page as recall wrote it, "" if there is none. The error is ErrNotOurs for anything else at
// that path.
func ownPage(path string) (string, error) {
	fi, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if !fi.Mode().IsRegular() || fi.Size() > 1<<20 {
		return "", ErrNotOurs
	}
	page, err := disk.ReadRegular(path, most)
	if err != nil {
		return "", err
	}
	above, _, ok := strings.Cut(string(page), "\n"+sealBegin)
	if !ok || seal(above) != string(page) {
		return "", ErrNotOurs
	}
	return string(page), nil
}

// manifestsName is the folder beside the page that has a manifest of each Cowork session.
const manifestsName = "recall-manifests"

// stampBegin begins a manifest's first line, which ends in a checksum of all that the manifest is made from.
const stampBegin = "# written by recall at each archive; changes here are not kept. Of "

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
	stamp := stampBegin + text.Hash(e.Input+"\n"+e.Title+"\n"+redact.Version(), 8)
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
		if in.SHA256 == "" && disk.Below(root.Name(), in.Host) {
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
