package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"recall/answer"
	"recall/cmd/recall/terminal"
	"recall/config"
	"recall/demo"
	"recall/index"
	"recall/ingest"
	"recall/library"
	"recall/pipeline"
	"recall/team/ask"
)

// Fresh is TakeInNew, and says what isn't taken in.
func (a *App) Fresh(ctx context.Context, l *library.Library) error {
	behind, err := a.TakeInNew(ctx, l)
	if err == nil {
		a.SayBehind(l, behind)
	}
	return err
}

// SayBehind says what an answer lacks, and has that done by a process that nobody waits for.
func (a *App) SayBehind(l *library.Library, behind answer.Behind) {
	if !behind.Any() {
		return
	}
	when := "recall sync does it"
	if a.TakeInRest(l) {
		when = "being taken in now"
		if wait := time.Until(a.Until); wait > 0 {
			when = "a large one that goes on follows in " + wait.Round(time.Second).String()
		}
	}
	fmt.Fprintf(a.Err, "recall: this answer is %s; %s\n", behind, when)
}

// TakeInNew takes in what is new before a question is answered, within the time
// budget. A library that can't be written just now is asked as it is, and so is
// the demo's, and a backup that --library names: people's own sessions have no
// business there.
func (a *App) TakeInNew(ctx context.Context, l *library.Library) (behind answer.Behind, err error) {
	asItIs := !a.Config.Query.Sync || l.ReadOnly() != nil || demo.Has(l.Dir()) || a.LibraryNamed() && l.IsBackup()
	if asItIs {
		return behind, nil
	}
	from := ingest.SessionID(os.Getenv(EnvSession))
	o := pipeline.Options{Budget: a.Config.Query.Budget}
	switch g := a.Archiver(l).Glance(from); {
	case g == nil:
	case g.Same() && a.ReadIndex(l) == nil && (g.Recent() || a.TakeInRest(l)):
		return behind, nil
	case !g.Same() && g.Recent():
		o.Glanced = g
	}
	l.LockWait(a.Config.Query.Budget)
	report, err := a.TakeIn(ctx, l, o)
	switch {
	case errors.Is(err, context.Canceled):
		return behind, err
	case errors.Is(err, library.ErrBusy): // nothing is wrong
		fmt.Fprintln(a.Err, "recall: another recall is taking in what is new; this answer may be without some of it")
	case err != nil:
		fmt.Fprintf(a.Err, "recall: warning: what is new could not be taken in: %v\n", err)
	}
	if behind.Unrelated = report.Unrelated && o.Glanced == nil; report.Unrelated && !behind.Unrelated {
		a.TakeInRest(l)
	}
	if n := len(report.Problems); n > 0 {
		fmt.Fprintf(a.Err, "recall: not all that is new could be taken in (%s); recall sync says why\n",
			answer.Count(n, "fault"))
	}
	behind.Left, behind.Outdated = report.Left-report.Outdated, report.Outdated
	return behind, nil
}

// UpToDate opens what questions about the past rest on: the library, with what is new taken in, and the index.
func (a *App) UpToDate(ctx context.Context) (*pipeline.Pipeline, error) {
	l, err := a.Library(ctx)
	if err != nil {
		return nil, err
	}
	if err := a.Fresh(ctx, l); err != nil {
		return nil, err
	}
	if err := a.Indexed(ctx, l); err != nil {
		return nil, err
	}
	return a.Pipeline(l), nil
}

// Ask answers a question as a person asked it, and says on stderr how it was read.
// meanwhile shows the answer that there is while a model looks at it; nil if nobody
// watches.
func (a *App) Ask(ctx context.Context, l *library.Library, q answer.Question,
	meanwhile func(answer.Answer)) (answer.Answer, error) {
	said := false
	if show := meanwhile; show != nil {
		meanwhile = func(ans answer.Answer) {
			a.sayHow(&ans)
			said = true
			show(ans)
		}
	}
	model, why := a.secondLook(ctx, l, q.Paragraph, meanwhile)
	if why != "" {
		a.Tells("%s", why)
	}
	var ans answer.Answer
	var both *ask.Both
	err := a.onIndexAsked(ctx, l, func() (err error) {
		both = a.Both(l)
		ans, err = answer.Ask(ctx, both, model, q)
		return err
	})
	if both != nil && both.Why != "" {
		a.Tells("%s", both.Why)
	}
	if err == nil && !said {
		a.sayHow(&ans)
	}
	return ans, err
}

