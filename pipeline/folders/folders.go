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
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
	"recall/internal/hint"
	"recall/internal/text"
	"recall/library/disk"
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

// Refresh brings the pages and manifests of all folders up to date. An error with one doesn't affect the others.
func (f *Folders) Refresh(ctx context.Context) (faults []error) {
	list, err := f.read()
	if err != nil {
		return []error{err}
	}
	for _, k := range list {
		if k.Library != f.Library.ID() {
			continue
		}
		if err := f.keep(ctx, k); err != nil {
			faults = append(faults, err)
		}
	}
	return append(faults, f.Manifests(ctx)...)
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
