package ask

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/config"
	"recall/hint"
	"recall/history"
	"recall/index"
	"recall/library"
)

// queryFlags are what a question may be narrowed by.
type queryFlags struct {
	project, format        string
	since, until, asOf     option.Day
	kinds                  option.Kinds
	also                   []string
	noSync, asJSON, answer bool
}

// The forms of an answer.
const (
	formatText  = "text"  // for a terminal
	formatPlain = "plain" // the same without colours and hints
	formatMD    = "md"
)

func newQueryCmd(a *app.App) *cobra.Command {
	var f queryFlags
	cmd := &cobra.Command{
		Use:     "query QUESTION",
		Aliases: []string{"q", "ask", "search", "find"},
		Short:   "Answer a question from all sessions",
		Args: func(_ *cobra.Command, args []string) error {
			if len(strings.TrimSpace(strings.Join(args, " "))) == 0 {
				return hint.With(errors.New("no question"),
					`ask like this: recall query "what did we decide about retries"`)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return runQuery(cmd.Context(), a, strings.Join(args, " "), &f)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.project, "project", "p", "", "only this project")
	flags.VarP(&f.kinds, "kind", "k", "only items of these kinds: decision, eliminated, finding, deferred, next, …")
	f.since.Since(flags, "since", "only from this day on: 2026-04-17, 2w, yesterday")
	f.until.Since(flags, "until", "only before this day")
	f.asOf.AsOf(flags, "as-of", "answer as of the end of this day: what was said later doesn't count")
	flags.BoolVar(&f.answer, "answer", false, "one paragraph, each sentence with its source")
	option.WordVar(cmd, &f.format, "format", formatText, "form of the answer: text, plain (no colours or hints), md",
		formatText, formatPlain, formatMD)
	flags.StringArrayVar(&f.also, "also", nil, "further words for the same thing, from a caller who knows the field")
	flags.IntP("limit", "n", 0, "most answers printed (query.limit)")
	config.SetsKey(flags, "limit", "query.limit")
	flags.BoolVar(&f.noSync, "no-sync", false, "answer from what was taken in before")
	config.SetsKey(flags, "no-sync", "!query.sync")
	flags.BoolVar(&f.asJSON, "json", false, "print the answer as JSON")
	cmd.MarkFlagsMutuallyExclusive("json", "format")
	cmd.MarkFlagsMutuallyExclusive("answer", "format")
	return cmd
}

func runQuery(ctx context.Context, a *app.App, text string, f *queryFlags) error {
	l, err := a.Library(ctx)
	if err != nil {
		return err
	}
	q, err := f.query(text, l, a.Config.Query.Limit)
	if err != nil {
		return err
	}
	q.Here = hereName(a, l)
	left, err := a.Fresh(ctx, l)
	if err != nil {
		return err
	}
	complete := func(ans *answer.Answer) {
		ans.Left = left
		if len(ans.Shown) > 0 && ans.Verdict == answer.Answered && q.AsOf.IsZero() {
			ans.Shown[0].Since = history.ChangedSince(ctx, l, *ans.Shown[0])
		}
	}
	print := func(ans *answer.Answer) string {
		complete(ans)
		a.Remember(l, text, f.numbered(ans)) // first: who reads the beginning only ends the program in the middle of the answer
		var b strings.Builder
		f.page(a, &b, ans)
		return b.String()
	}
	draft := terminal.Draft{W: a.Out}
	var meanwhile func(answer.Answer)
	if terminal.Drafts(a.Out) && !f.asJSON && !f.answer {
		meanwhile = func(ans answer.Answer) { draft.Show(print(&ans), "  the model looks at it …") }
	}
	ans, err := a.Ask(ctx, l, answer.Question{Query: q, Most: a.Config.Query.Limit, Paragraph: f.answer}, meanwhile)
	if err = cmp.Or(err, ctx.Err()); err != nil {
		draft.Stay()
		return err
	}
	if f.asJSON {
		complete(&ans)
		err = a.PrintJSON(ans)
	} else {
		draft.Become(print(&ans))
	}
	for _, t := range ans.Told {
		a.Tells("%s", t)
	}
	if left > 0 {
		when := "recall sync does it"
		if a.TakeInRest(l) {
			when = "being taken in now"
			if wait := time.Until(a.Until); wait > 0 {
				when = "a large one that goes on follows in " + wait.Round(time.Second).String()
			}
		}
		fmt.Fprintf(a.Err, "recall: this answer is without %s; %s\n", answer.Count(left, "new or grown session"), when)
	}
	if err == nil && !f.asJSON && f.format == formatText {
		err = a.OfferAgain(ctx, l)
	}
	if err == nil && ans.Verdict == answer.Nothing {
		err = app.ExitCode(app.ExitNothing)
	}
	return err
}

// numbered are the places that a person is shown numbers of.
func (f *queryFlags) numbered(ans *answer.Answer) (hits []app.LastHit) {
	if !f.answer || !terminal.Worded(ans) {
		return app.Hits(ans.Shown)
	}
	_, sources := ans.Text.Cited()
	for _, s := range sources {
		hits = append(hits, app.HitOf(s.Place, s.Turn, "", &s.Item))
	}
	return hits
}

// page lays an answer out for a person.
func (f *queryFlags) page(a *app.App, w io.Writer, ans *answer.Answer) {
	p := terminal.Page{W: w, St: terminal.Styles(a.Color && f.format == formatText), Width: terminal.Width(a.Out),
		Bare: f.format != formatText}
	switch {
	case f.answer:
		p.Paragraph(ans)
	case f.format == formatMD:
		p.Markdown(ans)
	default:
		p.Answer(ans)
	}
}

// check refuses a span of time without a day in it.
func (f *queryFlags) check() error {
	if !f.until.At.IsZero() && !f.since.At.Before(f.until.At) {
		return hint.With(fmt.Errorf("--since %s isn't before --until %s", f.since.Text, f.until.Text),
			"--until leaves that day itself out")
	}
	return nil
}

// query puts the question together.
func (f *queryFlags) query(text string, l *library.Library, limit int) (index.Query, error) {
	q := index.Query{Text: text, Also: f.also, Limit: limit, Kinds: f.kinds, Since: f.since.At, Until: f.until.At,
		AsOf: f.asOf.At}
	if f.project != "" {
		p, err := app.ProjectNamed(l, f.project)
		if err != nil {
			return q, err
		}
		q.Project = p.Name
	}
	return q, nil
}
