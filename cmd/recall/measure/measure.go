// Package measure holds the commands that measure how well recall works.
package measure

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/eval"
	"recall/eval/report"
	"recall/internal/hint"
	"recall/internal/text"
)

// Commands are the commands that measure how well recall works.
var Commands = option.Makers{
	"eval": newEvalCmd, "vectors": newVectorsCmd,
}

// exitWorse is the exit code of eval when a baseline isn't reached any more.
const exitWorse = 4

func newEvalCmd(a *app.App) *cobra.Command {
	return option.Group("eval", newMeasureCmd(a, "eval-payloads", evalFlags{}, eval.Payloads),
		newMeasureCmd(a, "eval-questions", evalFlags{reranks: true}, eval.Questions),
		newEvalCompareCmd(a), newEvalJudgeCmd(a), newEvalReportCmd(a))
}

// tables prints on the standard output.
func tables(a *app.App) report.Tables {
	return report.Tables{W: a.Out, St: report.Style(terminal.Styles(a.Color))}
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
	return out, app.WriteWhole(out, data)
}

var notInFiles = text.Pattern(`[^A-Za-z0-9_+-]`)

func newEvalReportCmd(a *app.App) *cobra.Command {
	var o struct{ Items bool }
	return option.Do("eval-report", &o, func(_ context.Context, args []string) error {
		if len(args) == 0 {
			dir, err := app.RunsDir()
			if err != nil {
				return err
			}
			kept, err := eval.KeptRuns(dir)
			if err != nil {
				return err
			}
			if len(kept) == 0 {
				return hint.With(errors.New("there are no runs yet"), "recall eval payloads makes one")
			}
			args = kept[max(0, len(kept)-atOnce):]
		}
		runs, err := eval.ReadRuns(args)
		if err != nil {
			return err
		}
		t := tables(a)
		for i, r := range runs {
			if i > 0 {
				fmt.Fprintln(a.Out)
			}
			t.Print(r.What, r)
			if o.Items {
				t.Print("items", r)
			}
		}
		return nil
	})
}

// atOnce limits how many kept runs a report covers: each is a megabyte.
const atOnce = 50

func newEvalCompareCmd(a *app.App) *cobra.Command {
	return option.Result(a, "eval-compare", nil, func(_ context.Context, args []string) (*eval.Comparison, error) {
		runs, err := eval.ReadRuns(args)
		if err != nil {
			return nil, err
		}
		c, err := eval.Compare(runs[0], runs[1])
		if err != nil {
			return nil, hint.With(err, "compare two runs of one gold set, made by the same command")
		}
		return c, nil
	}, func(a *app.App, c *eval.Comparison) { tables(a).Print("comparison", c) })
}
