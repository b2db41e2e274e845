package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/config"
	"recall/history"
	"recall/ingest"
	"recall/library"
	"recall/pipeline"
	"recall/pipeline/improve"
	"recall/schedule"
	txt "recall/text"
)

type StatusDoc struct {
	Library    string            `json:"library"`
	Sessions   int               `json:"sessions"`
	Projects   int               `json:"projects"`
	Safe       int               `json:"safe"`
	Behind     int               `json:"behind"`          // sources with bytes that aren't archived
	OnlyHere   int               `json:"only_here"`       // kept, though no source is left
	Unreadable int               `json:"unreadable"`      // sources that can't be looked at
	Waiting    int               `json:"waiting"`         // archived, not distilled as they are
	Grown      int               `json:"-"`               // of those: distilled before
	Made       time.Time         `json:"-"`               // when the longest ago
	Newest     time.Time         `json:"newest,omitzero"` // last thing said in any session
	Index      int64             `json:"index_bytes"`
	Sources    []sourceDoc       `json:"sources"`
	Expiring   int               `json:"expiring"`         // transcripts that Claude Code deletes within 7 days
	Doomed     []pipeline.Doomed `json:"doomed,omitempty"` // where they are
	// sessions at the sources that the library doesn't hold as they are, and why
	Unsafe   []ingest.Problem `json:"unsafe,omitempty"`
	Excluded []excludedDoc    `json:"excluded,omitempty"` // what isn't to be kept
	Warnings []string         `json:"warnings,omitempty"`
	Broken   []ingest.Problem `json:"broken,omitempty"`
	Search   string           `json:"search"`

	LastArchive *runDoc       `json:"last_archive,omitempty"` // that found something
	LastSync    *runDoc       `json:"last_sync,omitempty"`    // that found something
	LastImprove *runDoc       `json:"last_improve,omitempty"` // that asked a model
	Schedule    nightDoc      `json:"schedule"`
	Disk        diskDoc       `json:"disk"`
	Spent       *improve.Took `json:"spent,omitempty"` // this month
	Model       *modelDoc     `json:"model,omitempty"` // not there if rules alone distill
}

type sourceDoc struct {
	Source ingest.Source `json:"source"`
	Folder string        `json:"folder"`
	There  bool          `json:"there"`
}

// searchMode says how questions are searched for.
func searchMode(c *config.Config) string {
	if c.Query.Vectors == "static" || c.Query.Vectors == "service" {
		return "by words and those of like meaning, and by vectors of a model (" + c.Query.Vectors + ")"
	}
	return "by words and those of like meaning"
}

func newStatusCmd(a *app.App) *cobra.Command {
	var o statusOptions
	return option.Result(a, "status", &o, func(ctx context.Context, _ []string) (any, error) {
		if err := o.check(); err != nil {
			return nil, err
		}
		if o.Open {
			return runOpen(ctx, a, o)
		}
		l, err := a.Library(ctx)
		if err != nil {
			return nil, err
		}
		return runStatus(ctx, a, l)
	}, func(a *app.App, doc any) {
		if open, ok := doc.(*history.Waiting); ok {
			printOpen(a, open, o.Project)
			return
		}
		a.Form("status", doc)
	})
}

func runStatus(ctx context.Context, a *app.App, l *library.Library) (StatusDoc, error) {
	shelf, err := l.Shelf()
	if err != nil {
		return StatusDoc{}, err
	}
	s := StatusDoc{Library: l.Dir(), Sessions: len(shelf.Entries), Projects: shelf.Projects(),
		Warnings: library.Warnings(l.Dir()), Search: searchMode(a.Config)}
	if err := l.ReadOnly(); err != nil {
		s.Warnings = append(s.Warnings, err.Error())
	}
	p := a.Pipeline(l)
	var there map[string]ingest.File
	s.Doomed, s.Unsafe, there = p.Exposed(ctx)
	for _, e := range shelf.Entries {
		switch state, _ := e.State(there); state {
		case library.Safe:
			s.Safe++
		case library.Behind:
			s.Behind++
		case library.Unreadable:
			s.Unreadable++
		case library.OnlyHere:
			s.OnlyHere++
		}
		if e.Behind() {
			s.Waiting++
			if e.Distilled != nil {
				s.Grown++
				if made := e.Made(); s.Made.IsZero() || made.Before(s.Made) {
					s.Made = made
				}
			}
		}
		if e.End.After(s.Newest) {
			s.Newest = e.End
		}
	}
	s.Broken = l.Broken()
	if fi, err := os.Stat(app.IndexPath(l)); err == nil {
		s.Index = fi.Size()
	}
	for _, d := range s.Doomed {
		s.Expiring += d.Sessions
	}
	s.Sources = sources(p)
	s.Excluded = excluded(p, shelf)
	last, err := l.Last("archive", "sync", "improve")
	s.LastArchive, s.LastSync, s.LastImprove = runOf(last, "archive"), runOf(last, "sync"), runOf(last, "improve")
	s.LastSync.with(s.LastImprove)
	if err != nil {
		return s, err
	}
	if s.Model, err = modelStatus(a, l); err != nil {
		return s, err
	}
	if spent := improve.TookSince(l, improve.MonthOf(time.Now())); spent.Calls > 0 {
		s.Spent = &spent
	}
	s.Schedule, s.Disk = night(ctx), diskOf(l.Dir(), shelf.Entries)
	return s, err
}

