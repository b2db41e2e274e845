package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/answer/history"
	"recall/answer/last"
	"recall/cmd/recall/app"
	"recall/cmd/recall/config"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/ingest"
	"recall/internal/hint"
	"recall/internal/schedule"
	"recall/internal/text"
	"recall/library"
	"recall/library/calls"
	"recall/library/disk"
	"recall/library/received"
	"recall/pipeline"
	"recall/pipeline/improve"
	"recall/serve/hooks/clients"
	"recall/team"
)

// StatusDoc is the JSON document of recall status.
type StatusDoc struct {
	Library  string `json:"library"`
	Sessions int    `json:"sessions"`
	Projects int    `json:"projects"`
	library.Tally
	Handed  int              `json:"handed,omitempty"` // items handed over by others that wait for a review
	Index   int64            `json:"index_bytes"`
	Sources []pipeline.Place `json:"sources"`
	// the clients in use here
	Clients []clients.Serving `json:"clients,omitempty"`
	// folders that sessions came from and that aren't searched
	Unsearched []pipeline.Unsearched `json:"unsearched,omitempty"`

	Expiring int                 `json:"expiring"`         // transcripts that Claude Code deletes within 7 days
	Doomed   []pipeline.Expiring `json:"doomed,omitempty"` // where they are
	// sessions whose present state isn't in the library, and why
	Unsafe   []ingest.Problem         `json:"unsafe,omitempty"`
	Excluded []pipeline.ExclusionRule `json:"excluded,omitempty"` // what must not be kept
	Warnings []string                 `json:"warnings,omitempty"`
	Broken   []ingest.Problem         `json:"broken,omitempty"`
	Search   string                   `json:"search"`

	LastArchive *history.Run    `json:"last_archive,omitempty"` // that found something
	LastSync    *history.Run    `json:"last_sync,omitempty"`    // that found something
	LastImprove *history.Run    `json:"last_improve,omitempty"` // that asked a model
	Schedule    schedule.Status `json:"schedule"`
	Disk        diskDoc         `json:"disk"`
	Spent       *improve.Took   `json:"spent,omitempty"` // this month
	Model       *modelDoc       `json:"model,omitempty"` // absent if only rules distill
	Team        *team.Brief     `json:"team,omitempty"`  // absent if the library is in none
}

// diskDoc is the space that the library uses and that is left, in bytes.
type diskDoc struct {
	Bytes int64 `json:"bytes"`
	Free  int64 `json:"free"` // 0 if unknown
}

func newStatusCmd(a *app.App) *cobra.Command {
	var o statusOptions
	cmd := option.Result(a, "status", func(fs *option.Flags) {
		fs.BoolVar(&o.Open, "open", false, "list open work, by project")
		fs.StringVarP(&o.Project, "project", "p", "", "with --open: only this project, and all of it")
		fs.Since(&o.Since, "since", "with --open: what counts as new: 2026-04-17, 2w, yesterday")
	}, func(ctx context.Context, _ []string) (any, error) {
		if err := o.check(); err != nil {
			return nil, err
		}
		if o.Open {
			return runOpen(ctx, a, o)
		}
		if _, err := a.Library(ctx); err != nil {
			return nil, err
		}
		return runStatus(ctx, a)
	}, func(a *app.App, doc any) {
		if open, ok := doc.(*history.Waiting); ok {
			printOpen(a, open, o.Project)
			return
		}
		a.Form("status", doc)
	})
	cmd.AddCommand(newUsageCmd(a))
	return cmd
}

func runStatus(ctx context.Context, a *app.App) (StatusDoc, error) {
	debug.SetGCPercent(400) // a short run: collecting costs more than it frees
	p := a.Pipeline()
	var (
		doomed    []pipeline.Expiring
		unsafe    []ingest.Problem
		there     map[string]ingest.File
		used      int64
		searching sync.WaitGroup // of the sources, while the library is read
	)
	searching.Go(func() { doomed, unsafe, there = p.Exposed(ctx) })
	catalog, err := a.Lib.Catalog()
	if err != nil {
		return StatusDoc{}, err
	}
	searching.Go(func() { used = disk.Used(a.Lib.Dir()) })
	s := StatusDoc{Library: a.Lib.Dir(), Sessions: len(catalog.Entries), Projects: catalog.Projects(),
		Warnings: disk.Warnings(a.Lib.Dir()), Search: searchMode(ctx, a)}
	if err := a.Lib.ReadOnly(); err != nil {
		s.Warnings = append(s.Warnings, err.Error())
	}
	searching.Wait()
	s.Doomed, s.Unsafe, s.Disk = doomed, unsafe, diskDoc{used, disk.Free(a.Lib.Dir())}
	maps.Copy(catalog.Closed, p.Excluded())
	s.Tally = catalog.Tally(there)
	s.Broken, s.Handed = a.Lib.Broken(), received.Handed(a.Lib)
	if fi, err := os.Stat(app.IndexPath(a.Lib)); err == nil {
		s.Index = fi.Size()
	}
	for _, d := range s.Doomed {
		s.Expiring += d.Sessions
	}
	s.Sources = p.Places()
	s.Unsearched = a.Unsearched(catalog.Entries)
	s.Excluded = p.LeftOut(catalog)
	last, err := a.Lib.Last("archive", "sync", "improve")
	s.LastArchive, s.LastSync = history.RunOf(last, "archive"), history.RunOf(last, "sync")
	s.LastImprove = history.RunOf(last, "improve")
	if err != nil {
		return s, err
	}
	if s.Model, err = modelStatus(a); err != nil {
		return s, err
	}
	if spent := improve.TookSince(a.Lib, improve.MonthOf(time.Now())); spent.Calls > 0 {
		s.Spent = &spent
	}
	s.Team = a.TeamNews(time.Time{}, "")
	s.Schedule, _ = schedule.Look(ctx) // without a folder there are no jobs
	if program, err := a.Program(); err == nil {
		s.Clients = clients.Here(program)
	}
	return s, nil
}

