package keep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
	"recall/hint"
	"recall/library"
	"recall/library/merge"
	"recall/pipeline"
	"recall/review"
)

func newBackupCmd(a *app.App) *cobra.Command {
	var to string
	var force, asJSON bool
	cmd := &cobra.Command{
		Use:   "backup --to DIR|FILE.tar.zst",
		Short: "Copy the whole library elsewhere",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if to == "" {
				return hint.With(errors.New("backup: --to says where"),
					"recall backup --to /media/disk/Recall, or a file that ends in .tar.zst")
			}
			l, err := a.Library(cmd.Context())
			if err != nil {
				return err
			}
			return runBackup(cmd.Context(), a, l, to, force, asJSON)
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "a folder, or a file that ends in .tar.zst")
	cmd.Flags().BoolVar(&force, "force", false, "replace a file that is there")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// otherArchive are names that nobody means a folder by.
var otherArchive = regexp.MustCompile(`(?i)\.(tar|tgz|zip|7z|gz|xz|bz2|zst)$`)

func runBackup(ctx context.Context, a *app.App, l *library.Library, to string, force, asJSON bool) error {
	bar := terminal.NewProgress(a.Err)
	var m merge.Merged
	var err error
	file := strings.HasSuffix(strings.ToLower(to), ".tar.zst")
	if !file && otherArchive.MatchString(to) && !app.IsDir(to) {
		return hint.With(fmt.Errorf("backup to %s: a file of another kind", terminal.Line(to)),
			"a backup in one file ends in .tar.zst; any other name is a folder")
	}
	if file {
		m, err = merge.BackupFile(ctx, l, to, force)
	} else {
		m, err = merge.Backup(ctx, l, to, func(done, total int) {
			bar.Show(pipeline.Progress{Stage: "backup", Done: done,
				Total: total})
		})
	}
	bar.Done()
	switch {
	case errors.Is(err, merge.ErrInside):
		return hint.With(err, "name a place outside of the library, better on another disk")
	case errors.Is(err, merge.ErrOther):
		return hint.With(err, "name an empty folder, or the one of an earlier backup of this library")
	case errors.Is(err, fs.ErrExist):
		return hint.With(err, "--force replaces it; a date in the name keeps both")
	case err != nil:
		return err
	}
	for _, w := range library.Warnings(to) {
		fmt.Fprintln(a.Err, "recall: warning:", w)
	}
	if !asJSON {
		fmt.Fprintln(a.Err, "recall: warning: a backup holds raw transcripts, with whatever secrets went through them: keep it as safe as the library")
	}
	return printMerged(a, m, "backup", to, asJSON)
}

func printMerged(a *app.App, m merge.Merged, what, where string, asJSON bool) error {
	if asJSON {
		if err := a.PrintJSON(m); err != nil {
			return err
		}
	} else {
		parts := []string{answer.Count(m.Sessions, "session")}
		if m.New > 0 {
			parts = append(parts, fmt.Sprintf("%d new", m.New))
		}
		if m.Changed > 0 {
			parts = append(parts, fmt.Sprintf("%d changed", m.Changed))
		}
		if len(m.Gone) > 0 {
			parts = append(parts, fmt.Sprintf("%d forgotten", len(m.Gone)))
		}
		if m.New+m.Changed+len(m.Gone) == 0 {
			parts = append(parts, "nothing new")
		}
		fmt.Fprintf(a.Out, "%s of %s: %s; %s, %s, read again and compared\n", what, where, strings.Join(parts, ", "),
			answer.Count(m.Files, "file"), terminal.Size(m.Bytes))
	}
	a.PrintProblems(m.Problems)
	if len(m.Problems) > 0 {
		return app.ExitCode(app.ExitPartial)
	}
	return nil
}

func newImportCmd(a *app.App) *cobra.Command {
	var forget, asJSON bool
	var project string
	cmd := &cobra.Command{
		Use:   "import PATH",
		Short: "Take over a backup, another machine's library, or a handoff",
		RunE: func(cmd *cobra.Command, args []string) error {
			fi, err := os.Stat(args[0])
			if err == nil && !fi.IsDir() && !fi.Mode().IsRegular() { // reading it may never end
				return hint.With(fmt.Errorf("%s: neither a file nor a folder", args[0]),
					"name a backup, a library or a handoff")
			}
			if review.IsHandoff(args[0]) {
				return a.ImportHandoff(cmd.Context(), args[0], project, asJSON)
			}
			if project != "" {
				return hint.With(errors.New("import: --project is for a handoff"),
					"omit it: projects come with their library")
			}
			return importFrom(cmd.Context(), a, args[0], merge.Options{Forget: forget}, asJSON)
		},
	}
	cmd.Flags().BoolVar(&forget, "forget", false, "sessions that were forgotten there go from here too")
	cmd.Flags().StringVarP(&project, "project", "p", "", "of a handoff: the project here that it is for")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func importFrom(ctx context.Context, a *app.App, path string, o merge.Options, asJSON bool) error {
	l, err := a.Library(ctx)
	made := errors.Is(err, library.ErrNoLibrary)
	if made {
		if l, err = merge.CreateFrom(ctx, a.Config.Library.Dir, path); err == nil {
			l = a.Use(l)
			fmt.Fprintf(a.Err, "recall: made a library in %s\n", l.Dir())
			a.WarnPlace(l)
		}
	}
	if err != nil {
		return importHint(err)
	}
	bar := terminal.NewProgress(a.Err)
	o.Progress = func(done, total int) { bar.Show(pipeline.Progress{Stage: "import", Done: done, Total: total}) }
	m, err := merge.Import(ctx, l, path, o)
	bar.Done()
	if err != nil {
		if made {
			a.Lib = nil
			if gone, _ := l.Discard(); gone {
				fmt.Fprintf(a.Err, "recall: nothing was taken over, so no library stays in %s\n", l.Dir())
			}
		}
		return importHint(err)
	}
	if err := indexImported(ctx, a, l, m); err != nil {
		return err
	}
	if n := len(m.Kept); n > 0 {
		fmt.Fprintf(a.Err, "recall: %s forgotten there and kept here; --forget lets them go\n",
			answer.Count(n, "session"))
	}
	return printMerged(a, m, "import", path, asJSON)
}

func importHint(err error) error {
	switch {
	case errors.Is(err, library.ErrNoLibrary):
		return hint.With(err, "give a library's folder (with library.toml in it) or a file that recall backup wrote; transcripts are taken in by recall sync --from")
	case errors.Is(err, merge.ErrSuspect):
		return hint.With(err, "nothing of it was taken over; if it should be a backup, ask who made it")
	case errors.Is(err, library.ErrDamaged):
		return hint.With(err, "nothing of it was taken over; copy it again from where it came from")
	case errors.Is(err, merge.ErrInside):
		return hint.With(err, "name a library outside of this one")
	}
	return err
}

// indexImported takes what came into the index, and what went out of it.
func indexImported(ctx context.Context, a *app.App, l *library.Library, m merge.Merged) error {
	if len(m.Gone) > 0 {
		if _, err := a.ForgetSessions(ctx, l, &pipeline.Forgetting{}, m.Gone...); err != nil {
			return err
		}
	}
	if m.New+m.Changed == 0 {
		return nil
	}
	p, err := a.Pipeline(l)
	if err != nil {
		return err
	}
	if err := p.LookAgain(); err != nil {
		return err
	}
	report, err := a.TakeIn(ctx, l, pipeline.Options{})
	if err == nil {
		a.PrintProblems(report.Problems)
	}
	return err
}
