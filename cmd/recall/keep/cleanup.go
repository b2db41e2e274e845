package keep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/hint"
	"recall/ingest"
	"recall/ingest/trace"
	"recall/library"
	"recall/library/manifest"
	"recall/pipeline"
)

func newCleanupCmd(a *app.App) *cobra.Command {
	var o scriptOptions
	cmd := &cobra.Command{
		Use:   "cleanup SESSION --to DIR",
		Short: "Write a script that clears up a session's machine",
		RunE: func(cmd *cobra.Command, args []string) error {
			w, err := planScripts(cmd.Context(), a, args[0], o)
			if err != nil {
				return err
			}
			defer w.to.Close()
			script, c, err := w.manifest.Cleanup(w.contents, w.folders)
			var nothing manifest.ErrNothing
			switch {
			case errors.As(err, &nothing) && c.Left > 0:
				return hint.With(err, "recall manifest %s shows it; "+allowHint, answer.ShortID(w.entry.ID))
			case errors.As(err, &nothing):
				return hint.With(err, "recall manifest %s shows what it made", answer.ShortID(w.entry.ID))
			case err != nil:
				return err
			}
			if err := w.put(w.manifest.CleanupName(), []byte(script)); err != nil {
				return err
			}
			fmt.Fprintf(a.Out, "%s\n%s would be copied to %s beside it first; %s can be made again.\nRead it, then run it "+
				"in the machine: sh %s (nothing is deleted without --apply)\n",
				filepath.Join(o.to, w.manifest.CleanupName()), answer.Count(c.Keep, "file"), w.manifest.KeptName(),
				answer.Count(c.Again, "file"), w.manifest.CleanupName())
			sayLeft(a, c.Left)
			return nil
		},
	}
	o.flags(cmd)
	return cmd
}

func newRebuildCmd(a *app.App) *cobra.Command {
	var o scriptOptions
	cmd := &cobra.Command{
		Use:   "rebuild SESSION --to DIR",
		Short: "Write a script that brings back what a session's machine had",
		RunE: func(cmd *cobra.Command, args []string) error {
			w, err := planScripts(cmd.Context(), a, args[0], o)
			if err != nil {
				return err
			}
			defer w.to.Close()
			names := map[string]string{}
			for _, f := range pipeline.Archived(w.entry) {
				names[f.SHA256] = f.Name
			}
			script, r := w.manifest.Rebuild(w.contents, names, w.folders)
			if err := w.putFiles(r.Files); err != nil {
				return err
			}
			if err := w.put(w.manifest.RebuildName(), []byte(script)); err != nil {
				return err
			}
			fmt.Fprintf(a.Out, "%s\n%s to install, %s to put in place; %s can't be rebuilt from here, as its top "+
				"says.\nRead it, then run it in the machine: sh %s\n",
				filepath.Join(o.to, w.manifest.RebuildName()), answer.Count(r.Packages, "package"),
				answer.Count(len(r.Files), "file"), answer.Count(len(r.Lost), "thing"), w.manifest.RebuildName())
			sayLeft(a, r.Left)
			return nil
		},
	}
	o.flags(cmd)
	return cmd
}

// scriptOptions are the flags of both commands.
type scriptOptions struct {
	to     string
	allow  []string
	called string // the command, for a hint
}

func (o *scriptOptions) flags(cmd *cobra.Command) {
	o.called = "recall " + cmd.Name()
	cmd.Flags().StringVar(&o.to, "to", "", "folder that the machine mounts (required)")
	cmd.Flags().StringArrayVar(&o.allow, "allow", nil,
		"a folder outside the session's own, as its machine names it, that may be dealt with too (may be repeated)")
}

const allowHint = "--allow FOLDER names one that may be dealt with too"

// sayLeft says what was left alone because it lies in nobody's folders.
func sayLeft(a *app.App, n int) {
	if n > 0 {
		fmt.Fprintf(a.Out, "%s outside the session's own folders left alone, as the script says; %s\n",
			answer.Count(n, "path"), allowHint)
	}
}

// scripting is what both scripts are made from.
type scripting struct {
	to       *os.Root // the folder for the script: nothing is written through a link that leads out of it
	folders  []string // that the script may deal with
	entry    library.Entry
	session  *ingest.Session
	manifest manifest.Manifest
	found    ingest.Found
	contents map[string][]byte
}

func planScripts(ctx context.Context, a *app.App, name string, o scriptOptions) (*scripting, error) {
	if o.to == "" {
		return nil, hint.With(errors.New("no folder to write to"),
			"%s SESSION --to DIR: a folder that the session's machine mounts, such as the one that you gave to it",
			o.called)
	}
	var allowed []string
	for _, dir := range o.allow {
		folder, ok := manifest.AsFolder(dir)
		if !ok {
			return nil, hint.With(fmt.Errorf("--allow %s: not the full name of a folder", dir),
				"such as --allow /tmp/work; /, which would allow everything, isn't taken")
		}
		allowed = append(allowed, folder)
	}
	to, err := os.OpenRoot(o.to)
	if err != nil {
		return nil, hint.With(fmt.Errorf("%s: no such folder", o.to),
			"give one that the session's machine mounts, such as the one that you gave to it")
	}
	l, err := a.Library(ctx)
	if err != nil {
		return nil, err
	}
	w := &scripting{to: to}
	if w.entry, err = a.Session(l, name); err != nil {
		return nil, err
	}
	p, err := a.Pipeline(l)
	if err != nil {
		return nil, err
	}
	if w.session, err = p.Read(ctx, w.entry.ID); err != nil {
		return nil, err
	}
	if w.found, err = l.Found(w.entry.ID); err != nil {
		return nil, err
	}
	w.folders = append(manifest.Folders(w.session), allowed...)
	w.manifest = p.Manifest(w.session, trace.Of(w.session), w.entry)
	w.contents, err = w.manifest.Contents(w.found)
	return w, err
}

// put writes a file of the script's whole or not at all.
func (w *scripting) put(name string, text []byte) error {
	part := name + ".part"
	w.to.Remove(part)
	f, err := w.to.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = w.to.Rename(part, name)
	}
	if err != nil {
		w.to.Remove(part)
	}
	return err
}

// putFiles writes beside the script what it puts in place.
func (w *scripting) putFiles(files []manifest.Placed) error {
	if len(files) == 0 {
		return nil
	}
	dir := w.manifest.FilesName()
	if err := w.to.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	for _, f := range files {
		text := f.Content
		if f.Archived != "" {
			var err error
			if text, err = w.archived(f.Archived); err != nil {
				return err
			}
		}
		if err := w.put(filepath.Join(dir, f.Name), text); err != nil {
			return err
		}
	}
	return nil
}

func (w *scripting) archived(name string) ([]byte, error) {
	for _, f := range w.found.Files {
		if f.Name != name {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		defer r.Close()
		return io.ReadAll(r)
	}
	return nil, fmt.Errorf("%s isn't in the library", name)
}
