package setup

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
	"recall/demo"
	"recall/hint"
	"recall/library"
	"recall/pipeline"
)

func newDemoCmd(a *app.App) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show recall at work on invented sessions",
		RunE:  func(cmd *cobra.Command, _ []string) error { return runDemo(cmd.Context(), a, dir) },
	}
	cmd.Flags().StringVar(&dir, "dir", "", "where to unpack (default: in the user's cache directory)")
	return cmd
}

func runDemo(ctx context.Context, a *app.App, dir string) error {
	if _, err := a.LoadConfig(); err != nil {
		return err
	}
	dir, err := demoDir(dir)
	if err != nil {
		return err
	}
	claude, cowork, err := demo.Write(filepath.Join(dir, "sources"))
	if err != nil {
		return err
	}
	l, err := library.Create(filepath.Join(dir, "Recall"))
	if err != nil {
		return err
	}
	a.Use(l)
	report, err := a.TakeIn(ctx, l, pipeline.Options{From: []string{claude, cowork}})
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "%s of invented work, unpacked to %s\n", answer.Count(report.Found, "session"), dir)
	a.PrintReport(report)
	st := terminal.Styles(a.Color)
	for _, q := range demo.Questions() {
		ans, err := a.Searched(ctx, l, q.Text)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.Out, "\n%s$ recall query %q%s\n", st.Bold, q.Text, st.Reset)
		p := a.Page()
		p.Answer(&ans)
	}
	lib := filepath.Join(dir, "Recall")
	fmt.Fprintf(a.Out, `
Go on asking:   recall --library %[1]q query "…"
What is next:   recall --library %[1]q resume
The library:    %[1]s  (readable by hand)
Your own:       recall init
`, lib)
	if report.Skipped() {
		return app.ExitCode(app.ExitPartial)
	}
	return nil
}

// demoDir is an empty folder for the demo. One that an earlier demo left is
// emptied; a folder of anything else is refused.
func demoDir(dir string) (string, error) {
	if dir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return "", hint.With(err, "name an empty folder with --dir")
		}
		dir = filepath.Join(base, "recall", "demo")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	mark := filepath.Join(dir, app.DemoMark)
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) > 0 {
		if _, err := os.Stat(mark); err != nil {
			return "", hint.With(fmt.Errorf("%s isn't empty", dir), "name an empty folder with --dir")
		}
		for _, name := range []string{"sources", "Recall"} {
			if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
				return "", err
			}
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	return dir, os.WriteFile(mark, []byte("recall demo may empty this folder\n"), 0o600)
}
