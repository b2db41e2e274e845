package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
	"recall/config"
	"recall/library"
	"recall/pipeline"
	"recall/pipeline/improve"
	"recall/schedule"
	txt "recall/text"
)

// runDoc is what the last run of a kind that found something did.
type runDoc struct {
	At        time.Time `json:"at"`
	MS        int       `json:"ms"`
	New       int       `json:"new"`
	Grown     int       `json:"grown"`
	Distilled int       `json:"distilled"`
	Improved  int       `json:"improved"` // by a model
	Queued    int       `json:"queued"`   // wait for a model
	Skipped   int       `json:"skipped"`
}

// diskDoc is what the library takes and what is left.
type diskDoc struct {
	Bytes int64 `json:"bytes"`
	Whole bool  `json:"whole"` // all was counted; else it is at least so much
	Free  int64 `json:"free"`  // 0 if that isn't known
}

// spentDoc is what models took this month.
type spentDoc struct {
	Calls  int     `json:"calls"`
	Tokens int     `json:"tokens"`
	Cost   float64 `json:"cost"` // US dollars
}

// nightDoc is whether the system runs recall by itself.
type nightDoc struct {
	Installed bool      `json:"installed"`
	System    string    `json:"system,omitempty"`
	Next      time.Time `json:"next,omitzero"`
	Failed    string    `json:"failed,omitempty"` // a job whose last run failed, and why
}

func runOf(last map[string]library.Fact, kind string) *runDoc {
	f, ok := last[kind]
	if !ok {
		return nil
	}
	return &runDoc{f.At, f.N("ms"), f.N("new"), f.N("grown"), f.N("distilled"), f.N("improved"), f.N("queued"),
		f.N("skipped")}
}

// with adds to a sync what the model made of it, which is asked when all is safe
// and journaled apart.
func (r *runDoc) with(asked *runDoc) {
	if r != nil && asked != nil && !asked.At.Before(r.At) {
		r.Improved, r.Queued = asked.Improved, asked.Queued
	}
}

// spentThisMonth adds up the ledger; nil where no model was asked.
func spentThisMonth(l *library.Library, now time.Time) *spentDoc {
	month := improve.MonthOf(now)
	var s spentDoc
	for line, err := range l.Spending() {
		if err != nil || line.At.Before(month) { // recall check tells of damage
			continue
		}
		s.Calls++
		s.Tokens += line.In + line.Out
		s.Cost += line.Cost
	}
	if s.Calls == 0 {
		return nil
	}
	return &s
}

// countFor is how long the library's files are counted: status is quick first.
const countFor = 150 * time.Millisecond

// diskOf counts the library's files.
func diskOf(dir string) diskDoc {
	doc := diskDoc{Whole: true, Free: library.Free(dir)}
	end := time.Now().Add(countFor)
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what can't be read is told of elsewhere
		}
		if d.IsDir() && time.Now().After(end) {
			doc.Whole = false
			return fs.SkipAll
		}
		if fi, err := d.Info(); err == nil && fi.Mode().IsRegular() {
			doc.Bytes += fi.Size()
		}
		return nil
	})
	return doc
}

// night asks the scheduler only where install has left its folder.
func night(ctx context.Context) nightDoc {
	dir, err := schedule.Folder()
	if err != nil {
		return nightDoc{}
	}
	if _, err := os.Stat(dir); err != nil {
		return nightDoc{}
	}
	s, err := schedule.Look(ctx)
	if err != nil {
		return nightDoc{}
	}
	doc := nightDoc{Installed: s.Installed, System: string(s.System), Next: s.Next}
	for _, j := range s.Jobs {
		if !j.OK {
			doc.Failed = j.Job + ": " + txt.Clip(terminal.Line(j.Error), 200)
		}
	}
	return doc
}

