package schedule

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/encoding/unicode"
)

// ErrNoScheduler means that this machine has nothing that runs scheduled jobs.
var ErrNoScheduler = errors.New("neither systemd nor cron is available to run jobs")

// A Host is this user's scheduler on this machine.
type Host struct {
	System System
	Dir    string // where its files go; "" for cron and Windows
}

// Here finds the scheduler that works: a systemd that doesn't run for this user, as in a container, doesn't count.
func Here(ctx context.Context) (Host, error) {
	home, _ := os.UserHomeDir()
	switch runtime.GOOS {
	case "darwin":
		return Host{Launchd, filepath.Join(home, "Library", "LaunchAgents")}, nil
	case "windows":
		return Host{System: Windows}, nil
	}
	if run(ctx, "systemctl --user show-environment") == nil {
		config, err := os.UserConfigDir()
		return Host{Systemd, filepath.Join(config, "systemd", "user")}, err
	}
	if _, err := exec.LookPath("crontab"); err == nil {
		return Host{System: Cron}, nil
	}
	return Host{}, ErrNoScheduler
}

// Files returns what Install writes, with full names; for cron the resulting crontab.
func (h Host) Files(ctx context.Context, p Plan) ([]File, error) {
	if h.System == Cron {
		before, err := crontab(ctx)
		return []File{{"crontab", Crontab(before, p)}}, err
	}
	files := Files(h.System, p)
	for i := range files {
		files[i].Name = filepath.Join(h.Dir, files[i].Name)
	}
	return files, nil
}

