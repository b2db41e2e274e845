package ask

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/answer/history"
	"recall/answer/last"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/index"
	"recall/internal/hint"
	"recall/payload"
)

type queryFlags struct {
	Project            string
	Since, Until, AsOf option.Day
	Kind               []payload.Kind
	Also               []string
	JSON, Archived     bool
	Full, Plain        bool
}

func newQueryCmd(a *app.App) *cobra.Command {
	var f queryFlags
	cmd := option.Do("query", func(fs *option.Flags) {
		fs.StringArrayVar(&f.Also, "also", nil, "more words for the same thing, from a caller who knows the field")
		fs.BoolVar(&f.Archived, "archived", false, "also search sessions archived with recall edit")
		fs.Day(&f.AsOf, "as-of", "answer as of the end of this day, ignoring anything later")
		fs.BoolVar(&f.Full, "full", false, "show passages in full, not only the lines that say most")
		fs.BoolVar(&f.JSON, "json", false, "print the answer as JSON")
		fs.Kinds(&f.Kind, "kind", "k", "only items of these kinds: decision, eliminated, finding, deferred, next, …")
		fs.Number(new(int), "limit", "n", 0, "maximum number of answers printed (query.limit)")
		fs.Sets("limit", "query.limit")
		fs.NoSync()
		fs.BoolVar(&f.Plain, "plain", false, "print the answer without colours, numbers and hints")
		fs.StringVarP(&f.Project, "project", "p", "", "only this project")
		fs.Since(&f.Since, "since", "only from this day on: 2026-04-17, 2w, yesterday")
		fs.Since(&f.Until, "until", "only before the start of this day")
		fs.Apart("json", "plain")
	}, func(ctx context.Context, args []string) error {
		if err := f.check(); err != nil {
			return err
		}
		return runQuery(ctx, a, strings.Join(args, " "), &f)
	})
	return option.Refuse(cmd, func(args []string) bool { return strings.TrimSpace(strings.Join(args, " ")) == "" },
		"no question", `for example: recall query "what did we decide about retries"`)
}

func runQuery(ctx context.Context, a *app.App, text string, f *queryFlags) error {
	if _, err := a.Library(ctx); err != nil {
		return err
	}
	q, err := f.query(text, a, a.Config.Query.Limit)
	if err != nil {
		return err
	}
	q.Here, _ = a.ProjectFilter("", false) // none, where no session worked
	behind, err := a.SyncNew(ctx)
	if err != nil {
		return err
	}
	complete := func(ans *answer.Answer) {
		ans.Behind = behind
		if len(ans.Results) > 0 && ans.Verdict == answer.Answered && q.AsOf.IsZero() {
			ans.Results[0].Since = history.ChangedSince(ctx, a.Lib, ans.Results[0].Placed())
		}
	}
	print := func(ans *answer.Answer) string {
		complete(ans)
		// First, because a reader who closes the pipe early ends the program in the middle of the answer.
		a.Remember(text, last.Hits(answer.Numbered(ans.Results)))
		var b strings.Builder
		p := terminal.Page{W: &b, St: terminal.Styles(a.Color && !f.Plain), Width: terminal.Width(a.Out), Bare: f.Plain,
			Full: f.Full}
		p.Answer(ans)
		return b.String()
	}
	draft := terminal.Draft{W: a.Out}
	var meanwhile func(answer.Answer)
	if terminal.Drafts(a.Out) && !f.JSON {
		meanwhile = func(ans answer.Answer) { draft.Show(print(&ans), "  the model is looking at it …") }
	}
	ans, err := a.Ask(ctx, answer.Question{Query: q, Most: a.Config.Query.Limit}, meanwhile)
	if err = cmp.Or(err, ctx.Err()); err != nil {
		draft.Stay()
		return err
	}
	if f.JSON {
		complete(&ans)
		err = a.PrintJSON(ans)
	} else {
		draft.Become(print(&ans))
	}
	for _, t := range ans.Told {
		a.Tell("%s", t)
	}
	a.SayBehind(behind)
	if err == nil && ans.Verdict == answer.Nothing {
		err = app.ExitCode(app.ExitNothing)
	}
	return err
}

// check refuses an empty span of time.
func (f *queryFlags) check() error {
	if !f.Until.At.IsZero() && !f.Since.At.Before(f.Until.At) {
		return hint.With(fmt.Errorf("--since %s isn't before --until %s", f.Since.Text, f.Until.Text),
			"--until excludes that day itself")
	}
	return nil
}

// query assembles the index query.
func (f *queryFlags) query(text string, a *app.App, limit int) (index.Query, error) {
	q := index.Query{Text: text, Also: f.Also, Limit: limit, Kinds: f.Kind, Since: f.Since.At, Until: f.Until.At,
		AsOf: f.AsOf.At, Archived: f.Archived}
	if f.Project == "" {
		return q, nil
	}
	var err error
	q.Project, err = a.ProjectAsked(f.Project)
	return q, err
}
