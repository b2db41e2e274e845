package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"recall/answer"
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
	"recall/internal/text"
	"recall/library/disk"
	"recall/pipeline"
	"recall/prompts"
)

// Values of --judge.
const (
	judgeWords = "words"
	judgeModel = "model"
)

// flags are those of payloads, questions and pages; judge has some of them.
type flags struct {
	Gold                         []string
	From                         string
	Judge, Distiller, Rerank     string
	Relay, RelayModel            string
	Out, Baseline, WriteBaseline string
	Only                         []string // of questions: what to compare
}

func (f *flags) declareGold(fs *option.Flags) {
	fs.StringArrayVar(&f.Gold, "gold", nil, "folder of gold sets, one sub-folder per project; may be repeated")
	fs.StringVar(&f.Relay, "relay", "", "ask by files in this folder (docs/internals/relay.md) instead of llm.provider")
	fs.StringVar(&f.RelayModel, "relay-model", "", "what to call whoever answers there")
}

func (f *flags) declare(fs *option.Flags) {
	f.declareGold(fs)
	fs.StringVar(&f.From, "from", "", "folder with the transcripts (default: the library's)")
	fs.OneOf(&f.Judge, "judge", judgeWords, "what decides that two facts are the same: words or model", judgeWords,
		judgeModel)
	fs.StringVar(&f.Out, "out", "", "file for the run (default: one in the user's cache directory)")
	fs.StringVar(&f.Baseline, "baseline", "",
		"fail with exit code 4 if a figure is significantly worse than in this run or baseline")
	fs.StringVar(&f.WriteBaseline, "write-baseline", "",
		"write figures, ids and hashes, without any text, to this file for --baseline")
	fs.OneOf(&f.Distiller, "distiller", "", "what makes the payloads: offline or model (default: distill.distiller)",
		config.ByRules, config.ByModel)
}

type measuring func(context.Context, eval.Options) (*eval.Run, error)

// measuringCmd is a command that measures by something, and may have further flags.
func measuringCmd(a *app.App, use, short, long string, by measuring, more func(*option.Flags, *flags)) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Long: long + `

Without --gold it uses the bundled gold set on the bundled sample sessions. Without
--from, your own gold sets are compared with the transcripts in your library.`, Args: cobra.NoArgs}
	f := &flags{}
	fs := option.FlagsOf(cmd)
	f.declare(fs)
	more(fs, f)
	cmd.RunE = func(*cobra.Command, []string) error {
		r, err := measured(cmd.Context(), a, *f, by)
		if err != nil {
			return err
		}
		return evaluated(a, r, *f)
	}
	return cmd
}

func payloadsCmd(a *app.App) *cobra.Command {
	return measuringCmd(a, "payloads", "Measure distilled payloads against gold sets",
		`Distills every session that has a gold set and compares the items with what people
wrote down: precision, recall and F1 for each kind, with intervals, next to the
scores of three baselines: the last message, a compaction's summary, and the first
and last prompts.`, eval.Payloads, func(*option.Flags, *flags) {})
}

func pagesCmd(a *app.App) *cobra.Command {
	return measuringCmd(a, "pages", "Measure what reaches the page that a session hands on",
		`Distills every session that has a gold set, prints its page (payload.md) and compares
the lines with what people wrote down: how many of the must-know items a line says,
how many lines say something wanted, how many are misleading, and tokens. Beside it
stand the session's end with its commits and what was typed, and sentences drawn at
random, of as many tokens.`, eval.Pages, func(*option.Flags, *flags) {})
}

func questionsCmd(a *app.App) *cobra.Command {
	return measuringCmd(a, "questions", "Measure answers against the questions of gold sets",
		`Indexes the sessions, asks the questions of the gold sets (NAME.questions.json) and
reports the rank of the first expected item, next to BM25 over the raw messages and
to an oracle: recall's own search over the items that people wrote. What the oracle
misses is the search's fault; what the oracle finds and recall doesn't is the
distiller's. Items distilled by a model are also searched without the aliases that
it gave them.

--rerank model has the model look at the first fifty results of each question, as
query.rerank does; its answers are kept with the runs, and no question is asked
twice.`, eval.Questions, func(fs *option.Flags, f *flags) {
			fs.StringArrayVar(&f.Only, "only", nil, "what to compare, by its name in a run: oracle; may be repeated")
			fs.OneOf(&f.Rerank, "rerank", "", "model: it picks the results that answer; or off", "off",
				config.RerankModel)
		})
}

