package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"recall/cmd/recall/demo"
	"recall/library"
	"recall/pipeline"
)

func (a *app) demoCmd() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:     "demo",
		Short:   "Show recall at work on invented sessions",
		GroupID: "keep",
		Long: `Unpacks the bundled sample sessions (two invented projects, Claude Code and
Cowork), takes them in as recall does with yours, and asks them questions. Your
own sessions and library aren't touched.`,
		Example: `  recall demo
  recall demo --dir /tmp/recall-demo`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.demo(cmd.Context(), dir) },
	}
	cmd.Flags().StringVar(&dir, "dir", "", "where to unpack (default: in the user's cache directory)")
	return cmd
}

func (a *app) demo(ctx context.Context, dir string) error {
	if _, err := a.config(); err != nil {
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
	a.use(l)
	report, err := a.takeIn(ctx, l, pipeline.Options{From: []string{claude, cowork}})
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s of invented work, unpacked to %s\n", count(report.Found, "session"), dir)
	a.printReport(report)
	st := styles(a.color)
	for _, q := range demo.Questions() {
		ans, err := a.searched(ctx, l, q.Text)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.out, "\n%s$ recall query %q%s\n", st.bold, q.Text, st.reset)
		p := page{w: a.out, st: st, width: width(a.out)}
		p.answer(&ans)
	}
	lib := filepath.Join(dir, "Recall")
	fmt.Fprintf(a.out, `
Go on asking:   recall --library %[1]q query "…"
What is next:   recall --library %[1]q resume
The library:    %[1]s  (readable by hand)
Your own:       recall init
`, lib)
	if report.Skipped() {
		return exitCode(exitPartial)
	}
	return nil
}

// demoMark is a file in the folder of a demo, beside its library.
const demoMark = ".recall-demo"

// isDemo reports whether a library is one that recall demo made.
func isDemo(l *library.Library) bool {
	_, err := os.Stat(filepath.Join(filepath.Dir(l.Dir()), demoMark))
	return err == nil && filepath.Base(l.Dir()) == "Recall"
}

// demoDir is an empty folder for the demo. One that an earlier demo left is
// emptied; a folder of anything else is refused.
func demoDir(dir string) (string, error) {
	if dir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return "", withHint(err, "name an empty folder with --dir")
		}
		dir = filepath.Join(base, "recall", "demo")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	mark := filepath.Join(dir, demoMark)
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) > 0 {
		if _, err := os.Stat(mark); err != nil {
			return "", withHint(fmt.Errorf("%s isn't empty", dir), "name an empty folder with --dir")
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
