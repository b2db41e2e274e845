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
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode/utf16"
)

// ErrNoScheduler: this machine has nothing that runs jobs by time.
var ErrNoScheduler = errors.New("neither systemd nor cron is here to run jobs")

// A Host is this user's scheduler on this machine.
type Host struct {
	System System
	Dir    string // where its files go, "" of cron and Windows
}

// Here finds the scheduler that works: a systemd that is installed but doesn't
// run for this user, as in a container, is none.
func Here(ctx context.Context) (Host, error) {
	home, _ := os.UserHomeDir()
	switch runtime.GOOS {
	case "darwin":
		return Host{Launchd, filepath.Join(home, "Library", "LaunchAgents")}, nil
	case "windows":
		return Host{System: Windows}, nil
	}
	if _, err := tool(ctx, "", "systemctl", "--user", "show-environment"); err == nil {
		config, err := os.UserConfigDir()
		return Host{Systemd, filepath.Join(config, "systemd", "user")}, err
	}
	if _, err := exec.LookPath("crontab"); err == nil {
		return Host{System: Cron}, nil
	}
	return Host{}, ErrNoScheduler
}

// All are the schedulers that may hold jobs of recall's: where systemd came
// later, a crontab may still have them.
func All(ctx context.Context) []Host {
	var all []Host
	h, err := Here(ctx)
	if err == nil {
		all = append(all, h)
	}
	if _, err := exec.LookPath("crontab"); err == nil && h.System == Systemd {
		all = append(all, Host{System: Cron})
	}
	return all
}

// Files are what Install writes, with their whole names; of cron the crontab as
// it will be.
func (h Host) Files(ctx context.Context, p Plan) ([]File, error) {
	var files []File
	switch h.System {
	case Systemd:
		files = Units(p)
	case Launchd:
		files = Agents(p)
	case Windows:
		return Tasks(p), nil
	default:
		before, err := crontab(ctx)
		return []File{{"crontab", Crontab(before, p)}}, err
	}
	for i := range files {
		files[i].Name = filepath.Join(h.Dir, files[i].Name)
	}
	return files, nil
}

// Install has the machine run the jobs from now on, in the place of an earlier
// plan's.
func (h Host) Install(ctx context.Context, p Plan) error {
	if err := p.Check(); err != nil {
		return err
	}
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
	if h.System == Launchd {
		for _, j := range Jobs {
			_, _ = tool(ctx, "", "launchctl", "bootout", domain()+"/"+Label(j)) // of an earlier plan
			if err := bootstrap(ctx, filepath.Join(h.Dir, Label(j)+".plist")); err != nil {
				return err
			}
		}
		return nil
	}
	if _, err := tool(ctx, "", "systemctl", "--user", "daemon-reload"); err != nil {
		return err
	}
	_, err = tool(ctx, "", "systemctl", append([]string{"--user", "enable", "--now"}, timers()...)...)
	return err
}

// bootstrap tells launchd of an agent. One of that name that was booted out a
// moment ago may still be going: launchd then refuses for a while.
func bootstrap(ctx context.Context, path string) (err error) {
	for try := 0; try < 5; try++ {
		if _, err = tool(ctx, "", "launchctl", "bootstrap", domain(), path); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
	return err
}

func timers() []string {
	var names []string
	for _, j := range Jobs {
		names = append(names, "recall-"+j.Name+".timer")
	}
	return names
}

func domain() string { return fmt.Sprintf("gui/%d", os.Getuid()) }

// write puts the files in place. One that somebody else wrote is not replaced.
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

// createTasks hands the XML files to schtasks, which wants UTF-16.
func createTasks(ctx context.Context, files []File) error {
	dir, err := os.MkdirTemp("", "recall-tasks-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for i, f := range files {
		path := filepath.Join(dir, f.Name)
		if err := os.WriteFile(path, utf16File(f.Text), 0o600); err != nil {
			return err
		}
		if _, err := tool(ctx, "", "schtasks", "/Create", "/F", "/TN", TaskName(Jobs[i]), "/XML", path); err != nil {
			return err
		}
	}
	return nil
}

func utf16File(text string) []byte {
	b := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(strings.ReplaceAll(text, "\n", "\r\n"))) {
		b = append(b, byte(u), byte(u>>8))
	}
	return b
}

