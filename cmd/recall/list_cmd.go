package main

import (
	"bufio"
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"recall/ingest"
	"recall/library"
)

// listed is a session in the JSON form of recall list.
type listed struct {
	ID        ingest.SessionID `json:"id"`
	Source    ingest.Source    `json:"source"`
	Project   string           `json:"project"`
	Number    int              `json:"number"`
	Title     string           `json:"title"`
	Start     time.Time        `json:"start,omitzero"`
	End       time.Time        `json:"end,omitzero"`
	Turns     int              `json:"turns"`
	State     library.State    `json:"state"`
	Distilled bool             `json:"distilled"`
	Parent    ingest.SessionID `json:"parent,omitempty"`
	Folder    string           `json:"folder"`
}

func (a *app) listCmd() *cobra.Command {
	var project string
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List the sessions and whether they are safe",
		GroupID: "ask",
		Long: `Lists every session of the library: its number in its project, day, title, and
whether it is safe (archived as it is now), behind (its source has grown since;
recall sync takes that in), unreadable, or kept only here: its source is gone.`,
		Example: `  recall list --project billing
  recall list --json | jq -r '.[] | select(.state != "safe") | .id'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			debug.SetGCPercent(400) // a short run: collecting costs more than it frees
			l, err := a.library(cmd.Context())
			if err != nil {
				return err
			}
			id, err := projectID(l, project)
			if err != nil {
				return err
			}
			shelf, err := newShelf(l)
			if err != nil {
				return err
			}
			all := shelf.list(id)
			if asJSON {
				err = a.printJSON(all)
			} else {
				a.printList(all)
			}
			a.printProblems(l.Broken())
			if err == nil && len(l.Broken()) > 0 {
				fmt.Fprintln(a.err, "recall: hint: recall repair makes them good again, as far as that can be")
				err = exitCode(exitPartial)
			}
			return err
		},
	}
	cmd.Flags().StringVarP(&project, "project", "p", "", "only this project")
	cmd.RegisterFlagCompletionFunc("project", completeProject(a))
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// list is what is said of the sessions of one project, of all if it is "", by project and start time.
func (s *shelf) list(project string) []listed {
	entries := s.in(project)
	safe := states(entries)
	in := map[string][]listed{}
	for i, e := range entries {
		p := s.of(e).Name
		key := strings.ToLower(p)
		in[key] = append(in[key], listed{e.ID, e.Source, p, s.number[e.ID], e.Title, e.Start, e.End, e.Turns, safe[i], !e.Behind(), e.Parent, e.Folder})
	}
	all := make([]listed, 0, len(entries))
	for _, key := range slices.Sorted(maps.Keys(in)) {
		all = append(all, in[key]...)
	}
	return all
}

// states is state of each entry: a look at the disk for every one, so on
// several cores.
func states(entries []library.Entry) []library.State {
	out := make([]library.State, len(entries))
	const block = 256
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for from := 0; from < len(entries); from += block {
		g.Go(func() error {
			for i := from; i < min(from+block, len(entries)); i++ {
				out[i] = state(entries[i])
			}
			return nil
		})
	}
	g.Wait()
	return out
}

func (a *app) printList(all []listed) {
	st := styles(a.color)
	colors := map[library.State]string{library.Safe: st.green, library.OnlyHere: st.green, library.Behind: st.yellow, library.Unreadable: st.red}
	last := ""
	titles := width(a.out) - 42
	out := bufio.NewWriter(a.out)
	defer out.Flush()
	for _, s := range all {
		if s.Project != last {
			fmt.Fprintf(out, "%s%s%s\n", st.bold, oneLine(s.Project), st.reset)
			last = s.Project
		}
		title := clip(oneLine(s.Title), titles)
		if title == "" {
			title = "(no title)"
		}
		fmt.Fprintf(out, "%4d  %s  %s%s%s  %s%-11s%s  %s\n", s.Number, day(s.Start), st.dim, shortID(s.ID), st.reset, colors[s.State], s.State, st.reset, title)
	}
	if len(all) == 0 {
		fmt.Fprintln(out, "no sessions yet; recall sync takes them in")
	}
}
