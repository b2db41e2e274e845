package ask

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/history"
	"recall/ingest"
	"recall/ingest/trace"
	txt "recall/text"
)

// ActionsDoc is the JSON form of recall actions.
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

func newActionsCmd(a *app.App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "actions SESSION",
		Short:   "List what a session did, call by call",
		GroupID: "look",
		Long: `Lists a session's tool calls in order: what was called with what, what came of
it, how long it took (the model's writing and your answer included), which
files it touched, and the reason given before it. Sub-agents' calls stand after
the call that started them. Secrets are left out.`,
		Example: `  recall actions 7f3c | less
  recall actions 7f3c --json | jq '.actions[] | select(.outcome == "failed")'`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: option.CompleteSession(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, e, err := a.Named(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			s, err := a.Read(cmd.Context(), l, e)
			if err != nil {
				return err
			}
			tr := trace.Of(s)
			if asJSON {
				return a.PrintJSON(actionsOf(s, tr))
			}
			printActions(a, s, tr)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON, with inputs and results")
	return cmd
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

func printActions(a *app.App, s *ingest.Session, tr *trace.Trace) {
	st, w := terminal.Styles(a.Color), terminal.Width(a.Out)
	copied, day, why := 0, "", ""
	for i := range tr.Actions {
		x := &tr.Actions[i]
		if x.Copied {
			copied++
			continue
		}
		if d := answer.Day(x.At); d != day && !x.At.IsZero() {
			day = d
			fmt.Fprintf(a.Out, "%s%s%s\n", st.Dim, d, st.Reset)
		}
		printAction(a, x, why, st, w)
		why = x.Why
	}
	if copied > 0 {
		fmt.Fprintf(a.Out, "%d more stand in the session that this was forked from.\n", copied)
	}
	if len(tr.Actions) == 0 {
		fmt.Fprintf(a.Out, "%s called no tool.\n", answer.ShortID(s.ID))
	}
}

// printAction prints a call; the reason only if it isn't the one of the call before.
func printAction(a *app.App, x *trace.Action, before string, st terminal.Style, w int) {
	at, took := "     ", ""
	if !x.At.IsZero() {
		at = x.At.Local().Format("15:04")
	}
	if x.Took > 0 {
		took = " · " + shortTime(x.Took)
	}
	color := map[string]string{"failed": st.Red, "rejected": st.Yellow, "denied": st.Yellow}[x.Call.Outcome()]
	indent, who := "", ""
	if x.Agent != "" {
		indent, who = "  ", " · sub-agent "+txt.Clip(x.Agent, 12)
	}
	if x.Abandoned {
		who += " · abandoned"
	}
	fmt.Fprintf(a.Out, "%s%4d  %s  %s%s%s\n", indent, x.N, at, st.Bold,
		txt.Clip(terminal.Line(history.Called(x.Call)), max(30, w-14)), st.Reset)
	fmt.Fprintf(a.Out, "%s      → %s%s%s%s%s\n", indent, color, txt.Clip(terminal.Line(gist(x.Call)), max(30, w-34)),
		st.Reset, took, who)
	if x.Why != "" && x.Why != before {
		fmt.Fprintf(a.Out, "%s      %swhy%s   %s\n", indent, st.Dim, st.Reset,
			txt.Clip(terminal.Line(x.Why), max(30, w-14)))
	}
	if len(x.Touches) == 1 && x.Touches[0].Path == x.Call.Path {
		return // said already
	}
	if files := touchedText(x.Touches); files != "" {
		fmt.Fprintf(a.Out, "%s      %sfiles%s %s\n", indent, st.Dim, st.Reset, txt.Clip(files, max(60, 3*w)))
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
