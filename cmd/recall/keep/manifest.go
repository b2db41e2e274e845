package keep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/ingest"
	"recall/ingest/trace"
	"recall/internal/hint"
	"recall/library"
	"recall/library/disk"
	"recall/library/manifest"
	"recall/payload"
	"recall/pipeline"
)

// ManifestDoc is the JSON document of recall manifest: the manifest, and the state of the disk now.
type ManifestDoc struct {
	manifest.Manifest
	State string              `json:"state"` // as recall list has it
	Now   []manifest.InputNow `json:"now"`   // of the inputs on this computer
}

func newManifestCmd(a *app.App) *cobra.Command {
	cmd := option.Result(a, "manifest", nil, func(ctx context.Context, args []string) (doc ManifestDoc, err error) {
		e, err := a.Named(ctx, args[0])
		if err != nil {
			return doc, err
		}
		p := a.Pipeline()
		s, err := p.Read(ctx, e.ID)
		if err != nil {
			return doc, err
		}
		state, _ := e.State(nil)
		doc = ManifestDoc{Manifest: p.Manifest(s, trace.OfSession(s), e), State: string(state)}
		for _, in := range doc.Inputs {
			if in.Machine == manifest.Host {
				doc.Now = append(doc.Now, in.Look())
			}
		}
		return doc, nil
	}, func(a *app.App, doc ManifestDoc) { a.Form("manifest", doc) })
	cmd.AddCommand(newCleanupCmd(a), newRebuildCmd(a))
	return cmd
}

// Nothing reports whether the work left nothing behind.
func (doc ManifestDoc) Nothing() bool {
	return len(doc.Packages)+len(doc.Inputs)+len(doc.Connectors)+len(doc.Intermediate)+len(doc.Outputs)+
		len(doc.Commits) == 0
}

func newCleanupCmd(a *app.App) *cobra.Command {
	var o scriptOptions
	cmd := option.Do("manifest-cleanup", func(fs *option.Flags) {
		fs.BoolVar(&o.All, "all", false, "one script for all sessions that ran in Cowork's virtual machine")
		fs.StringArrayVar(&o.Allow, "allow", nil,
			"another folder, as the machine names it, that the script may also handle (may be repeated)")
		fs.StringVar(&o.To, "to", "", "a folder that the machine mounts (required)")
	}, func(ctx context.Context, args []string) error {
		to, allowed, err := o.open("cleanup")
		if err != nil {
			return err
		}
		defer to.Close()
		entries, err := namedSessions(ctx, a, args, o.All)
		if err != nil {
			return err
		}
		var stays []manifest.Stay
		var faults []ingest.Problem
		for _, e := range entries {
			if o.All && e.Source != ingest.Cowork {
				continue
			}
			stay, _, err := planScript(ctx, a, e, allowed)
			switch {
			case err != nil && !o.All:
				return err
			case err != nil:
				faults = append(faults, ingest.Problem{Path: e.Folder, Err: err})
			case !o.All || stay.Machine == manifest.VM:
				stays = append(stays, stay)
			}
		}
		a.PrintProblems(faults)
		if len(stays) == 0 {
			return hint.With(errors.New("no session of a virtual machine is known"), "recall sync imports sessions")
		}
		script, c, err := manifest.Cleanup(stays)
		var nothing manifest.ErrNothing
		switch {
		case errors.As(err, &nothing) && c.Left > 0:
			return hint.With(err, "recall manifest %s shows it; "+allowHint, payload.ShortID(stays[0].Session))
		case errors.As(err, &nothing):
			return hint.With(err, "recall manifest %s shows what it made", payload.ShortID(stays[0].Session))
		case err != nil:
			return err
		}
		name := manifest.CleanupName(stays)
		if err := disk.PutIn(to, name, []byte(script)); err != nil {
			return err
		}
		where := stays[0].KeptName()
		if len(stays) > 1 {
			where = fmt.Sprintf("folders of %s", answer.Count(len(stays), "session"))
		}
		fmt.Fprintf(a.Out, "%s\nIt first copies %s to %s beside it; %s can be made again.\nRead it, then run it "+
			"in the machine: sh %s (nothing is deleted without --apply)\n", filepath.Join(o.To, name),
			answer.Count(c.Keep, "file"), where, answer.Count(c.Again, "file"), name)
		sayLeft(a, c.Left)
		if len(faults) > 0 {
			return app.ExitCode(app.ExitPartial)
		}
		return nil
	})
	return option.Refuse(cmd, func(args []string) bool { return o.All == (len(args) > 0) }, "", "")
}

