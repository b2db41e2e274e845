package ask

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/library"
	"recall/payload"
	txt "recall/text"
)

func newListCmd(a *app.App) *cobra.Command {
	var project, search string
	var since option.Day
	var limit int
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List the sessions, the newest first, and whether they are safe",
	}
	flags := cmd.Flags()
	flags.StringVarP(&project, "project", "p", "", "only this project")
	flags.IntVarP(&limit, "limit", "n", 0, "most sessions (default: all)")
	since.Since(flags, "since", "only sessions that went on after this day began: 2026-04-17, 2w, yesterday")
	flags.StringVar(&search, "search", "", "only sessions with these words in their title, project or id")
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
		words := strings.Fields(strings.ToLower(search))
		all := slices.DeleteFunc(shelf.List(id), func(s library.Listed) bool {
			text := strings.ToLower(fmt.Sprint(s.Title, "\n", s.Project, "\n", payload.Handle(s.Project, s.Number), "\n", s.ID))
			lacks := func(word string) bool { return !strings.Contains(text, word) }
			return slices.ContainsFunc(words, lacks) || !since.At.IsZero() && s.End.Before(since.At)
		})
		slices.SortStableFunc(all, func(a, b library.Listed) int { return b.Start.Compare(a.Start) })
		if limit > 0 {
			all = all[:min(limit, len(all))]
		}
		a.PrintProblems(l.Broken())
		if len(l.Broken()) > 0 {
			fmt.Fprintln(a.Err, "recall: hint: recall check --repair makes them good again, as far as that can be")
			return all, app.ExitCode(app.ExitPartial)
		}
		return all, nil
	}, printList)
}

// handleShown is how many columns a session's handle takes at most before what follows it moves.
const handleShown = 28

func printList(a *app.App, all []library.Listed) {
	st := terminal.Styles(a.Color)
	colors := map[library.State]string{library.OnlyHere: st.Dim, library.Behind: st.Yellow, library.Unreadable: st.Red}
	handle := func(s library.Listed) string { return terminal.Line(payload.Handle(s.Project, s.Number)) }
	wide := 0
	for _, s := range all {
		wide = max(wide, min(handleShown, terminal.Columns(handle(s))))
	}
	out := bufio.NewWriter(a.Out)
	defer out.Flush()
	projects, states := map[string]bool{}, map[library.State]int{}
	for _, s := range all {
		projects[s.Project] = true
		states[s.State]++
		name, state := handle(s), ""
		name += strings.Repeat(" ", max(0, wide-terminal.Columns(name)))
		if s.State != library.Safe {
			state = string(s.State) + "  "
		}
		room := max(12, terminal.Width(a.Out)-len("2006-01-02  ")-terminal.Columns(name)-len("  01234567  1234  "+state))
		fmt.Fprintf(out, "%s  %s  %s%s  %4d%s  %s%s%s%s\n", answer.Day(s.Start), name, st.Dim, answer.ShortID(s.ID), s.Turns,
			st.Reset, colors[s.State], state, st.Reset, txt.Clip(cmp.Or(terminal.Line(s.Title), "(no title)"), room))
	}
	if len(all) == 0 {
		fmt.Fprintln(out, "no session; recall sync takes in what is new")
		return
	}
	var safety []string
	for _, state := range []library.State{library.Safe, library.OnlyHere, library.Behind, library.Unreadable} {
		if n := states[state]; n > 0 {
			safety = append(safety, fmt.Sprintf("%d %s", n, state))
		}
	}
	fmt.Fprintf(out, "%s of %s: %s\n", answer.Count(len(all), "session"), answer.Count(len(projects), "project"),
		strings.Join(safety, ", "))
}
