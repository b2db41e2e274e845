package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/index"
	"recall/library"
	"recall/pipeline"
)

// queryFlags are what a question may be narrowed by.
type queryFlags struct {
	project, format        string
	since, until, asOf     dayFlag
	kinds                  kindsFlag
	also                   []string
	noSync, asJSON, answer bool
}

// The forms of an answer.
const (
	formatText  = "text"  // for a terminal
	formatPlain = "plain" // the same without colours and hints
	formatMD    = "md"
)

func (a *app) queryCmd() *cobra.Command {
	var f queryFlags
	cmd := &cobra.Command{
		Use:     "query QUESTION",
		Aliases: []string{"q"},
		Short:   "Answer a question from all sessions",
		GroupID: "ask",
		Long: `Answers from every session that recall has kept: what stands, why, since when,
with the words it rests on. What is new is taken in first (not with --no-sync),
for query.budget at most; what is left goes on behind, and recall says so.
Asked from a project's folder, that project's sessions come a little earlier;
--project leaves the others out.

The first answer is number 1, the next 2, …: recall why 1 tells more of it,
recall open 1 opens the transcript there. --as-of answers as you would have
answered at the end of that day. --answer puts the answer into one paragraph,
each sentence with its source: worded by the model of llm.provider out of what
was found, checked against it, or by rules where there is none. query.rerank:
model has it say as well which of what was found answers.

Exit codes: 0 answered, 1 nothing that recall knows of, 2 an error.`,
		Example: `  recall query "what did we decide about retries"
  recall query "did we try redis for the cache?" --project billing
  recall query "retry backoff" --as-of 2026-03-01
  recall query "login" --also "auth session token" --kind decision --since 3m`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(strings.TrimSpace(strings.Join(args, " "))) == 0 {
				return withHint(errors.New("no question"), `ask like this: recall query "what did we decide about retries"`)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := notTogether(cmd, "json", "format"); err != nil {
				return err
			}
			if err := notTogether(cmd, "answer", "format"); err != nil {
				return err
			}
			if err := f.check(); err != nil {
				return err
			}
			return a.query(cmd.Context(), strings.Join(args, " "), &f)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.project, "project", "p", "", "only this project")
	flags.VarP(&f.kinds, "kind", "k", "only items of these kinds: decision, eliminated, finding, deferred, next, …")
	f.since.since(flags, "since", "only from this day on: 2026-04-17, 2w, yesterday")
	f.until.since(flags, "until", "only before this day")
	f.asOf.asOf(flags, "as-of", "answer as of the end of this day: what was said later doesn't count")
	flags.BoolVar(&f.answer, "answer", false, "one paragraph, each sentence with its source")
	wordVar(cmd, &f.format, "format", formatText, "form of the answer: text, plain (no colours or hints), md", formatText, formatPlain, formatMD)
	flags.StringArrayVar(&f.also, "also", nil, "further words for the same thing, from a caller who knows the field")
	flags.IntP("limit", "n", 0, "most answers printed (query.limit)")
	setsKey(flags, "limit", "query.limit")
	flags.BoolVar(&f.noSync, "no-sync", false, "answer from what was taken in before")
	setsKey(flags, "no-sync", "!query.sync")
	flags.BoolVar(&f.asJSON, "json", false, "print the answer as JSON")
	cmd.RegisterFlagCompletionFunc("project", completeProject(a))
	cmd.RegisterFlagCompletionFunc("kind", completeKind)
	return cmd
}

func (a *app) query(ctx context.Context, text string, f *queryFlags) error {
	l, err := a.library(ctx)
	if err != nil {
		return err
	}
	q, err := f.query(text, l, a.cfg.Query.Limit)
	if err != nil {
		return err
	}
	q.Here = a.hereName(l)
	left, err := a.fresh(ctx, l)
	if err != nil {
		return err
	}
	ans, err := a.ask(ctx, l, answer.Question{Query: q, Most: a.cfg.Query.Limit, Paragraph: f.answer})
	if err != nil {
		return err
	}
	ans.Left = left
	if len(ans.Shown) > 0 && ans.Verdict == answer.Answered && q.AsOf.IsZero() {
		ans.Shown[0].Since = changedSince(ctx, l, *ans.Shown[0])
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !f.asJSON { // first: who reads the beginning only ends the program in the middle of the answer
		a.remember(l, text, ans.Shown)
	}
	p := page{w: a.out, st: styles(a.color && f.format == formatText), width: width(a.out), bare: f.format != formatText}
	switch {
	case f.asJSON:
		err = a.printJSON(ans)
	case f.answer:
		p.paragraph(&ans)
	case f.format == formatMD:
		p.markdown(&ans)
	default:
		p.answer(&ans)
	}
	if left > 0 {
		when := "recall sync does it"
		if a.takeInRest(l) {
			when = "being taken in now"
			if wait := time.Until(a.until); wait > 0 {
				when = "a large one that goes on follows in " + wait.Round(time.Second).String()
			}
		}
		fmt.Fprintf(a.err, "recall: this answer is without %s; %s\n", count(left, "new or grown session"), when)
	}
	if err == nil && ans.Verdict == answer.Nothing {
		err = exitCode(exitNothing)
	}
	return err
}

// check refuses a span of time without a day in it.
func (f *queryFlags) check() error {
	if !f.until.at.IsZero() && !f.since.at.Before(f.until.at) {
		return withHint(fmt.Errorf("--since %s isn't before --until %s", f.since.text, f.until.text), "--until leaves that day itself out")
	}
	return nil
}

// query puts the question together.
func (f *queryFlags) query(text string, l *library.Library, limit int) (index.Query, error) {
	q := index.Query{Text: text, Also: f.also, Limit: limit, Kinds: f.kinds, Since: f.since.at, Until: f.until.at, AsOf: f.asOf.at}
	if f.project != "" {
		p, err := l.Project(f.project)
		if errors.Is(err, library.ErrNoProject) {
			return q, withHint(err, "recall project list names them")
		}
		if err != nil {
			return q, err
		}
		q.Project = p.Name
	}
	return q, nil
}

// fresh takes in what is new before a question is answered, within the time
// budget. A library that can't be written just now is asked as it is, and so is
// the demo's, and a backup that --library names: people's own sessions have no
// business there.
func (a *app) fresh(ctx context.Context, l *library.Library) (left int, err error) {
	if !a.cfg.Query.Sync || l.ReadOnly() != nil || isDemo(l) || a.libraryNamed() && l.IsBackup() {
		return 0, nil
	}
	l.LockWait(a.cfg.Query.Budget)
	report, err := a.takeIn(ctx, l, pipeline.Options{Budget: a.cfg.Query.Budget})
	switch {
	case errors.Is(err, context.Canceled):
		return 0, err
	case errors.Is(err, library.ErrBusy): // nothing is wrong
		fmt.Fprintln(a.err, "recall: another recall is taking in what is new; this answer may be without some of it")
	case err != nil:
		fmt.Fprintf(a.err, "recall: warning: what is new could not be taken in: %v\n", err)
	}
	if n := len(report.Problems); n > 0 {
		fmt.Fprintf(a.err, "recall: not all that is new could be taken in (%s); recall sync says why\n", count(n, "fault"))
	}
	return report.Left, nil
}

// ask answers a question as a person asked it, and says on stderr how it was read.
func (a *app) ask(ctx context.Context, l *library.Library, q answer.Question) (answer.Answer, error) {
	model, why := a.secondLook(ctx, l, q.Paragraph)
	if why != "" {
		a.tells("%s", why)
	}
	var ans answer.Answer
	err := a.onIndexAsked(ctx, l, func() (err error) {
		ans, err = answer.Ask(ctx, a.ix, model, q)
		return err
	})
	if err == nil {
		a.sayHow(&ans)
	}
	for _, t := range ans.Told {
		a.tells("%s", t)
	}
	return ans, err
}

// search asks the index alone.
func (a *app) search(ctx context.Context, l *library.Library, q index.Query) (found index.Answer, err error) {
	err = a.onIndexAsked(ctx, l, func() (err error) {
		found, err = a.ix.Search(ctx, q)
		return err
	})
	if err == nil {
		of := answer.Of(answer.Question{Query: q}, found)
		a.sayHow(&of)
	}
	return found, err
}

// searched is what the index alone answers, in short.
func (a *app) searched(ctx context.Context, l *library.Library, text string) (answer.Answer, error) {
	q := answer.Question{Query: index.Query{Text: text, Limit: 3}, Most: 3}
	found, err := a.search(ctx, l, q.Query)
	return answer.Of(q, found), err
}

// onIndexAsked has something asked of the index, with the user's own vectors and
// lexicon; the index is made (again) first where it must be.
func (a *app) onIndexAsked(ctx context.Context, l *library.Library, ask func() error) error {
	asking := func() error {
		if err := a.useVectors(ctx); err != nil {
			return err
		}
		if err := a.useLexicon(); err != nil {
			return err
		}
		return ask()
	}
	err := a.readIndex(l)
	if err == nil {
		if err = asking(); err == nil {
			return nil
		}
	}
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, index.ErrRebuild) {
		return err
	}
	fmt.Fprintln(a.err, "recall: the index must be made again from the library; this takes a while, once")
	if err := a.reindex(ctx, l); err != nil {
		return err
	}
	return asking()
}

// sayHow tells what of a question was read otherwise or taken for a filter, and that vectors
// weren't asked.
func (a *app) sayHow(ans *answer.Answer) {
	for _, c := range ans.Read {
		a.tells("“%s” stands nowhere; it was read as “%s”", oneLine(c.Word), oneLine(c.As))
	}
	if n := ans.Narrowed; len(n.Words) > 0 {
		event := ""
		if n.Event != "" {
			event = ", which was taken for " + oneLine(n.Event) + "; --since and --until say otherwise"
		}
		a.tells("only %s is searched, for “%s”%s", spanOf(n), oneLine(strings.Join(n.Words, "”, “")), event)
	}
	if n := ans.Widened; len(n.Words) > 0 {
		a.tells("nothing was found %s, for “%s”; all is searched", spanOf(n), oneLine(strings.Join(n.Words, "”, “")))
	}
	if ans.WithoutVectors {
		a.tells("the embedding model gave no usable answer in time; words alone were searched")
	}
}

// spanOf says what a filter lets through.
func spanOf(n index.Narrowed) string {
	var only []string
	if n.Project != "" {
		only = append(only, "project "+oneLine(n.Project))
	}
	if !n.Since.IsZero() {
		only = append(only, "from "+day(n.Since))
	}
	if !n.Until.IsZero() {
		only = append(only, "before "+day(n.Until))
	}
	return strings.Join(only, ", ")
}
