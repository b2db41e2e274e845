package answer

import (
	"fmt"
	"strings"
	"time"

	"recall/index"
	"recall/ingest"
	"recall/internal/escape"
	"recall/internal/text"
	"recall/payload"
)

// A Voice is whom an answer addresses: a person at a terminal, or an agent, for whom all of it is data and sessions
// are named by id.
type Voice struct {
	Agent bool
}

// you is how the user is referred to.
func (v Voice) you() string {
	if v.Agent {
		return "the user"
	}
	return "you"
}

// Line returns untrusted text as one harmless line.
func (v Voice) Line(s string) string {
	if v.Agent {
		return escape.Line(s, escape.Model)
	}
	return escape.Line(s, escape.Terminal)
}

// clipped is Line limited to n characters.
func (v Voice) clipped(s string, n int) string {
	if v.Agent {
		return payload.Data(s, n)
	}
	return text.Clip(v.Line(s), n)
}

// Day returns the day of a time, in local time; one that hasn't come says so.
func Day(t time.Time) string {
	switch {
	case t.IsZero():
		return "no date"
	case t.After(time.Now().AddDate(0, 0, 1)):
		return t.Local().Format(time.DateOnly) + " (by a clock that was ahead)"
	}
	return t.Local().Format(time.DateOnly)
}

// Count words a number of things: 1 session, 2 sessions.
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// upperFirst capitalizes a text, unless it begins with an identifier.
func upperFirst(s string) string {
	if s == "" || strings.ContainsAny(strings.Fields(s)[0], "._/()`") {
		return s
	}
	return text.Capital(s)
}

// Who says who said an item; "" for another person's, which Where names.
func (v Voice) Who(it payload.Item) string {
	you := v.you()
	switch {
	case it.Handed:
		return ""
	case it.Maker == payload.ByHuman:
		return you + ", by hand"
	case it.Rule == payload.NoteRule && it.By == payload.ByAssistant:
		return "noted by the agent"
	case it.Rule == payload.ClaimRule:
		return "the agent's own claim"
	case it.ApprovedPlan():
		return you + ", accepted plan"
	case it.Kind == payload.Lead && it.By == payload.ByAssistant:
		return "the assistant"
	}
	return map[payload.By]string{payload.ByUser: you, payload.ByAssistant: "the assistant, accepted",
		payload.ByBoth: you + " and the assistant", payload.ByProgram: "a program"}[it.By]
}

func (v Voice) speaker(it payload.Item) string {
	if it.ApprovedPlan() {
		return "the approved plan"
	}
	switch it.By {
	case payload.ByAssistant:
		return v.Speaker("assistant")
	case payload.ByProgram:
		return v.Speaker("program")
	}
	return v.Speaker("user")
}

// Speaker names who said a turn or passage, by its role: user, assistant, program, index.Both or index.SubAgent.
func (v Voice) Speaker(role string) string {
	switch role {
	case "assistant":
		return "the assistant"
	case "program":
		return "a program"
	case index.Both:
		return "the assistant and " + v.you()
	case index.SubAgent:
		return "a sub-agent"
	}
	return v.you()
}

// Teller names who said a result's turn, whether some of it is only pasted, and whether a person said something else
// of it later.
func (v Voice) Teller(r *Result) string {
	who := v.Speaker(r.Role)
	if r.Role == "user" && !strings.Contains(ingest.Typed(r.Text), strings.TrimSpace(r.Passage)) {
		who += ", partly pasted"
	}
	switch {
	case r.Later != nil:
		return "earlier, on the same subject: " + who
	case r.Changed != "":
		return v.Line(r.Changed) + "; " + who
	}
	return who
}

// Source says who said an item and where.
func (v Voice) Source(it payload.Item, at index.Place, turn int) string {
	parts := []string{v.Where(at, turn, true)}
	if who := v.Who(it); who != "" {
		parts = []string{who, parts[0]}
	}
	if it.Scope != "" {
		parts = append(parts, "scope: "+v.Line(it.Scope))
	}
	return strings.Join(parts, " · ")
}

// Where names a place as people type it (billing#2 "Retry policy", turn 41), with the title if wanted; for an agent,
// in a form that its tools accept.
func (v Voice) Where(at index.Place, turn int, title bool) string {
	switch {
	case at.Author != "":
		return v.clipped(fmt.Sprintf("%s on %s: %q (%s)", at.Author, at.Machine, at.SessionTitle, at.Project), 160)
	case at.Source == index.HandoffSource:
		return v.clipped(at.SessionTitle, 100) // its turns are of a transcript that isn't here
	case v.Agent:
		return v.address(at, turn)
	}
	s := v.Line(payload.Handle(at.Project, at.SessionN))
	if title && at.SessionTitle != "" {
		s += ` "` + strings.ReplaceAll(v.clipped(at.SessionTitle, 50), `"`, "'") + `"`
	}
	if turn > 0 {
		s += fmt.Sprintf(", turn %d", turn)
	}
	return s
}

// address names a place as recall show and recall_session take it.
func (v Voice) address(at index.Place, turn int) string {
	s := "session " + payload.ShortID(at.Session)
	if turn > 0 {
		s += fmt.Sprintf(":%d", turn)
	}
	if at.Project != "" {
		s += fmt.Sprintf(" (%s)", v.clipped(payload.Handle(at.Project, at.SessionN), 60))
	}
	return s
}

// Quote is an item's first quote; "" if there is none.
func (v Voice) Quote(it payload.Item) string {
	if len(it.Evidence) == 0 {
		return ""
	}
	return "“" + v.clipped(it.Evidence[0].Quote, 200) + "”"
}