// Search asks the index alone.
func (a *App) Search(ctx context.Context, l *library.Library, q index.Query) (found index.Answer, err error) {
	err = a.onIndexAsked(ctx, l, func() (err error) {
		found, err = a.Index.Search(ctx, q)
		return err
	})
	if err == nil {
		of := answer.Of(answer.Question{Query: q}, found)
		a.sayHow(&of)
	}
	return found, err
}

// Searched is what the index alone answers, in short.
func (a *App) Searched(ctx context.Context, l *library.Library, text string) (answer.Answer, error) {
	q := answer.Question{Query: index.Query{Text: text, Limit: 3}, Most: 3}
	found, err := a.Search(ctx, l, q.Query)
	return answer.Of(q, found), err
}

// onIndexAsked has something asked of the index, with the user's own vectors and
// lexicon; the index is made (again) first where it must be.
func (a *App) onIndexAsked(ctx context.Context, l *library.Library, do func() error) error {
	asking := func() error {
		if err := a.UseVectors(ctx); err != nil {
			return err
		}
		if err := a.UseLexicon(); err != nil {
			return err
		}
		return do()
	}
	err := a.Indexed(ctx, l)
	if err == nil {
		err = asking()
	}
	if errors.Is(err, index.ErrRebuild) { // found out only in asking
		if err = a.makeIndex(ctx, l); err == nil {
			err = asking()
		}
	}
	return err
}

// sayHow tells what of a question was read otherwise or taken for a filter, and that vectors
// weren't asked.
func (a *App) sayHow(ans *answer.Answer) {
	for _, c := range ans.Read {
		a.Tells("“%s” stands nowhere; it was read as “%s”", terminal.Line(c.Word), terminal.Line(c.As))
	}
	if n := ans.Narrowed; len(n.Words) > 0 {
		a.Tells("only %s is searched, for “%s”", spanOf(n), terminal.Line(strings.Join(n.Words, "”, “")))
	}
	if n := ans.Widened; len(n.Words) > 0 {
		a.Tells("nothing was found %s, for “%s”; all is searched", spanOf(n),
			terminal.Line(strings.Join(n.Words, "”, “")))
	}
	if ans.WithoutVectors {
		a.Tells("the embedding model gave no usable answer in time; words alone were searched")
	}
}

// spanOf says what a filter lets through.
func spanOf(n index.Narrowed) string {
	var only []string
	if n.Project != "" {
		only = append(only, "project "+terminal.Line(n.Project))
	}
	if !n.Since.IsZero() {
		only = append(only, "from "+answer.Day(n.Since))
	}
	if !n.Until.IsZero() {
		only = append(only, "before "+answer.Day(n.Until))
	}
	return strings.Join(only, ", ")
}

// AskTeam begins to ask the team a question, if that is to be asked: what is done meanwhile costs no time.
func (a *App) AskTeam(ctx context.Context, l *library.Library, q index.Query) {
	if of := a.Config.Team.Answers; of != config.TeamOff {
		a.team.Begin(ctx, l, q, of == config.TeamOnly)
	}
}

// Both is the index of a library, which is open, with the team's memory beside it, as team.answers says.
func (a *App) Both(l *library.Library) *ask.Both {
	of := a.Config.Team.Answers
	return &ask.Both{Asker: &a.team, Library: l, Index: a.Index, Wait: a.Config.Team.Wait,
		Off: of == config.TeamOff, Only: of == config.TeamOnly}
}
