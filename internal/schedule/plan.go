// Package schedule makes the system run recall automatically: systemd user timers, launchd agents, Windows scheduled
// tasks, or crontab lines. The same plan gives the same bytes on every system.
package schedule

import (
	"fmt"
	"strings"
	"time"
)

// System is a kind of scheduler.
type System string

const (
	Systemd System = "systemd"
	Launchd System = "launchd"
	Windows System = "windows"
	Cron    System = "cron"
)

// Mark is in every file written here; a file without it is somebody else's.
const Mark = "written by recall setup"

// A Plan is what to run, and how.
type Plan struct {
	Binary  string   // absolute path of recall
	Config  string   // absolute path of config.yaml, "" for none
	Library string   // absolute path of the library's folder
	User    string   // Windows: DOMAIN\name that the tasks belong to
	Env     []string // "NAME=value", in order: what the shell has but a job's bare environment lacks
	At      Clock    // when the nightly job runs, in local time
}

// Clock is a time of day.
type Clock struct{ Hour, Minute int }

func (c Clock) String() string { return fmt.Sprintf("%02d:%02d", c.Hour, c.Minute) }

// ParseClock reads "02:30".
func ParseClock(s string) (Clock, error) {
	t, err := time.Parse("15:4", s)
	if err != nil {
		return Clock{}, fmt.Errorf("%q is not a time of day such as 02:30", s)
	}
	return Clock{t.Hour(), t.Minute()}, nil
}

// A Job is one of the two scheduled jobs.
type Job struct {
	Name  string // "archive", "sync"
	About string
	Every int // minutes; 0 for once a day, at Plan.At
}

// Jobs lists the scheduled jobs.
var Jobs = []Job{
	{Name: "archive", About: "recall: archive new transcript bytes", Every: 10},
	{Name: "sync", About: "recall: archive, distill and index new sessions"},
}

// Label is a job's name in launchd.
func Label(j Job) string { return "recall." + j.Name }

// A File is a file to write.
type File struct {
	Name string // without folder
	Text string
}

// catchesUp reports whether the system makes up for runs missed while the machine was off; launchd does so only after
// sleep.
func (s System) catchesUp() bool { return s == Systemd || s == Windows }

// Command returns a job's command line, program first. If the system doesn't catch up on missed runs, the frequent job
// checks whether the nightly one is overdue.
func (p Plan) Command(s System, j Job) []string {
	args := []string{p.Binary}
	if p.Config != "" {
		args = append(args, "--config", p.Config)
	}
	args = append(args, "--library", p.Library, "scheduled", j.Name)
	if j.Every > 0 && !s.catchesUp() {
		args = append(args, "--catch-up", p.At.String())
	}
	return args
}

// Check refuses texts that can't be passed to a scheduler.
func (p Plan) Check() error {
	for _, text := range append([]string{p.Binary, p.Config, p.Library, p.User}, p.Env...) {
		if strings.ContainsAny(text, "\n\r\x00") {
			return fmt.Errorf("%q: a line break can't be scheduled", text)
		}
	}
	return nil
}

// Last returns the last time at or before now when the clock showed this time.
func (c Clock) Last(now time.Time) time.Time {
	t := c.on(now)
	if t.After(now) {
		t = c.on(now.AddDate(0, 0, -1))
	}
	return t
}

// Next returns the first such time after now.
func (c Clock) Next(now time.Time) time.Time {
	t := c.on(now)
	if !t.After(now) {
		t = c.on(now.AddDate(0, 0, 1))
	}
	return t
}

func (c Clock) on(day time.Time) time.Time {
	return time.Date(day.Year(), day.Month(), day.Day(), c.Hour, c.Minute, 0, 0, day.Location())
}
