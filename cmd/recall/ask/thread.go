package ask

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
	"recall/hint"
	"recall/ingest"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
	txt "recall/text"
)

type ThreadDoc struct {
	Project  string             `json:"project"`
	Branch   string             `json:"branch,omitempty"`
	Goal     string             `json:"goal,omitempty"`
	Start    time.Time          `json:"start,omitzero"`
	End      time.Time          `json:"end,omitzero"`
	Sessions []ingest.SessionID `json:"sessions"` // oldest first
}

func newThreadCmd(a *app.App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "thread [PROJECT]",
		Short: "Show which sessions belong to one task, and correct it",
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := a.Library(cmd.Context())
			if err != nil {
				return err
			}
			shelf, err := l.Shelf()
			if err != nil {
				return err
			}
			project, _, err := a.Meant(l, strings.Join(args, ""))
			if err != nil {
				return err
			}
			return printThreads(a, l, shelf, project, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	cmd.AddCommand(
		newCorrectCmd(a, "join", "Say that two sessions belong to one task"),
		newCorrectCmd(a, "split", "Say that two sessions don't belong to one task"),
	)
	return cmd
}

func printThreads(a *app.App, l *library.Library, shelf *library.Shelf, project string, asJSON bool) error {
	entries := shelf.In(project)
	threads, err := pipeline.Threads(l, entries)
	if err != nil {
		return err
	}
	titles := map[ingest.SessionID]string{}
	for _, e := range entries {
		titles[e.ID] = e.Title
	}
	docs := []ThreadDoc{}
	for _, t := range threads {
		docs = append(docs, threadOf(t, shelf.Project[project].Name))
	}
	if asJSON {
		return a.PrintJSON(docs)
	}
	st := terminal.Styles(a.Color)
	if len(docs) > 0 {
		fmt.Fprintf(a.Out, "%s of %s, the last active first\n", answer.Count(len(docs), "thread"),
			terminal.Line(docs[0].Project))
	}
	for _, d := range docs {
		goal := d.Goal
		if goal == "" {
			goal = titles[d.Sessions[len(d.Sessions)-1]]
		}
		fmt.Fprintf(a.Out, "\n%s%s%s\n", st.Bold, txt.Clip(terminal.Line(goal), terminal.Width(a.Out)), st.Reset)
		fmt.Fprintf(a.Out, "  %s%s%s\n", st.Dim, span(d), st.Reset)
		for _, id := range d.Sessions {
			fmt.Fprintf(a.Out, "%4d  %s%s%s  %s\n", shelf.Number[string(id)], st.Dim, answer.ShortID(id), st.Reset,
				txt.Clip(terminal.Line(titles[id]), terminal.Width(a.Out)-20))
		}
	}
	return nil
}

// span is when and on which branch a thread was worked on.
func span(d ThreadDoc) string {
	s := answer.Day(d.Start)
	if end := answer.Day(d.End); end != s {
		s += " to " + end
	}
	if d.Branch != "" {
		s += ", branch " + terminal.Line(d.Branch)
	}
	return s
}

func threadOf(t []payload.ThreadInfo, project string) ThreadDoc {
	d := ThreadDoc{Project: project, Start: t[0].Start}
	for _, s := range t {
		d.Sessions = append(d.Sessions, ingest.SessionID(s.Session))
		if s.End.After(d.End) {
			d.End, d.Branch = s.End, s.Branch
		}
		if s.Goal != "" {
			d.Goal = s.Goal
		}
	}
	return d
}

func newCorrectCmd(a *app.App, op, short string) *cobra.Command {
	return &cobra.Command{
		Use:   op + " SESSION SESSION",
		Short: short,
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := a.Library(cmd.Context())
			if err != nil {
				return err
			}
			var ids [2]ingest.SessionID
			for i, name := range args {
				e, err := a.Session(l, name)
				if err != nil {
					return err
				}
				ids[i] = e.ID
			}
			if ids[0] == ids[1] {
				return hint.With(fmt.Errorf("%q and %q are the same session", args[0], args[1]),
					"name two sessions; recall thread shows them")
			}
			err = l.Correct(library.Correction{Op: op, A: ids[0], B: ids[1], At: time.Now().UTC().Truncate(time.Second)})
			if err == nil {
				fmt.Fprintln(a.Out, map[string]string{"join": "one thread from now on",
					"split": "two threads from now on"}[op])
			}
			return err
		},
	}
}
