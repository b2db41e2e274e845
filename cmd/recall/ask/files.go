package ask

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/hint"
	"recall/history"
)

func newFilesCmd(a *app.App) *cobra.Command {
	var decided bool
	cmd := option.Result(a, &cobra.Command{
		Use:   "files PATH",
		Short: "Tell which sessions touched a file, and what they decided about it",
	}, func(ctx context.Context, args []string) (*history.Files, error) {
		return filesOf(ctx, a, args[0], decided)
	}, option.OnPage(printFiles))
	cmd.Flags().BoolVar(&decided, "decided", false, "only sessions that decided something about it")
	return cmd
}

func filesOf(ctx context.Context, a *app.App, path string, decided bool) (*history.Files, error) {
	if path == "" || app.IsDir(path) {
		return nil, hint.With(fmt.Errorf("%q is no file", path), "name a file; what was decided at all: recall log")
	}
	p, err := a.UpToDate(ctx)
	if err != nil {
		return nil, err
	}
	doc, err := history.FilesOf(ctx, p, path)
	if err != nil {
		return nil, err
	}
	if decided {
		doc.Sessions = slices.DeleteFunc(doc.Sessions, func(s history.Toucher) bool { return len(s.Items) == 0 })
	}
	return doc, option.Nothing(len(doc.Sessions) == 0)
}

func printFiles(p *terminal.Page, doc *history.Files) {
	if len(doc.Sessions) == 0 {
		fmt.Fprintf(p.W, "No session that recall knows of touched %s.\n", terminal.Line(doc.Path))
		return
	}
	if len(doc.Also) > 0 {
		fmt.Fprintf(p.W, "%salso known as %s%s\n", p.St.Dim, terminal.Line(strings.Join(doc.Also, ", ")), p.St.Reset)
	}
	items := 0
	for _, s := range doc.Sessions {
		var hows []string
		for _, h := range s.How {
			hows = append(hows, string(h))
		}
		fmt.Fprintln(p.W, p.Session(s.SessionRef))
		fmt.Fprintf(p.W, "  %s%s, %s, last in turn %d%s\n", p.St.Dim, strings.Join(hows, ", "),
			answer.Count(s.Calls, "call"), s.Turn, p.St.Reset)
		for _, it := range s.Items {
			p.Noted(it)
		}
		items += len(s.Items)
	}
	fmt.Fprintf(p.W, "%s touched it; %s about it.\n", answer.Count(len(doc.Sessions), "session"),
		answer.Count(items, "thing")+" noted")
}
