package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/spf13/cobra"

	"recall/library"
	"recall/pipeline"
)

// restCmd takes in what a question's time budget left over, apart from the
// terminal that asked. One is at work at a time; nobody calls it by hand.
func (a *app) restCmd() *cobra.Command {
	return &cobra.Command{
		Use:    "rest",
		Short:  "Take in what a question left over (started by recall query)",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := a.library(cmd.Context())
			if err != nil {
				return err
			}
			if err := os.MkdirAll(cacheDir(l), 0o700); err != nil {
				return err
			}
			path := restLock(l)
			until, err := a.rest(cmd.Context(), path)
			if err != nil || until.IsZero() {
				return err
			}
			// A large session was made only lately. One process waits for it, and lets others do what comes meanwhile.
			waiting := flock.New(path+".later", flock.SetPermissions(0o600))
			if ok, err := waiting.TryLock(); err != nil || !ok {
				return err
			}
			defer waiting.Unlock()
			select {
			case <-time.After(time.Until(until)):
			case <-cmd.Context().Done():
				return nil
			}
			_, err = a.rest(cmd.Context(), path)
			return err
		},
	}
}

// rest takes in what is left, unless another process is at it. It returns when
// what is put off may be done, zero if nothing is.
func (a *app) rest(ctx context.Context, path string) (until time.Time, err error) {
	lock := flock.New(path, flock.SetPermissions(0o600))
	ok, err := lock.TryLock()
	if err != nil || !ok {
		return time.Time{}, err
	}
	defer lock.Unlock()
	defer a.close() // before that: who waits for the lock finds all done
	l, err := a.library(ctx)
	if err != nil {
		return time.Time{}, err
	}
	report, err := a.takeIn(ctx, l, pipeline.Options{})
	return report.Until, err
}

func restLock(l *library.Library) string { return filepath.Join(cacheDir(l), "rest.lock") }

// takeInRest continues what the time budget left over in a process of its
// own, which outlives this one. It reports whether that was started.
func (a *app) takeInRest(l *library.Library) bool {
	self, err := os.Executable()
	if err != nil || strings.TrimSuffix(strings.ToLower(filepath.Base(self)), ".exe") != "recall" {
		return false // a test, or recall inside another program
	}
	args := []string{"--library", l.Dir()}
	if a.configFile != "" {
		args = append(args, "--config", a.configFile)
	}
	c := exec.Command(self, append(args, "rest")...)
	c.SysProcAttr = apart()
	if err := c.Start(); err != nil {
		return false
	}
	c.Process.Release()
	return true
}