func newRebuildCmd(a *app.App) *cobra.Command {
	var o scriptOptions
	return option.Do("manifest-rebuild", func(fs *option.Flags) {
		fs.StringArrayVar(&o.Allow, "allow", nil,
			"another folder, as the machine names it, that the script may also handle (may be repeated)")
		fs.StringVar(&o.To, "to", "", "a folder that the machine mounts (required)")
	}, func(ctx context.Context, args []string) error {
		to, allowed, err := o.open("rebuild")
		if err != nil {
			return err
		}
		defer to.Close()
		e, err := a.Named(ctx, args[0])
		if err != nil {
			return err
		}
		stay, found, err := planScript(ctx, a, e, allowed)
		if err != nil {
			return err
		}
		names := map[string]string{}
		for _, f := range pipeline.Archived(e) {
			names[f.SHA256] = f.Name
		}
		script, r := stay.Rebuild(names)
		if err := manifest.PutFiles(to, stay.FilesName(), r.Files, found); err != nil {
			return err
		}
		if err := disk.PutIn(to, stay.RebuildName(), []byte(script)); err != nil {
			return err
		}
		fmt.Fprintf(a.Out, "%s\n%s to install, %s to restore; %s can't be rebuilt from here, listed at its top.\n"+
			"Read it, then run it in the machine: sh %s\n",
			filepath.Join(o.To, stay.RebuildName()), answer.Count(r.Packages, "package"),
			answer.Count(len(r.Files), "file"), answer.Count(len(r.Lost), "thing"), stay.RebuildName())
		sayLeft(a, r.Left)
		return nil
	})
}

// scriptOptions holds the flags of both commands.
type scriptOptions struct {
	To    string
	Allow []string
	All   bool // of cleanup
}

// open opens the folder for the script, so that no link in it can lead a write outside, and returns the folders given
// with --allow.
func (o *scriptOptions) open(command string) (to *os.Root, allowed []string, err error) {
	if o.To == "" {
		return nil, nil, hint.With(errors.New("no folder to write to"),
			"recall manifest %s SESSION --to DIR: a folder that the session's machine mounts, such as the one that "+
				"you gave to it", command)
	}
	for _, dir := range o.Allow {
		folder, ok := manifest.AsFolder(dir)
		if !ok {
			return nil, nil, hint.With(fmt.Errorf("--allow %s: not the full name of a folder", dir),
				"such as --allow /tmp/work; / would allow everything and is refused")
		}
		allowed = append(allowed, folder)
	}
	if to, err = disk.OpenRoot(o.To); err != nil {
		return nil, nil, hint.With(fmt.Errorf("%s: no such folder", o.To),
			"give one that the session's machine mounts, such as the one that you gave to it")
	}
	return to, allowed, nil
}

const allowHint = "--allow FOLDER names another that may be handled too"

// sayLeft reports paths that were left alone because they lie outside the allowed folders.
func sayLeft(a *app.App, n int) {
	if n > 0 {
		fmt.Fprintf(a.Out, "%s outside the session's own folders left alone, as the script says; %s\n",
			answer.Count(n, "path"), allowHint)
	}
}

func planScript(ctx context.Context, a *app.App, e library.Entry, allowed []string) (
	stay manifest.Stay, found ingest.Found, err error) {
	p := a.Pipeline()
	s, err := p.Read(ctx, e.ID)
	if err != nil {
		return stay, found, err
	}
	if found, err = a.Lib.Found(e.ID); err != nil {
		return stay, found, err
	}
	stay.Folders = append(manifest.Folders(s), allowed...)
	stay.Manifest = p.Manifest(s, trace.OfSession(s), e)
	stay.Contents, err = stay.Manifest.Contents(ctx, found)
	return stay, found, err
}
