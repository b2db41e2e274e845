package ask

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/answer/history"
	"recall/cmd/recall/app"
	"recall/cmd/recall/config"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/internal/hint"
	"recall/library"
	"recall/pipeline/memory"
)

func newHabitsCmd(a *app.App) *cobra.Command {
	var o struct {
		Project, Write string
		Drop, Reword   int
		All            bool
	}
	return option.Result(a, "habits", func(fs *option.Flags) {
		fs.BoolVar(&o.All, "all", false, "all projects together")
		fs.Bool("json", false, "print as JSON")
		fs.NoSync()
		fs.StringVarP(&o.Project, "project", "p", "", "only this project")
		fs.StringVar(&o.Write, "write", "", "add the lines to this file, after asking")
		fs.Number(&o.Drop, "drop", "", 0, "no longer list this one: it is no habit")
		fs.Number(&o.Reword, "reword", "", 0, "word this one as TEXT says")
		fs.Apart("all", "project")
		fs.Apart("json", "write", "drop", "reword")
	}, func(ctx context.Context, words []string) ([]history.Habit, error) {
		if (len(words) > 0) != (o.Reword > 0) {
			return nil, hint.With(errors.New("a text and --reword go together"), `recall habits --reword 2 "Use pnpm"`)
		}
		p, err := a.UpToDate(ctx)
		if err != nil {
			return nil, err
		}
		name, err := a.ProjectFilter(o.Project, o.All)
		if err != nil {
			return nil, err
		}
		var files []string
		for _, f := range memory.Files(p.Library, name) {
			files = append(files, f.Path)
		}
		found, err := history.Habits(ctx, p, name, history.RulesIn(files...))
		if err != nil {
			return nil, err
		}
		if o.Write != "" {
			return nil, writeHabits(ctx, a, found, o.Write)
		}
		if n := max(o.Drop, o.Reword); n > 0 {
			return nil, editHabit(a, p.Library, found, n, strings.Join(words, " "))
		}
		return found, option.Nothing(len(found) == 0)
	}, func(a *app.App, found []history.Habit) {
		if found != nil {
			a.Form("habits", found)
		}
	})
}

// writeHabits adds the missing lines to a file, if the person confirms.
func writeHabits(ctx context.Context, a *app.App, found []history.Habit, path string) error {
	have := history.RulesIn(path)
	var lines []string
	for _, h := range found {
		if have.Say(h.Text) == "" && h.There == "" {
			lines = append(lines, "- "+terminal.Line(h.Text))
		}
	}
	if len(lines) == 0 {
		fmt.Fprintln(a.Out, "nothing to add")
		return app.ExitCode(app.ExitNothing)
	}
	fmt.Fprintf(a.Out, "%s\n", strings.Join(lines, "\n"))
	if !a.Confirm(ctx, fmt.Sprintf("Add %s to %s?", answer.Count(len(lines), "line"), path)) {
		return hint.With(errors.New("nothing was written"),
			"recall habits --write asks on a terminal; or copy the lines that you want")
	}
	return history.AddLines(path, lines, config.MostOfNote)
}

// editHabit drops the nth habit, or gives it a text.
func editHabit(a *app.App, l *library.Library, found []history.Habit, n int, text string) error {
	if n > len(found) {
		return hint.With(fmt.Errorf("there is no habit %d", n), "recall habits numbers them")
	}
	h := found[n-1]
	if err := l.EditHabit(h.Edited(text)); err != nil {
		return err
	}
	if text == "" {
		fmt.Fprintf(a.Out, "dropped: %s\n", terminal.Line(h.Text))
		return nil
	}
	fmt.Fprintf(a.Out, "%s\n  was: %s\n", terminal.Line(text), terminal.Line(h.Text))
	return nil
}

func newAuditCmd(a *app.App) *cobra.Command {
	var o struct {
		Project string
		All     bool
		Fix     bool
	}
	patch := ""
	return option.Result(a, "audit", func(fs *option.Flags) {
		fs.BoolVar(&o.All, "all", false, "also list the lines that were said in a session, with by whom")
		fs.Bool("json", false, "print as JSON")
		fs.BoolVar(&o.Fix, "fix", false, "print a patch that takes the lines out which the record contradicts")
		fs.NoSync()
		fs.StringVarP(&o.Project, "project", "p", "", "another project than the current one")
	}, func(ctx context.Context, _ []string) (found history.Audit, err error) {
		p, err := a.UpToDate(ctx)
		if err != nil {
			return found, err
		}
		name, err := a.ProjectFilter(o.Project, false)
		if err != nil {
			return found, err
		}
		found, err = history.AuditOf(ctx, p, name)
		if err == nil && o.Fix {
			patch, err = found.Patch()
		}
		return found, cmp.Or(err, option.Nothing(found.Listed() == 0))
	}, func(a *app.App, found history.Audit) {
		if o.Fix {
			a.Print(patch)
			return
		}
		a.Form("audit", struct {
			history.Audit
			All bool
		}{found, o.All})
	})
}
