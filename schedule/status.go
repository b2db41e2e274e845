package schedule

import (
	"context"
	"os"
	"time"
)

// Status is whether the jobs are set up, and how they went.
type Status struct {
	Installed bool      `json:"installed"`
	System    System    `json:"system,omitempty"`
	Jobs      []Run     `json:"jobs"` // how the last of each went
	Log       string    `json:"log"`  // the folder of the jobs' logs
	Next      time.Time `json:"next,omitzero"`
}

// Logged reports whether there are logs.
func (s Status) Logged() bool {
	_, err := os.Stat(s.Log)
	return err == nil
}

// Look asks the machine's scheduler. The error is that of Folder: where jobs and their logs are kept isn't known.
func Look(ctx context.Context) (Status, error) {
	dir, err := Folder()
	s := Status{Jobs: []Run{}, Log: dir}
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
			s.Jobs = append(s.Jobs, r)
		}
	}
	return s, nil
}
