package keep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/internal/hint"
	"recall/internal/text"
	"recall/library"
	"recall/library/merge"
	"recall/pipeline"
	"recall/pipeline/review"
)

func newBackupCmd(a *app.App) *cobra.Command {
	var o struct{ To string }
	cmd := option.Asked(a, "backup", func(fs *option.Flags) {
		fs.StringVar(&o.To, "to", "", "a folder")
	}, func(ctx context.Context, _ []string) (merge.Merged, error) {
		return runBackup(ctx, a, o.To)
	}, func(a *app.App, m merge.Merged) {
		fmt.Fprintln(a.Err, "recall: warning: a backup holds raw transcripts, including any secrets in them: "+
			"keep it as safe as the library")
		printMerged(a, m, "backup to", o.To)
	})
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if o.To == "" {
			return hint.With(errors.New("backup: --to is required"), "recall backup --to /media/disk/Recall")
		}
		return cobra.NoArgs(cmd, args)
	}
	return cmd
}

func runBackup(ctx context.Context, a *app.App, to string) (m merge.Merged, err error) {
	bar := terminal.NewProgress(a.Err)
	m, err = merge.Backup(ctx, a.Lib, to, bar.Counts("backup"))
	bar.Done()
	switch {
	case errors.Is(err, merge.ErrInside):
		return m, hint.With(err, "name a place outside of the library, better on another disk")
	case errors.Is(err, merge.ErrOther):
		return m, hint.With(err, "name an empty folder, or that of an earlier backup of this library")
	case err != nil:
		return m, err
	}
	a.WarnPlace(to)
	return m, partly(a, m)
}

// partly reports what could not be copied and returns the exit code for that.
func partly(a *app.App, m merge.Merged) error {
	a.PrintProblems(m.Problems)
	if len(m.Problems) > 0 {
		return app.ExitCode(app.ExitPartial)
	}
	return nil
}

func printMerged(a *app.App, m merge.Merged, what, where string) {
	parts := text.Counts("new|changed|forgotten", m.New, m.Changed, len(m.Gone))
	if len(parts) == 0 {
		parts = []string{"nothing new"}
	}
	fmt.Fprintf(a.Out, "%s %s: %s, %s; %s, %s, read back and compared\n", what, where,
		answer.Count(m.Sessions, "session"), strings.Join(parts, ", "), answer.Count(m.Files, "file"),
		text.Size(m.Bytes))
}

func newImportCmd(a *app.App) *cobra.Command {
	var o struct {
		Forget  bool
		Project string
	}
	path := ""
	return option.Result(a, "import", func(fs *option.Flags) {
		fs.BoolVar(&o.Forget, "forget", false, "also remove sessions here that were forgotten there")
		fs.StringVarP(&o.Project, "project", "p", "", "for a handoff: the project here that it is meant for")
	}, func(ctx context.Context, args []string) (any, error) {
		if path = args[0]; strings.HasSuffix(path, ".md") && review.IsHandoff(review.PayloadName(path)) {
			path = review.PayloadName(path) // the page was named that lies beside it
		}
		fi, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = fmt.Errorf("%s: no such file or folder", path)
		case err == nil && !fi.IsDir() && !fi.Mode().IsRegular(): // reading a device or pipe might never end
			err = fmt.Errorf("%s: neither a file nor a folder", path)
		case review.IsHandoff(path):
			return importHandoff(ctx, a, path, o.Project)
		case err == nil && !fi.IsDir():
			err = fmt.Errorf("%s: neither a library's folder nor a handoff", path)
		case o.Project != "":
			return nil, hint.With(errors.New("import: --project is for a handoff"),
				"omit it: projects come with their library")
		}
		if err != nil {
			return nil, hint.With(err, "name a backup, a library or a handoff")
		}
		return importFrom(ctx, a, path, merge.Options{Forget: o.Forget})
	}, func(a *app.App, doc any) {
		switch doc := doc.(type) {
		case *review.Handoff:
			a.Form("handoff", doc)
		case merge.Merged:
			printMerged(a, doc, "import of", path)
		}
	})
}

func importFrom(ctx context.Context, a *app.App, path string, o merge.Options) (m merge.Merged, err error) {
	l, err := a.LibraryToFill(ctx, nil)
	if err != nil {
		return m, importHint(err)
	}
	bar := terminal.NewProgress(a.Err)
	o.Progress = bar.Counts("import")
	m, err = merge.Import(ctx, l, path, o)
	bar.Done()
	if err != nil {
		return m, importHint(err)
	}
	a.Use(l) // its id might have changed
	if err := indexImported(ctx, a, m); err != nil {
		return m, err
	}
	if n := len(m.Kept); n > 0 {
		fmt.Fprintf(a.Err, "recall: %s forgotten there but kept here; --forget removes them\n",
			answer.Count(n, "session"))
	}
	return m, partly(a, m)
}

func importHint(err error) error {
	switch {
	case errors.Is(err, library.ErrNoLibrary):
		return hint.With(err, "give a library's folder (with library.toml in it) or a handoff; recall sync --from "+
			"imports transcripts")
	case errors.Is(err, merge.ErrInside):
		return hint.With(err, "name a library outside of this one")
	}
	return err
}

// indexImported adds what was imported to the index and removes what was forgotten.
func indexImported(ctx context.Context, a *app.App, m merge.Merged) error {
	if len(m.Gone) > 0 {
		if _, err := a.ForgetSessions(ctx, nil, m.Gone...); err != nil {
			return err
		}
	}
	p := a.Pipeline()
	if err := p.LookAgain(); err != nil {
		return err
	}
	report, err := a.Sync(ctx, pipeline.Options{})
	if err == nil {
		a.PrintProblems(report.Problems)
	}
	return err
}

// importHandoff stores another person's handoff.
func importHandoff(ctx context.Context, a *app.App, path, name string) (*review.Handoff, error) {
	l, err := a.LibraryToFill(ctx, nil)
	if err != nil {
		return nil, err
	}
	project, err := a.ProjectID(name)
	dir, lost := os.Getwd()
	if err = errors.Join(err, lost); err != nil {
		return nil, err
	}
	return review.Import(l, path, project, dir)
}