type modelDoc struct {
	Name            string `json:"name"` // provider and model, as configured
	improve.Waiting        // sessions to ask it about
	Asking          bool   `json:"asking,omitempty"` // a recall is asking it now
}

func modelStatus(a *app.App) (*modelDoc, error) {
	c := a.Config
	if c.Distill.Distiller != config.ByModel {
		return nil, nil
	}
	d := &modelDoc{Name: c.LLM.Provider}
	if name := cmp.Or(c.LLM.Model, config.UsualModel[c.LLM.Provider]); name != "" {
		d.Name += "/" + name
	}
	var err error
	if d.Waiting, err = improve.WaitingIn(&pipeline.Pipeline{Archiver: *a.Archiver()}, c.Distill.Quiet); err != nil {
		return nil, err
	}
	if done, err := calls.Alone(a.Lib); err == nil {
		done()
	} else {
		d.Asking = errors.Is(err, library.ErrBusy)
	}
	return d, nil
}

func newUsageCmd(a *app.App) *cobra.Command {
	var o struct {
		By    string
		Since option.Day
	}
	return option.Result(a, "status-usage", func(fs *option.Flags) {
		fs.OneOf(&o.By, "by", "day",
			"one line for each day, week (its Monday), month, model, project, session or task (recall's own)",
			"day", "week", "month", "model", "project", "session", "task")
		fs.Since(&o.Since, "since", "only from this day on: 2026-04-17, 2026-04, 2w")
	}, func(ctx context.Context, _ []string) (*history.Usage, error) {
		p, err := a.UpToDate(ctx)
		if err != nil {
			return nil, err
		}
		catalog, err := p.Library.Catalog()
		if err != nil {
			return nil, err
		}
		u, err := history.UsageOf(ctx, p, catalog, o.By, o.Since.At, a.Config.LLM.Prices)
		if err != nil {
			return nil, err
		}
		u.Recall.Month.Cap = a.Config.Distill.Budget.MonthCost
		return u, nil
	}, func(a *app.App, d *history.Usage) {
		for _, b := range d.Recall.Broken {
			fmt.Fprintf(a.Err, "recall: skipped: %s\n", b)
		}
		a.Form("usage", d)
	})
}

type statusOptions struct {
	Open    bool
	Project string
	Since   option.Day
}

// check refuses flags that need --open, and fills in the default for --since.
func (o *statusOptions) check() error {
	if !o.Open && (o.Project != "" || o.Since.Text != "") {
		return hint.With(errors.New("--project and --since need --open"), "recall status --open")
	}
	if o.Since.At.IsZero() {
		o.Since.At, _ = answer.ParseWhen("7d", time.Now())
	}
	return nil
}

func runOpen(ctx context.Context, a *app.App, o statusOptions) (*history.Waiting, error) {
	p, err := a.UpToDate(ctx)
	if err != nil {
		return nil, err
	}
	only, err := a.ProjectFilter(o.Project, o.Project == "")
	if err != nil {
		return nil, err
	}
	return history.WaitingIn(ctx, p, only, o.Since.At, time.Now())
}

// mostOpen is how many entries of each list are shown when all projects are.
const mostOpen = 5

func printOpen(a *app.App, doc *history.Waiting, project string) {
	most := mostOpen
	if project != "" {
		most = math.MaxInt
	}
	var hits []last.Hit
	for _, one := range doc.Number(most) {
		hits = append(hits, last.Of(one.Place, one.Turn, "", &one.Item))
	}
	a.Form("open", doc)
	a.Remember("", hits)
}

// searchMode words what a search uses, and how much a model hasn't read yet.
func searchMode(ctx context.Context, a *app.App) string {
	if a.Config.Embed.Provider == config.EmbedOff {
		return "by words and synonyms"
	}
	mode := "by words, and by meaning"
	if a.Config.Embed.Provider == config.ProviderOpenAI {
		mode += " (" + a.Config.Embed.Model + ")"
	}
	if x := a.IndexIfThere(); x != nil {
		if left, all, err := x.Unembedded(ctx); err == nil && left > 0 {
			mode += fmt.Sprintf("; %s of %s passages not yet", text.Thousands(left), text.Thousands(all))
		}
	}
	return mode
}

// Elsewhere words the folders that sessions came from and that aren't searched.
func (s StatusDoc) Elsewhere() (lines []string) {
	for _, u := range s.Unsearched {
		lines = append(lines, terminal.Unsearched(u))
	}
	return lines
}
