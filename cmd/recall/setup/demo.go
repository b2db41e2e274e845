package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/demo"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/distill/model"
	"recall/internal/hint"
	"recall/internal/llm/replay"
	"recall/library"
	"recall/pipeline"
	"recall/pipeline/guard"
	"recall/pipeline/improve"
)

func newDemoCmd(a *app.App) *cobra.Command {
	var o struct{ Dir string }
	return option.Do("demo", func(fs *option.Flags) {
		fs.StringVar(&o.Dir, "dir", "", "where to unpack (default: in the user's cache directory)")
	}, func(ctx context.Context, _ []string) error { return runDemo(ctx, a, o.Dir) })
}

// runDemo imports the samples into two libraries, one distilled by rules, one by a model whose answers are recorded,
// and asks both.
func runDemo(ctx context.Context, a *app.App, dir string) error {
	if _, err := a.LoadConfig(); err != nil {
		return err
	}
	dir, err := demoFolder(dir)
	if err != nil {
		return err
	}
	claude, cowork, err := demo.Write(filepath.Join(dir, guard.DemoSources))
	if err != nil {
		return err
	}
	from := pipeline.Options{From: []string{claude, cowork}}
	rules := &demoLibrary{App: a, dir: filepath.Join(dir, guard.DemoByRules)}
	if err := rules.fill(ctx, from); err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "%s of invented work, unpacked to %s\n", answer.Count(rules.report.Found, "session"), dir)
	a.PrintReport(rules.report)
	model := &demoLibrary{App: &app.App{Console: a.Console, Config: a.Config, ConfigFile: a.ConfigFile},
		dir: filepath.Join(dir, guard.DemoByModel)}
	defer model.Close()
	if err := errors.Join(model.fill(ctx, from), model.replay(ctx)); err != nil {
		return err
	}
	st := terminal.Styles(a.Color)
	for _, q := range demo.Questions {
		fmt.Fprintf(a.Out, "\n%s$ recall query %q%s\n", st.Bold, q, st.Reset)
		p := a.Page()
		ans, err := rules.Searched(ctx, q)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.Out, "%sby rules, first:%s\n", st.Dim, st.Reset)
		p.First(&ans)
		if ans, err = model.Searched(ctx, q); err != nil {
			return err
		}
		fmt.Fprintf(a.Out, "%sby the model:%s\n", st.Dim, st.Reset)
		p.Answer(&ans)
	}
	a.Form("demo", struct{ Rules, Model string }{rules.dir, model.dir})
	if rules.report.Skipped() {
		return app.ExitCode(app.ExitPartial)
	}
	return nil
}

// demoLibrary is one of the demo's two libraries.
type demoLibrary struct {
	*app.App
	dir    string
	report pipeline.Report
}

func (d *demoLibrary) fill(ctx context.Context, o pipeline.Options) error {
	l, err := library.Create(d.dir)
	if err != nil {
		return err
	}
	d.Use(l)
	d.report, err = d.SyncWhole(ctx, o) // so that answers don't depend on how fast vectors are made
	return err
}

// replay distills the sessions with the recorded answers, and prints that it does.
func (d *demoLibrary) replay(ctx context.Context) error {
	kept, err := demo.Answers()
	if err != nil {
		return err
	}
	answers := replay.NewAnswers(kept, "recorded")
	p := d.Pipeline()
	asks := model.New(model.Options{Model: answers, Store: answers})
	if _, err = (&improve.Asker{Pipeline: p, Improver: asks, Reconciler: asks}).Run(ctx, improve.Options{}); err != nil {
		return err
	}
	fmt.Fprint(d.Out, `
Payloads were made twice: by rules, as if no model were chosen, and by a large model (Claude), which was asked about
these sessions once. Its answers are recorded in the program: nothing is asked or sent now, and no key is needed.
`)
	if n := answers.Missing(); n > 0 {
		fmt.Fprintf(d.Out, "%s differ from the recorded ones and have no answer: the rules' items stand there.\n",
			answer.Count(n, "request"))
	}
	return nil
}

// demoFolder returns an empty folder for a demo, "" for one in the cache. One left by an earlier demo is emptied;
// one that holds anything else is refused.
func demoFolder(dir string) (string, error) {
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
	marked := filepath.Join(dir, guard.DemoMarker)
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) > 0 {
		if _, err := os.Stat(marked); err != nil {
			return "", hint.With(fmt.Errorf("%s isn't empty", dir), "name an empty folder with --dir")
		}
		for _, name := range []string{guard.DemoSources, guard.DemoByRules, guard.DemoByModel} {
			if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
				return "", err
			}
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	return dir, os.WriteFile(marked, []byte("recall demo may empty this folder\n"), 0o600)
}
