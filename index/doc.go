package index

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"recall/ingest"
	"recall/ingest/trace"
	"recall/payload"
)

// DocOf builds a session's entry from the parsed and redacted session and its payload. Without a payload (nil)
// only its turns are searchable. It omits turns of abandoned branches and turns that another session owns,
// turns without text, what the harness or other tools inserted, and a compaction's summary of earlier turns.
func DocOf(s *ingest.Session, p *payload.Payload, project string) Doc {
	d := Doc{Session: string(s.ID), Project: project, Title: s.Title, Source: string(s.Source), Start: s.Start, End: s.End}
	d.Thread, d.Requests, d.Changed = threadedOf(s, p, project), s.Requests(), s.Changes()
	if d.Did = trace.OfSession(s); p != nil {
		d.Deeds = p.Did
	}
	in := map[ingest.TurnID]int{}
	for _, e := range s.Exchanges() {
		for _, t := range e.Turns {
			in[t.ID] = e.N
		}
	}
	for _, t := range s.Turns {
		untold := t.Aside() || t.Kind == ingest.Event && !t.OfAgent() || t.Kind == ingest.Interrupt ||
			t.Kind == ingest.Summary && len(d.Turns) > 0
		if untold {
			continue
		}
		u := Turn{ID: string(t.ID), N: t.N, Role: string(t.Role), At: t.At, Text: t.WithPasted(),
			More: calls(t, d.Did.Commits), Exchange: in[t.ID]}
		if t.Kind == ingest.PlanTurn || t.Kind == ingest.Summary { // a model's words in the person's name
			u.Role = string(ingest.Assistant)
		}
		if strings.TrimSpace(u.Text) == "" { // it consists of a plan or a commit
			u.Text, u.More = u.More, ""
		}
		if u.Text != "" {
			d.Turns = append(d.Turns, u)
		}
		if asked := answeredIn(p, t.ID); asked != "" && u.Role == string(ingest.User) {
			u.Role, u.Text, u.More = Both, asked+" → "+u.Text, ""
			d.Turns = append(d.Turns, u)
		}
		for _, c := range t.Calls {
			for _, said := range append(answered(t, c), reports(s, &t, c)...) {
				said.Exchange = in[t.ID]
				d.Turns = append(d.Turns, said)
			}
		}
	}
	if p == nil {
		return d
	}
	if d.Title == "" {
		d.Title = p.Title
	}
	for _, it := range p.Items {
		d.Items = append(d.Items, Item{Item: it})
	}
	return d
}

// answeredIn returns what of an earlier exchange a turn answers, by the evidence of what is quoted of it: a question,
// or the call that was refused. A goal's was the person's own.
func answeredIn(p *payload.Payload, turn ingest.TurnID) string {
	if p == nil {
		return ""
	}
	for _, it := range p.Items {
		e, byUser := it.Evidence, it.By == payload.ByUser && it.Kind != payload.Goal
		if len(e) != 2 || e[0].Turn != string(turn) || e[1].N >= e[0].N-1 || !byUser {
			continue
		}
		if it.Rule == payload.RefusalRule || strings.Contains(e[1].Quote, "?") {
			return e[1].Quote
		}
	}
	return ""
}

// reports returns the last word of each sub-agent that a call of a turn started, which is what it found; what the call
// returned, where its conversation isn't there.
func reports(s *ingest.Session, t *ingest.Turn, c ingest.ToolCall) (all []Turn) {
	report := func(id ingest.TurnID, at time.Time, said string) {
		all = append(all, Turn{ID: string(id), N: t.N, Role: SubAgent, At: at, Text: said})
	}
	for _, a := range s.Subagents {
		if a.Call != c.ID || c.ID == "" {
			continue
		}
		for _, said := range slices.Backward(a.Turns) {
			if said.Kind == ingest.Message && strings.TrimSpace(said.Text) != "" {
				report(said.ID, said.At, said.Text)
				break
			}
		}
	}
	if starts := strings.EqualFold(c.Name, "task") || c.Name == "Agent"; starts && len(all) == 0 && c.Worked() {
		report(t.ID, c.At, c.Result)
	}
	return all
}

// answered returns what a person answered to a call, each a turn of its own: they said it, not the turn's assistant.
func answered(t ingest.Turn, c ingest.ToolCall) (all []Turn) {
	add := func(role, said string) {
		all = append(all, Turn{ID: string(t.ID), N: t.N, Role: role, At: t.At, Text: said})
	}
	for _, a := range c.Answers {
		said := a.Question + " → " + strings.Join(a.Chosen, ", ")
		if a.Notes != "" {
			said += " (“" + a.Notes + "”)"
		}
		add(Both, said)
	}
	if c.Reason != "" && c.ReasonTurn == "" && c.Verdict == ingest.Rejected { // else a turn or a program says it
		add(string(ingest.User), c.Reason)
	}
	return all
}

// calls returns what the assistant says in a turn's tool calls: open questions, plans, messages of the commits made and
// whether they were taken back, why a program refused one. Output is not stored twice.
func calls(t ingest.Turn, made []trace.Commit) string {
	var parts []string
	for _, c := range t.Calls {
		for _, a := range c.Open {
			parts = append(parts, a.Question+" "+a.Offered())
		}
		if c.Plan != nil {
			parts = append(parts, c.Plan.Text)
		}
		if c.Reason != "" && c.Verdict != ingest.Rejected {
			parts = append(parts, c.Reason)
		}
		if c.CommitMessage != "" {
			said := "commit: " + c.CommitMessage
			undone := func(m trace.Commit) bool { return m.Call.ID == c.ID && m.Undone > 0 && !m.Left }
			if k := slices.IndexFunc(made, undone); k >= 0 {
				said += fmt.Sprintf(" (taken back in turn %d)", made[k].Undone)
			}
			parts = append(parts, said)
		}
	}
	return strings.TrimSpace(strings.Join(parts, "\n"))
}