// Install schedules the jobs, replacing those of an earlier plan.
func (h Host) Install(ctx context.Context, p Plan) error {
	files, err := h.Files(ctx, p)
	if err != nil {
		return err
	}
	switch h.System {
	case Cron:
		_, err := tool(ctx, files[0].Text, "crontab", "-")
		return err
	case Windows:
		return createTasks(ctx, files)
	}
	if err := h.write(files); err != nil {
		return err
	}
	if h.System == Systemd {
		if err := run(ctx, "systemctl --user daemon-reload"); err != nil {
			return err
		}
		return run(ctx, "systemctl --user enable --now", timers()...)
	}
	for _, j := range Jobs {
		_ = run(ctx, "launchctl bootout", domain(j)) // from an earlier plan
		boot := func() error { return run(ctx, "launchctl bootstrap", gui(), filepath.Join(h.Dir, Label(j)+".plist")) }
		err := boot()
		// A job of that name that was just booted out might still be ending: launchd refuses for a while.
		for try := 0; err != nil && try < 4; try++ {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(time.Second):
			}
			err = boot()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// timers returns the jobs' systemd timers.
func timers() (names []string) {
	for _, j := range Jobs {
		names = append(names, "recall-"+j.Name+".timer")
	}
	return names
}

func gui() string { return fmt.Sprintf("gui/%d", os.Getuid()) }

func domain(j Job) string { return gui() + "/" + Label(j) }

// write writes the files. It doesn't replace one that somebody else wrote.
func (h Host) write(files []File) error {
	if err := os.MkdirAll(h.Dir, 0o755); err != nil {
		return err
	}
	for _, f := range files {
		if old, err := os.ReadFile(f.Name); err == nil && !strings.Contains(string(old), Mark) {
			return fmt.Errorf("%s was not written by recall; move it away", f.Name)
		}
		if err := os.WriteFile(f.Name, []byte(f.Text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// createTasks passes the XML files to schtasks, which requires UTF-16.
func createTasks(ctx context.Context, files []File) error {
	dir, err := os.MkdirTemp("", "recall-tasks-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for i, f := range files {
		text, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().
			String(strings.ReplaceAll(f.Text, "\n", "\r\n"))
		path := filepath.Join(dir, f.Name)
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		if err == nil {
			err = run(ctx, "schtasks /Create /F /TN", TaskName(Jobs[i]), "/XML", path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Remove undoes Install, and reports whether there was anything.
func (h Host) Remove(ctx context.Context) (had bool, err error) {
	if h.System == Cron {
		text, err := crontab(ctx)
		rest, had := WithoutCron(text)
		if err == nil && had && rest == "" {
			err = run(ctx, "crontab -r")
		} else if err == nil && had {
			_, err = tool(ctx, rest, "crontab", "-")
		}
		return had, err
	}
	if !h.Installed(ctx) {
		return false, nil
	}
	switch h.System {
	case Windows:
		for _, j := range Jobs {
			if run(ctx, "schtasks /Query /TN", TaskName(j)) == nil {
				if err := run(ctx, "schtasks /Delete /F /TN", TaskName(j)); err != nil {
					return true, err
				}
			}
		}
		return true, nil
	case Launchd:
		for _, j := range Jobs {
			_ = run(ctx, "launchctl bootout", domain(j)) // might not be loaded
		}
	default:
		if err := run(ctx, "systemctl --user disable --now", timers()...); err != nil {
			return true, err
		}
	}
	for _, path := range h.ours() {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return true, err
		}
	}
	if h.System == Systemd {
		err = run(ctx, "systemctl --user daemon-reload")
		for _, dir := range []string{filepath.Join(h.Dir, "timers.target.wants"), h.Dir, filepath.Dir(h.Dir)} {
			_ = os.Remove(dir) // if empty
		}
	}
	return true, err
}

// ours returns the files that Install wrote and that still exist.
func (h Host) ours() []string {
	var paths []string
	for _, f := range Files(h.System, Plan{}) {
		path := filepath.Join(h.Dir, f.Name)
		if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), Mark) {
			paths = append(paths, path)
		}
	}
	return paths
}

// Installed reports whether the jobs are scheduled.
func (h Host) Installed(ctx context.Context) bool {
	switch h.System {
	case Cron:
		text, err := crontab(ctx)
		_, had := WithoutCron(text)
		return err == nil && had
	case Windows:
		return slices.ContainsFunc(Jobs, func(j Job) bool { return run(ctx, "schtasks /Query /TN", TaskName(j)) == nil })
	}
	return len(h.ours()) > 0
}

// Start runs a job once in the scheduler's environment, not this one's. It can return before the job ends.
func (h Host) Start(ctx context.Context, p Plan, j Job) error {
	switch h.System {
	case Systemd:
		return run(ctx, "systemctl --user start --no-block", "recall-"+j.Name+".service")
	case Launchd:
		return run(ctx, "launchctl kickstart", domain(j))
	case Windows:
		return run(ctx, "schtasks /Run /TN", TaskName(j))
	}
	home, _ := os.UserHomeDir()
	c := exec.CommandContext(ctx, "/bin/sh", "-c", ShellLine(p, j))
	c.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin", "SHELL=/bin/sh"}
	c.Dir = home
	err := c.Run()
	if errors.As(err, new(*exec.ExitError)) {
		err = nil // the job records its own result
	}
	return err
}

// crontab returns this user's crontab; "" if there is none.
func crontab(ctx context.Context) (string, error) {
	text, err := tool(ctx, "", "crontab", "-l")
	if err != nil && strings.Contains(strings.ToLower(err.Error()), "no crontab") {
		return "", nil
	}
	return text, err
}

// run runs a system program; words is split at spaces.
func run(ctx context.Context, words string, more ...string) error {
	all := append(strings.Fields(words), more...)
	_, err := tool(ctx, "", all[0], all[1:]...)
	return err
}

// tool runs a system program with input; its error includes the program's output.
func tool(ctx context.Context, stdin, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, name, args...)
	var out, errOut bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(stdin), &out, &errOut
	c.Env = append(os.Environ(), "LC_ALL=C")
	if err := c.Run(); err != nil {
		said := strings.Join(strings.Fields(errOut.String()+" "+out.String()), " ")
		return "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, said)
	}
	return out.String(), nil
}
