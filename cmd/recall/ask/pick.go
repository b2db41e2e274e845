package ask

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
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
			if project, err = app.ProjectNamed(p.Library, o.Project); err != nil {
				return err
			}
		}
		rows, err := pickable(ctx, p, project)
		if err != nil {
			return err
		}
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
		return runPick(ctx, a, p, rows, screen, o.Print)
	})
}

// pickRow is a session, or one of its items.
type pickRow struct {
	text    string
	session ingest.SessionID
	item    *history.Dated // nil: the session itself
}

// pickable returns the sessions and the standing decisions of a project, or of all for the zero project, each newest
// first.
func pickable(ctx context.Context, p *pipeline.Pipeline, project library.Project) (rows []pickRow, err error) {
	catalog, err := p.Library.Catalog()
	if err != nil {
		return nil, err
	}
	sessions := catalog.List(project.ID, nil)
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
			rows = append(rows, pickRow{session: ingest.SessionID(d.Session), item: &d, text: text})
		}
	}
	return rows, err
}

func runPick(ctx context.Context, a *app.App, p *pipeline.Pipeline, rows []pickRow, screen io.Writer,
	onlyPrint bool) error {
	list := terminal.List{St: terminal.Styles(a.Color), Preview: func(row, width int) string {
		return previewed(ctx, a, p, rows[row], width)
	}, Keys: []terminal.Choice{{Key: "enter", Does: "resume"}, {Key: "ctrl+o", Does: "payload"},
		{Key: "ctrl+t", Does: "transcript"}, {Key: "ctrl+y", Does: "copy payload"}}}
	for _, r := range rows {
		group := "sessions"
		if r.item != nil {
			group = "decisions"
		}
		list.Rows = append(list.Rows, terminal.Row{Text: r.text, Group: group})
	}
	n, key, err := list.Pick(ctx, a.In, screen)
	if err != nil || key == "" {
		return err
	}
	picked, id := rows[n], string(rows[n].session)
	code := 0
	switch key {
	case "enter":
		return resumed(ctx, a, p, picked.session, onlyPrint)
	case "ctrl+o":
		code = a.Run(ctx, "show", id)
	case "ctrl+t":
		if picked.item != nil {
			id = string(picked.item.Item.ID)
		}
		code = a.Run(ctx, "show", id, "--open")
	case "ctrl+y":
		code = a.Run(ctx, "resume", id, "--copy")
	}
	return app.Exit(code)
}

// previewed returns the preview of a row: a session's payload, or an item's evidence and history.
func previewed(ctx context.Context, a *app.App, p *pipeline.Pipeline, r pickRow, width int) string {
	var text bytes.Buffer
	// Only recall's own escape sequences reach the screen, none from transcripts.
	page := terminal.Page{W: &terminal.Output{W: &text, Color: a.Color}, St: terminal.Styles(a.Color), Width: width}
	if r.item != nil {
		doc, err := answer.Why(ctx, a.Index, r.item.Placed)
		if err != nil {
			return terminal.Visible(err.Error())
		}
		page.Form("why-item", &doc)
		return text.String()
	}
	e, err := p.Library.Session(r.session)
	if err != nil {
		return terminal.Visible(err.Error())
	}
	doc, err := a.Payload(p.Library, e)
	if err != nil {
		return terminal.Visible(err.Error())
	}
	lines := strings.Split(payload.Render(doc, payload.Options{Budget: -1}).Text, "\n")
	for _, line := range lines[1:max(1, len(lines)-2)] { // without the markers, which are for pasting
		fmt.Fprint(page.W, page.Wrapped("", "  ", terminal.Line(line), ""))
	}
	return text.String()
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
