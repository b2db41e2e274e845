package ask

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/answer/brief"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/index"
	"recall/library"
	"recall/payload"
	"recall/payload/tokens"
	"recall/redact"
	txt "recall/text"
)

type briefOptions struct {
	Project, Out, Save, Use string
	Budget                  int
	Print, List, Force      bool
}

func newPrepareCmd(a *app.App) *cobra.Command {
	var o briefOptions
	cmd := option.Command("prepare", &o, func(cmd *cobra.Command, args []string) error {
		if o.Out == "-" { // as of recall handoff
			o.Out, o.Print = "", true
		}
		if cmd.Flags().Changed("budget") {
			if err := brief.CheckBudget(o.Budget); err != nil {
				return err
			}
		}
		l, err := a.Library(cmd.Context())
		if err != nil {
			return err
		}
		if o.List {
			all, err := l.Briefs()
			if err != nil {
				return err
			}
			a.Form("briefs", all)
			return option.Nothing(len(all) == 0)
		}
		b, err := brief.Named(l, o.Use, o.Project, o.Save != "", args)
		if err != nil {
			return err
		}
		if o.Budget > 0 {
			b.Budget = o.Budget
		}
		return runBrief(cmd.Context(), a, l, b, o)
	})
	cmd.RegisterFlagCompletionFunc("use", option.Complete(a, func(l *library.Library) (names []string) {
		all, _ := l.Briefs()
		for _, b := range all {
			names = append(names, b.Name+"\t"+txt.Clip(terminal.Line(b.Task), 60))
		}
		return names
	}))
	return option.Refuse(cmd, func(args []string) bool { return len(args) == 0 && o.Use == "" && !o.List },
		"prepare: what is the task?", `like this: recall prepare "make the retry policy per tenant" FILE…`)
}

func runBrief(ctx context.Context, a *app.App, l *library.Library, b library.Brief, o briefOptions) error {
	if err := brief.CheckBudget(b.Budget); err != nil { // a kept one's
		return err
	}
	if err := a.Fresh(ctx, l); err != nil {
		return err
	}
	clean := redact.New().Session()
	b.Task = clean.Text(strings.TrimSpace(b.Task))
	if err := a.Indexed(ctx, l); err != nil {
		return err
	}
	order := &brief.Order{Task: b.Task, Files: b.Files, In: a.In, Budget: b.Budget, Index: a.Index,
		Form:   payload.Options{Variant: payload.Variant(a.Config.Payload.Variant), Budget: a.Config.Payload.Budget},
		Search: func(q index.Query) (index.Answer, error) { return a.Search(ctx, l, q) }}
	var err error
	if order.Project, err = a.Only(l, b.Project, false); err != nil {
		return err
	}
	order.Payload, _ = a.Compose(ctx, l, a.IndexIfThere(l), order.Project) // a project may have nothing to go on from
	text, cut, err := order.Write(ctx)
	if err != nil {
		return err
	}
	text = clean.Text(text)
	if o.Save != "" {
		b.Name, b.At = o.Save, time.Now().UTC().Truncate(time.Millisecond)
		if err := l.SaveBrief(b); err != nil {
			return err
		}
		fmt.Fprintf(a.Err, "recall: kept as %q; recall prepare --use %q puts it together anew\n", o.Save, o.Save)
	}
	fmt.Fprintln(a.Err, "recall: about", answer.Count(tokens.Count(text), "token"))
	if len(cut) > 0 {
		fmt.Fprintf(a.Err, "recall: cut to fit: %s; --budget N takes more\n", strings.Join(cut, ", "))
	}
	secrets := 0
	for _, n := range clean.Counts() {
		secrets += n
	}
	if secrets > 0 {
		fmt.Fprintf(a.Err, "recall: %s replaced; look at it before you paste it\n", answer.Count(secrets, "secret"))
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
