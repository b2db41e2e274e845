package ask

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/answer/history"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/ingest"
	"recall/internal/hint"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
)

func newPickCmd(a *app.App) *cobra.Command {
	var o struct {
		Project string
		Print   bool
	}
	return option.Do("pick", func(fs *option.Flags) {
		fs.BoolVar(&o.Print, "print", false, "print the command that continues the session instead of running it")
		fs.StringVarP(&o.Project, "project", "p", "", "only this project")
	}, func(ctx context.Context, args []string) error {
		p, err := a.UpToDate(ctx)
		if err != nil {
			return err
		}
		var project library.Project // zero: all projects
		if o.Project != "" {
			if project, err = a.ProjectNamed(o.Project); err != nil {
				return err
			}
		}
		rows, err := pickable(ctx, p, project)
		if err != nil {
			return err
		}
		rows = matching(rows, args)
		screen := a.Out
		if o.Print {
			screen = a.Err // a shell might read the output
		}
		in, ok := a.In.(*os.File)
		if !ok || !terminal.IsTerminal(in) || !terminal.IsTerminal(screen) || len(rows) == 0 {
			for _, r := range rows {
				fmt.Fprintln(a.Out, r.text)
			}
			return option.Nothing(len(rows) == 0)
		}
		id, err := picked(ctx, a, screen, rows)
		if err != nil || id == "" {
			return err
		}
		return resumed(ctx, a, p, id, o.Print)
	})
}

// pickRow is a session, or one of its decisions.
type pickRow struct {
	text    string
	session ingest.SessionID
}

// pickable returns the sessions and the standing decisions of a project, or of all for the zero project, each newest
// first.
func pickable(ctx context.Context, p *pipeline.Pipeline, project library.Project) (rows []pickRow, err error) {
	catalog, err := p.Library.Catalog()
	if err != nil {
		return nil, err
	}
	sessions, _ := library.WithoutHeadless(catalog.List(project.ID, nil))
	slices.SortStableFunc(sessions, func(a, b library.ListEntry) int { return b.Start.Compare(a.Start) })
	for _, s := range sessions {
		if s.Archived {
			continue
		}
		before, behind := marks(s)
		rows = append(rows, pickRow{session: s.ID, text: fmt.Sprintf("%s  %s  %s", answer.Day(s.Start),
			terminal.Line(payload.Handle(s.Project, s.Number)), client(s)+before+terminal.Line(s.Title)+behind)})
	}
	line, err := history.Timeline(ctx, p, project.Name, logKinds...)
	for _, d := range slices.Backward(line) {
		if d.Until == nil && d.Item.Current() {
			text := fmt.Sprintf("%s  %s  %s %s", answer.Day(d.Item.At),
				terminal.Line(payload.Handle(d.Project, d.SessionN)), terminal.Mark(d.Item, terminal.Style{}),
				terminal.Line(d.Item.Text))
			rows = append(rows, pickRow{session: ingest.SessionID(d.Session), text: text})
		}
	}
	return rows, err
}

// matching returns the rows that contain all words, in either case.
func matching(rows []pickRow, words []string) (found []pickRow) {
	for _, r := range rows {
		if !slices.ContainsFunc(words, func(w string) bool {
			return !strings.Contains(strings.ToLower(r.text), strings.ToLower(w))
		}) {
			found = append(found, r)
		}
	}
	return found
}

// pickShown is how many rows are listed at once.
const pickShown = 20

// picked lists rows by number until the person names one, narrowing the list to the words that they type; "" if they
// end it.
func picked(ctx context.Context, a *app.App, screen io.Writer, rows []pickRow) (ingest.SessionID, error) {
	for {
		shown := rows[:min(len(rows), pickShown)]
		for i, r := range shown {
			fmt.Fprintf(screen, "%3d  %s\n", i+1, terminal.Clip(r.text, terminal.Width(screen)-5))
		}
		if more := len(rows) - len(shown); more > 0 {
			fmt.Fprintf(screen, "     … and %d more\n", more)
		}
		fmt.Fprint(screen, "number to continue, words to narrow the list, Enter to end: ")
		line, err := terminal.ReadLine(ctx, a.In)
		words := strings.Fields(line)
		if len(words) == 0 {
			return "", ctx.Err()
		}
		if err != nil {
			return "", err
		}
		if n, err := strconv.Atoi(words[0]); err == nil && n >= 1 && n <= len(shown) && len(words) == 1 {
			return shown[n-1].session, nil
		}
		if found := matching(rows, words); len(found) > 0 {
			rows = found
		} else {
			fmt.Fprintln(screen, "nothing of these has that")
		}
	}
}

// resumed continues a session in its client, in the folder where it worked. If the client deleted its transcript, it
// offers to restore it first.
func resumed(ctx context.Context, a *app.App, p *pipeline.Pipeline, id ingest.SessionID, onlyPrint bool) error {
	e, err := p.Library.Session(id)
	if err != nil {
		return err
	}
	r, err := p.PlanRestore(ctx, e, pipeline.RestoreOptions{})
	words, env := r.Resume()
	switch name := answer.ShortID(id); {
	case errors.Is(err, ingest.ErrNoPlace), err == nil && words == nil:
		return hint.With(errors.New("no client on this machine can continue it by a command"),
			"recall resume %s --copy copies the payload for its next session", name)
	case err != nil:
		return err
	case r.NoDir:
		return hint.With(fmt.Errorf("%s, where it worked, isn't on this machine", terminal.ShownPath(r.Dir)),
			"recall restore %s --in FOLDER names another", name)
	case onlyPrint && r.Missing():
		return hint.With(errors.New("its client has deleted its transcript"), "recall restore %s restores it", name)
	case onlyPrint:
		return a.Print(terminal.ResumeCommand(r) + "\n")
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		return hint.With(fmt.Errorf("%s isn't installed here", words[0]), "where it is installed: %s",
			terminal.ResumeCommand(r))
	}
	if r.Missing() {
		if !a.Confirm(ctx, "Its client has deleted its transcript. Restore it first?") {
			return nil
		}
		if code := a.Run(ctx, "restore", string(id)); code != app.ExitOK {
			return app.Exit(code)
		}
	}
	fmt.Fprintln(a.Err, "recall:", terminal.Line(terminal.ResumeCommand(r)))
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	c.Dir, c.Env = r.Dir, append(os.Environ(), env...)
	c.Stdin, c.Stdout, c.Stderr = a.In, terminal.Own(a.Out), terminal.Own(a.Err)
	err = c.Run()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return app.Exit(app.ExitError) // the client has reported why
	}
	return err
}