// runs are the lines of status about what recall did and will do.
func (s StatusDoc) runs(line func(name, format string, args ...any)) {
	for _, r := range []struct {
		name string
		run  *runDoc
	}{{"archive", s.LastArchive}, {"sync", s.LastSync.byRules()}, {"model", s.LastImprove}} {
		if r.run != nil {
			line(r.name, "%s: %s", r.run.At.Local().Format("2006-01-02 15:04"), r.run.words())
		}
	}
	if n := s.Schedule; n.Installed {
		text := "set up with " + n.System
		if !n.Next.IsZero() {
			text += ", next night run " + n.Next.Local().Format("2006-01-02 15:04")
		}
		line("schedule", "%s", text)
		if n.Failed != "" {
			line("", "FAILED: %s", n.Failed)
		}
	} else {
		line("schedule", "not set up; recall schedule install does it")
	}
	least, free := "", ""
	if !s.Disk.Whole {
		least = "more than "
	}
	if s.Disk.Free > 0 {
		free = ", " + terminal.Size(s.Disk.Free) + " free"
	}
	line("disk", "%s%s%s", least, terminal.Size(s.Disk.Bytes), free)
	if s.Spent != nil {
		line("models", "this month %s, %d tokens, $%.2f", answer.Count(s.Spent.Calls, "call"), s.Spent.Tokens,
			s.Spent.Cost)
	}
}

// byRules is a sync without what the model did, where that has a line of its own.
func (r *runDoc) byRules() *runDoc {
	if r == nil {
		return nil
	}
	own := *r
	own.Improved, own.Queued = 0, 0
	return &own
}

// words is what a run did.
func (r *runDoc) words() string {
	parts := app.Counts(app.Counted{N: r.New, What: "new"}, app.Counted{N: r.Grown, What: "grown"},
		app.Counted{N: r.Distilled, What: "distilled"}, app.Counted{N: r.Improved, What: "improved"},
		app.Counted{N: r.Queued, What: "queued"}, app.Counted{N: r.Skipped, What: "skipped"})
	return cmp.Or(strings.Join(parts, ", "), "nothing new")
}

// modelDoc is how it stands with the model that distills.
type modelDoc struct {
	Name    string `json:"name"`              // provider and model, as configured
	Waiting int    `json:"waiting"`           // sessions that it is to be asked about; some may say too little
	Failed  int    `json:"failed"`            // of those: it failed at them before
	Asking  bool   `json:"asking,omitempty"`  // a recall is asking it now
	Batches int    `json:"batches,omitempty"` // requests that are on their way with a batch
}

func modelStatus(a *app.App, l *library.Library) (*modelDoc, error) {
	c := a.Config
	if c.Distill.Distiller != config.ByModel {
		return nil, nil
	}
	d := &modelDoc{Name: c.LLM.Provider}
	if name := cmp.Or(c.LLM.Model, config.UsualModel[c.LLM.Provider]); name != "" {
		d.Name += "/" + name
	}
	var err error
	if d.Waiting, d.Failed, err = improve.Waiting(&pipeline.Pipeline{Archiver: *a.Archiver(l)},
		c.Distill.Quiet); err != nil {
		return nil, err
	}
	if done, err := l.AskAlone(); err == nil {
		done()
	} else {
		d.Asking = errors.Is(err, library.ErrBusy)
	}
	if d.Batches, err = improve.OnTheWay(l); err != nil {
		return nil, err
	}
	return d, nil
}

func (d *modelDoc) lines() []string {
	first := d.Name
	if d.Waiting > 0 {
		first += fmt.Sprintf(": %s for it", app.Waits(d.Waiting))
		if d.Failed > 0 {
			first += fmt.Sprintf(" (it failed at %d before)", d.Failed)
		}
		if d.Asking {
			first += "; being asked now, about the newest first"
		} else {
			first += "; recall sync asks"
		}
	}
	all := []string{first}
	if d.Batches > 0 {
		all = append(all, answer.Count(d.Batches, "request")+
			" on the way with a batch; a later recall sync takes in the answers")
	}
	return all
}
