package measure

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/eval/report"
	"recall/hint"
)

func newEvalReportCmd(a *app.App) *cobra.Command {
	var asHTML bool
	var out string
	cmd := &cobra.Command{
		Use:   "report [RUN…]",
		Short: "Show runs, as tables or as one HTML page",
		Long: `Prints runs as tables, or writes one HTML page about them: plots, the history
over runs, and every session with gold and found items side by side, with their
evidence. The page needs no network and no script. It quotes the transcripts.

Without RUN it is about the runs that were kept in the user's cache directory,
the newest 50 of them; any of those files may be deleted.`,
		Example: `  recall eval report --html
  recall eval report before.json after.json --html --out report.html`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeRun,
		RunE: func(_ *cobra.Command, args []string) error {
			if out != "" && !asHTML {
				return hint.With(errors.New("--out is for the page"), "add --html")
			}
			return runEvalReport(a, args, asHTML, out)
		},
	}
	cmd.Flags().BoolVar(&asHTML, "html", false, "write one HTML page")
	cmd.Flags().StringVar(&out, "out", "", "the page's file (default: report.html in the user's cache directory)")
	cmd.MarkFlagFilename("out", "html")
	return cmd
}

// atOnce is how many kept runs a report is about at most: each is a megabyte.
const atOnce = 50

func runEvalReport(a *app.App, files []string, asHTML bool, out string) error {
	if len(files) == 0 {
		kept, err := keptRuns()
		if err != nil {
			return err
		}
		if len(kept) == 0 {
			return hint.With(errors.New("no run was kept yet"), "recall eval payloads makes one")
		}
		files = kept[max(0, len(kept)-atOnce):]
	}
	runs, err := readRuns(files)
	if err != nil {
		return err
	}
	if !asHTML {
		t := tables(a)
		for i, r := range runs {
			if i > 0 {
				fmt.Fprintln(a.Out)
			}
			if r.What == "questions" {
				t.Questions(r)
			} else {
				t.Payloads(r)
			}
		}
		return nil
	}
	var b bytes.Buffer
	if err := report.HTML(&b, runs); err != nil {
		return err
	}
	if out == "" {
		dir, err := app.RunsDir()
		if err != nil {
			return err
		}
		out = filepath.Join(dir, "report.html")
	}
	if err := app.WriteWhole(out, b.Bytes()); err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "%s about %s\n", out, answer.Count(len(runs), "run"))
	return nil
}
