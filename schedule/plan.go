// Package schedule writes what has a system run recall by itself: systemd user
// timers, launchd agents, Windows scheduled tasks, or lines of a crontab. It
// touches nothing; the same plan gives the same bytes on every system.
package schedule

import (
	"fmt"
	"strings"
	"time"
)

// System is what runs jobs on a machine.
type System string

const (
	Systemd System = "systemd"
	Launchd System = "launchd"
	Windows System = "windows"
	Cron    System = "cron"
)

// Mark stands in every file that is written here: what doesn't hold it was not.
const Mark = "written by recall schedule install"

// A Plan is what is to be run, and how.
type Plan struct {
	Binary  string   // absolute path of recall
	Config  string   // absolute path of config.yaml, "" for none
	Library string   // absolute path of the library's folder
	User    string   // Windows: DOMAIN\name that the tasks belong to
	Env     []string // "NAME=value", in order: what the shell has and a job's bare environment lacks
	At      Clock    // when the nightly job runs, in local time
}

// Clock is a time of day.
type Clock struct{ Hour, Minute int }

func (c Clock) String() string { return fmt.Sprintf("%02d:%02d", c.Hour, c.Minute) }

// ParseClock reads "02:30".
func ParseClock(s string) (Clock, error) {
	t, err := time.Parse("15:4", s)
	if err != nil {
		return Clock{}, fmt.Errorf("%q is no time of day such as 02:30", s)
	}
	return Clock{t.Hour(), t.Minute()}, nil
}

// A Job is one of the two.
type Job struct {
	Name  string // "archive", "sync"
	About string
	Every int // minutes; 0 for once a day, at Plan.At
}

// Jobs are what is scheduled.
var Jobs = []Job{
	{Name: "archive", About: "recall: make new bytes of sessions safe", Every: 10},
	{Name: "sync", About: "recall: archive, distill and index what is new"},
}

// Label is a job's name with launchd.
func Label(j Job) string { return "recall." + j.Name }

// A File is one file to be written.
type File struct {
	Name string // without folder
	Text string
}

// catchesUp reports whether the system makes up for runs missed while the machine was off; launchd does for a sleep
// only.
func (s System) catchesUp() bool { return s == Systemd || s == Windows }

// Command is a job's command line, program first. Where missed runs are forgotten, the frequent job looks whether the
// nightly one is overdue.
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

// Check refuses what no scheduler could be told.
func (p Plan) Check() error {
	for _, text := range append([]string{p.Binary, p.Config, p.Library, p.User}, p.Env...) {
		if strings.ContainsAny(text, "\n\r\x00") {
			return fmt.Errorf("%q: a line break can't be scheduled", text)
		}
	}
	return nil
}

// Last is when the clock last showed this time.
func (c Clock) Last(now time.Time) time.Time {
	t := c.on(now)
	if t.After(now) {
		t = c.on(now.AddDate(0, 0, -1))
	}
	return t
}

// Next is the first such time after now.
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
