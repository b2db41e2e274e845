package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"recall/cmd/recall/app"
	"recall/cmd/recall/demo"
)

// Ctrl-C in the middle of a sync: it says that nothing is lost, ends with 2,
// and the next one goes on from there.
func TestInterruptedSync(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no process can send another one Ctrl-C there")
	}
	sources := t.TempDir()
	claude, cowork, err := demo.Write(sources)
	must(t, err)
	home := t.TempDir()
	interrupted := 0
	for wait := 5 * time.Millisecond; wait < 80*time.Millisecond; wait += 25 * time.Millisecond {
		cmd := recallCmd(t, home, "sync", "--from", claude, "--from", cowork)
		var messages bytes.Buffer
		cmd.Stderr = &messages
		must(t, cmd.Start())
		time.Sleep(wait)
		cmd.Process.Signal(os.Interrupt)
		if code := exitStatus(cmd.Wait()); code == app.ExitError {
			interrupted++
			if !strings.Contains(messages.String(), "interrupted; nothing is lost") {
				t.Errorf("after %v: %s", wait, messages.String())
			}
		} else if code != app.ExitOK && code != -1 { // -1: the signal came before it was waited for
			t.Errorf("after %v: exit code %d\n%s", wait, code, messages.String())
		}
	}
	t.Logf("%d interrupted", interrupted)
	out, err := recallCmd(t, home, "sync", "--from", claude, "--from", cowork).Output()
	if err != nil {
		t.Fatalf("the sync after it: %v\n%s", err, out)
	}
	if out, err := recallCmd(t, home, "status").Output(); err != nil ||
		!strings.Contains(string(out), "12 sessions of 2 projects: 12 safe\n") ||
		strings.Contains(string(out), "not distilled") {
		t.Errorf("%v\n%s", err, out)
	}
	if left, err := os.ReadDir(filepath.Join(home, "Recall", ".tmp")); err != nil || len(left) > 0 {
		t.Errorf("%v is left in .tmp, %v", left, err)
	}
}

// Cancelled before it began to write, a sync says so as well.
func TestCancelledSync(t *testing.T) {
	library, sources := demoLibrary(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, messages bytes.Buffer
	code := run(ctx, []string{"--library", library, "sync", "--from", sources}, strings.NewReader(""), &out, &messages)
	if code != app.ExitError || !strings.Contains(messages.String(), "interrupted; nothing is lost") || out.Len() > 0 {
		t.Errorf("got exit code %d, %q, %q", code, out.String(), messages.String())
	}
}

// Two syncs at once make the library, three questions come meanwhile: nobody
// fails, and each session is taken in once.
func TestTogether(t *testing.T) {
	t.Parallel()
	sources := t.TempDir()
	claude, cowork, err := demo.Write(sources)
	must(t, err)
	home := t.TempDir()
	var all sync.WaitGroup
	start := func(allowed []int, args ...string) {
		all.Go(func() {
			var messages bytes.Buffer
			cmd := recallCmd(t, home, args...)
			cmd.Stderr = &messages
			code := exitStatus(cmd.Run())
			for _, ok := range allowed {
				if code == ok {
					return
				}
			}
			t.Errorf("recall %v: exit code %d\n%s", args, code, messages.String())
		})
	}
	start([]int{app.ExitOK}, "sync", "--from", claude, "--from", cowork)
	start([]int{app.ExitOK}, "sync", "--from", cowork, "--from", claude)
	toml := filepath.Join(home, "Recall", "library.toml")
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if _, err := os.Stat(toml); err == nil {
			break
		}
	}
	for range 3 {
		start([]int{app.ExitOK, app.ExitNothing}, "query", "redis cache")
	}
	all.Wait()
	out, err := recallCmd(t, home, "status").Output()
	if err != nil || !strings.Contains(string(out), "12 sessions of 2 projects: 12 safe\n") ||
		strings.Contains(string(out), "not distilled") {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := recallCmd(t, home, "query", "--no-sync", "redis cache").Output(); err != nil ||
		!strings.Contains(string(out), "12 sessions searched") {
		t.Errorf("%v\n%s", err, out)
	}
}

// exitStatus is the exit code that a finished process gives, -1 if a signal ended it.
func exitStatus(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return app.ExitOK
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	return 99
}
