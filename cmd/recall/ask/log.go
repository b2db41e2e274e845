package ask

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/answer/history"
	"recall/answer/last"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/index"
	"recall/payload"
	"recall/pipeline"
	"recall/team"
)

type logOptions struct {
	queryFlags
	Limit        int
	All, Changed bool

	given bool // --since was given
}

// LogDoc is the JSON document of recall log.
type LogDoc struct {
	Items []history.Dated `json:"items"` // oldest first

	asked string
}

// ChangedDoc is the JSON document of recall log --changed.
type ChangedDoc struct {
	history.Changed
	Others []team.Told `json:"others,omitempty"` // what others in the team decided since, or since the person last looked
}

// The kinds that a timeline shows, and those that --changed shows.
var (
	logKinds     = []payload.Kind{payload.Decision, payload.Eliminated, payload.Finding}
	changedKinds = append(slices.Clone(logKinds), payload.Deferred, payload.Question)
)

func newLogCmd(a *app.App) *cobra.Command {
	var o logOptions
	cmd := option.Result(a, "log", func(fs *option.Flags) {
		fs.BoolVar(&o.All, "all", false, "include all projects")
		fs.BoolVar(&o.Changed, "changed", false, "what was decided, reversed, settled and left open since a day")
		fs.Bool("json", false, "print as JSON")
		fs.Kinds(&o.Kind, "kind", "k", "only items of these kinds: decision, eliminated, finding, deferred, …")
		fs.Number(&o.Limit, "limit", "n", 40, "maximum number of items, keeping the newest; 0 for all")
		fs.StringVarP(&o.Project, "project", "p", "", "of this project (default: the one you are in)")
		fs.Since(&o.Since, "since", "only from this day on: 2026-04-17, 2w, yesterday")
		fs.Since(&o.Until, "until", "only before the start of this day")
		fs.Apart("all", "project")
		fs.Apart("changed", "until", "limit")
	}, func(ctx context.Context, args []string) (any, error) {
		if err := o.check(); err != nil {
			return nil, err
		}
		p, err := a.UpToDate(ctx)
		if err != nil {
			return nil, err
		}
		q, err := o.query(strings.Join(args, " "), a, o.Limit)
		if err != nil {
			return nil, err
		}
		if q.Project, err = a.ProjectFilter(o.Project, o.All); err != nil {
			return nil, err
		}
		return runLog(ctx, a, p, q, o)
	}, printLog)
	cmd.Args = cobra.ArbitraryArgs
	return cmd
}

// check fills in defaults, and refuses an empty span of time.
func (o *logOptions) check() error {
	if len(o.Kind) == 0 {
		o.Kind = logKinds
		if o.Changed {
			o.Kind = changedKinds
		}
	}
	if o.given = !o.Since.At.IsZero(); o.Changed && !o.given {
		o.Since.Text = "7d"
		o.Since.At, _ = answer.ParseWhen(o.Since.Text, time.Now())
	}
	return o.queryFlags.check()
}

func runLog(ctx context.Context, a *app.App, p *pipeline.Pipeline, q index.Query, o logOptions) (any, error) {
	kinds := q.Kinds
	if o.Changed {
		kinds = changedKinds // an item's successor can be of another kind
	}
	line, err := history.Timeline(ctx, p, q.Project, kinds...)
	if err != nil {
		return nil, err
	}
	meant := func(d history.Dated) bool { return slices.Contains(q.Kinds, d.Item.Kind) }
	if q.Text != "" {
		q.Limit, q.Archived = 30, true // as in the timeline
		found, err := a.Search(ctx, q)
		if err != nil {
			return nil, err
		}
		keep := history.OnTopic(found)
		meant = func(d history.Dated) bool { return keep[d.Item.ID] && slices.Contains(q.Kinds, d.Item.Kind) }
	}
	if o.Changed {
		doc := &ChangedDoc{Changed: *history.ChangedOf(line, q.Since, meant)}
		since := time.Time{} // since the last look
		if o.given {
			since = q.Since
		}
		if news := a.TeamNews(since, q.Project); news != nil && q.Text == "" {
			doc.Others = news.Others
		}
		return doc, option.Nothing(doc.Empty() && len(doc.Others) == 0)
	}
	line = slices.DeleteFunc(line, func(d history.Dated) bool {
		return !meant(d) || d.Item.At.Before(q.Since) || !q.Until.IsZero() && !d.Item.At.Before(q.Until)
	})
	if o.Limit > 0 {
		line = line[max(0, len(line)-o.Limit):]
	}
	return &LogDoc{Items: line, asked: q.Text}, option.Nothing(len(line) == 0)
}

func printLog(a *app.App, doc any) {
	switch doc := doc.(type) {
	case *ChangedDoc:
		a.Form("log/changed", doc)
		if m, err := team.MembershipOf(a.Lib.Dir()); err == nil {
			m.LookedNow()
		}
	case *LogDoc:
		a.Form("log", doc)
		var hits []last.Hit
		for _, one := range doc.Items {
			hits = append(hits, last.Of(one.Place, one.Turn, "", &one.Item))
		}
		a.Remember(doc.asked, hits)
	}
}
