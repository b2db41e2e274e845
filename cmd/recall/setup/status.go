package setup

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/config"
	"recall/ingest"
	"recall/library"
	"recall/pipeline"
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
	Warnings []string         `json:"warnings,omitempty"`
	Broken   []ingest.Problem `json:"broken,omitempty"`
	Search   string           `json:"search"`

	LastArchive *runDoc   `json:"last_archive,omitempty"` // that found something
	LastSync    *runDoc   `json:"last_sync,omitempty"`    // that found something
	LastImprove *runDoc   `json:"last_improve,omitempty"` // that asked a model
	Schedule    nightDoc  `json:"schedule"`
	Disk        diskDoc   `json:"disk"`
	Spent       *spentDoc `json:"spent,omitempty"` // this month
	Model       *modelDoc `json:"model,omitempty"` // not there if rules alone distill
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
	return option.Asked(a, "status", nil, func(ctx context.Context, l *library.Library, _ []string) (StatusDoc, error) {
		return runStatus(ctx, a, l)
	}, func(a *app.App, s StatusDoc) { a.Form("status", s) })
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
	for _, e := range shelf.Entries {
		switch state, _ := e.State(); state {
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
	p := a.Pipeline(l)
	s.Doomed, s.Unsafe = p.Exposed(ctx)
	for _, d := range s.Doomed {
		s.Expiring += d.Sessions
	}
	s.Sources = sources(p)
	last, err := l.Last("archive", "sync", "improve")
	s.LastArchive, s.LastSync, s.LastImprove = runOf(last, "archive"), runOf(last, "sync"), runOf(last, "improve")
	s.LastSync.with(s.LastImprove)
	if err != nil {
		return s, err
	}
	if s.Model, err = modelStatus(a, l); err != nil {
		return s, err
	}
	s.Schedule, s.Disk, s.Spent = night(ctx), diskOf(l.Dir()), spentThisMonth(l, time.Now())
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

// States counts the sessions that are in each state.
func (s StatusDoc) States() string {
	var parts []string
	if s.Safe > 0 || s.OnlyHere == 0 {
		parts = append(parts, fmt.Sprintf("%d safe", s.Safe))
	}
	parts = append(parts, app.Counts(app.Counted{N: s.OnlyHere, What: "kept, only here"},
		app.Counted{N: s.Behind, What: "behind"}, app.Counted{N: s.Unreadable, What: "whose source can't be read"})...)
	return strings.Join(parts, "; ")
}
