package keep

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/hint"
	"recall/ingest"
	"recall/library"
	"recall/pipeline/guard"
	txt "recall/text"
)

func newGuardCmd(a *app.App) *cobra.Command {
	var o struct{ Run, VM, JSON bool }
	return option.Command("guard", &o, func(cmd *cobra.Command, args []string) error {
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
			if len(paths) == 0 && len(named) == 0 {
				named = []string{"."}
			}
			paths = slices.Concat(paths, named) // args goes on behind paths
		}
		return runGuard(cmd.Context(), a, paths, command, guard.Options{VM: o.VM}, o.JSON)
	})
}

func runGuard(ctx context.Context, a *app.App, paths, command []string, o guard.Options, asJSON bool) error {
	l, err := a.Library(ctx)
	if err != nil && !errors.Is(err, library.ErrNoLibrary) {
		return err
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
		return hint.With(errors.New("nothing can be said of what isn't there"), "look at how it is spelled")
	case report.Safe():
		return nil
	case len(command) > 0:
		fmt.Fprintf(a.Err, "recall: not run: %s\n", terminal.Line(strings.Join(command, " ")))
	}
	return app.ExitCode(app.ExitNothing)
}

// archiveFirst makes safe what it can and looks again.
func archiveFirst(ctx context.Context, a *app.App, l *library.Library, before *guard.Report, paths []string,
	o guard.Options) (*guard.Report, error) {
	if l == nil {
		var err error
		if l, err = a.LibraryToFill(ctx, nil); err != nil {
			return nil, err
		}
	}
	problems, err := guard.Archive(ctx, a.Archiver(l), before)
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

// runGuarded runs the command with this process's streams and passes its exit
// code on.
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

func printGuard(a *app.App, g *guard.Report) {
	st, w := terminal.Styles(a.Color), terminal.Width(a.Out)
	for _, at := range g.Paths {
		if at.Gone {
			terminal.SayLine(a.Out, w, "", "  ", terminal.Line(terminal.ShownPath(at.Path))+" isn't there")
		}
	}
	for _, d := range g.Dangers {
		mark, color := "·", st.Dim
		if d.Blocks {
			mark, color = "!", st.Red
		}
		terminal.SayLine(a.Out, w, color+mark+" ", "  ", terminal.Line(terminal.ShownPath(d.Path))+": "+d.String()+
			st.Reset)
	}
	for _, s := range g.Unsafe() {
		printUnsafe(a, s, st)
	}
	if !g.Missing() || len(g.Sessions) > 0 {
		printGuardSums(a, g, st)
	}
	printOther(a, g.Other)
	if len(g.Unsafe()) > 0 {
		fmt.Fprintln(a.Out, "  "+g.WayOut())
	}
	a.PrintProblems(g.Problems)
}

func printUnsafe(a *app.App, s guard.Session, st terminal.Style) {
	fmt.Fprintf(a.Out, "%s✗ %s  %s%s: %d of %s only there\n", st.Red, answer.ShortID(s.ID),
		txt.Clip(terminal.Line(s.Name()), min(60, terminal.Width(a.Out)-32)), st.Reset, len(s.AtRisk),
		answer.Count(s.Files, "file"))
	terminal.Few(s.AtRisk, 3, func(f guard.File) {
		fmt.Fprintf(a.Out, "    %-12s %9s  %s\n", f.State, terminal.Size(f.Size),
			terminal.Line(terminal.ShownPath(f.Path)))
		if f.Why != "" {
			fmt.Fprintf(a.Out, "    %s\n", terminal.Line(terminal.ShownPath(f.Why)))
		}
	}, func(n int) { fmt.Fprintf(a.Out, "    … and %d more; --json lists all\n", n) })
	if s.Deleted.IsZero() {
		return
	}
	when := answer.Day(s.Deleted)
	if s.Deleted.Before(time.Now()) {
		when = "at its next start"
	}
	fmt.Fprintf(a.Out, "    Claude Code deletes it %s (cleanupPeriodDays)\n", when)
}

func printGuardSums(a *app.App, g *guard.Report, st terminal.Style) {
	unsafe, outputs, bytes := 0, 0, int64(0)
	for _, s := range g.Unsafe() {
		if s.Source != ingest.Memory {
			unsafe++
		}
	}
	for _, s := range g.Sessions {
		outputs += s.Outputs
		bytes += s.Bytes
	}
	color, mark := st.Green, "✓"
	if !g.Safe() {
		color, mark = st.Red, "✗"
	}
	fmt.Fprintf(a.Out, "%s%s %s there", color, mark, terminal.Line(g.Holds()))
	if n := g.Count(); n > 0 {
		fmt.Fprintf(a.Out, " (%s, %s): %d archived as they are now, %d not", terminal.Size(bytes),
			answer.Count(outputs, "output"), n-unsafe, unsafe)
	}
	fmt.Fprintln(a.Out, st.Reset)
	if what := g.Forgotten(); what != "" {
		fmt.Fprintf(a.Out, "  %s there was forgotten on purpose: recall keeps nothing of it\n", what)
	}
}

func printOther(a *app.App, o guard.OtherFiles) {
	if o.Count == 0 {
		return
	}
	fmt.Fprintf(a.Out, "  %s there that no session owns; recall keeps none of them:\n",
		answer.Count(o.Count, "other file"))
	terminal.Few(o.Groups, 8, func(group guard.FileGroup) {
		fmt.Fprintf(a.Out, "    %7d  %s\n", group.Count, terminal.Line(terminal.ShownPath(group.Path)))
	}, func(n int) { fmt.Fprintf(a.Out, "    … and %d more places; --json lists all\n", n) })
}

// GuardDoc is the JSON form of recall guard.
type GuardDoc struct {
	Safe bool `json:"safe"`
	guard.Report
}
