// Command recall-eval measures what recall distills and answers against gold sets. It is for developing recall; the
// installed program carries none of it.
//
//	go run ./eval/cmd/recall-eval payloads --gold DIR
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/config"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/eval"
	"recall/eval/report"
	"recall/internal/hint"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// exitWorse is the exit code when a baseline isn't reached any more; the others are recall's.
const exitWorse = 4

const long = `Compares what recall distills from sessions with what careful people wrote down
about them (a gold set), and its answers with the answers that people expect.
Without a gold set of your own it uses the bundled sample sessions.

Each measurement is a run: a JSON file with every figure and the items behind it.
Runs are kept in the user's cache directory unless --out names a file; report and
--baseline read them.

Exit codes: 0 done; 2 an error; 3 done, but some gold sessions were left out; 4
significantly worse than the baseline (--baseline).`

func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	said := &terminal.Output{W: out, Color: terminal.ColorOn(out)}
	a := &app.App{Console: terminal.Console{In: in, Out: said, Color: said.Color,
		Err: &terminal.Output{W: errOut}}}
	defer a.Close()
	root := &cobra.Command{Use: "recall-eval", Short: "Measure payloads and answers against gold sets", Long: long,
		Example: `  recall-eval payloads                          on the bundled gold set
  recall-eval questions --gold mine/gold --from mine/transcripts
  recall-eval judge                             how far a judge agrees with people
  recall-eval report --items                    what stands behind the last figures`,
		SilenceErrors: true, SilenceUsage: true,
		PersistentPreRun: func(cmd *cobra.Command, _ []string) { a.Flags = cmd.Flags() }}
	root.SetArgs(args)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.SetFlagErrorFunc(option.BadFlag)
	root.PersistentFlags().StringVar(&a.ConfigFile, "config", "", "configuration file")
	root.PersistentFlags().String("library", "", "the library's folder (library.dir)")
	config.SetsKey(root.PersistentFlags(), "library", "library.dir")
	root.AddCommand(payloadsCmd(a), questionsCmd(a), pagesCmd(a), deliveryCmd(a), judgeCmd(a), reportCmd(a))
	return exitCode(a, errors.Join(root.ExecuteContext(ctx), said.End()))
}

// exitCode prints an error with its hint and turns it into the exit code.
func exitCode(a *app.App, err error) int {
	var code app.ExitCode
	switch {
	case err == nil:
		return app.ExitOK
	case errors.As(err, &code):
		return int(code)
	}
	fmt.Fprintf(a.Err, "recall-eval: error: %s\n", terminal.Visible(err.Error()))
	a.SayHint(err)
	return app.ExitError
}

// tables prints on the standard output.
func tables(a *app.App) report.Tables {
	return report.Tables{W: a.Out, St: terminal.Styles(a.Color)}
}

func reportCmd(a *app.App) *cobra.Command {
	items := false
	cmd := &cobra.Command{Use: "report [RUN…]", Short: "Show runs as tables",
		Long: `Prints runs as tables. With --items it adds the details: for each session the gold
items next to the items found, with their quotes, or each question with its results.

Without RUN it reports on the runs in the user's cache directory. The newest 50 are
kept there; any of these files may be deleted.`,
		RunE: func(_ *cobra.Command, args []string) error { return printRuns(a, args, items) }}
	cmd.Flags().BoolVar(&items, "items", false, "list the items, or questions, behind the figures")
	return cmd
}

// printRuns prints the named runs, else the newest that are kept.
func printRuns(a *app.App, files []string, items bool) error {
	if len(files) == 0 {
		dir, err := app.RunsDir()
		if err != nil {
			return err
		}
		kept, err := eval.KeptRuns(dir)
		if err != nil {
			return err
		}
		if len(kept) == 0 {
			return hint.With(errors.New("there are no runs yet"), "recall-eval payloads makes one")
		}
		files = kept[max(0, len(kept)-atOnce):]
	}
	runs, err := eval.ReadRuns(files)
	if err != nil {
		return err
	}
	t := tables(a)
	for i, r := range runs {
		if i > 0 {
			fmt.Fprintln(a.Out)
		}
		t.Print(r.What, r)
		if items {
			t.Print("items", r)
		}
	}
	return nil
}

// atOnce limits how many kept runs a report covers: each is a megabyte.
const atOnce = 50
