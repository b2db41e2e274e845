package schedule

import (
	"context"
	"os"
	"time"
)

// Status is whether the jobs are set up, and how they went.
type Status struct {
	Installed bool        `json:"installed"`
	System    System      `json:"system,omitempty"`
	Jobs      []JobStatus `json:"jobs"`
	Log       string      `json:"log"` // the folder of the jobs' logs
	Next      time.Time   `json:"next,omitzero"`
}

// JobStatus is how a job's last run went.
type JobStatus struct {
	Job   string    `json:"job"`
	Last  time.Time `json:"last,omitzero"` // when it last began
	MS    int64     `json:"ms"`
	OK    bool      `json:"ok"`
	Did   string    `json:"did,omitempty"`
	Error string    `json:"error,omitempty"`
}

// Took is how long it took.
func (j JobStatus) Took() time.Duration { return time.Duration(j.MS) * time.Millisecond }

// Logged reports whether there are logs.
func (s Status) Logged() bool {
	_, err := os.Stat(s.Log)
	return err == nil
}

// Look asks the machine's scheduler. The error is that of Folder: where jobs and their logs are kept isn't known.
func Look(ctx context.Context) (Status, error) {
	dir, err := Folder()
	s := Status{Jobs: []JobStatus{}, Log: dir}
	if err != nil {
		return s, err
	}
	if h, err := Here(ctx); err == nil {
		s.System, s.Installed = h.System, h.Installed(ctx)
		if s.Installed {
			if at, ok := h.At(ctx); ok {
				s.Next = at.Next(time.Now()).UTC()
			}
		}
	}
	for _, j := range Jobs {
		if r, ok := Last(dir, j.Name); ok {
			s.Jobs = append(s.Jobs, JobStatus{Job: r.Job, Last: r.At, MS: r.MS, OK: r.OK(), Did: r.Did,
				Error: r.Error})
		}
	}
	return s, nil
}
