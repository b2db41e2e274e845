package keep

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/ingest"
	"recall/internal/hint"
	"recall/internal/text"
	"recall/library"
	"recall/library/disk"
	"recall/library/restore"
	"recall/payload"
)

type exportOptions struct {
	To                  string
	Outputs, Raw, Force bool
}

func newExportCmd(a *app.App) *cobra.Command {
	var o exportOptions
	return option.Do("export", func(fs *option.Flags) {
		fs.BoolVar(&o.Force, "force", false, "replace an existing file")
		fs.BoolVar(&o.Outputs, "outputs", false, "copy the files that the session produced")
		fs.BoolVar(&o.Raw, "raw", false, "copy the session's own files, with any secrets in them")
		fs.StringVar(&o.To, "to", "", "the file, or a folder to put it in")
		fs.Apart("outputs", "raw")
	}, func(ctx context.Context, args []string) error {
		if err := o.check(); err != nil {
			return err
		}
		e, err := a.Named(ctx, args[0])
		if err != nil {
			return err
		}
		return runExport(ctx, a, e, o)
	})
}

// check refuses invalid combinations.
func (o *exportOptions) check() error {
	switch {
	case o.To == "":
		return hint.With(errors.New("export: --to is required"), "recall export SESSION --to FILE.md, or a folder")
	case o.To == "-" && (o.Raw || o.Outputs):
		return hint.With(errors.New("several files can't be printed"), "name a folder with --to")
	case slices.Contains([]string{".html", ".pdf", ".json", ".zip"}, strings.ToLower(filepath.Ext(o.To))):
		return hint.With(fmt.Errorf("export to %s: no such format", o.To),
			"it is saved as Markdown; recall web shows sessions in a browser")
	}
	return nil
}

func runExport(ctx context.Context, a *app.App, e library.Entry, o exportOptions) error {
	if o.Outputs || o.Raw {
		return exportFiles(ctx, a, e, o)
	}
	data, err := a.Lib.Transcript(e)
	if err != nil {
		return err
	}
	if o.To == "-" {
		_, err := a.Out.Write(data)
		return err
	}
	path := o.To
	if ingest.IsFolder(path) || strings.HasSuffix(path, "/") || strings.HasSuffix(path, string(filepath.Separator)) {
		path = filepath.Join(path, filepath.Base(e.Folder)+".md")
	}
	if err := app.WriteNew(path, string(data), o.Force); err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "%s (%s)\n", path, text.Size(int64(len(data))))
	return nil
}

// exportFiles copies a session's outputs, or all of its own files into a new folder. Each is checked by its hash;
// existing files are replaced only with Force.
func exportFiles(ctx context.Context, a *app.App, e library.Entry, o exportOptions) error {
	var files []restore.File
	dir := o.To
	if !o.Outputs {
		dir = filepath.Join(dir, filepath.Base(e.Folder))
	}
	for _, f := range e.Files {
		name := f.Name
		if o.Outputs {
			if f.Role != ingest.OutputFile {
				continue
			}
			name = strings.TrimPrefix(name, "outputs/")
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if !disk.Below(dir, path) {
			return fmt.Errorf("%s would be written outside of %s", f.Name, dir)
		}
		files = append(files, restore.File{Name: f.Name, Path: path, Over: o.Force})
	}
	if len(files) == 0 {
		return hint.With(fmt.Errorf("session %s has no outputs of its own", payload.ShortID(e.ID)),
			"outputs are what Cowork keeps beside a session; recall manifest lists the files that other sessions wrote")
	}
	if err := restore.Plan(ctx, a.Lib, e.ID, files); err != nil {
		return err
	}
	bytes := int64(0)
	for i := range files {
		f := &files[i]
		if f.Blocked() || f.State == restore.Longer && !f.Over {
			return hint.With(fmt.Errorf("%s already exists; nothing was written", f.Path), "--force replaces it")
		}
		bytes += f.Size
	}
	if err := restore.Put(ctx, a.Lib, e.ID, files); err != nil {
		return err
	}
	for _, f := range files {
		fmt.Fprintf(a.Out, "%9s  %s\n", text.Size(f.Size), terminal.Line(f.Path))
	}
	fmt.Fprintf(a.Out, "%s, %s, each read back and compared by hash\n", answer.Count(len(files), "file"),
		text.Size(bytes))
	if o.Raw {
		fmt.Fprintln(a.Err, "recall: warning: it includes any secrets in the session")
	}
	return nil
}
