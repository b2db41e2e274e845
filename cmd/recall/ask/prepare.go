package ask

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/answer/brief"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/index"
	"recall/internal/hint"
	"recall/internal/redact"
	"recall/payload"
	"recall/payload/tokens"
)

type prepareOptions struct {
	Project, Out string
	Budget       int
	Print, Force bool
}

func newPrepareCmd(a *app.App) *cobra.Command {
	var o prepareOptions
	cmd := option.Command("prepare", &o, func(cmd *cobra.Command, args []string) error {
		if o.Out == "-" { // as with recall handoff
			o.Out, o.Print = "", true
		}
		if !cmd.Flags().Changed("budget") {
			o.Budget = brief.UsualBudget
		}
		if err := brief.CheckBudget(o.Budget); err != nil {
			return err
		}
		if strings.TrimSpace(args[0]) == "" {
			return hint.With(errors.New("prepare: the task is empty"),
				`for example: recall prepare "make the retry policy per tenant"`)
		}
		files, err := brief.Files(args[1:])
		if err != nil {
			return err
		}
		return runPrepare(cmd.Context(), a, args[0], files, o)
	})
	return option.Refuse(cmd, func(args []string) bool { return len(args) == 0 },
		"prepare: what is the task?", `for example: recall prepare "make the retry policy per tenant" FILE…`)
}

func runPrepare(ctx context.Context, a *app.App, task string, files []string, o prepareOptions) error {
	p, err := a.UpToDate(ctx)
	if err != nil {
		return err
	}
	l, clean := p.Library, redact.New().Session()
	order := &brief.Order{Task: clean.Text(strings.TrimSpace(task)), Files: files, In: a.In, Budget: o.Budget,
		Index:  a.Index,
		Form:   payload.Options{Variant: payload.Variant(a.Config.Payload.Variant), Budget: a.Config.Payload.Budget},
		Search: func(q index.Query) (index.Answer, error) { return a.Search(ctx, l, q) }}
	if order.Project, err = a.ProjectFilter(l, o.Project, false); err != nil {
		return err
	}
	order.Payload, _ = a.Compose(ctx, l, a.IndexIfThere(l), order.Project) // a project might have nothing to continue from
	text, cut, err := order.Write(ctx)
	if err != nil {
		return err
	}
	text = clean.Text(text)
	fmt.Fprintln(a.Err, "recall: about", answer.Count(tokens.Count(text), "token"))
	if len(cut) > 0 {
		fmt.Fprintf(a.Err, "recall: cut to fit: %s; --budget N allows more\n", strings.Join(cut, ", "))
	}
	secrets := 0
	for _, n := range clean.Counts() {
		secrets += n
	}
	if secrets > 0 {
		fmt.Fprintf(a.Err, "recall: %s replaced; check the text before you paste it\n", answer.Count(secrets, "secret"))
	}
	switch {
	case o.Out != "":
		if err := app.WriteNew(o.Out, text, o.Force); err != nil {
			return err
		}
		fmt.Fprintln(a.Err, "recall: wrote", o.Out)
		return nil
	case o.Print:
		return a.Print(text)
	}
	return a.CopyOrPrint(text, "as the first message of the session")
}
