package schedule

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// A Run is what is kept of a job's last run, and told of it.
type Run struct {
	Job   string    `json:"job"`
	At    time.Time `json:"last,omitzero"` // when it began, UTC
	MS    int64     `json:"ms"`
	Exit  int       `json:"exit"` // recall's exit code
	OK    bool      `json:"ok"`   // it could do what it is for
	Did   string    `json:"did,omitempty"`
	Error string    `json:"error,omitempty"`
}

// Took is how long it took.
func (r Run) Took() time.Duration { return time.Duration(r.MS) * time.Millisecond }

// Folder of the jobs' logs and last runs: in the user's cache directory.
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

// Keep notes a run as the job's last, and adds a line to its log.
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

// How large a log may be, and how many older ones are kept.
const (
	logSize = 1 << 20
	logKept = 3
)

// LogPath is a job's log.
func LogPath(dir, job string) string { return filepath.Join(dir, job+".log") }

// Log adds lines to a job's log, a new one where it has become too large.
func Log(dir, job, text string) error {
	path := LogPath(dir, job)
	if fi, err := os.Stat(path); err == nil && fi.Size() > logSize {
		for n := logKept; n > 1; n-- {
			_ = os.Rename(fmt.Sprintf("%s.%d", path, n-1), fmt.Sprintf("%s.%d", path, n)) // there may be none
		}
		if err := os.Rename(path, path+".1"); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text + "\n")
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// How long Await waits for a first run. A sync of much history goes on without it.
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
