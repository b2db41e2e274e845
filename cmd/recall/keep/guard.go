package keep

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/internal/hint"
	"recall/library"
	"recall/pipeline/guard"
)

func newGuardCmd(a *app.App) *cobra.Command {
	var o struct{ Run, VM, JSON bool }
	return option.Command("guard", func(fs *option.Flags) {
		fs.BoolVar(&o.JSON, "json", false, "print as JSON")
		fs.BoolVar(&o.Run, "run", false, "archive what isn't safe, then run the command after -- if everything is")
		fs.BoolVar(&o.VM, "vm", false, "accept losing what is on the virtual machines' own disks")
	}, func(cmd *cobra.Command, args []string) error {
		paths, command := args, []string(nil)
		if at := cmd.ArgsLenAtDash(); o.Run && at >= 0 {
			paths, command = args[:at], args[at:]
		}
		if o.Run && len(command) == 0 {
			return hint.With(errors.New("--run without a command"),
				"write it after two dashes: recall guard --run -- rm -rf FOLDER")
		}
		if err := guard.Plain(paths); err != nil {
			return err
		}
		if o.Run {
			named, err := guard.PathsOf(command)
			if err != nil && len(paths) == 0 {
				return err
			}
			if _, renames := guard.Renames(command, "."); renames && len(paths)+len(named) == 0 {
				return runGuarded(cmd.Context(), a, command)
			}
			if len(paths)+len(named) == 0 {
				named = []string{"."}
			}
			paths = slices.Concat(paths, named) // not append: paths is the start of args
		}
		return runGuard(cmd.Context(), a, paths, command, guard.Options{VM: o.VM}, o.JSON)
	})
}

func runGuard(ctx context.Context, a *app.App, paths, command []string, o guard.Options, asJSON bool) error {
	l, err := a.Library(ctx)
	if err != nil && !errors.Is(err, library.ErrNoLibrary) {
		return err
	}
	if l != nil {
		o.Cache = app.CacheDir(l)
	}
	report, err := guard.Look(ctx, a.Sources(), l, paths, o)
	if err == nil && len(command) > 0 && len(report.Unsafe()) > 0 {
		report, err = archiveFirst(ctx, a, l, report, paths, o)
	}
	if err != nil {
		return err
	}
	if len(command) == 0 || !report.Safe() {
		if asJSON {
			err = a.PrintJSON(GuardDoc{Safe: report.Safe() && !report.Missing(), Report: *report})
		} else {
			printGuard(a, report)
		}
	}
	switch {
	case err != nil:
		return err
	case report.Safe() && len(command) > 0:
		return runGuarded(ctx, a, command)
	case report.Safe() && report.Missing():
		return hint.With(errors.New("nothing can be said about a path that doesn't exist"), "check its spelling")
	case report.Safe():
		return nil
	case len(command) > 0:
		fmt.Fprintf(a.Err, "recall: not run: %s\n", terminal.Line(strings.Join(command, " ")))
	}
	return app.ExitCode(app.ExitNothing)
}

// archiveFirst archives what it can and looks again.
func archiveFirst(ctx context.Context, a *app.App, l *library.Library, before *guard.Report, paths []string,
	o guard.Options) (*guard.Report, error) {
	if l == nil {
		var err error
		if l, err = a.LibraryToFill(ctx, nil); err != nil {
			return nil, err
		}
	}
	problems, err := guard.Archive(ctx, a.Archiver(), before)
	a.PrintProblems(problems)
	if err != nil {
		return nil, err
	}
	after, err := guard.Look(ctx, a.Sources(), l, paths, o)
	if err == nil {
		fmt.Fprintf(a.Err, "recall: archived %s first\n",
			answer.Count(len(before.Unsafe())-len(after.Unsafe()), "session"))
	}
	return after, err
}

// runGuarded runs the command with this process's streams and passes on its exit code.
func runGuarded(ctx context.Context, a *app.App, command []string) error {
	err := a.Launch(ctx, command...)
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		return app.ExitCode(exit.ExitCode())
	}
	return fmt.Errorf("%s: %w", command[0], err)
}

// guardPage is a report as shown to a person.
type guardPage struct {
	*guard.Report
	Left, Outputs int // unarchived sessions; produced files
	Bytes         int64
}

func printGuard(a *app.App, g *guard.Report) {
	page := guardPage{Report: g}
	for _, s := range g.Unsafe() {
		if !s.Source.IsMemory() {
			page.Left++
		}
	}
	for _, s := range g.Sessions {
		if !s.Forgotten() {
			page.Outputs += s.Outputs
			page.Bytes += s.Bytes
		}
	}
	a.Form("guard", page)
	a.PrintProblems(g.Problems)
}

// GuardDoc is the JSON document of recall guard.
type GuardDoc struct {
	Safe bool `json:"safe"`
	guard.Report
}
