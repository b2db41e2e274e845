package ask

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/answer/history"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/ingest"
	"recall/library"
	"recall/payload"
)

func newListCmd(a *app.App) *cobra.Command {
	var o struct {
		Project, Search   string
		Tag               []string
		Starred, Archived bool
		Headless          bool
		Since             option.Day
		Limit             int
	}
	kept, more := 0, 0
	return option.Asked(a, "list", func(fs *option.Flags) {
		fs.BoolVar(&o.Archived, "archived", false, "only archived sessions")
		fs.BoolVar(&o.Headless, "headless", false, "also sessions that a program held, such as a review by a script")
		fs.Number(&o.Limit, "limit", "n", 0, "maximum number of sessions (default: all)")
		fs.StringVarP(&o.Project, "project", "p", "", "only this project")
		fs.StringVar(&o.Search, "search", "", "only sessions with these words in their title, project, id or client")
		fs.Since(&o.Since, "since", "only sessions active after the start of this day: 2026-04-17, 2w, yesterday")
		fs.BoolVar(&o.Starred, "starred", false, "only starred sessions")
		fs.Tags(&o.Tag, "tag", "only sessions with this tag; given twice, with both")
	}, func(_ context.Context, _ []string) ([]library.ListEntry, error) {
		debug.SetGCPercent(400) // a short run: collecting costs more than it frees
		id, err := a.ProjectID(o.Project)
		if err != nil {
			return nil, err
		}
		catalog, err := a.Lib.Catalog()
		if err != nil {
			return nil, err
		}
		kept = len(catalog.Entries)
		maps.Copy(catalog.Closed, a.Archiver().Excluded())
		hidden, headless := 0, 0
		all := slices.DeleteFunc(catalog.List(id, nil), func(s library.ListEntry) bool {
			untagged := func(tag string) bool { return !slices.Contains(s.Tags, tag) }
			if o.Search != "" && !s.Named(o.Search) || !o.Since.At.IsZero() && s.End.Before(o.Since.At) {
				return true
			}
			if slices.ContainsFunc(o.Tag, untagged) || o.Starred && !s.Starred {
				return true
			}
			if s.Archived && !o.Archived {
				hidden++
			}
			return s.Archived != o.Archived
		})
		if !o.Headless {
			all, headless = library.WithoutHeadless(all)
		}
		if hidden > 0 {
			defer a.Tell("%s left out: --archived lists them", answer.Count(hidden, "archived session"))
		}
		if headless > 0 {
			defer a.Tell("%s left out: --headless lists them", answer.Count(headless, "headless session"))
		}
		slices.SortStableFunc(all, func(a, b library.ListEntry) int { return b.Start.Compare(a.Start) })
		if o.Limit > 0 {
			shown := min(o.Limit, len(all))
			all, more = all[:shown], len(all)-shown
		}
		a.PrintProblems(a.Lib.Broken())
		if len(a.Lib.Broken()) > 0 {
			fmt.Fprintln(a.Err, "recall: hint: recall check --repair repairs what it can")
			return all, app.ExitCode(app.ExitPartial)
		}
		return all, nil
	}, func(a *app.App, all []library.ListEntry) {
		if len(all) == 0 && kept > 0 {
			fmt.Fprintln(a.Out, "none of", answer.Count(kept, "session"), "matches")
			return
		}
		printList(a, all, more)
	})
}

// handleShown is the most columns that the handle column takes; longer handles shift the rest of the line.
const handleShown = 28

// printList prints sessions; more is how many others there are beyond the limit.
func printList(a *app.App, all []library.ListEntry, more int) {
	st := terminal.Styles(a.Color)
	colors := map[library.State]string{library.OnlyHere: st.Dim, library.Wordless: st.Dim, library.Behind: st.Yellow,
		library.Unreadable: st.Red, library.Shorter: st.Yellow, library.Lost: st.Red}
	handle := func(s library.ListEntry) string { return terminal.Line(payload.Handle(s.Project, s.Number)) }
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
		if s.Source != ingest.ClaudeCode && terminal.Width(a.Out) > terminal.Narrow { // the most common one
			state += string(s.Source) + "  "
		}
		before, behind := marks(s)
		taken := terminal.Columns(name + state + before + behind)
		known := fmt.Sprintf("%s  %4d  ", payload.ShortID(s.ID), s.Turns)
		if terminal.Width(a.Out) < terminal.Narrow {
			known = "" // its name and title must do
		}
		room := max(12, terminal.Width(a.Out)-len("2006-01-02    "+known)-taken)
		title := terminal.Clip(cmp.Or(terminal.Line(s.Title), "(no title)"), room)
		fmt.Fprintf(out, "%s  %s  %s%s%s%s%s%s%s%s%s%s%s\n", answer.Day(s.Start), name, st.Dim, known, st.Reset,
			colors[s.State], state, st.Reset, before, title, st.Dim, behind, st.Reset)
	}
	if len(all) == 0 {
		fmt.Fprintln(out, "no sessions; recall sync imports new ones")
		return
	}
	var safety []string
	for _, state := range []library.State{library.Safe, library.OnlyHere, library.Shorter, library.Behind,
		library.Unreadable, library.Lost, library.Wordless} {
		if n := states[state]; n > 0 {
			safety = append(safety, fmt.Sprintf("%d %s", n, state))
		}
	}
	fmt.Fprintf(out, "%s of %s: %s", answer.Count(len(all), "session"), answer.Count(len(projects), "project"),
		strings.Join(safety, ", "))
	if more > 0 {
		fmt.Fprintf(out, "; %d more not shown", more)
	}
	fmt.Fprintln(out)
}

// marks returns a session's star and tags, before and after its title.
func marks(s library.ListEntry) (before, behind string) {
	if s.Starred {
		before = "★ "
	}
	for _, tag := range s.Tags {
		behind += " #" + terminal.Line(tag)
	}
	return before, behind
}

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
