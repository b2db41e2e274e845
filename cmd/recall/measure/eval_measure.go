package measure

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/answer/compose"
	"recall/cmd/recall/app"
	"recall/cmd/recall/config"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/distill/offline"
	"recall/eval"
	"recall/eval/report"
	"recall/ingest"
	"recall/internal/escape"
	"recall/internal/hint"
	"recall/internal/redact"
	txt "recall/internal/text"
	"recall/pipeline"
)

type evalFlags struct {
	Gold                         []string
	From, Judge                  string
	Out, Baseline, WriteBaseline string
	Only                         []string // for eval questions: what to compare
	JSON                         bool

	reranks bool
}

type measuring func(context.Context, eval.Options) (*eval.Run, error)

func newMeasureCmd(a *app.App, name string, f evalFlags, measure measuring) *cobra.Command {
	cmd := option.Do(name, &f, func(ctx context.Context, _ []string) error {
		r, err := measured(ctx, a, f, measure)
		if err != nil {
			return err
		}
		return evaluated(a, r, f)
	})
	cmd.RegisterFlagCompletionFunc("distiller",
		cobra.FixedCompletions([]string{config.ByRules, config.ByModel}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func measured(ctx context.Context, a *app.App, f evalFlags, measure measuring) (*eval.Run, error) {
	cfg, err := a.LoadConfig()
	if err != nil {
		return nil, err
	}
	rules := redact.New()
	set, err := goldSet(f.Gold)
	if err != nil {
		return nil, err
	}
	o := eval.Options{
		Gold: f.Gold, Distiller: offline.Distiller{}, Budget: cfg.Payload.Budget,
		Redact: func(s *ingest.Session) { pipeline.Redact(rules, s) },
	}
	done, err := transcripts(ctx, a, f, set, &o)
	if err != nil {
		return nil, err
	}
	defer done()
	asked, err := evalWithModel(ctx, a, f, rules, &o)
	if err != nil {
		return nil, err
	}
	bar := terminal.NewProgress(a.Err)
	o.Only = f.Only
	o.Progress = func(done, total int, what string) {
		bar.Show(pipeline.Progress{Stage: txt.Clip(terminal.Line(what), 24), Done: done, Total: total})
	}
	r, err := measure(ctx, o)
	bar.Done()
	tellAsked(a, asked)
	if err != nil {
		return nil, badGold(err)
	}
	r.Recall, r.Revision, r.Command = app.VersionText(), app.Revision(), append([]string{"recall"}, os.Args[1:]...)
	r.Config["redaction"], r.Config["distiller"] = rules.Version(), cfg.Distill.Distiller
	if o.SecondLook != nil {
		r.Config["rerank"] = asked.Name() + " " + compose.Versions()
	}
	return r, nil
}

// evalWithModel sets up the configured model to distill and judge, if wanted.
func evalWithModel(ctx context.Context, a *app.App, f evalFlags, rules *redact.Rules,
	o *eval.Options) (*evalModel, error) {
	distills, reranks := a.Config.Distill.Distiller == config.ByModel, f.reranks &&
		a.Config.Query.Rerank == config.RerankModel
	if !distills && f.Judge != judgeModel && !reranks {
		return nil, nil
	}
	m, err := openEvalModel(ctx, a)
	if err != nil {
		return nil, err
	}
	o.AtOnce = a.Config.Patience().AtOnce
	if f.Judge == judgeModel {
		o.Judge = m.judging(rules)
	}
	if reranks {
		o.SecondLook = m.secondLook(rules)
	}
	if distills {
		o.Model, o.Spent = m.Name(), m.purse.Of
		o.Distiller, err = a.DistillingBy(m)
	}
	return m, err
}

func evaluated(a *app.App, r *eval.Run, f evalFlags) error {
	var base *eval.Run
	if f.Baseline != "" {
		var err error
		if base, err = eval.ReadRun(f.Baseline); err != nil {
			return hint.With(err, "--write-baseline %s creates one", f.Baseline)
		}
	}
	file, err := keepRun(r, f.Out)
	if err != nil {
		return err
	}
	say := a.Out
	if f.JSON {
		say = a.Err
		err = a.PrintJSON(r)
	} else {
		tables(a).Print(r.What, r)
		fmt.Fprintf(a.Out, "\nThe run, with the items behind each figure: %s\n"+
			"To read them: recall eval report %s --items\n", file, escape.Shell(file))
	}
	if err != nil {
		return err
	}
	if base != nil {
		held, err := gate(a, say, base, r, f.Baseline)
		if err != nil {
			return err
		}
		if !held {
			return app.ExitCode(exitWorse)
		}
	}
	if f.WriteBaseline != "" {
		data, err := eval.EncodeBaseline(r)
		if err == nil {
			err = app.WriteWhole(f.WriteBaseline, data)
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(say, "Baseline: %s\n", f.WriteBaseline)
	}
	for _, p := range r.Problems {
		fmt.Fprintf(a.Err, "recall: %s\n", terminal.Line(p.String()))
	}
	if len(r.Missing) > 0 {
		fmt.Fprintf(a.Err, "recall: %s of the gold sets left out\n", answer.Count(len(r.Missing), "session"))
		return app.ExitCode(app.ExitPartial)
	}
	return nil
}

func gate(a *app.App, w io.Writer, base, r *eval.Run, file string) (held bool, err error) {
	g, err := eval.NewGate(base, r)
	if err != nil {
		return false, hint.With(err, "if the gold sets changed on purpose, --write-baseline %s makes a new one", file)
	}
	st := terminal.Styles(a.Color)
	fmt.Fprintln(w)
	for _, note := range g.Comparison.Notes {
		fmt.Fprintf(w, "note: %s\n", note)
	}
	if g.Holds() {
		fmt.Fprintf(w, "%sreaches the baseline%s of %s (%s)\n", st.Green, st.Reset,
			base.At.Local().Format("2006-01-02"), report.Changes(g.Comparison))
		return true, nil
	}
	fmt.Fprintf(w, "%sworse than the baseline%s of %s, %s:\n", st.Red, st.Reset, base.At.Local().Format("2006-01-02"),
		file)
	report.Tables{W: w, St: report.Style(st)}.Print("differences", g.Dropped)
	return false, nil
}
