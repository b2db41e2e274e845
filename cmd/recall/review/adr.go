package review

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"recall/answer"
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
	}, func(ctx context.Context, args []string) (*Records, error) {
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
		log, err := openRecords(ctx, p, project, here, o.To)
		if err != nil {
			return nil, err
		}
		defer log.root.Close()
		for _, arg := range args {
			it, err := a.Item(ctx, arg)
			if err == nil {
				err = log.choose(it.Item.ID)
			}
			if err != nil {
				return nil, err
			}
		}
		asks := len(args) == 0 && !o.DryRun
		for _, d := range slices.Clone(log.Waiting) {
			if o.All || asks && a.Confirm(ctx, terminal.Line(payload.LineOf(&d.Item))+": record it?") {
				log.choose(d.Item.ID) // waiting decisions can be chosen
			}
			if ctx.Err() != nil { // Ctrl-C doesn't answer the rest
				return nil, ctx.Err()
			}
		}
		return log, log.write(o.DryRun)
	}, printRecords)
	return option.Refuse(cmd, func(args []string) bool { return o.All && len(args) > 0 },
		"adr: --all records everything that you kept, but decisions are named too", "omit one of them")
}

func printRecords(a *app.App, l *Records) {
	unchanged := 0
	for _, r := range l.Records {
		file := terminal.Line(terminal.ShownPath(l.Folder + "/" + r.File))
		switch {
		case r.Gone:
			fmt.Fprintf(a.Out, "%s: its decision has since been forgotten, dropped or moved; the file stays as it is\n", file)
		case r.Did != "":
			fmt.Fprintf(a.Out, "%s: %s, %s\n", file, r.Did, terminal.Line(r.Status))
		default:
			unchanged++
		}
	}
	if unchanged > 0 {
		fmt.Fprintf(a.Out, "%s in %s unchanged\n", answer.Count(unchanged, "record"),
			terminal.Line(terminal.ShownPath(l.Folder)))
	}
	if n := len(l.Waiting); n > 0 {
		fmt.Fprintf(a.Out, "%s that you kept %s no record:\n", answer.Count(n, "decision"),
			map[bool]string{true: "has", false: "have"}[n == 1])
		page := a.Page()
		for _, d := range l.Waiting {
			a.Print(page.Wrapped("  "+string(d.Item.ID)+"  ", "              ", payload.LineOf(&d.Item), ""))
		}
		fmt.Fprintln(a.Out, "recall adr ID… records them; recall adr --all records all")
	} else if len(l.Records) == 0 {
		fmt.Fprintln(a.Out, "no decision that stands was kept in review; recall review goes through them, recall log lists "+
			"them, recall adr ID records one")
	}
}
