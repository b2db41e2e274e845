package ask

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/hint"
	"recall/history"
	"recall/ingest"
	"recall/ingest/trace"
	"recall/library"
	"recall/library/render"
	"recall/payload"
	txt "recall/text"
)

type showOptions struct {
	Variant                                string
	Transcript, Actions, Open, Print, JSON bool
}

func newShowCmd(a *app.App) *cobra.Command {
	var o showOptions
	return option.Run(a, "show", &o, func(ctx context.Context, l *library.Library, args []string) error {
		h, err := a.Hit(ctx, l, args[0])
		if err != nil {
			return err
		}
		o.Open = o.Open || o.Print
		if o.Open || (h.Turn != "" || h.N > 0) && !o.Transcript && !o.Actions && !o.JSON && o.Variant == "" {
			return showPlace(ctx, a, l, h, o)
		}
		e, err := l.Session(h.Session)
		if err != nil {
			return err
		}
		return runShow(ctx, a, l, e, o)
	})
}

// showPlace shows a turn, or opens the transcript at it.
func showPlace(ctx context.Context, a *app.App, l *library.Library, h app.LastHit, o showOptions) error {
	path, line, err := placeOf(l, h)
	if err != nil {
		return err
	}
	if o.Open {
		return openAt(ctx, a, path, line, o.Print)
	}
	text, err := turnAt(path, line)
	if err != nil {
		return err
	}
	return a.Print(terminal.Visible(text))
}

func runShow(ctx context.Context, a *app.App, l *library.Library, e library.Entry, o showOptions) error {
	switch {
	case o.Transcript:
		return copyTranscript(a, e)
	case o.Actions:
		s, err := a.Read(ctx, l, e)
		if err != nil {
			return err
		}
		tr := trace.Of(s)
		return a.Show(actionsOf(s, tr), o.JSON, false, func(p *terminal.Page) { printActions(p, s, tr) })
	}
	p, err := a.Payload(l, e)
	if err != nil {
		return err
	}
	if o.JSON {
		return printPayload(a, p)
	}
	form := payload.Options{Variant: payload.Variant(cmp.Or(o.Variant, a.Config.Payload.Variant)), Budget: -1}
	text := payload.Render(p, form).Text
	if terminal.IsTerminal(a.Out) { // the marks are for those who paste it
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		text = strings.Join(lines[1:len(lines)-1], "\n") + "\n"
	}
	if err := a.Print(text); err != nil {
		return err
	}
	return a.PrintNotes(ctx, l, e)
}

// copyTranscript prints all parts of a transcript.
func copyTranscript(a *app.App, e library.Entry) error {
	for i := 0; ; i++ {
		text, err := library.ReadPlain(filepath.Join(e.Folder, render.TranscriptName(i)))
		if errors.Is(err, os.ErrNotExist) {
			if i == 0 {
				return hint.With(errors.New("its transcript isn't rendered yet"), "recall sync does it")
			}
			return nil
		}
		if err != nil {
			return err
		}
		if err := a.Print(terminal.Visible(string(text))); err != nil {
			return err
		}
	}
}

// ActionsDoc is the JSON form of recall show --actions.
type ActionsDoc struct {
	Schema  int              `json:"schema"` // 1
	Session ingest.SessionID `json:"session"`
	Title   string           `json:"title"`
	Actions []actionDoc      `json:"actions"` // in order, a sub-agent's after the call that started it
}

// actionDoc is one tool call.
type actionDoc struct {
	Turn      int               `json:"turn,omitempty"` // a sub-agent's: the turn that started it
	TurnID    ingest.TurnID     `json:"turn_id"`
	Agent     string            `json:"agent,omitempty"`
	Tool      string            `json:"tool"`
	Input     map[string]string `json:"input,omitempty"`
	Outcome   string            `json:"outcome"` // ok, failed, rejected, denied, no result
	Said      string            `json:"said,omitempty"`
	Result    string            `json:"result,omitempty"`
	At        time.Time         `json:"at,omitzero"`
	Seconds   float64           `json:"seconds,omitempty"`
	Why       string            `json:"why,omitempty"`
	Files     []trace.Touch     `json:"files,omitempty"`
	Commit    string            `json:"commit,omitempty"`
	Abandoned bool              `json:"abandoned,omitempty"`
	Copied    bool              `json:"copied,omitempty"`
}

