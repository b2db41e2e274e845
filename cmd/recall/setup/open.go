package setup

import (
	"context"
	"errors"
	"time"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/hint"
	"recall/history"
)

// statusOptions are the flags of status, all of --open.
type statusOptions struct {
	Open, Leads bool
	Project     string
	Since       option.Day
}

// check refuses what says nothing without --open, and fills in what isn't said.
func (o *statusOptions) check() error {
	if !o.Open && (o.Leads || o.Project != "" || o.Since.Text != "") {
		return hint.With(errors.New("--leads, --project and --since narrow --open"), "recall status --open")
	}
	if o.Since.At.IsZero() {
		o.Since.At, _ = terminal.ParseWhen("7d", time.Now(), time.Local)
	}
	return nil
}

// openDoc is what waits, as a page that numbers what it shows.
type openDoc struct {
	*history.Waiting
	all  bool          // none is left out: one project was asked for
	hits []app.LastHit // what was shown, by its numbers
}

// mostOpen is how many of each list are shown where all projects are.
const mostOpen = 5

// openList is a list of one project, as far as it is shown.
type openList struct {
	Title string
	From  int // the number of the first
	Shown []history.Loop
	More  int // that aren't shown
}

func runOpen(ctx context.Context, a *app.App, o statusOptions) (*openDoc, error) {
	p, err := a.UpToDate(ctx)
	if err != nil {
		return nil, err
	}
	only, err := a.Only(p.Library, o.Project, o.Project == "")
	if err != nil {
		return nil, err
	}
	doc, err := history.WaitingIn(ctx, p, only, o.Since.At, time.Now(), o.Leads)
	return &openDoc{Waiting: doc, all: only != ""}, err
}

// Lists are those of a project that have anything in them.
func (d *openDoc) Lists(of history.Loops) (lists []openList) {
	since := answer.Day(d.Since)
	for _, list := range []struct {
		title string
		loops []history.Loop
	}{{"new since " + since, of.New}, {"open", of.Open}, {"closed since " + since, of.Closed}} {
		shown := list.loops
		if !d.all { // the newest
			shown = shown[max(0, len(shown)-mostOpen):]
		}
		if len(shown) > 0 {
			lists = append(lists, openList{list.title, len(d.hits) + 1, shown, len(list.loops) - len(shown)})
		}
		for _, one := range shown {
			d.hits = append(d.hits, app.HitOf(one.Place, one.Turn, "", &one.Item))
		}
	}
	return lists
}
