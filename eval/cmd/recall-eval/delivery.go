package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/eval/delivery"
	"recall/internal/hint"
)

// deliveryFlags are those of delivery.
type deliveryFlags struct {
	Tasks, Program          string
	Baseline, WriteBaseline string
	Notes                   bool
}

// deliveries are the figures of the projects each alone, and of all sessions in one project.
type deliveries struct {
	Alone   *delivery.Figures `json:"alone"`
	Crowded *delivery.Figures `json:"crowded"`
}

func deliveryCmd(a *app.App) *cobra.Command {
	var f deliveryFlags
	cmd := &cobra.Command{Use: "delivery", Short: "Measure what sessions are told before they begin",
		Long: `Gives the program earlier sessions, starts a session and sends it a prompt, by the
hooks that Claude Code calls. Counts the tasks whose session is told what matters at
its start, at its prompt, or in the first three results of a query of the prompt;
those told what is false; and the prompts on which nothing bears that are told
something all the same.

The projects are measured each alone, then with all sessions in one project.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return measureDelivery(cmd.Context(), a, f) }}
	s := cmd.Flags()
	s.StringVar(&f.Tasks, "tasks", "eval/testdata/delivery", "folder of projects")
	s.StringVar(&f.Program, "program", "", "the recall to measure (default: built from here)")
	s.StringVar(&f.Baseline, "baseline", "", "fail with exit code 4 if a figure is worse than in this file")
	s.StringVar(&f.WriteBaseline, "write-baseline", "", "write the figures to this file")
	s.BoolVar(&f.Notes, "notes", false, "also print what was said at each prompt")
	return cmd
}

func measureDelivery(ctx context.Context, a *app.App, f deliveryFlags) error {
	projects, err := delivery.Read(f.Tasks)
	if err != nil {
		return hint.With(err, "run it in the repository's folder, or name one with --tasks")
	}
	if f.Program == "" {
		dir, err := os.MkdirTemp("", "recall-program-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		f.Program = filepath.Join(dir, "recall")
		build := exec.CommandContext(ctx, "go", "build", "-o", f.Program, "recall/cmd/recall")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("build recall: %w\n%s", err, out)
		}
	}
	var d deliveries
	if d.Alone, err = delivery.Measure(ctx, f.Program, projects); err != nil {
		return err
	}
	if d.Crowded, err = delivery.Measure(ctx, f.Program, delivery.Crowded(projects)); err != nil {
		return err
	}
	printDelivery(a, "each project alone", d.Alone, f.Notes)
	printDelivery(a, "all in one project", d.Crowded, f.Notes)
	return d.keep(a, f)
}

// keep writes the figures as a baseline, or compares them with one.
func (d *deliveries) keep(a *app.App, f deliveryFlags) error {
	if f.WriteBaseline != "" {
		text, err := json.MarshalIndent(d, "", "\t")
		if err != nil {
			return err
		}
		return os.WriteFile(f.WriteBaseline, append(text, '\n'), 0o644)
	}
	if f.Baseline == "" {
		return nil
	}
	var base deliveries
	text, err := os.ReadFile(f.Baseline)
	if err == nil {
		err = json.Unmarshal(text, &base)
	}
	if err != nil {
		return hint.With(err, "--write-baseline %s creates one", f.Baseline)
	}
	worse := append(d.Alone.Worse(base.Alone), d.Crowded.Worse(base.Crowded)...)
	for _, line := range worse {
		fmt.Fprintln(a.Err, "recall-eval: worse than the baseline:", line)
	}
	if len(worse) > 0 {
		return app.ExitCode(exitWorse)
	}
	return nil
}

func printDelivery(a *app.App, title string, f *delivery.Figures, notes bool) {
	fmt.Fprintf(a.Out, "%s: %d tasks\n  start %d   prompt %d   start or prompt %d   first three results %d   never %d   false %d\n",
		title, f.Tasks, f.Start, f.Prompt, f.Either, f.Query, f.Never, f.False)
	fmt.Fprintf(a.Out, "  of %d innocent prompts: %d warned, %d told something\n", f.Innocent, f.Warned, f.Noted)
	fmt.Fprintf(a.Out, "  tokens: start %d, note %d, longest note without a claim %d\n", f.StartTokens, f.NoteTokens,
		f.LongestNote)
	mark := map[bool]string{true: "x", false: "·"}
	for _, o := range f.Outcomes {
		fmt.Fprintf(a.Out, "    %s %s %s %s %s\n", mark[o.Start], mark[o.Prompt], mark[o.Query], o.Task,
			map[bool]string{true: "FALSE"}[o.False])
		if notes && o.Note != "" {
			fmt.Fprintln(a.Out, o.Note)
		}
	}
	for _, prompt := range f.Loud {
		fmt.Fprintf(a.Out, "    told something: %s\n", prompt)
	}
}
