package setup

import (
	"context"
	"errors"
	"math"
	"time"

	"recall/answer"
	"recall/answer/last"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/hint"
	"recall/history"
)

type statusOptions struct {
	Open, Leads bool
	Project     string
	Since       option.Day
}

// check refuses what says nothing without --open, and fills in what isn't said.
func (o *statusOptions) check() error {
	if !o.Open && (o.Leads || o.Project != "" || o.Since.Text != "") {
		return hint.With(errors.New("--leads, --project and --since go with --open"), "recall status --open")
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
	only, err := a.Only(p.Library, o.Project, o.Project == "")
	if err != nil {
		return nil, err
	}
	return history.WaitingIn(ctx, p, only, o.Since.At, time.Now(), o.Leads)
}

// mostOpen is how many of each list are shown where all projects are.
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
	a.Remember(a.Lib, "", hits)
}