// sources lists where sessions are looked for.
func sources(p *pipeline.Pipeline) []sourceDoc {
	all := []sourceDoc{}
	for _, r := range p.Readers {
		for _, root := range p.RootsOf(r) {
			_, err := os.Stat(root)
			all = append(all, sourceDoc{r.Source(), root, err == nil})
		}
	}
	return all
}

// excludedDoc is a rule by which sessions aren't taken in.
type excludedDoc struct {
	Rule     string `json:"rule"`     // "sources.exclude FOLDER", "pause FROM/UNTIL"
	Now      bool   `json:"now"`      // it is a pause that isn't over
	Sessions int    `json:"sessions"` // at the sources
	Held     int    `json:"held"`     // that the library has from before; of folders
}

// excluded lists the rules that leave something out, and a pause that isn't over.
func excluded(p *pipeline.Pipeline, shelf *library.Shelf) (all []excludedDoc) {
	x, at := p.Exclusion(), map[string]int{}
	add := func(rule string, out, held int) {
		if _, ok := at[rule]; !ok && rule != "" {
			at[rule] = len(all)
			all = append(all, excludedDoc{Rule: rule, Now: rule == x.At(p.Time())})
		}
		if rule != "" {
			all[at[rule]].Sessions += out
			all[at[rule]].Held += held
		}
	}
	add(x.At(p.Time()), 0, 0)
	for _, rule := range p.Excluded() {
		add(rule, 1, 0)
	}
	for _, e := range shelf.Entries {
		add(x.Folder(shelf.Of(e).Root), 0, 1)
	}
	slices.SortFunc(all, func(a, b excludedDoc) int { return strings.Compare(a.Rule, b.Rule) })
	return all
}

// States counts the sessions that are in each state.
func (s StatusDoc) States() string {
	var parts []string
	if s.Safe > 0 || s.OnlyHere == 0 {
		parts = append(parts, fmt.Sprintf("%d safe", s.Safe))
	}
	parts = append(parts, app.Counts("kept, only here|behind|whose source can't be read", s.OnlyHere, s.Behind,
		s.Unreadable)...)
	return strings.Join(parts, "; ")
}

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
	Whole bool  `json:"whole"` // all was counted; else it is about so much
	Free  int64 `json:"free"`  // 0 if that isn't known
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
	return &runDoc{At: f.At, MS: f.N("ms"), New: f.N("new"), Grown: f.N("grown"), Distilled: f.N("distilled"),
		Improved: f.N("improved"), Queued: f.N("queued"), Skipped: f.N("skipped")}
}

// with adds to a sync what the model made of it, which is asked when all is safe
// and journaled apart.
func (r *runDoc) with(asked *runDoc) {
	if r != nil && asked != nil && !asked.At.Before(r.At) {
		r.Improved, r.Queued = asked.Improved, asked.Queued
	}
}

// sessionsCounted is of how many sessions the files are counted: status is quick first.
const sessionsCounted = 200

// diskOf counts the library's files. Where there are more sessions than are counted, they are spread over all times,
// and the others are taken to be to their sources as those are.
func diskOf(dir string, entries []library.Entry) diskDoc {
	n := min(len(entries), sessionsCounted)
	doc := diskDoc{Whole: n == len(entries), Free: library.Free(dir)}
	sessions := map[string]bool{}
	var theirs, counted, all int64 // bytes of the sessions counted, of their sources, and of all sources
	for i, e := range entries {
		sessions[e.Folder] = true
		bytes := int64(0)
		for _, f := range e.Files {
			bytes += f.Size
		}
		all += bytes
		if i*n/len(entries) != (i+1)*n/len(entries) {
			counted += bytes
			theirs += filesIn(e.Folder, func(string) bool { return false })
		}
	}
	if counted > 0 {
		theirs = int64(float64(theirs) * (float64(all) / float64(counted)))
	}
	doc.Bytes = theirs + filesIn(dir, func(path string) bool { return sessions[path] })
	return doc
}

// filesIn are the bytes of the files below a folder, but for those in folders to be skipped. What can't be
// read is told of elsewhere.
func filesIn(dir string, skip func(path string) bool) (n int64) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case d.IsDir() && skip(path):
			return fs.SkipDir
		}
		if fi, err := d.Info(); err == nil && fi.Mode().IsRegular() {
			n += fi.Size()
		}
		return nil
	})
	return n
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
	parts := app.Counts("new|grown|distilled|improved|queued|skipped", r.New, r.Grown, r.Distilled, r.Improved, r.Queued,
		r.Skipped)
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
