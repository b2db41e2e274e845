package ask

import (
	"cmp"
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
	FixedStrings, IgnoreCase, WordRegexp, FilesWithMatches, JSON bool
	Context                                                      int
	Project                                                      string
	Since                                                        option.Day
}

func newGrepCmd(a *app.App) *cobra.Command {
	var o grepOptions
	return option.Run(a, "grep", func(fs *option.Flags) {
		fs.BoolVarP(&o.FixedStrings, "fixed-strings", "F", false, "the pattern is plain text, no regular expression")
		fs.Number(&o.Context, "context", "C", 0, "show this many lines around each match")
		fs.BoolVarP(&o.FilesWithMatches, "files-with-matches", "l", false, "print only the sessions' names")
		fs.BoolVarP(&o.IgnoreCase, "ignore-case", "i", false, "ignore case")
		fs.BoolVar(&o.JSON, "json", false, "print as JSON, one line per session")
		fs.StringVarP(&o.Project, "project", "p", "", "only this project")
		fs.Since(&o.Since, "since", "only sessions active after the start of this day: 2026-04-17, 2w, yesterday")
		fs.BoolVarP(&o.WordRegexp, "word-regexp", "w", false, "match whole words only")
		fs.Apart("json", "files-with-matches")
	}, func(ctx context.Context, args []string) error {
		g, err := history.NewGrep(args[0], o.FixedStrings, o.IgnoreCase, o.WordRegexp)
		if err != nil {
			return hint.With(err, "-F searches for the text as it is: recall grep -F 'f(x)'")
		}
		g.Context, g.Only = max(0, o.Context), o.FilesWithMatches
		if err := a.Fresh(ctx); err != nil {
			return err
		}
		catalog, err := a.Lib.Catalog()
		if err != nil {
			return err
		}
		sessions, err := o.sessions(a, catalog, args[1:])
		if err != nil {
			return err
		}
		found := false
		print := func(doc history.Grepped) error {
			found = true
			if o.JSON {
				text, err := json.Marshal(doc)
				return errors.Join(err, a.WriteJSON(string(text)+"\n"))
			}
			return a.Print(grepText(a, doc, o))
		}
		show := func(e library.Entry, lines []history.Line) error {
			if !found && lines[0].File == "" {
				fmt.Fprintln(a.Err, "recall: in no transcript, but in the complete output of calls; "+
					"recall show SESSION --actions prints it")
			}
			return print(history.Grepped{SessionRef: catalog.Ref(string(e.ID)), Lines: lines})
		}
		err = g.Each(ctx, sessions, g.Transcript, show)
		if err == nil && len(args) == 1 {
			err = o.notes(a, g, print)
		}
		if outputs, ok := g.Outputs(a.Lib, a.Pipeline().Read); ok && err == nil && !found {
			err = g.Each(ctx, sessions, outputs, show)
		}
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

// sessions returns the sessions to search, the newest first: those named, else those of the project.
func (o *grepOptions) sessions(a *app.App, catalog *library.Catalog, named []string) (all []library.Entry, err error) {
	project, err := a.ProjectID(o.Project)
	if err == nil && len(named) > 0 {
		all, err = a.Sessions(named)
	} else if err == nil {
		all = slices.Clone(catalog.In(project))
	}
	all = slices.DeleteFunc(all, func(e library.Entry) bool { return !o.Since.At.IsZero() && e.End.Before(o.Since.At) })
	slices.SortStableFunc(all, func(a, b library.Entry) int { return b.Start.Compare(a.Start) })
	return all, err
}

// notes searches the notes of clients' own memories.
func (o *grepOptions) notes(a *app.App, g *history.Grep, print func(history.Grepped) error) error {
	project, err := a.ProjectNamed(o.Project)
	if o.Project != "" && err != nil {
		return err
	}
	all, err := a.Pipeline().Remembered()
	for _, n := range all {
		lines := g.Text(n.Name, n.Text)
		if len(lines) == 0 || o.Project != "" && n.Project != project.Name || n.At.Before(o.Since.At) {
			continue
		}
		if err := print(history.Grepped{SessionRef: library.SessionRef{Session: n.Session(), Project: n.Project,
			Title: n.Title, Start: n.At}, Lines: lines}); err != nil {
			return err
		}
	}
	return err
}

// grepText returns a session's matches: below its name on a terminal, each after its name elsewhere.
func grepText(a *app.App, doc history.Grepped, o grepOptions) string {
	var b strings.Builder
	st, onScreen := terminal.Styles(a.Color), terminal.IsTerminal(a.Out)
	name := terminal.Line(payload.Handle(doc.Project, doc.Number))
	if doc.Number == 0 { // a client's note
		name = terminal.Line(doc.Title)
	}
	switch {
	case o.FilesWithMatches:
		return name + "\n"
	case onScreen && doc.Number == 0:
		fmt.Fprintf(&b, "%s%s%s\n", st.Bold, name, st.Reset)
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
		fmt.Fprintf(&b, "%s%d%s%s", st.Green, cmp.Or(line.Turn, line.Line), st.Reset, sign)
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
