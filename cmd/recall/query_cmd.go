package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"recall/cmd/recall/compose"
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
			return a.query(cmd, strings.Join(args, " "), &f)
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
	cmd.RegisterFlagCompletionFunc("project", a.completeProject)
	cmd.RegisterFlagCompletionFunc("kind", completeKind)
	return cmd
}

func (a *app) query(cmd *cobra.Command, text string, f *queryFlags) error {
	l, err := a.library(cmd)
	if err != nil {
		return err
	}
	q, err := f.query(text, l, a.cfg.Query.Limit)
	if err != nil {
		return err
	}
	q.Here = a.hereName(l)
	left, err := a.fresh(cmd, l)
	if err != nil {
		return err
	}
	mind := a.secondMind(cmd, l, f.answer, a.tells)
	if mind != nil {
		q.Limit = max(q.Limit, compose.Looked)
	}
	answer, err := a.search(cmd.Context(), cmd, l, q)
	if err != nil {
		return err
	}
	if len(answer.Listed) == 0 { // a list is in its order already
		mind.look(cmd.Context(), text, &answer)
	}
	v := judge(answer)
	if v == nothing && len(f.also) > 0 && len(answer.Ranked) > 0 {
		v = weak // the question's own words stand nowhere, the further ones do
	}
	p := page{w: a.out, st: styles(a.color && f.format == formatText), width: width(a.out), asked: text, asOf: q.AsOf, bare: f.format != formatText}
	most := a.cfg.Query.Limit
	if mind != nil && f.answer {
		most = max(most, composedOf)
	}
	results := p.show(answer, v, most)
	if len(results) > 0 && results[0].Item != nil && v == answered && q.AsOf.IsZero() {
		p.since = changedSince(cmd.Context(), l, *results[0].Item)
	}
	var said []cited
	if f.answer && v != nothing {
		said = mind.paragraph(cmd.Context(), text, results)
	}
	if cmd.Context().Err() != nil {
		return cmd.Context().Err()
	}
	if !f.asJSON { // first: who reads the beginning only ends the program in the middle of the answer
		a.remember(l, text, results)
	}
	switch {
	case f.asJSON:
		doc := answerJSON(text, v, answer, a.cfg.Query.Limit, left, p.since)
		if f.answer {
			doc.Answer = paragraphJSON(v, results, said)
		}
		err = a.printJSON(doc)
	case f.answer:
		p.paragraph(v, answer, results, said)
	case f.format == formatMD:
		p.markdown(v, answer, results)
	default:
		p.write(answer, v, results)
	}
	if left > 0 {
		now := map[bool]string{true: "being taken in now", false: "recall sync does it"}[a.takeInRest(l)]
		fmt.Fprintf(a.err, "recall: this answer is without %s; %s\n", count(left, "new or grown session"), now)
	}
	if err == nil && v == nothing {
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
	q := index.Query{Text: text, Also: f.also, Limit: max(limit, 3), Kinds: f.kinds, Since: f.since.at, Until: f.until.at, AsOf: f.asOf.at}
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
func (a *app) fresh(cmd *cobra.Command, l *library.Library) (left int, err error) {
	if !a.cfg.Query.Sync || l.ReadOnly() != nil || isDemo(l) || cmd.Flags().Changed("library") && l.IsBackup() {
		return 0, nil
	}
	l.LockWait(a.cfg.Query.Budget)
	report, err := a.takeIn(cmd, l, pipeline.Options{Budget: a.cfg.Query.Budget})
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

// search asks the index, which is made (again) first where it must be.
func (a *app) search(ctx context.Context, cmd *cobra.Command, l *library.Library, q index.Query) (index.Answer, error) {
	err := a.readIndex(l)
	if err == nil {
		var answer index.Answer
		if answer, err = a.askIndex(ctx, q); err == nil {
			return answer, nil
		}
	}
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, index.ErrRebuild) {
		return index.Answer{}, err
	}
	fmt.Fprintln(a.err, "recall: the index must be made again from the library; this takes a while, once")
	if err := a.reindex(cmd, l); err != nil {
		return index.Answer{}, err
	}
	return a.askIndex(ctx, q)
}

// askIndex asks with the user's own vectors and lexicon, and tells how.
func (a *app) askIndex(ctx context.Context, q index.Query) (index.Answer, error) {
	if err := a.useVectors(ctx); err != nil {
		return index.Answer{}, err
	}
	if err := a.useLexicon(); err != nil {
		return index.Answer{}, err
	}
	answer, err := a.ix.Search(ctx, q)
	if err == nil {
		a.sayHow(answer)
	}
	return answer, err
}

// sayHow tells what of a question was read otherwise or taken for a filter, and that vectors
// weren't asked.
func (a *app) sayHow(answer index.Answer) {
	for _, c := range answer.Corrected {
		fmt.Fprintf(a.err, "recall: “%s” stands nowhere; it was read as “%s”\n", oneLine(c.Word), oneLine(c.As))
	}
	if n := answer.Narrowed; len(n.Words) > 0 {
		event := ""
		if n.Event != "" {
			event = ", which was taken for " + oneLine(n.Event) + "; --since and --until say otherwise"
		}
		fmt.Fprintf(a.err, "recall: only %s is searched, for “%s”%s\n", spanOf(n), oneLine(strings.Join(n.Words, "”, “")), event)
	}
	if n := answer.Widened; len(n.Words) > 0 {
		fmt.Fprintf(a.err, "recall: nothing was found %s, for “%s”; all is searched\n", spanOf(n), oneLine(strings.Join(n.Words, "”, “")))
	}
	if answer.WithoutVectors {
		fmt.Fprintln(a.err, "recall: the embedding model gave no usable answer in time; words alone were searched")
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
