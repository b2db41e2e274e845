package setup

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/hint"
	"recall/schedule"
	txt "recall/text"
)

// newScheduledCmd is what a scheduler calls: one of recall's own commands, with a
// log in the place of a terminal. Nobody calls it by hand.
func newScheduledCmd(a *app.App) *cobra.Command {
	var o struct{ CatchUp string }
	return option.Do("scheduled", &o, func(ctx context.Context, args []string) error {
		if !slices.ContainsFunc(schedule.Jobs, func(j schedule.Job) bool { return j.Name == args[0] }) {
			return hint.With(fmt.Errorf("%q is no job", args[0]), "recall schedule install sets them up")
		}
		dir, err := schedule.Folder()
		if err != nil {
			return err
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		code, err := runScheduled(ctx, a, dir, args[0])
		if err == nil && o.CatchUp != "" {
			err = runCatchUp(ctx, a, dir, o.CatchUp)
		}
		if err == nil && code != app.ExitOK {
			err = app.ExitCode(code)
		}
		return err
	})
}

// runCatchUp runs the nightly job where the machine was off at its time.
func runCatchUp(ctx context.Context, a *app.App, dir, at string) error {
	clock, err := schedule.ParseClock(at)
	if err != nil {
		return err
	}
	if last, ok := schedule.Last(dir, "sync"); ok && !last.At.Before(clock.Last(time.Now()).Add(-time.Minute)) {
		return nil
	}
	_, err = runScheduled(ctx, a, dir, "sync")
	return err
}

// runScheduled runs a job, unless it is still at work since the last time.
func runScheduled(ctx context.Context, a *app.App, dir, job string) (int, error) {
	lock := flock.New(filepath.Join(dir, job+".lock"), flock.SetPermissions(0o600))
	ok, err := lock.TryLock()
	if err != nil {
		return app.ExitError, err
	}
	if !ok {
		return app.ExitOK, schedule.Log(dir, job, time.Now().UTC().Format(time.RFC3339)+
			" the run before is still at work")
	}
	defer lock.Unlock()
	var out, errOut bytes.Buffer
	start := time.Now()
	code := a.Again(ctx, append(a.Given(), job), strings.NewReader(""), &out, &errOut)
	did := strings.ReplaceAll(strings.TrimSpace(terminal.Visible(out.String())), "\n", "; ")
	r := schedule.Run{Job: job, At: start.UTC().Truncate(time.Second), MS: time.Since(start).Milliseconds(), Exit: code,
		Did: cmp.Or(txt.Clip(did, 300), "nothing")}
	if errOut.Len() > 0 {
		r.Error = txt.Clip(terminal.Line(errOut.String()), 1000)
	}
	return code, schedule.Keep(dir, r)
}

func newScheduleStatusCmd(a *app.App) *cobra.Command {
	return option.Result(a, "schedule-status", nil, func(ctx context.Context, _ []string) (schedule.Status, error) {
		s, err := schedule.Look(ctx)
		switch {
		case err != nil:
			return s, hint.With(err, "set HOME: the jobs and their logs are kept below it")
		case !s.Installed:
			return s, app.ExitCode(app.ExitNothing)
		}
		return s, nil
	}, func(a *app.App, s schedule.Status) { a.Form("schedule", s) })
}
