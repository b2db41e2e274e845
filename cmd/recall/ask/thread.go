package ask

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"recall/answer/history"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
)

func newThreadCmd(a *app.App) *cobra.Command {
	var o struct{ Project string }
	return option.Asked(a, "thread", func(fs *option.Flags) {
		fs.StringVarP(&o.Project, "project", "p", "", "threads of this project (default: the one you are in)")
	},
		func(ctx context.Context, args []string) ([]history.Thread, error) {
			catalog, err := a.Lib.Catalog()
			if err != nil {
				return nil, err
			}
			name := cmp.Or(strings.Join(args, ""), o.Project)
			project, _, of, err := a.ResolveThread(name)
			if err != nil {
				return nil, err
			}
			return history.Threads(ctx, a.Lib, a.IndexIfThere(), catalog, project, of)
		}, func(a *app.App, docs []history.Thread) { a.Form("threads", docs) })
}
