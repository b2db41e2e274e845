package schedule

import (
	"context"
	"os"
	"time"

	"recall/sink"
	"recall/text"
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

// Brief is whether the system runs recall by itself.
type Brief struct {
	Installed bool      `json:"installed"`
	System    System    `json:"system,omitempty"`
	Next      time.Time `json:"next,omitzero"`
	Failed    string    `json:"failed,omitempty"` // a job whose last run failed, and why
}

// Glance asks the scheduler only where install has left its folder.
func Glance(ctx context.Context) Brief {
	dir, err := Folder()
	if _, never := os.Stat(dir); err != nil || never != nil {
		return Brief{}
	}
	s, _ := Look(ctx) // the folder is known
	doc := Brief{Installed: s.Installed, System: s.System, Next: s.Next}
	for _, j := range s.Jobs {
		if !j.OK {
			doc.Failed = j.Job + ": " + text.Clip(sink.Line(j.Error, sink.Terminal), 200)
		}
	}
	return doc
}
