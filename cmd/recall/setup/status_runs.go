package setup

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

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

// ByRules is what a sync did but for the model, which has a line of its own.
func (r *runDoc) ByRules() string {
	own := *r
	own.Improved, own.Queued = 0, 0
	return own.Words()
}

// Words is what a run did.
func (r *runDoc) Words() string {
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
