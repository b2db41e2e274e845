package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/answer/history"
	"recall/answer/last"
	"recall/cmd/recall/app"
	"recall/cmd/recall/config"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/internal/hint"
	"recall/library/disk"
	"recall/payload"
	"recall/pipeline"
)

func newInitCmd(a *app.App) *cobra.Command {
	var o struct{ Yes bool }
	return option.Do("init", func(fs *option.Flags) {
		fs.StringVar(new(string), "model", "", "the provider's name for the model (llm.model)")
		fs.Sets("model", "llm.model")
		fs.StringVar(new(string), "provider", "",
			"let this model make payloads: none, anthropic, openai, ollama, claude-cli")
		fs.Sets("provider", "llm.provider")
		fs.StringVar(new(string), "url", "", "address of the service (llm.url)")
		fs.Sets("url", "llm.url")
		fs.BoolVarP(&o.Yes, "yes", "y", false, "don't ask")
	}, func(ctx context.Context, _ []string) error { return runInit(ctx, a, o.Yes) })
}

func runInit(ctx context.Context, a *app.App, yes bool) error {
	c, err := a.LoadConfig()
	if err != nil {
		return err
	}
	for _, w := range disk.Warnings(c.Library.Dir) {
		fmt.Fprintln(a.Err, "recall: warning:", w)
		if !yes && !a.Confirm(ctx, "Create the library there anyway?") {
			return hint.With(errors.New("no library created"),
				"name another folder: recall init --library DIR, or library.dir in config.yaml")
		}
	}
	l, made, err := a.CreateLibrary(ctx)
	if err != nil {
		return err
	}
	verb := "Found the library"
	if made {
		verb = "Created a library"
	}
	fmt.Fprintf(a.Out, "%s in %s\n", verb, l.Dir())
	start := time.Now()
	report, err := a.Sync(ctx, pipeline.Options{})
	if err != nil {
		if report.Bytes > 0 {
			a.PrintReport(report)
		}
		return err
	}
	p := a.Pipeline()
	for _, s := range p.Places() {
		fmt.Fprintf(a.Out, "Source: %s, %s\n", s.Source, s.Folder)
	}
	if report.Found == 0 && report.Skipped() {
		a.PrintReport(report)
		return cmp.Or(modelOf(ctx, a, yes), error(app.ExitCode(app.ExitPartial)))
	}
	if report.Found == 0 {
		fmt.Fprintln(a.Out, "No sessions found. If they are elsewhere: recall sync --from FOLDER. To see recall at "+
			"work: recall demo")
		return modelOf(ctx, a, yes)
	}
	fmt.Fprintf(a.Out, "Took %s: ", terminal.Elapsed(time.Since(start)))
	a.PrintReport(report)
	if err := tryOne(ctx, a); err != nil {
		return err
	}
	if err := modelOf(ctx, a, yes); err != nil {
		return err
	}
	if c, err = config.Load(a.Flags, a.ConfigFile, config.ThisSystem()); err != nil { // with the model just chosen
		return err
	}
	a.Form("next", c.Distill.Distiller)
	if report.Skipped() {
		return app.ExitCode(app.ExitPartial)
	}
	return nil
}

// modelOf sets up the model named by a flag, or names those found here. Settings in the file for the same provider stay
// unless a flag changes them.
func modelOf(ctx context.Context, a *app.App, yes bool) error {
	given := a.Flags.Changed
	if !given("provider") {
		for _, flag := range []string{"model", "url"} {
			if given(flag) {
				return hint.With(fmt.Errorf("--%s without --provider", flag), "add the provider it belongs to: --provider %s",
					strings.Join(config.Providers[1:], ", "))
			}
		}
		if yes {
			return nil
		}
		suggestModel(ctx, a)
		return nil
	}
	o := a.Config.LLM
	ch := choice{Provider: o.Provider}
	before, err := config.Load(nil, a.ConfigFile, config.ThisSystem())
	same := err == nil && before.LLM.Provider == o.Provider // keep the file's other settings
	for _, s := range []struct {
		flag string
		to   *string
		is   string
	}{{"model", &ch.Model, o.Model}, {"url", &ch.URL, o.URL}} {
		if same || given(s.flag) {
			*s.to = s.is
		}
	}
	a.Form("leaving", goesTo(with(a.Config, ch)))
	return useModel(ctx, a, ch)
}

// tryOne asks a question that one of the latest decisions answers, in the words in which it was asked or with its
// session's title. If none of them comes first, it prints nothing.
func tryOne(ctx context.Context, a *app.App) error {
	for _, question := range history.Questions(a.Lib, 10) {
		ans, err := a.Searched(ctx, question)
		if err != nil {
			return err
		}
		if ans.Verdict != answer.Answered {
			continue
		}
		if it := ans.Results[0].Item; it != nil && it.Kind == payload.Decision {
			fmt.Fprintf(a.Out, "\n$ recall query %q\n", question)
			a.Remember(question, last.Hits(ans.Results))
			p := a.Page()
			p.Answer(&ans)
			return nil
		}
	}
	return nil
}
