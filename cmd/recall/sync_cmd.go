package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/index"
	"recall/ingest"
	"recall/library"
	"recall/pipeline"
)

func (a *app) syncCmd() *cobra.Command {
	var from []string
	var asJSON, watch, dryRun, live, noModel bool
	cmd := &cobra.Command{
		Use:     "sync",
		Short:   "Archive, distill and index what is new",
		GroupID: "keep",
		Long: `Finds the sessions of Claude Code and Cowork, archives those that are new or
grew byte for byte, then distills and indexes them. Running it again does
nothing; cut off, it goes on where it was. A session that can't be read is
reported and skipped: the exit code is then 3. Bytes come first: where the index
can't be written to, all is archived, and the exit code is 2.

Where a model is configured (llm.provider), it is asked about the sessions that
are new or grew, when all is safe and distilled by rules: those in which nothing
was said for half an hour (distill.quiet), and that say enough. What it can't
answer now waits for the next time. --dry-run tells what it would be asked and
what that would cost, and does nothing.

With --watch it goes on until it is stopped: what is written is archived within
seconds, and a session is distilled when it was quiet for ten minutes.`,
		Example: `  recall sync
  recall sync --dry-run
  recall sync --watch
  recall sync --from ~/old-laptop/.claude/projects`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if watch {
				return a.watch(cmd.Context())
			}
			if dryRun {
				return a.dryRun(cmd.Context(), from, live, asJSON)
			}
			report, err := a.sync(cmd.Context(), pipeline.Options{From: from})
			if err != nil {
				doc := syncReport{Report: report}
				doc.Error = shownPath(err.Error())
				switch {
				case asJSON:
					err = firstOf(err, a.printJSON(doc))
				case report.Bytes > 0: // they are safe, whatever else went wrong
					a.printReport(report)
				}
				return err
			}
			if !asJSON { // the model may take its time
				a.printReport(report)
				if report.Found == 0 && len(from) == 0 {
					a.printOnlyHere()
				}
			}
			var asked *modelReport
			if !noModel {
				var problems []ingest.Problem
				asked, problems, err = a.improve(cmd.Context(), a.lib, a.dueFor(live), false)
				report.Problems = append(report.Problems, problems...)
				if !asJSON {
					a.printModel(asked)
					a.printProblems(problems)
				}
			}
			if asJSON {
				doc := syncReport{Report: report}
				if doc.Model = asked; asked != nil {
					doc.Improved, doc.Queued = asked.Improved, asked.Waiting+asked.Pending+asked.Resting
				}
				err = firstOf(err, a.printJSON(doc))
			}
			if err == nil && report.Skipped() {
				err = exitCode(exitPartial)
			}
			return err
		},
	}
	cmd.Flags().StringArrayVar(&from, "from", nil, "take in this file or folder instead of the usual places (repeatable)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	cmd.Flags().BoolVar(&watch, "watch", false, "go on: archive what is written within seconds, until stopped")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "tell what a model would be asked and what it would cost; do nothing")
	cmd.Flags().BoolVar(&live, "live", false, "ask the model also about sessions that are going on")
	cmd.Flags().BoolVar(&noModel, "no-model", false, "ask no model")
	cmd.MarkFlagsMutuallyExclusive("dry-run", "watch", "no-model")
	cmd.MarkFlagsMutuallyExclusive("live", "no-model")
	cmd.MarkFlagsMutuallyExclusive("watch", "live")
	cmd.MarkFlagsMutuallyExclusive("watch", "json")
	cmd.MarkFlagsMutuallyExclusive("watch", "from")
	return cmd
}

// dryRun prints what a sync would ask of the model.
func (a *app) dryRun(ctx context.Context, from []string, live, asJSON bool) error {
	l, err := a.library(ctx)
	if err != nil {
		return err
	}
	doc, err := a.foresee(ctx, l, from, a.dueFor(live), false)
	if err != nil {
		return err
	}
	if asJSON {
		return a.printJSON(doc)
	}
	a.printForeseen(doc)
	return nil
}

// sync takes in what is new, into a library that is made if there is none.
func (a *app) sync(ctx context.Context, o pipeline.Options) (pipeline.Report, error) {
	l, err := a.libraryToFill(ctx, o.From)
	if err != nil {
		return pipeline.Report{}, err
	}
	report, err := a.takeIn(ctx, l, o)
	if err == nil && len(o.From) > 0 && report.Found == 0 && !report.Skipped() {
		err = noSession(strings.Join(o.From, ", "))
	}
	return report, err
}

// noSuchFile says plainly that a file which was named isn't there.
func noSuchFile(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return withHint(fmt.Errorf("%s: no such file or folder", name), "give the path of a transcript or of a folder with transcripts")
	}
	return fmt.Errorf("%s: %w", name, err)
}

func noSession(where string) error {
	return withHint(fmt.Errorf("%s: no session found there", where), "a session is a .jsonl file of Claude Code, or a local_….json of Cowork with its folder")
}

// takeIn syncs a library. Damage of the index that shows only when it is written
// has it made again, as what shows when it is opened does.
func (a *app) takeIn(ctx context.Context, l *library.Library, o pipeline.Options) (pipeline.Report, error) {
	report, err := a.takeInOnce(ctx, l, o)
	if !errors.Is(err, index.ErrRebuild) || a.ix == nil {
		return report, err
	}
	a.sayDamaged(err)
	if err := a.removeIndex(l); err != nil {
		return report, err
	}
	return a.takeInOnce(ctx, l, o)
}

