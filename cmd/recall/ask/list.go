package ask

import (
	"bufio"
	"context"
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/library"
	txt "recall/text"
)

func newListCmd(a *app.App) *cobra.Command {
	var project string
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List the sessions and whether they are safe",
	}
	cmd.Flags().StringVarP(&project, "project", "p", "", "only this project")
	return option.Result(a, cmd, func(ctx context.Context, _ []string) ([]library.Listed, error) {
		debug.SetGCPercent(400) // a short run: collecting costs more than it frees
		l, err := a.Library(ctx)
		if err != nil {
			return nil, err
		}
		id, err := app.ProjectID(l, project)
		if err != nil {
			return nil, err
		}
		shelf, err := l.Shelf()
		if err != nil {
			return nil, err
		}
		all := shelf.List(id)
		a.PrintProblems(l.Broken())
		if len(l.Broken()) > 0 {
			fmt.Fprintln(a.Err, "recall: hint: recall repair makes them good again, as far as that can be")
			return all, app.ExitCode(app.ExitPartial)
		}
		return all, nil
	}, printList)
}

func printList(a *app.App, all []library.Listed) {
	st := terminal.Styles(a.Color)
	colors := map[library.State]string{library.Safe: st.Green, library.OnlyHere: st.Green, library.Behind: st.Yellow,
		library.Unreadable: st.Red}
	last := ""
	titles := terminal.Width(a.Out) - 42
	out := bufio.NewWriter(a.Out)
	defer out.Flush()
	for _, s := range all {
		if s.Project != last {
			fmt.Fprintf(out, "%s%s%s\n", st.Bold, terminal.Line(s.Project), st.Reset)
			last = s.Project
		}
		title := txt.Clip(terminal.Line(s.Title), titles)
		if title == "" {
			title = "(no title)"
		}
		fmt.Fprintf(out, "%4d  %s  %s%s%s  %s%-11s%s  %s\n", s.Number, answer.Day(s.Start), st.Dim,
			answer.ShortID(s.ID),
			st.Reset, colors[s.State], s.State, st.Reset, title)
	}
	if len(all) == 0 {
		fmt.Fprintln(out, "no sessions yet; recall sync takes them in")
	}
}
