package ask

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/config"
	"recall/index"
	"recall/index/habits"
	"recall/library"
	"recall/payload"
)

// HabitDoc is one thing that a person says again and again.
type HabitDoc struct {
	Text     string      `json:"text"`     // as a line for CLAUDE.md
	Sessions int         `json:"sessions"` // in which it was typed
	Times    int         `json:"times"`
	There    string      `json:"there,omitempty"` // the CLAUDE.md that says it already
	Evidence []sayingDoc `json:"evidence"`        // the latest first
}

type sayingDoc struct {
	Project string    `json:"project"`
	Session string    `json:"session"`
	Number  int       `json:"number"`
	Turn    int       `json:"turn"`
	At      time.Time `json:"at,omitzero"`
	Quote   string    `json:"quote"`
}

func newHabitsCmd(a *app.App) *cobra.Command {
	var project, write string
	var least int
	var everywhere, asJSON, noSync bool
	cmd := &cobra.Command{
		Use:     "habits",
		Short:   "List what you tell your assistants again and again",
		GroupID: "ask",
		Long: `Lists preferences and corrections that you typed in several sessions ("never run
the whole suite", "we use pnpm"), with the words and places, and as lines for
CLAUDE.md, where they needn't be said again. It looks at the project that you
are in; what CLAUDE.md says already is marked. Exit code 1 if there is nothing, 2
where no session worked.

Nothing is written, unless --write names the file and you say yes.`,
		Example: `  recall habits
  recall habits --all --min 3
  recall habits --write CLAUDE.md`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if least < 2 {
				return terminal.WithHint(fmt.Errorf("--min %d: once is no habit", least), "2 is the least")
			}
			l, err := a.Library(cmd.Context())
			if err != nil {
				return err
			}
			if _, err := a.Fresh(cmd.Context(), l); err != nil {
				return err
			}
			found, err := runHabits(cmd.Context(), a, l, project, everywhere, least)
			if err != nil {
				return err
			}
			switch {
			case asJSON:
				err = a.PrintJSON(found)
			case write != "":
				return writeHabits(a, found, write)
			default:
				printHabits(a, found)
			}
			if err == nil && len(found) == 0 {
				err = app.ExitCode(app.ExitNothing)
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&project, "project", "p", "", "only this project")
	flags.BoolVar(&everywhere, "all", false, "all projects together")
	flags.IntVar(&least, "min", 2, "in how many sessions at least")
	flags.StringVar(&write, "write", "", "add the lines to this file, after asking")
	flags.BoolVar(&noSync, "no-sync", false, "go by what was taken in before")
	config.SetsKey(flags, "no-sync", "!query.sync")
	flags.BoolVar(&asJSON, "json", false, "print as JSON")
	cmd.MarkFlagsMutuallyExclusive("json", "write")
	cmd.MarkFlagsMutuallyExclusive("all", "project")
	cmd.RegisterFlagCompletionFunc("project", option.CompleteProject(a))
	return cmd
}

// runHabits asks the index for what was typed, and finds what recurs.
func runHabits(ctx context.Context, a *app.App, l *library.Library, project string, everywhere bool,
	least int) ([]HabitDoc, error) {
	name, err := a.Only(l, project, everywhere)
	if err != nil {
		return nil, err
	}
	var files []string
	if p, err := l.Project(name); name != "" && err == nil {
		files = append(files, filepath.Join(p.Root, "CLAUDE.md"), filepath.Join(p.Root, ".claude", "CLAUDE.md"))
	}
	if home, err := os.UserHomeDir(); err == nil {
		files = append(files, filepath.Join(home, ".claude", "CLAUDE.md"))
	}
	if err := a.Indexed(ctx, l); err != nil {
		return nil, err
	}
	typed, err := a.Index.Typed(ctx, name)
	if err != nil {
		return nil, err
	}
	var turns []habits.Turn
	for _, h := range typed {
		turns = append(turns, habits.Turn{Session: h.Place.Session, At: h.At, Text: h.Text})
	}
	rules := rulesIn(files)
	docs := []HabitDoc{}
	for _, h := range habits.Find(turns, least) {
		d := HabitDoc{Text: h.Text, Sessions: h.Sessions, Times: len(h.Sayings), There: rules.says(h.Text),
			Evidence: []sayingDoc{}}
		for _, s := range h.Sayings {
			at := typed[s.Place]
			d.Evidence = append(d.Evidence, sayingDoc{at.Project, at.Place.Session, at.SessionN, at.N, at.At, s.Text})
		}
		docs = append(docs, d)
	}
	return docs, nil
}

// rules are the lines of CLAUDE.md files, by file.
type ruleLines map[string][]string

func rulesIn(files []string) ruleLines {
	rules := ruleLines{}
	for _, f := range files {
		text, err := library.ReadRegular(f, config.MostOfNote)
		if err != nil {
			continue // there mostly is none
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimLeft(strings.TrimSpace(line), "-*• "); len(line) > 8 {
				rules[f] = append(rules[f], line)
			}
		}
	}
	return rules
}

// alreadySaid is how alike a line must be to say the same.
const alreadySaid = 0.6

func (r ruleLines) says(text string) string {
	for file, lines := range r {
		for _, line := range lines {
			if payload.Alike(line, text) >= alreadySaid {
				return file
			}
		}
	}
	return ""
}

// evidenceShown is how much of a habit's evidence a person is shown.
const evidenceShown = 3

func printHabits(a *app.App, found []HabitDoc) {
	if len(found) == 0 {
		fmt.Fprintln(a.Out, "nothing that you said in several sessions")
		return
	}
	st := terminal.Styles(a.Color)
	several := false
	for _, h := range found {
		for _, e := range h.Evidence {
			several = several || e.Project != found[0].Evidence[0].Project
		}
	}
	p := a.Page()
	p.Several = several
	for _, h := range found {
		p.Headed(st.Green+"●"+st.Reset, terminal.Line(h.Text),
			fmt.Sprintf("%s in %s", answer.Count(h.Times, "time"), answer.Count(h.Sessions, "session")))
		for _, e := range h.Evidence[:min(len(h.Evidence), evidenceShown)] {
			p.Wrapped("  ", "    ", fmt.Sprintf("“%s” %s, %s", terminal.Line(e.Quote),
				p.Where(index.Place{Project: e.Project, SessionN: e.Number}, e.Turn, false), answer.Day(e.At)), st.Dim)
		}
		if h.There != "" {
			p.Field("there", h.There)
		}
	}
	fmt.Fprintln(a.Out, "\nLines for CLAUDE.md:")
	for _, h := range found {
		if h.There == "" {
			fmt.Fprintln(a.Out, "- "+terminal.Line(h.Text))
		}
	}
	fmt.Fprintln(a.Out, "\nrecall habits --write CLAUDE.md adds them, after asking")
}

// writeHabits adds what isn't there yet to a file, if the person says yes.
func writeHabits(a *app.App, found []HabitDoc, path string) error {
	have := rulesIn([]string{path})
	var lines []string
	for _, h := range found {
		if have.says(h.Text) == "" && h.There == "" {
			lines = append(lines, "- "+terminal.Line(h.Text))
		}
	}
	if len(lines) == 0 {
		fmt.Fprintln(a.Out, "nothing to add")
		return app.ExitCode(app.ExitNothing)
	}
	fmt.Fprintf(a.Out, "%s\n", strings.Join(lines, "\n"))
	if !a.Confirm(fmt.Sprintf("Add %s to %s?", answer.Count(len(lines), "line"), path)) {
		return terminal.WithHint(errors.New("nothing was written"),
			"on a terminal recall habits --write asks; or copy the lines that you want")
	}
	old, err := library.ReadRegular(path, config.MostOfNote)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text := string(old)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if text != "" {
		text += "\n"
	}
	text += strings.Join(lines, "\n") + "\n"
	mode := fs.FileMode(0o644)
	if fi, err := os.Stat(path); err == nil {
		mode = fi.Mode().Perm()
	}
	return os.WriteFile(path, []byte(text), mode)
}
