package ask

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/hint"
	"recall/history"
	"recall/ingest"
	"recall/ingest/trace"
	"recall/library"
	"recall/payload"
	"recall/team"
)

type showOptions struct {
	Variant                                string
	Transcript, Actions, Open, Print, JSON bool
}

func newShowCmd(a *app.App) *cobra.Command {
	var o showOptions
	return option.Run(a, "show", &o, func(ctx context.Context, l *library.Library, args []string) error {
		h, err := a.Hit(ctx, l, args[0])
		var e library.Entry
		if err == nil {
			e, err = l.Session(h.Session)
		}
		o.Open = o.Open || o.Print
		if errors.Is(err, library.ErrNoSession) {
			h.Session = cmp.Or(h.Session, ingest.SessionID(args[0]))
			return showShared(ctx, a, l, h, o, err)
		}
		if err != nil {
			return err
		}
		place := o.Open || (h.Turn != "" || h.N > 0) && !o.Transcript && !o.Actions && !o.JSON && o.Variant == ""
		if place {
			return showPlace(ctx, a, l, h, o)
		}
		return runShow(ctx, a, l, e, o)
	})
}

// showShared shows a session that somebody else shares with the team: its transcript, or the turn that is meant, if
// that is shared, else its items. Where nobody does, the error is the one why it isn't in the library.
func showShared(ctx context.Context, a *app.App, l *library.Library, h app.LastHit, o showOptions, none error) error {
	t, _, err := a.TeamAtHand(ctx, l)
	if errors.Is(err, team.ErrNoMembership) {
		return none
	}
	if err != nil {
		return fmt.Errorf("%w here; %w", none, err)
	}
	defer t.Close()
	at, err := t.Find(ctx, string(h.Session))
	if errors.Is(err, team.ErrNotShared) {
		return none
	}
	if err != nil {
		return err
	}
	p, err := t.Payload(ctx, at)
	if err != nil {
		return err
	}
	if o.JSON {
		return printPayload(a, p)
	}
	text, err := t.Transcript(ctx, at)
	switch {
	case errors.Is(err, team.ErrNotShared) && o.Transcript:
		return hint.With(err, "%s shares what was decided in it: recall show %s", terminal.Line(at.Author), at.Session)
	case errors.Is(err, team.ErrNotShared):
		text = payload.ToRead(payload.Render(p, payload.Options{Variant: payload.Variant(cmp.Or(o.Variant,
			a.Config.Payload.Variant)), Budget: -1}).Text)
	case err != nil:
		return err
	case !o.Transcript && h.Turn != "":
		if before, _, ok := strings.Cut(text, `<a id="`+html.EscapeString(h.Turn)+`">`); ok {
			text = turnIn(text, strings.Count(before, "\n"))
		}
	}
	fmt.Fprintf(a.Err, "recall: %s shares this session, from %s\n", terminal.Line(at.Author), terminal.Line(at.Machine))
	return a.Print(terminal.Visible(text))
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
		for part, err := range l.Transcript(e) {
			if err == nil {
				err = a.Print(terminal.Visible(string(part)))
			}
			if err != nil {
				return err
			}
		}
		return nil
	case o.Actions:
		s, err := a.Read(ctx, l, e)
		if err != nil {
			return err
		}
		tr := trace.Of(s)
		return a.Show(actionsOf(s, tr), o.JSON, false, func(p *terminal.Page) {
			p.Form("actions", actionsPage{s.ID, tr.Actions})
		})
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
		text = payload.ToRead(text)
	}
	if err := a.Print(text); err != nil {
		return err
	}
	return a.PrintNotes(ctx, l, e)
}

// ActionsDoc is the JSON form of recall show --actions.
type ActionsDoc struct {
	Schema  int              `json:"schema"` // 1
	Session ingest.SessionID `json:"session"`
	Title   string           `json:"title"`
	Actions []actionDoc      `json:"actions"` // in order, a sub-agent's after the call that started it
}

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

// actionsPage is what a person is shown of a session's calls.
type actionsPage struct {
	ID      ingest.SessionID
	Actions []trace.Action
}

func (actionsPage) Called(x trace.Action) string { return history.Called(x.Call) }

// Time is how long a call took; "" if that isn't known.
func (actionsPage) Time(x trace.Action) string {
	switch {
	case x.Took <= 0:
		return ""
	case x.Took < time.Minute:
		return fmt.Sprintf("%.0f s", x.Took.Seconds())
	}
	return strings.TrimSuffix(x.Took.Round(time.Second).String(), "0s")
}

// Gist is what came of a call: how, and the first line that it printed.
func (actionsPage) Gist(x trace.Action) string {
	c, out := x.Call, x.Call.Outcome()
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
