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
		return giveHandoff(a, page, file, o)
	})
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
