package ask

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/answer/history"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/internal/hint"
	txt "recall/internal/text"
	"recall/payload"
	"recall/pipeline/review"
	"recall/prompts"
	"recall/team"
)

type handoffOptions struct {
	To, Out     string
	Copy, Force bool
}

func newHandoffCmd(a *app.App) *cobra.Command {
	var o handoffOptions
	return option.Run(a, "handoff", func(fs *option.Flags) {
		fs.BoolVarP(&o.Copy, "copy", "c", false, "copy the page to the clipboard instead")
		fs.BoolVar(&o.Force, "force", false, "replace existing files")
		fs.BoolVar(new(bool), "no-sync", false, "use only what is already indexed")
		fs.Sets("no-sync", "!query.sync")
		fs.StringVarP(&o.Out, "out", "o", "",
			"the page's file (default handoff-NAME-DATE.md here; \"-\" prints only the page)")
		fs.StringVar(&o.To, "to", "", "the recipient")
		fs.Apart("copy", "out")
	}, func(ctx context.Context, args []string) error {
		if o.To = terminal.Line(o.To); o.To == "" {
			return hint.With(errors.New("handoff: --to with the recipient's name is required"), "recall handoff --to Bob")
		}
		if err := a.Fresh(ctx); err != nil {
			return err
		}
		p, err := a.Compose(ctx, a.IndexIfThere(), strings.Join(args, ""))
		if err != nil {
			return err
		}
		// As git names the person, or not at all, rather than by the machine's login.
		h := payload.Handover{To: o.To, From: history.GitConfig(ctx, ".", "user.name"), At: time.Now()}
		if known, err := a.Lib.Project(p.Project); err == nil {
			h.Remote = known.Remote
		}
		file, err := payload.EncodeHandover(p, h)
		if err != nil {
			return err
		}
		page := payload.HandoverPage(p, h, a.Config.Payload.Budget) + "\n" + prompts.Confirm.Text() + "\n"
		if err := review.WithoutSecrets(page + file); err != nil {
			return err
		}
		var later error // why the team can't be given it now
		if o.Out == "" && !o.Copy {
			done := false
			if done, later = giveInTeam(ctx, a, o.To, file); done {
				return nil
			}
		}
		if err := giveHandoff(a, page, file, o); err != nil || later == nil {
			return err
		}
		if err := giveLater(a, o.To, file); err != nil {
			return err
		}
		fmt.Fprintf(a.Err, "recall: warning: not handed over yet: %s; a later sync gives it to the member named %s\n",
			terminal.Line(later.Error()), o.To)
		return nil
	})
}

// giveInTeam puts a handoff into the inbox of a member of the team, if there is one with that name; later is why a
// sync has to do that.
func giveInTeam(ctx context.Context, a *app.App, to, file string) (done bool, later error) {
	given, err := giveTo(ctx, a, to, file)
	switch {
	case err == nil:
		fmt.Fprintf(a.Out, "handed to %s in the team; it will be in their inbox at their next sync\n", terminal.Line(given))
		return true, nil
	case errors.Is(err, team.ErrUnreachable):
		return false, err
	case errors.Is(err, team.ErrNobody): // it might be a typo
		err = fmt.Errorf("%w; %s", err, hint.Of(err))
	}
	if !errors.Is(err, team.ErrNoMembership) {
		fmt.Fprintln(a.Err, "recall: warning: not handed over in the team:", terminal.Line(err.Error()))
	}
	return false, nil
}

// giveHandoff copies the page, prints it, or writes it and the payload file.
func giveHandoff(a *app.App, page, file string, o handoffOptions) error {
	switch {
	case o.Copy:
		if err := a.Copy(page, "to "+o.To); err != nil {
			return hint.With(err, "omit --copy to write it to a file")
		}
		return nil
	case o.Out == "-":
		return a.Print(page)
	case o.Out == "":
		o.Out = fmt.Sprintf("handoff-%s-%s.md", txt.Slug(o.To), time.Now().Format("2006-01-02"))
	}
	payloadFile := review.PayloadName(o.Out)
	if err := app.WriteNew(o.Out, page, o.Force); err != nil {
		return err
	}
	if err := app.WriteNew(payloadFile, file, o.Force); err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "wrote %s; %s pastes it as a first message\nwrote %s, to load into recall with recall import\n",
		o.Out, o.To, payloadFile)
	return nil
}

// giveTo puts a handoff into the inbox of the member with that name and returns the member's name. The error is
// team.ErrNoMembership if there is no team, team.ErrNobody if no member has that name, and team.ErrUnreachable if it
// can be sent later, see giveLater.
func giveTo(ctx context.Context, a *app.App, to, text string) (given string, err error) {
	t, _, err := a.TeamAtHand(ctx)
	if err != nil {
		return "", err
	}
	defer t.Close()
	return t.GiveTo(ctx, to, text)
}

// giveLater leaves a handoff for a later sync to send.
func giveLater(a *app.App, to, text string) error {
	m, err := team.MembershipOf(a.Lib.Dir())
	if err == nil {
		err = m.Hold(to, text)
	}
	if err == nil {
		a.TeamNow()
	}
	return err
}
