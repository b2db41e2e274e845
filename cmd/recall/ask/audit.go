package ask

import (
	"context"

	"github.com/spf13/cobra"

	"recall/answer/history"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
)

func newAuditCmd(a *app.App) *cobra.Command {
	var o struct {
		Project string
		All     bool
		JSON    bool
		Fix     bool
	}
	return option.Do("audit", func(fs *option.Flags) {
		fs.BoolVar(&o.All, "all", false, "also list the lines that were said in a session, with by whom")
		fs.BoolVar(&o.JSON, "json", false, "print as JSON")
		fs.BoolVar(&o.Fix, "fix", false, "print a patch that takes the lines out which the record contradicts")
		fs.BoolVar(new(bool), "no-sync", false, "use only what is already indexed")
		fs.Sets("no-sync", "!query.sync")
		fs.StringVarP(&o.Project, "project", "p", "", "another project than the current one")
	}, func(ctx context.Context, _ []string) error {
		p, err := a.UpToDate(ctx)
		if err != nil {
			return err
		}
		name, err := a.ProjectFilter(o.Project, false)
		if err != nil {
			return err
		}
		found, err := history.AuditOf(ctx, p, name)
		if err != nil {
			return err
		}
		if o.Fix && found.Listed() > 0 {
			patch, err := found.Patch()
			if err != nil {
				return err
			}
			return a.Print(patch)
		}
		return show(a, found, o.JSON, found.Listed() == 0, func(p *terminal.Page) {
			p.Form("audit", struct {
				history.Audit
				All bool
			}{found, o.All})
		})
	})
}
