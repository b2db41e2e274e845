// Package keep holds the commands that import sessions, keep them intact, restore them and forget them.
package keep

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/internal/hint"
	"recall/pipeline"
)

// Commands are the commands that import sessions and keep them.
var Commands = []option.Maker{
	newSyncCmd, newArchiveCmd, newReindexCmd, newRedistillCmd, newRestoreCmd, newGuardCmd, newForgetCmd,
	newExportCmd, newBackupCmd, newImportCmd, newCheckCmd, newRestCmd, newManifestCmd, newProjectCmd,
}

func newArchiveCmd(a *app.App) *cobra.Command {
	var o struct{ From []string }
	return option.Result(a, "archive", func(fs *option.Flags) {
		fs.StringArrayVar(&o.From, "from", nil, "archive this file or folder instead of the usual places (repeatable)")
	}, func(ctx context.Context, _ []string) (pipeline.Report, error) {
		if _, err := a.LibraryToFill(ctx, o.From); err != nil {
			return pipeline.Report{}, err
		}
		p := a.Archiver()
		bar := terminal.NewProgress(a.Err)
		defer bar.Done()
		p.Progress = bar.Show
		r, err := p.Archive(ctx, o.From)
		if err == nil {
			a.KeepFolders(ctx, false)
		}
		switch {
		case err == nil && r.Skipped():
			err = app.ExitCode(app.ExitPartial)
		case err == nil && len(o.From) > 0 && r.Found == 0:
			err = noSession(strings.Join(o.From, ", "))
		}
		return r, err
	}, func(a *app.App, r pipeline.Report) { a.PrintReport(r) })
}

func newReindexCmd(a *app.App) *cobra.Command {
	return option.Run(a, "reindex", nil,
		func(ctx context.Context, _ []string) error { return a.Reindex(ctx) })
}

// newRestCmd indexes in the background what a query's time budget left over. One runs at a time; nobody calls it by
// hand.
func newRestCmd(a *app.App) *cobra.Command {
	return option.Run(a, "rest", nil, func(ctx context.Context, _ []string) error {
		app.Yield()
		if err := os.MkdirAll(app.CacheDir(a.Lib), 0o700); err != nil {
			return err
		}
		_, err := app.WithLock(filepath.Join(app.CacheDir(a.Lib), "rest.lock"), func() error {
			defer a.Close() // before the lock is released, so that the next holder finds everything done
			_, err := a.Library(ctx)
			if err == nil {
				err = a.Rest(ctx)
			}
			return err
		})
		return err
	})
}

func noSession(where string) error {
	return hint.With(fmt.Errorf("%s: no session found there", where),
		"a session is a .jsonl file of Claude Code, Codex or Gemini CLI, one in an opencode.db, or a local_….json "+
			"of Cowork with its folder")
}

func newProjectCmd(a *app.App) *cobra.Command {
	cmd := newProjectListCmd(a, "project")
	cmd.AddCommand(newProjectListCmd(a, "project-list"),
		newChangeCmd(a, "project-rename",
			func(id, to string) error { return a.Lib.RenameProject(id, to) }, "project %s is now called %s"),
		newChangeCmd(a, "project-merge", func(from, name string) error {
			into, err := a.ProjectID(name)
			if err != nil {
				return err
			}
			return a.Lib.MergeProjects(from, into)
		}, "the sessions of %s now belong to %s"))
	return cmd
}

type ProjectDoc struct {
	Name     string   `json:"name"`
	Sessions int      `json:"sessions"`
	Root     string   `json:"root"`
	Former   []string `json:"former,omitempty"`
	Merged   []string `json:"merged,omitempty"`
}

func newProjectListCmd(a *app.App, name string) *cobra.Command {
	return option.Asked(a, name, nil, func(_ context.Context, _ []string) ([]ProjectDoc, error) {
		catalog, err := a.Lib.Catalog()
		if err != nil {
			return nil, err
		}
		projects, err := a.Lib.Projects()
		var all []ProjectDoc
		for _, p := range projects {
			all = append(all, ProjectDoc{p.Name, len(catalog.In(p.ID)), p.Show(p.Root),
				terminal.ShowEach(p.Former, p.Show), terminal.ShowEach(p.Merged, p.Show)})
		}
		return all, err
	}, func(a *app.App, all []ProjectDoc) { a.Form("projects", all) })
}

// Roots lists the folders of a project and of those merged into it.
func (p ProjectDoc) Roots() string { return strings.Join(append([]string{p.Root}, p.Merged...), ", ") }

// newChangeCmd makes a command that changes the registry, reports that and reindexes.
func newChangeCmd(a *app.App, name string, change func(id, to string) error, done string) *cobra.Command {
	return option.Run(a, name, nil, func(ctx context.Context, args []string) error {
		id, err := a.ProjectID(args[0])
		if err == nil {
			err = change(id, args[1])
		}
		if err != nil {
			return err
		}
		fmt.Fprintln(a.Out, terminal.Line(fmt.Sprintf(done, args[0], args[1])))
		return a.Reindex(ctx)
	})
}
