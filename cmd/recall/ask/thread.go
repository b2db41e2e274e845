package ask

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/answer/history"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/internal/hint"
	"recall/library"
	"recall/payload"
)

func newThreadCmd(a *app.App) *cobra.Command {
	var o struct{ Project string }
	cmd := option.Asked(a, "thread", func(fs *option.Flags) {
		fs.StringVarP(&o.Project, "project", "p", "", "threads of this project (default: the one you are in)")
	},
		func(ctx context.Context, l *library.Library, args []string) ([]history.Thread, error) {
			catalog, err := l.Catalog()
			if err != nil {
				return nil, err
			}
			name := cmp.Or(strings.Join(args, ""), o.Project)
			project, _, of, err := a.ResolveThread(l, name)
			if err != nil {
				return nil, err
			}
			return history.Threads(ctx, l, a.IndexIfThere(l), catalog, project, of)
		}, func(a *app.App, docs []history.Thread) { a.Form("threads", docs) })
	cmd.AddCommand(newCorrectCmd(a, payload.Join), newCorrectCmd(a, payload.Split))
	return cmd
}

func newCorrectCmd(a *app.App, op payload.CorrectionOp) *cobra.Command {
	var o struct{ Yes bool }
	var flags func(fs *option.Flags)
	if op == payload.Join {
		flags = func(fs *option.Flags) { fs.BoolVar(&o.Yes, "yes", false, "don't ask") }
	}
	name := "thread-" + string(op)
	return option.Run(a, name, flags, func(ctx context.Context, l *library.Library, args []string) error {
		both, err := a.Sessions(l, args)
		if err != nil {
			return err
		}
		if both[0].ID == both[1].ID {
			return hint.With(fmt.Errorf("%q and %q are the same session", args[0], args[1]),
				"name two sessions; recall thread shows them")
		}
		done := "two threads from now on"
		if op == payload.Join {
			done = "one thread from now on"
			err = a.RequireYes(ctx, o.Yes || both[0].Project == both[1].Project, "thread join: they belong to two projects",
				"They belong to two projects. Make them one thread?")
		}
		if err == nil {
			err = l.Correct(payload.Correction{Op: op, A: string(both[0].ID), B: string(both[1].ID),
				At: time.Now().UTC().Truncate(time.Millisecond)})
		}
		if err == nil {
			fmt.Fprintln(a.Out, done)
		}
		return err
	})
}
