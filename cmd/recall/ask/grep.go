package ask

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"recall/answer/history"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/internal/hint"
	"recall/library"
	"recall/payload"
)

type grepOptions struct {
	IgnoreCase, WordRegexp, FilesWithMatches, JSON bool
	Context                                        int
	Project                                        string
	Since                                          option.Day
}

func newGrepCmd(a *app.App) *cobra.Command {
	var o grepOptions
	return option.Run(a, "grep", &o, func(ctx context.Context, l *library.Library, args []string) error {
		g, err := history.NewGrep(args[0], o.IgnoreCase, o.WordRegexp)
		if err != nil {
			return hint.With(err, "a backslash makes a special character literal: recall grep 'f\\(x\\)'")
		}
		g.Context, g.Only = max(0, o.Context), o.FilesWithMatches
		if err := a.Fresh(ctx, l); err != nil {
			return err
		}
		catalog, err := l.Catalog()
		if err != nil {
			return err
		}
		project, err := app.ProjectID(l, o.Project)
		if err != nil {
			return err
		}
		sessions := catalog.In(project)
		if len(args) > 1 {
			if sessions, err = a.Sessions(l, args[1:]); err != nil {
				return err
			}
		}
		sessions = slices.DeleteFunc(slices.Clone(sessions), func(e library.Entry) bool {
			return !o.Since.At.IsZero() && e.End.Before(o.Since.At)
		})
		slices.SortStableFunc(sessions, func(a, b library.Entry) int { return b.Start.Compare(a.Start) })
		found := false
		err = g.Each(ctx, sessions, func(e library.Entry, lines []history.Line) error {
			found = true
			doc := history.Grepped{SessionRef: catalog.Ref(string(e.ID)), Lines: lines}
			if o.JSON {
				text, err := json.Marshal(doc)
				return errors.Join(err, a.WriteJSON(string(text)+"\n"))
			}
			return a.Print(grepText(a, doc, o))
		})
		for _, bad := range g.Problems {
			fmt.Fprintf(a.Err, "recall: not searched: %v\n", bad)
		}
		switch {
		case err != nil:
			return err
		case len(g.Problems) > 0:
			return app.ExitCode(app.ExitPartial)
		case !found:
			return app.ExitCode(app.ExitNothing)
		}
		return nil
	})
}

// grepText returns a session's matches: below its name on a terminal, each after its name elsewhere.
func grepText(a *app.App, doc history.Grepped, o grepOptions) string {
	var b strings.Builder
	st, onScreen := terminal.Styles(a.Color), terminal.IsTerminal(a.Out)
	name := terminal.Line(payload.Handle(doc.Project, doc.Number))
	switch {
	case o.FilesWithMatches:
		return name + "\n"
	case onScreen:
		p := a.Page()
		fmt.Fprintf(&b, "%s%s%s\n", st.Bold, p.Session(doc.SessionRef), st.Reset)
	}
	last := history.Line{File: doc.Lines[0].File, Line: doc.Lines[0].Line - 1}
	for _, line := range doc.Lines {
		if o.Context > 0 && (line.File != last.File || line.Line != last.Line+1) {
			b.WriteString("--\n")
		}
		last = line
		sign := map[bool]string{true: ":", false: "-"}[len(line.Spans) > 0]
		if !onScreen {
			b.WriteString(name + sign)
		}
		fmt.Fprintf(&b, "%s%d%s%s", st.Green, line.Turn, st.Reset, sign)
		at := 0
		for _, s := range line.Spans {
			b.WriteString(terminal.Visible(line.Text[at:s.From]) + st.Red + terminal.Visible(line.Text[s.From:s.To]) +
				st.Reset)
			at = s.To
		}
		b.WriteString(terminal.Visible(line.Text[at:]) + "\n")
	}
	if onScreen {
		b.WriteString("\n")
	}
	return b.String()
}
