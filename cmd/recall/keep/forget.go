package keep

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/ingest"
	"recall/internal/hint"
	"recall/library"
	"recall/pipeline"
	"recall/team"
)

func newForgetCmd(a *app.App) *cobra.Command {
	var o struct {
		Matching    string
		Yes, DryRun bool
	}
	cmd := option.Run(a, "forget", func(fs *option.Flags) {
		fs.BoolVar(&o.DryRun, "dry-run", false, "show what would be removed")
		fs.StringVar(&o.Matching, "matching", "", "every session that contains this text")
		fs.BoolVar(&o.Yes, "yes", false, "don't ask")
	}, func(ctx context.Context, args []string) error {
		if err := a.Lib.ReadOnly(); err != nil {
			return err
		}
		if o.Yes {
			for _, name := range args {
				if why := unsure(a.Lib, name); why != "" {
					return hint.With(fmt.Errorf("forget: %s %s", name, why),
						"name it by its id, which recall list shows; without --yes you are shown what would be removed")
				}
			}
		}
		p := a.Pipeline() // planning needs no index
		plan, gone, err := planForget(ctx, a, p, args, o.Matching)
		if err != nil {
			return err
		}
		return runForget(ctx, a, plan, gone, o.Yes, o.DryRun)
	})
	return option.Refuse(cmd, func(args []string) bool { return (len(args) > 0) == (o.Matching != "") },
		"forget: name sessions, or give a text with --matching", "recall forget --help has examples")
}

// unsure returns why a name given with --yes might mean another session than the person thinks; "" if it can't.
func unsure(l *library.Library, name string) string {
	_, number, _ := strings.Cut(name, "#")
	if number != "" || len(name) < 4 && strings.Trim(name, "0123456789") == "" {
		return "might be another session by now: numbers change as sessions come and go"
	}
	_, part := l.Lookup(name)
	if _, whole := l.LookupWhole(name); part == nil && errors.Is(whole, library.ErrNoSession) {
		return "is only part of a session's title"
	}
	return ""
}

// planForget finds the sessions; gone are ids that were forgotten before, of which something might be left.
func planForget(ctx context.Context, a *app.App, p *pipeline.Pipeline, names []string, matching string) (
	plan *pipeline.ForgetPlan, gone []ingest.SessionID, err error) {
	if matching != "" {
		plan, err = p.PlanForgetText(ctx, matching)
		return plan, nil, err
	}
	var entries []library.Entry
	for _, name := range names {
		e, err := a.Session(name)
		if errors.Is(err, library.ErrNoSession) {
			if id, ok := p.Library.ForgottenNamed(name); ok {
				gone = append(gone, id)
				continue
			}
			if id := ingest.SessionID(name); p.AtSource(ctx, id) { // never archived
				gone = append(gone, id)
				continue
			}
		}
		if err != nil {
			return nil, nil, err
		}
		entries = append(entries, e)
	}
	plan, err = p.PlanForget(ctx, entries)
	return plan, gone, err
}

func runForget(ctx context.Context, a *app.App, plan *pipeline.ForgetPlan, gone []ingest.SessionID,
	yes, dryRun bool) error {
	a.Form("forget", struct {
		*pipeline.ForgetPlan
		Gone []ingest.SessionID
	}{plan, gone})
	nothing := len(plan.Sessions)+len(plan.Top)+len(gone) == 0
	if nothing || dryRun {
		if nothing {
			fmt.Fprintln(a.Out, "nothing to forget: it is nowhere in the library")
		}
		return unsearched(a, plan)
	}
	if err := a.RequireYes(ctx, yes, "forget: it can't be undone", "Forget this for good?"); err != nil {
		return err
	}
	for _, s := range plan.Sessions {
		gone = append(gone[:len(gone):len(gone)], s.Entry.ID)
	}
	shared := team.SharedOf(a.Lib.Dir(), gone) // before that record is forgotten as well
	left, err := a.ForgetSessions(ctx, plan.Texts, gone...)
	if err != nil {
		if hint.Of(err) == "" {
			err = hint.With(err, "run it again: it resumes where it stopped")
		}
		return err
	}
	fmt.Fprintf(a.Out, "forgotten: %s\n", answer.Count(len(gone), "session"))
	if shared > 0 {
		fmt.Fprintf(a.Out, "%s shared with the team: forgotten for everyone once the team is reached; recall team "+
			"status shows which of your machines still have what you forgot\n", answer.Count(shared, "session"))
		a.TeamBeside(true)
	}
	if len(left) > 0 {
		return hint.With(fmt.Errorf("the text is still in %s of the library: %s", answer.Count(len(left), "file"),
			strings.Join(left, ", ")), "recall didn't write them, or can't read their folder's session.json: remove them "+
			"by hand")
	}
	return unsearched(a, plan)
}

// unsearched turns an incomplete search into the exit code for a partial success.
func unsearched(a *app.App, plan *pipeline.ForgetPlan) error {
	if len(plan.Problems) == 0 {
		return nil
	}
	a.PrintProblems(plan.Problems)
	fmt.Fprintln(a.Err, "recall: hint: those files could not be searched and might contain the text too; recall "+
		"check shows what is wrong with them")
	return app.ExitCode(app.ExitPartial)
}
