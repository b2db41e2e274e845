package review

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"recall/cmd/recall/adr"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/payload"
)

func newADRCmd(a *app.App) *cobra.Command {
	var o struct {
		To, Project string
		All, DryRun bool
	}
	cmd := option.Result(a, "adr", func(fs *option.Flags) {
		fs.BoolVar(&o.All, "all", false, "record everything that you kept, without asking")
		fs.BoolVar(&o.DryRun, "dry-run", false, "show what would be written, and write nothing")
		fs.StringVarP(&o.Project, "project", "p", "", "the decisions of this project (default: the one you are in)")
		fs.StringVar(&o.To, "to", "", "the folder for the records")
		fs.Folder("to")
	}, func(ctx context.Context, args []string) (*adr.Log, error) {
		here, err := os.Getwd()
		if err != nil {
			return nil, err
		}
		p, err := a.UpToDate(ctx)
		if err != nil {
			return nil, err
		}
		project, _, err := a.ResolveProject(o.Project)
		if err != nil {
			return nil, err
		}
		log, err := adr.Open(ctx, p, project, here, o.To)
		if err != nil {
			return nil, err
		}
		defer log.Close()
		for _, arg := range args {
			it, err := a.Item(ctx, arg)
			if err == nil {
				err = log.Choose(it.Item.ID)
			}
			if err != nil {
				return nil, err
			}
		}
		asks := len(args) == 0 && !o.DryRun
		for _, d := range slices.Clone(log.Waiting) {
			if o.All || asks && a.Confirm(ctx, terminal.Line(payload.LineOf(&d.Item))+": record it?") {
				log.Choose(d.Item.ID) // waiting decisions can be chosen
			}
			if ctx.Err() != nil { // Ctrl-C doesn't answer the rest
				return nil, ctx.Err()
			}
		}
		return log, log.Write(func(r *adr.Record) string {
			var text strings.Builder
			page := terminal.Page{W: &text}
			page.Form("adr/record", r)
			return text.String()
		}, o.DryRun)
	}, func(a *app.App, log *adr.Log) { a.Form("adr", log) })
	return option.Refuse(cmd, func(args []string) bool { return o.All && len(args) > 0 },
		"adr: --all records everything that you kept, but decisions are named too", "omit one of them")
}
