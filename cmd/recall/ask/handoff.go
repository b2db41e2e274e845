package ask

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/hint"
	"recall/history"
	"recall/library"
	"recall/payload"
	"recall/prompts"
	"recall/review"
	"recall/team"
	txt "recall/text"
)

type handoffOptions struct {
	To, Out     string
	Copy, Force bool
}

func newHandoffCmd(a *app.App) *cobra.Command {
	var o handoffOptions
	return option.Run(a, "handoff", &o, func(ctx context.Context, l *library.Library, args []string) error {
		if o.To = terminal.Line(o.To); o.To == "" {
			return hint.With(errors.New("handoff: --to says whom it is for"), "recall handoff --to Bob")
		}
		if err := a.Fresh(ctx, l); err != nil {
			return err
		}
		p, err := a.Compose(ctx, l, a.IndexIfThere(l), strings.Join(args, ""))
		if err != nil {
			return err
		}
		h := payload.Handover{To: o.To, From: sender(ctx), At: time.Now()}
		if known, err := l.Project(p.Project); err == nil {
			h.Remote = known.Remote
		}
		text, err := payload.EncodeHandover(p, h, a.Config.Payload.Budget)
		if err != nil {
			return err
		}
		text += "\n" + prompts.Confirm.Text() + "\n"
		if err := review.WithoutSecrets(text); err != nil {
			return err
		}
		if o.Out == "" && !o.Copy {
			given, err := a.GiveInTeam(ctx, l, o.To, text)
			switch {
			case err == nil:
				fmt.Fprintf(a.Out, "handed to %s in the team; it is in their inbox with their next sync\n",
					terminal.Line(given))
				return nil
			case errors.Is(err, team.ErrNobody):
				err = fmt.Errorf("%w; %s", err, hint.Of(err)) // it may be a slip of the fingers
			}
			if !errors.Is(err, team.ErrNoMembership) {
				fmt.Fprintln(a.Err, "recall: warning: it isn't handed over in the team:", terminal.Line(err.Error()))
			}
		}
		return giveHandoff(a, text, o)
	})
}

// sender is who hands over, as they sign their commits here; "" where git knows no
// name: the machine's login is nobody's business.
func sender(ctx context.Context) string { return history.GitConfig(ctx, ".", "user.name") }

func giveHandoff(a *app.App, text string, o handoffOptions) error {
	page, out := payload.PlainHandover(text), o.Out
	switch {
	case o.Copy:
		if err := a.Copy(page, "to "+o.To); err != nil {
			return hint.With(err, "omit --copy: it is written to a file")
		}
		return nil
	case out == "-":
		return a.Print(page)
	case out == "":
		out = fmt.Sprintf("handoff-%s-%s.md", txt.Slug(o.To), time.Now().Format("2006-01-02"))
	}
	evidence := review.EvidenceName(out)
	if err := app.WriteNew(out, page, o.Force); err != nil {
		return err
	}
	if err := app.WriteNew(evidence, text, o.Force); err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "wrote %s; %s pastes it as a first message\nwrote %s; it is for a recall of theirs: recall "+
		"import\n", out, o.To, evidence)
	return nil
}
