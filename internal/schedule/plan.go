// Package schedule makes the system run recall automatically: systemd user timers, launchd agents, Windows scheduled
// tasks, or crontab lines. The same plan gives the same bytes on every system.
package schedule

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"text/template"
	"time"

	"recall/internal/escape"
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

// Command returns a job's command line, program first. If the system doesn't catch up on missed runs, the frequent job
// checks whether the nightly one is overdue.
func (p Plan) Command(s System, j Job) []string {
	args := []string{p.Binary}
	if p.Config != "" {
		args = append(args, "--config", p.Config)
	}
	args = append(args, "--library", p.Library, "scheduled", j.Name)
	catchesUp := s == Systemd || s == Windows // launchd does so only after sleep
	if j.Every > 0 && !catchesUp {
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

//go:embed forms
var formFiles embed.FS

var forms = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{"unit": unitQuote, "dollars": dollars,
		"windows": windowsQuote, "pair": func(s string) []string { return strings.SplitN(s, "=", 2) },
	}).ParseFS(formFiles, "forms/*"))
})

// wanted lists the files that a system needs for each job, with the template of each.
var wanted = map[System][]struct{ name, form string }{
	Systemd: {{"recall-%s.service", "service"}, {"recall-%s.timer", "timer"}},
	Launchd: {{"recall.%s.plist", "plist"}},
	Windows: {{"recall-%s.xml", "task"}},
}

// Files returns the files for each job. systemd: a service and a timer in ~/.config/systemd/user, whose Persistent
// makes up for runs missed while the machine was off (systemd.timer(5)); exit code 3 is a success with sessions
// skipped. launchd: a property list in ~/Library/LaunchAgents (launchd.plist(5)). Windows: XML for schtasks /Create
// /XML; a missed task starts as soon as it can, and conhost --headless keeps a console window from popping up.
func Files(s System, p Plan) (files []File) {
	for _, j := range Jobs {
		for _, w := range wanted[s] {
			var b strings.Builder
			if err := forms().ExecuteTemplate(&b, w.form, filled{p, j, p.Command(s, j)}); err != nil {
				panic(err) // the templates are embedded
			}
			files = append(files, File{fmt.Sprintf(w.name, j.Name), b.String()})
		}
	}
	return files
}

// filled is the data of a template: a job of a plan.
type filled struct {
	Plan
	Job     Job
	Command []string
}

func (f filled) Mark() string  { return Mark }
func (f filled) Label() string { return Label(f.Job) }
func (f filled) Seconds() int  { return f.Job.Every * 60 }

// unitQuote quotes as in systemd.syntax(7): double quotes, C escapes, "%" doubled.
func unitQuote(s string) string {
	s = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "\t", `\t`).Replace(s)
	return `"` + s + `"`
}

// dollars keeps systemd from expanding variables, which it does everywhere but in the program's name.
func dollars(s string) string { return strings.ReplaceAll(s, "$", "$$") }

// TaskName is a job's name in the Windows task scheduler.
func TaskName(j Job) string { return `recall\` + j.Name }

// windowsQuote quotes an argument for CommandLineToArgvW: backslashes are doubled only before a quote.
func windowsQuote(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t\"") {
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	slashes := 0
	for _, r := range s {
		switch r {
		case '\\':
			slashes++
			continue
		case '"':
			b.WriteString(strings.Repeat(`\`, 2*slashes+1))
		default:
			b.WriteString(strings.Repeat(`\`, slashes))
		}
		slashes = 0
		b.WriteRune(r)
	}
	b.WriteString(strings.Repeat(`\`, 2*slashes))
	b.WriteByte('"')
	return b.String()
}

// The crontab lines around recall's own.
const (
	cronBegin = "# recall: begin (" + Mark + ")"
	cronEnd   = "# recall: end"
)

// Crontab returns a crontab with recall's lines at its end, replacing those of an earlier plan. Everything else stays
// byte for byte.
func Crontab(before string, p Plan) string {
	rest, _ := WithoutCron(before)
	if rest != "" && !strings.HasSuffix(rest, "\n") {
		rest += "\n"
	}
	var b strings.Builder
	b.WriteString(rest)
	fmt.Fprintln(&b, cronBegin)
	for _, j := range Jobs {
		when := fmt.Sprintf("%d %d * * *", p.At.Minute, p.At.Hour)
		if j.Every > 0 {
			when = fmt.Sprintf("*/%d * * * *", j.Every)
		}
		fmt.Fprintln(&b, when, strings.ReplaceAll(ShellLine(p, j), "%", `\%`))
	}
	fmt.Fprintln(&b, cronEnd)
	return b.String()
}

// WithoutCron returns a crontab without recall's lines, and whether it had any.
func WithoutCron(text string) (rest string, had bool) {
	var b strings.Builder
	inside := false
	for line := range strings.Lines(text) {
		switch bare := strings.TrimRight(line, "\r\n"); {
		case bare == cronBegin:
			inside, had = true, true
		case inside && bare == cronEnd:
			inside = false
		case !inside:
			b.WriteString(line)
		}
	}
	if inside { // the end line is missing: don't remove other people's lines
		return text, false
	}
	return b.String(), had
}

// ShellLine returns a job as a shell command, at low priority.
func ShellLine(p Plan, j Job) string {
	words := slices.Concat([]string{"env"}, p.Env, []string{"nice", "-n", "10"}, p.Command(Cron, j))
	return escape.Shell(words...) + " >/dev/null 2>&1"
}
