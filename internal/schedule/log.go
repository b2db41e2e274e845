package schedule

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"recall/internal/escape"
	"recall/internal/text"
)

// A Run records a job's last run.
type Run struct {
	Job   string    `json:"job"`
	At    time.Time `json:"last,omitzero"` // when it began, UTC
	MS    int64     `json:"ms"`
	Exit  int       `json:"exit"` // recall's exit code
	OK    bool      `json:"ok"`   // it did its work
	Did   string    `json:"did,omitempty"`
	Error string    `json:"error,omitempty"`
}

// Took returns how long the run took.
func (r Run) Took() time.Duration { return time.Duration(r.MS) * time.Millisecond }

// Folder is the folder of the jobs' logs and last runs, in the user's cache directory.
func Folder() (string, error) {
	base, err := os.UserCacheDir()
	return filepath.Join(base, "recall", "jobs"), err
}

// Last reads a job's last run; false if there was none.
func Last(dir, job string) (Run, bool) {
	var r Run
	text, err := os.ReadFile(filepath.Join(dir, job+".json"))
	if err != nil || json.Unmarshal(text, &r) != nil || r.At.IsZero() {
		return Run{}, false
	}
	return r, true
}

// Keep records a run as the job's last, and adds a line to its log.
func Keep(dir string, r Run) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	fresh := filepath.Join(dir, r.Job+".json.new")
	if err := os.WriteFile(fresh, append(text, '\n'), 0o600); err != nil {
		return err
	}
	if err := os.Rename(fresh, filepath.Join(dir, r.Job+".json")); err != nil {
		return err
	}
	line := fmt.Sprintf("%s %d ms, exit code %d: %s", r.At.Format(time.RFC3339), r.MS, r.Exit, r.Did)
	if r.Error != "" {
		line += "\n  " + r.Error
	}
	return Log(dir, r.Job, line)
}

// clockName is the file in a Folder that says when the nightly job runs.
const clockName = "night"

// KeepClock records when the nightly job runs, making the folder.
func KeepClock(dir string, at Clock) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, clockName), []byte(at.String()), 0o600)
}

// logSize is the size at which a log is rotated; one earlier log is kept.
const logSize = 1 << 20

// LogPath returns the path of a job's log.
func LogPath(dir, job string) string { return filepath.Join(dir, job+".log") }

// Log adds lines to a job's log, rotating it if it has become too large.
func Log(dir, job, text string) error {
	path := LogPath(dir, job)
	if fi, err := os.Stat(path); err == nil && fi.Size() > logSize {
		if err := os.Rename(path, path+".1"); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text + "\n")
	return errors.Join(err, f.Close())
}

// How long Await waits for a first run, which can continue longer, and how often it looks.
const (
	firstRun = 2 * time.Minute
	lookFor  = 100 * time.Millisecond
)

// Await waits for a job's run that began at or after a time.
func Await(ctx context.Context, dir, job string, since time.Time) (Run, bool) {
	end := time.Now().Add(firstRun)
	for time.Now().Before(end) {
		if r, ok := Last(dir, job); ok && !r.At.Before(since.UTC()) {
			return r, true
		}
		select {
		case <-ctx.Done():
			return Run{}, false
		case <-time.After(lookFor):
		}
	}
	return Run{}, false
}

// Status reports whether the jobs are set up, and how they went.
type Status struct {
	Installed bool      `json:"installed"`
	System    System    `json:"system,omitempty"`
	Jobs      []Run     `json:"jobs"` // the last run of each
	Log       string    `json:"log"`  // the folder of the jobs' logs
	Next      time.Time `json:"next,omitzero"`
}

// Failed returns a job whose last run failed, and why; "" if there is none.
func (s Status) Failed() (failed string) {
	for _, j := range s.Jobs {
		if !j.OK {
			failed = j.Job + ": " + text.Clip(escape.Line(j.Error, escape.Terminal), 200)
		}
	}
	return failed
}

// Logged reports whether there are logs.
func (s Status) Logged() bool {
	_, err := os.Stat(s.Log)
	return err == nil
}

// Look asks the machine's scheduler, once install or a job has created the folder. The error is that of Folder.
func Look(ctx context.Context) (Status, error) {
	dir, err := Folder()
	s := Status{Jobs: []Run{}, Log: dir}
	if err != nil || !s.Logged() {
		return s, err
	}
	if h, err := Here(ctx); err == nil {
		s.System, s.Installed = h.System, h.Installed(ctx)
		if s.Installed {
			said, _ := os.ReadFile(filepath.Join(dir, clockName))
			if at, err := ParseClock(string(said)); err == nil {
				s.Next = at.Next(time.Now()).UTC()
			}
		}
	}
	for _, j := range Jobs {
		if r, ok := Last(dir, j.Name); ok {
			s.Jobs = append(s.Jobs, r)
		}
	}
	return s, nil
}