func actionsOf(s *ingest.Session, tr *trace.Trace) ActionsDoc {
	d := ActionsDoc{Schema: 1, Session: s.ID, Title: s.Title, Actions: []actionDoc{}}
	for i := range tr.Actions {
		x := &tr.Actions[i]
		doc := actionDoc{Turn: x.N, TurnID: x.Turn, Agent: x.Agent, Tool: x.Call.Name, Input: x.Call.Input,
			Outcome: x.Call.Outcome(), Said: x.Call.Reason,
			Result: x.Call.Result, At: x.At, Seconds: x.Took.Seconds(), Why: x.Why, Commit: x.Call.Commit,
			Abandoned: x.Abandoned, Copied: x.Copied, Files: x.Touches}
		d.Actions = append(d.Actions, doc)
	}
	return d
}

func printActions(p *terminal.Page, s *ingest.Session, tr *trace.Trace) {
	copied, day, why := 0, "", ""
	for i := range tr.Actions {
		x := &tr.Actions[i]
		if x.Copied {
			copied++
			continue
		}
		if d := answer.Day(x.At); d != day && !x.At.IsZero() {
			day = d
			fmt.Fprintf(p.W, "%s%s%s\n", p.St.Dim, d, p.St.Reset)
		}
		printAction(p, x, why)
		why = x.Why
	}
	if copied > 0 {
		fmt.Fprintf(p.W, "%d more stand in the session that this was forked from.\n", copied)
	}
	if len(tr.Actions) == 0 {
		fmt.Fprintf(p.W, "%s called no tool.\n", answer.ShortID(s.ID))
	}
}

// printAction prints a call; the reason only if it isn't the one of the call before.
func printAction(p *terminal.Page, x *trace.Action, before string) {
	at, took := "     ", ""
	if !x.At.IsZero() {
		at = x.At.Local().Format("15:04")
	}
	if x.Took > 0 {
		took = " · " + shortTime(x.Took)
	}
	color := map[string]string{"failed": p.St.Red, "rejected": p.St.Yellow, "denied": p.St.Yellow}[x.Call.Outcome()]
	indent, who := "", ""
	if x.Agent != "" {
		indent, who = "  ", " · sub-agent "+txt.Clip(x.Agent, 12)
	}
	if x.Abandoned {
		who += " · abandoned"
	}
	clip := func(text string, less int) string { return txt.Clip(terminal.Line(text), max(30, p.Width-less)) }
	fmt.Fprintf(p.W, "%s%4d  %s  %s%s%s\n", indent, x.N, at, p.St.Bold, clip(history.Called(x.Call), 14), p.St.Reset)
	fmt.Fprintf(p.W, "%s      → %s%s%s%s%s\n", indent, color, clip(gist(x.Call), 34), p.St.Reset, took, who)
	if x.Why != "" && x.Why != before {
		fmt.Fprintf(p.W, "%s      %swhy%s   %s\n", indent, p.St.Dim, p.St.Reset, clip(x.Why, 14))
	}
	if len(x.Touches) == 1 && x.Touches[0].Path == x.Call.Path {
		return // said already
	}
	if files := touchedText(x.Touches); files != "" {
		fmt.Fprintf(p.W, "%s      %sfiles%s %s\n", indent, p.St.Dim, p.St.Reset, txt.Clip(files, max(60, 3*p.Width)))
	}
}

func shortTime(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	return strings.TrimSuffix(d.Round(time.Second).String(), "0s")
}

// gist is what came of a call: how, and the first line that it printed.
func gist(c *ingest.ToolCall) string {
	out := c.Outcome()
	if c.Reason != "" {
		return out + ": " + c.Reason
	}
	if c.Commit != "" {
		return out + ": commit " + c.Commit + " " + c.CommitMessage
	}
	for line := range strings.Lines(c.Result) {
		if line = strings.TrimSpace(line); line != "" && out != "rejected" && !strings.HasPrefix(line, "Exit code ") {
			return out + ": " + line
		}
	}
	return out
}

func touchedText(touches []trace.Touch) string {
	var parts []string
	for _, t := range touches {
		text := string(t.How) + " " + terminal.Line(t.Path)
		if t.From != "" {
			text += " from " + terminal.Line(t.From)
		}
		if t.Unsure {
			text += " (not sure)"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}