func (a *app) takeInOnce(ctx context.Context, l *library.Library, o pipeline.Options) (pipeline.Report, error) {
	p, err := a.indexer(l)
	if err != nil {
		return a.bytesOnly(ctx, l, o, err)
	}
	bar := newProgress(a.err)
	p.Progress = bar.show
	report, err := p.Sync(ctx, o)
	a.until = report.Until
	bar.done()
	if err == nil && (report.Distilled > 0 || o.Budget == 0) { // a question waits for no page that can't have changed
		a.keepPages(l)
	}
	return report, err
}

// indexer is a pipeline with its index open, that takes in all if that is empty.
func (a *app) indexer(l *library.Library) (*pipeline.Pipeline, error) {
	fresh, err := a.index(l)
	if err != nil {
		return nil, err
	}
	p, err := a.pipeline(l)
	if err == nil && fresh {
		err = p.Forget()
	}
	return p, err
}

// bytesOnly makes new bytes safe where no index can be had: a fault of what may
// be lost costs nothing that may not.
func (a *app) bytesOnly(ctx context.Context, l *library.Library, o pipeline.Options, fault error) (pipeline.Report, error) {
	if o.Reindex || o.Only != "" || errors.Is(fault, index.ErrRebuild) {
		return pipeline.Report{}, fault
	}
	r, err := a.archiver(l).Archive(ctx, pipeline.ArchiveOptions{From: o.From})
	return r, errors.Join(fault, err)
}

func (a *app) warnPlace(l *library.Library) {
	for _, w := range library.Warnings(l.Dir()) {
		fmt.Fprintln(a.err, "recall: warning:", w)
	}
}

// printOnlyHere says, where no source has a session any more, what is kept.
func (a *app) printOnlyHere() {
	if all, err := a.lib.Sessions(); err == nil && len(all) > 0 {
		fmt.Fprintf(a.out, "no source is there any more: %s kept, only here\n", count(len(all), "session"))
	}
}

// printReport says in one line what was done, and lists what wasn't.
func (a *app) printReport(r pipeline.Report) {
	parts := []string{}
	if r.Found > 0 {
		parts = append(parts, count(r.Found, "session")+" found")
	}
	for _, p := range []struct {
		n    int
		what string
	}{{r.New, "new"}, {r.Grown, "grown"}, {r.Distilled, "distilled"}, {r.Edited, "edited by hand"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	if r.New+r.Grown+r.Distilled == 0 {
		parts = append(parts, "nothing new")
	}
	if r.Bytes > 0 {
		parts = append(parts, size(r.Bytes)+" archived")
	}
	if r.Left > 0 {
		parts = append(parts, fmt.Sprintf("%d left for the next time", r.Left))
	}
	if len(r.Problems) > 0 {
		parts = append(parts, fmt.Sprintf("%d skipped", len(r.Problems)))
	}
	fmt.Fprintln(a.out, strings.Join(parts, ", "))
	if wait := time.Until(r.Until); wait > 0 {
		fmt.Fprintf(a.out, "a large session goes on: its new bytes are archived, its payload is made again in %s at the earliest (recall sync --from FILE makes it now)\n", wait.Round(time.Second))
	}
	a.printUnread(r.Unread)
	a.printExpiring(r)
	a.printProblems(r.Problems)
}

// printExpiring tells what the client will delete by itself.
func (a *app) printExpiring(r pipeline.Report) {
	if r.Expiring > 0 {
		safe := "safe in the library"
		if r.Unsafe > 0 {
			safe = fmt.Sprintf("%d NOT archived yet", r.Unsafe)
		}
		fmt.Fprintf(a.out, "Claude Code will delete %s within 7 days (cleanupPeriodDays): %s\n", count(r.Expiring, "transcript"), safe)
	}
}

// printUnread tells of lines that could not be read, and where the first are.
func (a *app) printUnread(list []pipeline.Unread) {
	lines := 0
	for _, u := range list {
		lines += u.Lines
	}
	if lines == 0 {
		return
	}
	fmt.Fprintf(a.out, "%s of %s could not be read; all their bytes are kept:\n", count(lines, "line"), count(len(list), "session"))
	const most = 5
	for i, u := range list {
		if i == most {
			fmt.Fprintf(a.out, "  … and %d more sessions; --json lists all\n", len(list)-most)
			return
		}
		fmt.Fprintf(a.out, "  %s:%d: %s", oneLine(shownPath(u.Path)), u.Line, oneLine(u.Reason))
		if u.Lines > 1 {
			fmt.Fprintf(a.out, " (and %d more)", u.Lines-1)
		}
		fmt.Fprintln(a.out)
	}
}

func (a *app) printProblems(problems []ingest.Problem) {
	const most = 20
	for i, p := range problems {
		if i == most {
			fmt.Fprintf(a.err, "recall: … and %d more; --json lists all\n", len(problems)-most)
			return
		}
		fmt.Fprintf(a.err, "recall: skipped: %s: %s\n", oneLine(shownPath(p.Path)), oneLine(shownPath(reason(p))))
	}
}

// reason is why something was skipped, without its path, which the system's
// errors say again.
func reason(p ingest.Problem) string {
	if op, why, ok := strings.Cut(p.Reason, " "+p.Path+": "); ok && !strings.ContainsAny(op, " :") {
		return why
	}
	return p.Reason
}

// size writes bytes as people do.
func size(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%d KB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// syncReport is the JSON form of a sync's report.
type syncReport struct {
	pipeline.Report
	Improved int          `json:"improved"`        // sessions with a model's payload since
	Queued   int          `json:"queued"`          // sessions that wait for the model, or for its answers
	Model    *modelReport `json:"model,omitempty"` // what asking it came to; not there where none is asked
	Error    string       `json:"error,omitempty"` // what ended the run, where it didn't come to its end
}

// elapsed rounds a time for people.
func elapsed(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(100 * time.Millisecond).String()
}
