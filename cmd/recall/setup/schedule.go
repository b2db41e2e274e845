package setup

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/config"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/internal/hint"
	"recall/internal/schedule"
	txt "recall/internal/text"
)

// installJobs sets up the jobs and has the scheduler run each once, or shows what would be set up.
func installJobs(ctx context.Context, a *app.App, at schedule.Clock, dryRun bool) error {
	if err := a.Lib.ReadOnly(); err != nil && !dryRun {
		return err
	}
	p, err := plan(a, at, a.Lib.Dir())
	if err != nil {
		return err
	}
	h, err := schedule.Here(ctx)
	if errors.Is(err, schedule.ErrNoScheduler) {
		return hint.With(err, "install cron, or have another scheduler run recall archive every ten minutes and "+
			"recall sync every night")
	}
	if err != nil {
		return err
	}
	if dryRun {
		return showPlan(ctx, a, h, p)
	}
	return install(ctx, a, h, p)
}

// plan describes what to run: this program, with this configuration.
func plan(a *app.App, at schedule.Clock, library string) (schedule.Plan, error) {
	binary, err := app.Self()
	if err != nil {
		return schedule.Plan{}, err
	}
	if strings.Contains(filepath.ToSlash(binary), "/go-build") {
		return schedule.Plan{}, hint.With(errors.New("this recall is in a temporary folder"),
			"go install ./cmd/recall installs one permanently")
	}
	p := schedule.Plan{Binary: binary, Config: a.Config.File, Env: jobEnvironment(os.Environ()), At: at}
	if u, err := user.Current(); err == nil && runtime.GOOS == "windows" {
		p.User = u.Username
	}
	if p.Library, err = filepath.Abs(library); err != nil {
		return p, err
	}
	return p, p.Check()
}

func showPlan(ctx context.Context, a *app.App, h schedule.Host, p schedule.Plan) error {
	files, err := h.Files(ctx, p)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "# %s: nothing was written\n", h.System)
	for _, f := range files {
		fmt.Fprintf(a.Out, "\n--- %s\n%s", f.Name, f.Text)
	}
	return nil
}

func install(ctx context.Context, a *app.App, h schedule.Host, p schedule.Plan) error {
	if err := h.Install(ctx, p); err != nil {
		return hint.With(err,
			"recall setup --remove undoes what was set up; recall setup --dry-run shows what would be")
	}
	fmt.Fprintf(a.Out, "set up with %s: archive every 10 minutes, sync at %s every night, next %s\n", h.System, p.At,
		p.At.Next(time.Now()).Format("2006-01-02 15:04"))
	dir, err := schedule.Folder()
	if err == nil {
		err = schedule.KeepClock(dir, p.At)
	}
	if err != nil {
		return err
	}
	failed := false
	for _, j := range schedule.Jobs {
		begun := time.Now().Truncate(time.Second)
		if err := h.Start(ctx, p, j); err != nil {
			return err
		}
		r, ok := schedule.Await(ctx, dir, j.Name, begun)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case !ok:
			fmt.Fprintf(a.Out, "%-8s still running; recall setup --status shows how it went\n", j.Name)
		case r.OK:
			fmt.Fprintf(a.Out, "%-8s could read the sources and write the library: %s\n", j.Name, r.Did)
			if r.Exit == app.ExitPartial {
				fmt.Fprintf(a.Err, "recall: %s: %s\n", j.Name, r.Error)
			}
		default:
			failed = true
			fmt.Fprintf(a.Err, "recall: %s failed: %s\n", j.Name, r.Error)
		}
	}
	if failed {
		wayOut := "the log is " + schedule.LogPath(dir, "archive")
		if runtime.GOOS == "darwin" {
			wayOut += "; macOS might require Full Disk Access for recall, in System Settings, Privacy"
		}
		return hint.With(errors.New("the jobs are set up, but one fails when run by the scheduler"), "%s", wayOut)
	}
	if h.System == schedule.Systemd {
		fmt.Fprintln(a.Out, "they run while you are logged in and catch up on missed runs then; loginctl enable-linger "+
			"makes them run always")
	}
	return nil
}

// removeJobs removes the jobs with their logs, and nothing else.
func removeJobs(ctx context.Context, a *app.App, dryRun bool) error {
	had := false
	h, err := schedule.Here(ctx)
	if err == nil && dryRun {
		had = h.Installed(ctx)
	} else if err == nil {
		had, err = h.Remove(ctx)
	}
	if err != nil && !errors.Is(err, schedule.ErrNoScheduler) {
		return err
	}
	if dir, err := schedule.Folder(); err == nil && !dryRun {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	switch {
	case !had:
		fmt.Fprintln(a.Out, "jobs: none were set up")
	case dryRun:
		fmt.Fprintf(a.Out, "jobs: would be removed from %s\n", h.System)
	default:
		fmt.Fprintf(a.Out, "jobs: removed from %s\n", h.System)
	}
	return nil
}

// newScheduledCmd is what a scheduler calls: it runs one of recall's commands and logs the result. Nobody calls it by
// hand.
func newScheduledCmd(a *app.App) *cobra.Command {
	var o struct{ CatchUp string }
	return option.Do("scheduled", func(fs *option.Flags) {
		fs.StringVar(&o.CatchUp, "catch-up", "", "also run the nightly job if its time has passed without a run")
	}, func(ctx context.Context, args []string) error {
		if !slices.ContainsFunc(schedule.Jobs, func(j schedule.Job) bool { return j.Name == args[0] }) {
			return hint.With(fmt.Errorf("%q is not a job", args[0]), "recall setup sets them up")
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

// runCatchUp runs the nightly job if the machine was off at its time.
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

// runScheduled runs a job, unless its last run is still at work.
func runScheduled(ctx context.Context, a *app.App, dir, job string) (code int, err error) {
	start := time.Now()
	done, err := app.WithLock(filepath.Join(dir, job+".lock"), func() error {
		var out, errOut bytes.Buffer
		code = a.Again(ctx, append(a.GlobalFlags(), job), strings.NewReader(""), &out, &errOut)
		did := strings.ReplaceAll(strings.TrimSpace(terminal.Visible(out.String())), "\n", "; ")
		r := schedule.Run{Job: job, At: start.UTC().Truncate(time.Second), MS: time.Since(start).Milliseconds(),
			Exit: code, OK: code == app.ExitOK || code == app.ExitPartial, Did: cmp.Or(txt.Clip(did, 300), "nothing")}
		if errOut.Len() > 0 {
			r.Error = txt.Clip(terminal.Line(errOut.String()), 1000)
		}
		return schedule.Keep(dir, r)
	})
	if err == nil && !done {
		err = schedule.Log(dir, job, start.UTC().Format(time.RFC3339)+" the previous run is still at work")
	}
	return code, err
}

// jobEnvironment picks what a scheduled job needs of this environment: where programs, folders and settings are, but
// no services' keys.
func jobEnvironment(environ []string) []string {
	wanted := map[string]bool{"PATH": true, "XDG_CONFIG_HOME": true, "XDG_CACHE_HOME": true, "CLAUDE_CONFIG_DIR": true,
		"CODEX_HOME": true, "GEMINI_CLI_HOME": true, "XDG_DATA_HOME": true, "OPENCODE_DB": true}
	for _, k := range config.Keys {
		if k.Name != "library.dir" { // passed as --library
			wanted[k.Variable()] = true
		}
	}
	if runtime.GOOS == "windows" {
		return nil // a task inherits the user's
	}
	var env []string
	for _, e := range environ {
		if name, _, ok := strings.Cut(e, "="); ok && wanted[name] {
			env = append(env, e)
		}
	}
	return env
}