// Remove undoes Install, and reports whether there was anything.
func (h Host) Remove(ctx context.Context) (had bool, err error) {
	switch h.System {
	case Cron:
		return removeCron(ctx)
	case Windows:
		for _, j := range Jobs {
			if _, err := tool(ctx, "", "schtasks", "/Query", "/TN", TaskName(j)); err == nil {
				had = true
				if _, err := tool(ctx, "", "schtasks", "/Delete", "/F", "/TN", TaskName(j)); err != nil {
					return had, err
				}
			}
		}
		return had, nil
	}
	ours := h.ours()
	if len(ours) == 0 {
		return false, nil
	}
	if h.System == Launchd {
		for _, j := range Jobs {
			_, _ = tool(ctx, "", "launchctl", "bootout", domain()+"/"+Label(j)) // it may not be loaded
		}
	} else if _, err := tool(ctx, "", "systemctl",
		append([]string{"--user", "disable", "--now"}, timers()...)...); err != nil {
		return true, err
	}
	for _, path := range ours {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return true, err
		}
	}
	if h.System == Systemd {
		_, err = tool(ctx, "", "systemctl", "--user", "daemon-reload")
		for _, dir := range []string{filepath.Join(h.Dir, "timers.target.wants"), h.Dir, filepath.Dir(h.Dir)} {
			_ = os.Remove(dir) // if nothing else is in it
		}
	}
	return true, err
}

// ours are the files that Install wrote and that are there.
func (h Host) ours() []string {
	var paths []string
	for _, f := range slices.Concat(Units(Plan{}), Agents(Plan{})) {
		path := filepath.Join(h.Dir, f.Name)
		if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), Mark) {
			paths = append(paths, path)
		}
	}
	return paths
}

func removeCron(ctx context.Context) (bool, error) {
	text, err := crontab(ctx)
	if err != nil {
		return false, err
	}
	rest, had := WithoutCron(text)
	switch {
	case !had:
		return false, nil
	case rest == "":
		_, err = tool(ctx, "", "crontab", "-r")
	default:
		_, err = tool(ctx, rest, "crontab", "-")
	}
	return true, err
}

// Installed reports whether the jobs are scheduled.
func (h Host) Installed(ctx context.Context) bool {
	switch h.System {
	case Cron:
		text, err := crontab(ctx)
		_, had := WithoutCron(text)
		return err == nil && had
	case Windows:
		_, err := tool(ctx, "", "schtasks", "/Query", "/TN", TaskName(Jobs[0]))
		return err == nil
	}
	return len(h.ours()) > 0
}

// Start runs a job once, as the scheduler would: in its environment, not in
// this one's. It need not have ended when Start returns.
func (h Host) Start(ctx context.Context, p Plan, j Job) error {
	var err error
	switch h.System {
	case Systemd:
		_, err = tool(ctx, "", "systemctl", "--user", "start", "--no-block", "recall-"+j.Name+".service")
	case Launchd:
		_, err = tool(ctx, "", "launchctl", "kickstart", domain()+"/"+Label(j))
	case Windows:
		_, err = tool(ctx, "", "schtasks", "/Run", "/TN", TaskName(j))
	default:
		home, _ := os.UserHomeDir()
		c := exec.CommandContext(ctx, "/bin/sh", "-c", ShellLine(p, j))
		c.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin", "SHELL=/bin/sh"}
		c.Dir = home
		if err = c.Run(); errors.As(err, new(*exec.ExitError)) {
			err = nil // what became of it, the job itself tells
		}
	}
	return err
}

// crontab is this user's, "" if there is none.
func crontab(ctx context.Context) (string, error) {
	text, err := tool(ctx, "", "crontab", "-l")
	if err != nil && strings.Contains(strings.ToLower(err.Error()), "no crontab") {
		return "", nil
	}
	return text, err
}

// tool runs one of the system's programs; its error has what the program said.
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

// At is when the nightly job is set to run; false where that can't be told.
func (h Host) At(ctx context.Context) (Clock, bool) {
	text := ""
	switch h.System {
	case Cron:
		text, _ = crontab(ctx)
	case Windows:
		text, _ = tool(ctx, "", "schtasks", "/Query", "/XML", "/TN", TaskName(Jobs[1]))
	default:
		for _, path := range h.ours() {
			if strings.Contains(path, Jobs[1].Name) {
				data, _ := os.ReadFile(path)
				text += string(data)
			}
		}
	}
	return clockIn(h.System, text)
}

// clockIn finds the nightly time in what was written for a system.
func clockIn(s System, text string) (Clock, bool) {
	m := clockForms[s].FindStringSubmatch(text)
	if m == nil {
		return Clock{}, false
	}
	hour, minute := m[1], m[2]
	if s == Cron {
		hour, minute = minute, hour
	}
	c, err := ParseClock(hour + ":" + minute)
	return c, err == nil
}

var clockForms = map[System]*regexp.Regexp{
	Systemd: regexp.MustCompile(`(?m)^OnCalendar=\*-\*-\* (\d+):(\d+)`),
	Launchd: regexp.MustCompile(`(?s)<key>Hour</key><integer>(\d+)</integer>.*<key>Minute</key><integer>(\d+)</integer>`),
	Windows: regexp.MustCompile(`(?s)<CalendarTrigger>.*?<StartBoundary>[^<]*T(\d+):(\d+)`),
	Cron:    regexp.MustCompile(`(?m)^(\d+) (\d+) \* \* \* .* scheduled sync\b`),
}
