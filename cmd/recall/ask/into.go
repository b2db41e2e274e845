package ask

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"recall/cmd/recall/app"
	"recall/internal/hint"
	"recall/pipeline/folders"
)

// resumeInto starts or stops keeping a project's payload current in a folder.
func resumeInto(ctx context.Context, a *app.App, folder, project string, stop bool) error {
	_, err := a.Library(ctx)
	if err != nil {
		return err
	}
	if folder, err = filepath.Abs(folder); err != nil {
		return err
	}
	f, page := a.Folders(), filepath.Join(folder, folders.PageName)
	switch {
	case f == nil:
		return hint.With(errors.New("no place to remember a folder: no configuration folder is known"), "set HOME")
	case stop:
		removed, err := f.End(folder)
		switch {
		case errors.Is(err, folders.ErrNotOurs):
			fmt.Fprintf(a.Err, "recall: %s stays: %v\n", page, folders.ErrNotOurs)
		case err != nil:
			return err
		case removed:
			fmt.Fprintf(a.Err, "recall: removed %s; it is no longer kept current\n", page)
		default:
			fmt.Fprintf(a.Err, "recall: nothing is kept current in %s any more\n", folder)
		}
		return nil
	}
	id, err := intoProject(a, folder, project)
	if err != nil {
		return err
	}
	if err := a.Fresh(ctx); err != nil {
		return err
	}
	if err := f.Begin(ctx, folder, id); err != nil {
		return err
	}
	fmt.Fprintf(a.Err, "recall: %s is rewritten at each sync; recall resume --into %q --stop ends that\n", page, folder)
	return nil
}

func intoProject(a *app.App, folder, name string) (string, error) {
	if fi, err := os.Stat(folder); err != nil || !fi.IsDir() {
		return "", hint.With(fmt.Errorf("%s: no such folder", folder), "name a folder that you give to Cowork")
	}
	if rel, err := filepath.Rel(a.Lib.Dir(), folder); err == nil && filepath.IsLocal(rel) {
		return "", hint.With(fmt.Errorf("%s is the library itself", folder), "name a folder that you give to Cowork")
	}
	if name != "" {
		return a.ProjectID(name)
	}
	p, err := a.Lib.Project(folder)
	if err != nil {
		return "", hint.With(fmt.Errorf("no session that recall knows of worked in %s", folder),
			"name the project too: recall resume PROJECT --into FOLDER; recall project list shows them")
	}
	return p.ID, nil
}
