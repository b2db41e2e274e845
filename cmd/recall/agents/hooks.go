package agents

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/hint"
	"recall/hooks"
	"recall/library"
)

func newHooksCmd(a *app.App) *cobra.Command {
	return option.Group("hooks", newHooksInstallCmd(a), newHooksUninstallCmd(a), newHooksStatusCmd(a))
}

// scope is which settings are meant.
type scope struct{ Project, User, DryRun bool }

func (s scope) toChange() (string, error) {
	path, err := hooks.SettingsFile(s.Project)
	if err == nil && s.Project {
		err = hooks.StaysInside(filepath.Dir(filepath.Dir(path)), path)
	}
	return path, err
}

func newHooksInstallCmd(a *app.App) *cobra.Command {
	var s scope
	return option.Do("hooks-install", &s, func(ctx context.Context, _ []string) error {
		program, err := thisProgram(a)
		if err == nil {
			err = s.change(a, func(path string) (hooks.Change, error) { return hooks.PlanInstall(path, program) },
				"hooks are in", "hooks were there already in")
		}
		if err == nil && !s.DryRun {
			tellNoLibrary(ctx, a)
		}
		return err
	})
}

func newHooksUninstallCmd(a *app.App) *cobra.Command {
	var s scope
	return option.Do("hooks-uninstall", &s, func(context.Context, []string) error {
		return s.change(a, hooks.PlanUninstall, "no hooks of recall are left in", "no hooks of recall are in")
	})
}

// change plans a change of the settings, carries it out and says so.
func (s scope) change(a *app.App, plan func(path string) (hooks.Change, error), done, already string) error {
	path, err := s.toChange()
	if err != nil {
		return err
	}
	c, err := plan(path)
	if err != nil {
		return hint.With(err, "mend the file by hand; claude itself can't read it either")
	}
	switch {
	case !c.Differs():
		fmt.Fprintf(a.Out, "%s %s\n", already, c.Path)
	case s.DryRun && c.Removes:
		fmt.Fprintf(a.Err, "recall: would remove %s\n", c.Path)
	case s.DryRun:
		fmt.Fprintf(a.Err, "recall: would write %s\n", c.Path)
		_, err := a.Out.Write(c.After)
		return err
	default:
		if err := c.Do(); err != nil {
			if errors.Is(err, fs.ErrPermission) {
				return hint.With(err, "make it writable, or use recall hooks install --dry-run and put its output there yourself")
			}
			return err
		}
		fmt.Fprintf(a.Out, "%s %s\n", done, c.Path)
		if c.Backup != "" {
			fmt.Fprintf(a.Err, "recall: a copy from before is in %s\n", c.Backup)
		}
	}
	if c.Plugin && !c.Removes && bytes.Contains(c.After, []byte("session-start")) {
		fmt.Fprintf(a.Err, "recall: warning: recall's plugin is enabled in %s and brings the same hooks; one of the two "+
			"is enough\n", c.Path)
	}
	if c.Off {
		fmt.Fprintf(a.Err, "recall: warning: %s says disableAllHooks: the client runs none\n", c.Path)
	}
	return nil
}

// thisProgram is what the client is to start: this very program, by a path that
// an upgrade keeps where there is one, with the settings that were given here.
func thisProgram(a *app.App) (hooks.Program, error) {
	exe, err := app.Self()
	if err != nil {
		return hooks.Program{}, err
	}
	p := hooks.Program{Path: exe, Args: a.Given()}
	for i := 1; i < len(p.Args) && err == nil; i += 2 {
		p.Args[i], err = filepath.Abs(p.Args[i])
	}
	return p, err
}

func newHooksStatusCmd(a *app.App) *cobra.Command {
	return option.Result(a, "hooks-status", nil, func(ctx context.Context, _ []string) (doc hooks.Status, err error) {
		program, err := thisProgram(a)
		if err == nil {
			doc, err = hooks.Look(program)
		}
		switch {
		case err != nil:
			return doc, err
		case !doc.Installed && !doc.Plugin:
			return doc, app.ExitCode(app.ExitNothing)
		}
		tellNoLibrary(ctx, a)
		return doc, nil
	}, func(a *app.App, doc hooks.Status) { a.Form("hooks", doc) })
}

// tellNoLibrary says why the hooks do nothing yet.
func tellNoLibrary(ctx context.Context, a *app.App) {
	if _, err := a.Library(ctx); errors.Is(err, library.ErrNoLibrary) {
		fmt.Fprintln(a.Err, "recall: there is no library yet, so they do nothing: recall init makes it and takes in all "+
			"your history")
	}
}
