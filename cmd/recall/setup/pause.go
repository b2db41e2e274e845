package setup

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"recall/cmd/recall/app"
	"recall/config"
	"recall/hint"
	"recall/ingest"
	"recall/library"
	"recall/pipeline"
)

// runPause begins a pause of so long, or until somebody ends it; or ends the last one, and with keep takes it back.
func runPause(ctx context.Context, a *app.App, args []string, resume, keep bool) error {
	var long time.Duration
	if len(args) > 0 {
		var err error
		if long, err = ingest.ParseLong(args[0]); err != nil {
			return hint.With(fmt.Errorf("setup: %q is no time to pause for", args[0]), "30m, 2h or 3d")
		}
	}
	c, err := a.LoadConfig()
	if err != nil {
		return err
	}
	if c.Environment("sources.pauses") {
		return hint.With(errors.New("the pauses are set by RECALL_SOURCES_PAUSES"), "unset it, or change it there")
	}
	all, err := ingest.ParsePeriods(c.Sources.Pauses)
	if err != nil {
		return err
	}
	now := time.Now().UTC().Truncate(time.Millisecond)
	last := len(all) - 1
	running := last >= 0 && all[last].Holds(now)
	said, missed := "", error(nil)
	switch {
	case resume && !running && !(keep && last >= 0):
		return hint.With(errors.New("recall isn't paused"), "recall status shows what is left out")
	case resume && keep:
		all, said = all[:last], "goes on; the next sync takes in what the last pause left out"
	case resume:
		all[last].Until = now.Add(time.Millisecond)
		said = "goes on; what was said in the pause stays out (recall setup --resume --keep takes it in)"
	default:
		if !running {
			if missed = takeInFirst(ctx, a); missed != nil && !errors.As(missed, new(app.ExitCode)) {
				return missed
			}
			now = time.Now().UTC().Truncate(time.Millisecond)
			all, last = append(all, ingest.Period{From: now}), last+1
		}
		all[last].Until = time.Time{}
		until := "recall setup --resume"
		if long > 0 {
			all[last].Until = now.Add(long)
			until = all[last].Until.Local().Format("2006-01-02 15:04") + ", or " + until
		}
		said = "is paused until " + until + ": nothing that is said meanwhile is kept"
	}
	at := config.ThisSystem()
	file, err := c.OwnConfig(at)
	if err != nil {
		return err
	}
	var words []string
	for _, p := range all {
		words = append(words, p.String())
	}
	if err := config.WriteConfig(file, []config.Written{{Key: "sources.pauses", Value: strings.Join(words, " ")}},
		at); err != nil {
		return err
	}
	fmt.Fprintln(a.Out, "recall", said)
	return missed
}

// takeInFirst takes in what was said before a pause: afterwards it couldn't be told apart. Where that can't be all
// taken in the pause begins nevertheless, since it is what is asked for, and the error is an app.ExitCode.
func takeInFirst(ctx context.Context, a *app.App) error {
	l, err := a.Library(ctx)
	if errors.Is(err, library.ErrNoLibrary) {
		return nil
	}
	var r pipeline.Report
	if err == nil {
		r, err = a.TakeIn(ctx, l, pipeline.Options{})
	}
	a.PrintProblems(r.Problems)
	if err == nil && len(r.Problems)+r.Left > 0 {
		fmt.Fprintln(a.Err, "recall: warning: not all that was said before the pause is taken in: mend that, then "+
			"recall setup --resume --keep, recall sync, and pause again")
		err = app.ExitCode(app.ExitPartial)
	}
	return err
}