func measured(ctx context.Context, a *app.App, f flags, by measuring) (*eval.Run, error) {
	cfg, err := a.LoadConfig()
	if err != nil {
		return nil, err
	}
	set, err := goldSet(f.Gold)
	if err != nil {
		return nil, err
	}
	o := eval.Options{
		Gold: f.Gold, Distiller: offline.Distiller{}, Budget: cfg.Payload.Budget,
		Redact: func(s *ingest.Session) { pipeline.Redact(s) },
	}
	runs, err := app.RunsDir()
	if err != nil {
		return nil, err
	}
	o.Vectors = filepath.Join(runs, "vectors", text.Hash(set.Name, 6)+".f32")
	done, err := transcripts(ctx, a, f, set, &o)
	if err != nil {
		return nil, err
	}
	defer done()
	model, err := withModel(ctx, a, f, &o)
	if err != nil {
		return nil, err
	}
	if model != nil {
		defer model.tellAsked(a)
	}
	bar := terminal.NewProgress(a.Err)
	o.Only = f.Only
	o.Progress = func(done, total int, what string) {
		bar.Show(pipeline.Progress{Stage: text.Clip(terminal.Line(what), 24), Done: done, Total: total})
	}
	r, err := by(ctx, o)
	bar.Done()
	if err != nil {
		return nil, badGold(err)
	}
	r.Recall, r.Revision, r.Command = app.VersionText(), revision(), append([]string{"recall-eval"}, os.Args[1:]...)
	r.Config["redaction"], r.Config["distiller"] = redact.Version(), cmp.Or(f.Distiller, cfg.Distill.Distiller)
	if o.SecondLook != nil {
		r.Config["rerank"] = model.Name() + " " + prompts.Version(prompts.Rerank.Text())
	}
	return r, nil
}

// withModel sets up the model to distill, judge and look again, if that is wanted.
func withModel(ctx context.Context, a *app.App, f flags, o *eval.Options) (*asked, error) {
	distills := cmp.Or(f.Distiller, a.Config.Distill.Distiller) == config.ByModel
	reranks, judges := f.Rerank == config.RerankModel, f.Judge == judgeModel
	if !distills && !judges && !reranks {
		return nil, nil
	}
	m, err := openModel(ctx, a, f)
	if err != nil {
		return nil, err
	}
	o.AtOnce = m.patience.AtOnce
	if judges {
		o.Judge = m.judging()
	}
	if reranks {
		o.SecondLook = m.secondLook()
	}
	if distills {
		o.Model, o.Spent, o.Distiller = m.Name(), m.purse.Of, m.distiller(a.Config)
	}
	return m, nil
}

func evaluated(a *app.App, r *eval.Run, f flags) error {
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
	tables(a).Print(r.What, r)
	fmt.Fprintf(a.Out, "\nThe run, with the items behind each figure: %s\n"+
		"To read them: recall-eval report %s --items\n", file, escape.Shell(file))
	if base != nil {
		held, err := gate(a, base, r, f.Baseline)
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
			err = disk.Replace(f.WriteBaseline, data, 0o600)
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(a.Out, "Baseline: %s\n", f.WriteBaseline)
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

func gate(a *app.App, base, r *eval.Run, file string) (held bool, err error) {
	g, err := eval.NewGate(base, r)
	if err != nil {
		return false, hint.With(err, "if the gold sets changed on purpose, --write-baseline %s makes a new one", file)
	}
	st := terminal.Styles(a.Color)
	fmt.Fprintln(a.Out)
	for _, note := range g.Comparison.Notes {
		fmt.Fprintf(a.Out, "note: %s\n", note)
	}
	if g.Holds() {
		fmt.Fprintf(a.Out, "%sreaches the baseline%s of %s (%s)\n", st.Green, st.Reset,
			base.At.Local().Format("2006-01-02"), report.Changes(g.Comparison))
		return true, nil
	}
	fmt.Fprintf(a.Out, "%sworse than the baseline%s of %s, %s:\n", st.Red, st.Reset,
		base.At.Local().Format("2006-01-02"), file)
	tables(a).Print("differences", g.Dropped)
	return false, nil
}

// keepRun writes a run to the given file, or to a new one in the cache.
func keepRun(r *eval.Run, out string) (file string, err error) {
	data, err := eval.EncodeRun(r)
	if err != nil {
		return "", err
	}
	if out == "" {
		dir, err := app.RunsDir()
		if err != nil {
			return "", err
		}
		name := fmt.Sprintf("%s-%s-%s", r.At.UTC().Format("20060102T150405Z"), r.What,
			notInFiles().ReplaceAllString(r.Gold.Name, "_"))
		out = app.FreeName(filepath.Join(dir, name), ".json", string(data)) // two runs can fall in the same second
	}
	return out, disk.Replace(out, data, 0o600)
}

var notInFiles = text.Pattern(`[^A-Za-z0-9_+-]`)

// revision returns the source's revision, with a "+" if the source was modified; "" if it isn't known.
func revision() string {
	_, built := app.BuildInfo()
	rev := built["vcs.revision"]
	rev = rev[:min(len(rev), 12)]
	if rev != "" && built["vcs.modified"] == "true" {
		rev += "+"
	}
	return rev
}
