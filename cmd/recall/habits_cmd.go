package main

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
	"recall/index"
	"recall/index/habits"
	"recall/library"
	"recall/payload"
)

// habitDoc is one thing that a person says again and again.
type habitDoc struct {
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

func (a *app) habitsCmd() *cobra.Command {
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
			if err := notTogether(cmd, "json", "write"); err != nil {
				return err
			}
			if err := notTogether(cmd, "all", "project"); err != nil {
				return err
			}
			if least < 2 {
				return withHint(fmt.Errorf("--min %d: once is no habit", least), "2 is the least")
			}
			l, err := a.library(cmd.Context())
			if err != nil {
				return err
			}
			if _, err := a.fresh(cmd.Context(), l); err != nil {
				return err
			}
			found, err := a.habits(cmd.Context(), l, project, everywhere, least)
			if err != nil {
				return err
			}
			switch {
			case asJSON:
				err = a.printJSON(found)
			case write != "":
				return a.writeHabits(found, write)
			default:
				a.printHabits(found)
			}
			if err == nil && len(found) == 0 {
				err = exitCode(exitNothing)
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
	setsKey(flags, "no-sync", "!query.sync")
	flags.BoolVar(&asJSON, "json", false, "print as JSON")
	cmd.RegisterFlagCompletionFunc("project", completeProject(a))
	return cmd
}

// habits asks the index for what was typed, and finds what recurs.
func (a *app) habits(ctx context.Context, l *library.Library, project string, everywhere bool, least int) ([]habitDoc, error) {
	name, err := a.only(l, project, everywhere)
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
	if err := a.indexed(ctx, l); err != nil {
		return nil, err
	}
	var typed []index.TurnHit
	var turns []habits.Turn
	for h, err := range a.ix.Typed(ctx, name) {
		if err != nil {
			return nil, err
		}
		typed = append(typed, h)
		turns = append(turns, habits.Turn{Session: h.Place.Session, At: h.At, Text: h.Text})
	}
	rules := rulesIn(files)
	docs := []habitDoc{}
	for _, h := range habits.Find(turns, least) {
		d := habitDoc{Text: h.Text, Sessions: h.Sessions, Times: len(h.Sayings), There: rules.says(h.Text), Evidence: []sayingDoc{}}
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
		text, err := library.ReadRegular(f, mostOfNote)
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

func (a *app) printHabits(found []habitDoc) {
	if len(found) == 0 {
		fmt.Fprintln(a.out, "nothing that you said in several sessions")
		return
	}
	st := styles(a.color)
	several := false
	for _, h := range found {
		for _, e := range h.Evidence {
			several = several || e.Project != found[0].Evidence[0].Project
		}
	}
	p := page{Voice: answer.Voice{Several: several}, w: a.out, st: st, width: width(a.out)}
	for _, h := range found {
		p.headed(st.green+"●"+st.reset, oneLine(h.Text), fmt.Sprintf("%s in %s", count(h.Times, "time"), count(h.Sessions, "session")))
		for _, e := range h.Evidence[:min(len(h.Evidence), evidenceShown)] {
			p.wrapped("  ", "    ", fmt.Sprintf("“%s” %s, %s", oneLine(e.Quote), p.Where(index.Place{Project: e.Project, SessionN: e.Number}, e.Turn, false), day(e.At)), st.dim)
		}
		if h.There != "" {
			p.field("there", h.There)
		}
	}
	fmt.Fprintln(a.out, "\nLines for CLAUDE.md:")
	for _, h := range found {
		if h.There == "" {
			fmt.Fprintln(a.out, "- "+oneLine(h.Text))
		}
	}
	fmt.Fprintln(a.out, "\nrecall habits --write CLAUDE.md adds them, after asking")
}

// writeHabits adds what isn't there yet to a file, if the person says yes.
func (a *app) writeHabits(found []habitDoc, path string) error {
	have := rulesIn([]string{path})
	var lines []string
	for _, h := range found {
		if have.says(h.Text) == "" && h.There == "" {
			lines = append(lines, "- "+oneLine(h.Text))
		}
	}
	if len(lines) == 0 {
		fmt.Fprintln(a.out, "nothing to add")
		return exitCode(exitNothing)
	}
	fmt.Fprintf(a.out, "%s\n", strings.Join(lines, "\n"))
	if !a.confirm(fmt.Sprintf("Add %s to %s?", count(len(lines), "line"), path)) {
		return withHint(errors.New("nothing was written"), "on a terminal recall habits --write asks; or copy the lines that you want")
	}
	old, err := library.ReadRegular(path, mostOfNote)
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
