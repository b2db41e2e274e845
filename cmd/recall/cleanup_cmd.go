package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"recall/ingest"
	"recall/ingest/trace"
	"recall/library"
	"recall/library/manifest"
	"recall/pipeline"
)

func (a *app) cleanupCmd() *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:     "cleanup SESSION --to DIR",
		Short:   "Write a script that clears up a session's machine",
		GroupID: "keep",
		Long: `Writes one POSIX shell script into a folder that the session's virtual machine
mounts. Read it, then run it in the machine: it copies what can't be made again
beside itself, compares the copies, and tells what may go and how much that
frees. Only with --apply does it delete anything. It logs each step and may be
run again. Files in folders that the host shares are left alone; on the host,
only the session's own storage folder is ever cleaned.`,
		Example: `  recall cleanup "Vendor comparison" --to ~/Documents/Vendors
  sh /sessions/…/mnt/Vendors/recall-cleanup-c0000000.sh           (in the machine)
  sh /sessions/…/mnt/Vendors/recall-cleanup-c0000000.sh --apply`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			w, err := a.planScripts(cmd, args[0], to)
			if err != nil {
				return err
			}
			script, c, err := w.manifest.Cleanup(w.contents, filepath.ToSlash(w.session.Where.Storage))
			var nothing manifest.ErrNothing
			switch {
			case errors.As(err, &nothing):
				return withHint(err, "recall manifest %s shows what it made", shortID(w.entry.ID))
			case err != nil:
				return err
			}
			if err := putScript(w.to, w.manifest.CleanupName(), script); err != nil {
				return err
			}
			fmt.Fprintf(a.out, "%s\n%s would be copied to %s beside it first; %s can be made again.\nRead it, then run it in the machine: sh %s (nothing is deleted without --apply)\n",
				filepath.Join(w.to, w.manifest.CleanupName()), count(c.Keep, "file"), w.manifest.KeptName(), count(c.Again, "file"), w.manifest.CleanupName())
			return nil
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "folder that the machine mounts (required)")
	return cmd
}

func (a *app) rebuildCmd() *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:     "rebuild SESSION --to DIR",
		Short:   "Write a script that brings back what a session's machine had",
		GroupID: "keep",
		Long: `Writes one POSIX shell script into a folder that a new machine mounts, and beside
it the files that the library has: it installs the same packages in the same
versions and puts inputs, outputs and what cleanup kept in their places. What
can't be rebuilt is listed at its top. Nothing is written over. Commands that
made the rest are run again only with --remake. The files are exact: secrets
that stood in them are in them.`,
		Example: `  recall rebuild "Vendor comparison" --to ~/Documents/Vendors
  sh /sessions/…/mnt/Vendors/recall-rebuild-c0000000.sh           (in the machine)`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			w, err := a.planScripts(cmd, args[0], to)
			if err != nil {
				return err
			}
			names := map[string]string{}
			for _, f := range pipeline.Archived(w.entry) {
				names[f.SHA256] = f.Name
			}
			script, r := w.manifest.Rebuild(w.contents, names)
			if err := w.putFiles(r.Files); err != nil {
				return err
			}
			if err := putScript(w.to, w.manifest.RebuildName(), script); err != nil {
				return err
			}
			fmt.Fprintf(a.out, "%s\n%s to install, %s to put in place; %s can't be rebuilt from here, as its top says.\nRead it, then run it in the machine: sh %s\n",
				filepath.Join(w.to, w.manifest.RebuildName()), count(r.Packages, "package"), count(len(r.Files), "file"), count(len(r.Lost), "thing"), w.manifest.RebuildName())
			return nil
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "folder that the machine mounts (required)")
	return cmd
}

// scripting is what both scripts are made from.
type scripting struct {
	to       string
	entry    library.Entry
	session  *ingest.Session
	manifest manifest.Manifest
	found    ingest.Found
	contents map[string][]byte
}

func (a *app) planScripts(cmd *cobra.Command, name, to string) (*scripting, error) {
	if to == "" {
		return nil, withHint(errors.New("no folder to write to"), "%s SESSION --to DIR: a folder that the session's machine mounts, such as the one that you gave to it", cmd.CommandPath())
	}
	fi, err := os.Stat(to)
	if err != nil || !fi.IsDir() {
		return nil, withHint(fmt.Errorf("%s: no such folder", to), "give one that the session's machine mounts, such as the one that you gave to it")
	}
	l, err := a.library(cmd)
	if err != nil {
		return nil, err
	}
	w := &scripting{to: to}
	if w.entry, err = a.session(l, name); err != nil {
		return nil, err
	}
	p, err := a.pipeline(l)
	if err != nil {
		return nil, err
	}
	if w.session, err = p.Read(cmd.Context(), w.entry.ID); err != nil {
		return nil, err
	}
	if w.found, err = l.Found(w.entry.ID); err != nil {
		return nil, err
	}
	w.manifest = p.Manifest(w.session, trace.Of(w.session), w.entry)
	w.contents, err = w.manifest.Contents(w.found)
	return w, err
}

// putScript writes a script whole or not at all.
func putScript(dir, name, text string) error {
	tmp, err := os.CreateTemp(dir, ".recall-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = io.WriteString(tmp, text)
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), filepath.Join(dir, name))
}

// putFiles writes beside the script what it puts in place.
func (w *scripting) putFiles(files []manifest.Placed) error {
	if len(files) == 0 {
		return nil
	}
	dir := filepath.Join(w.to, w.manifest.FilesName())
	if err := os.MkdirAll(dir, 0o700); err != nil {
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
		if err := putScript(dir, f.Name, string(text)); err != nil {
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
