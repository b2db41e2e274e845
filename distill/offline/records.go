package offline

import (
	"sort"
	"strings"

	"recall/distill/offline/cue"
	"recall/ingest"
	"recall/payload"
)

// eachCall visits the calls of the assistant's turns on the path that was kept.
func eachCall(s *ingest.Session, visit func(t *ingest.Turn, c *ingest.ToolCall)) {
	for i := range s.Turns {
		t := &s.Turns[i]
		if t.Abandoned || t.Copied {
			continue
		}
		for j := range t.Calls {
			visit(t, &t.Calls[j])
		}
	}
}

var recommendedMark = cue.One(`(?i)\s*\((?:recommended|default|suggested)\)`)

// answers makes decisions of the questions that the person answered. Asked
// twice, the last answer counts.
func answers(t *talk) []payload.Item {
	at := map[string]int{}
	var out []payload.Item
	eachCall(t.session, func(turn *ingest.Turn, c *ingest.ToolCall) {
		for _, a := range c.Answers {
			it, ok := answered(turn, c, a)
			if !ok {
				continue
			}
			if i, seen := at[a.Question]; seen {
				out[i] = it
				continue
			}
			at[a.Question] = len(out)
			out = append(out, it)
		}
	})
	return out
}

// answered words one question with its answer.
func answered(turn *ingest.Turn, c *ingest.ToolCall, a ingest.Answer) (payload.Item, bool) {
	if len(a.Chosen) == 0 || strings.TrimSpace(strings.Join(a.Chosen, "")) == "" || c.Verdict == ingest.Rejected || c.Verdict == ingest.Clarify {
		return payload.Item{}, false
	}
	choice := chosenWords(a)
	question := strings.TrimRight(plain(a.Question), "?: ")
	if len(question) > 100 && a.Header != "" {
		question = plain(a.Header)
	}
	text := statement(question, choice)
	if a.Free && len(strings.Fields(choice)) > 6 {
		text = choice
	}
	it := turnItem(payload.Decision, "answer", payload.ByUser, turn, tidy(shorten(text)), clip(a.Chosen[0]))
	if !c.At.IsZero() {
		it.At = c.At
	}
	it.Why = strings.TrimRight(plain(a.Notes), ". ")
	for _, o := range a.Options {
		if strings.EqualFold(strings.TrimRight(plain(o.Description), ". "), it.Why) {
			it.Why = "" // what an option means is no reason for it
		}
	}
	chosen := map[string]bool{}
	for _, l := range a.Chosen {
		chosen[l] = true
	}
	for _, o := range a.Options {
		switch {
		case !chosen[o.Label]:
			if !a.Multi && !saysNo.MatchString(o.Label) && !saysYes.MatchString(o.Label) {
				it.Alternatives = append(it.Alternatives, recommendedMark.ReplaceAllString(plain(o.Label), ""))
			}
		case o.Description == a.Notes || saysYes.MatchString(choice) || saysNo.MatchString(choice):
		case o.Description != "" && len(o.Description) <= 120 && share(keywords(o.Description), keywords(it.Text)) < 0.6 && len(a.Chosen) == 1:
			it.Text = tidy(shorten(strings.TrimRight(it.Text, ". ") + " (" + strings.TrimRight(plain(o.Description), ". ") + ")"))
		}
	}
	it.About = about(a.Question + " " + strings.Join(a.Chosen, " "))
	return it, true
}

// chosenWords are the labels that were chosen, as one phrase.
func chosenWords(a ingest.Answer) string {
	var out []string
	for i, c := range a.Chosen {
		c = strings.TrimSpace(recommendedMark.ReplaceAllString(plain(c), ""))
		if i > 0 {
			c = smallFirst(c)
		}
		out = append(out, c)
	}
	return strings.Join(out, "; ")
}

// plans makes decisions of the last plan that the person approved, and of one
// that the session was begun with: what it chooses, not what it will do.
func plans(t *talk) []payload.Item {
	var turn *ingest.Turn
	var text string
	for i := range t.session.Turns {
		tt := &t.session.Turns[i]
		if tt.Abandoned || tt.Copied {
			continue
		}
		if tt.Kind == ingest.PlanTurn {
			turn, text = tt, tt.Text
		}
		for j := range tt.Calls {
			if c := &tt.Calls[j]; c.Plan != nil && c.Verdict == ingest.Approved && c.Plan.Text != "" {
				turn, text = tt, c.Plan.Text
			}
		}
	}
	if turn == nil {
		return nil
	}
	if items := planItems(turn, text); len(items) > 0 || turn.Kind == ingest.PlanTurn {
		return items
	}
	return wholePlan(turn, text)
}

// wholePlan makes one decision of an approved plan none of whose lines chooses
// between things: what was agreed is the plan, told by its title and first steps.
func wholePlan(turn *ingest.Turn, plan string) []payload.Item {
	title := ""
	if m := planTitle.FindStringSubmatch(plan); m != nil {
		title = strings.TrimSpace(strings.TrimPrefix(plain(m[1]), "Plan:"))
	}
	var steps []string
	proof := ""
	for _, s := range sentences(plan) {
		if s.Block != listItem || s.Depth > 0 || planAside.MatchString(strings.ToLower(s.Heading)) || len(steps) == 3 {
			continue
		}
		if steps = append(steps, strings.TrimRight(s.Text, ". ")); proof == "" {
			proof = quote(plan, s.From, s.To)
		}
	}
	if proof == "" || title == "" {
		return nil
	}
	it := turnItem(payload.Decision, "plan", payload.ByBoth, turn, shorten(tidy(title+": "+strings.Join(steps, "; "))), proof)
	it.About = about(strings.Join(steps, " "))
	return []payload.Item{it}
}

// mostPlanned is how many decisions one plan may yield.
const mostPlanned = 6

func planItems(turn *ingest.Turn, plan string) []payload.Item {
	var out []payload.Item
	for _, s := range sentences(plan) {
		if len(strings.Fields(s.Text)) < 4 || len(out) == mostPlanned {
			continue
		}
		low := strings.ToLower(s.Text)
		h := strings.ToLower(s.Heading)
		decides := planHeading.MatchString(h) && !planAside.MatchString(h)
		if !decides && !chooses.MatchString(low) || planAside.MatchString(h) {
			continue
		}
		text, why := splitWhy(strings.TrimRight(s.Text, ". "))
		it := turnItem(payload.Decision, "plan", payload.ByBoth, turn, shorten(tidy(text)), quote(plan, s.From, s.To))
		it.Why = why
		it.About = about(s.Raw)
		out = append(out, it)
	}
	return out
}

var (
	planHeading = cue.One(`decision|choice|non-goals|out of scope|chosen|agreed`)
	planAside   = cue.One(`test|verif|current|problem|context|background|risk|file|step|todo|question`)
	chooses     = cue.One(`\binstead of\b|\brather than\b|\bno longer\b`)
)

// refusals makes eliminated items of tool calls that the person refused with a
// reason: what was to be done, and the reason against it.
func refusals(t *talk) []payload.Item {
	var out []payload.Item
	eachCall(t.session, func(turn *ingest.Turn, c *ingest.ToolCall) {
		if c.Verdict != ingest.Rejected || c.Reason == "" || notNow.MatchString(c.Reason) {
			return
		}
		by := turn
		if c.ReasonTurn != "" { // what was typed next is the reason
			if by = turnOf(t.session, c.ReasonTurn); by == nil {
				return
			}
		}
		what := undertaking(turn, c)
		reason := sentences(c.Reason)
		if what == "" || len(reason) == 0 || !objection.MatchString(reason[0].Text) || strings.HasSuffix(c.Reason, "?") {
			return
		}
		it := turnItem(payload.Eliminated, "refused-with-reason", payload.ByUser, by, tidy(shorten(what)), quote(c.Reason, reason[0].From, reason[0].To))
		it.Why = strings.TrimRight(shorten(tidy(reason[0].Text)), ".")
		if c.Path != "" {
			it.About = []string{relative(rootsOf(t.session), c.Path)}
		}
		out = append(out, it)
	})
	return out
}

// notNow matches a reason that puts off what was refused, rather than ruling it out.
var notNow = cue.One(`(?i)\b(?:in this (?:branch|pr|pull request|release|version|session)|for now|not now|not yet|yet|later)\b`)

func turnOf(s *ingest.Session, id ingest.TurnID) *ingest.Turn {
	for i := range s.Turns {
		if s.Turns[i].ID == id {
			return &s.Turns[i]
		}
	}
	return nil
}

// undertaking says what a refused call was to do: what the assistant said it
// was doing, else the call itself.
func undertaking(turn *ingest.Turn, c *ingest.ToolCall) string {
	if c.Plan != nil {
		if m := planTitle.FindStringSubmatch(c.Plan.Text); m != nil {
			return plain(m[1]) + " (plan refused)"
		}
	}
	for i, parts := 0, sentences(turn.Text); i < len(parts); i++ {
		if s := parts[len(parts)-1-i]; announces.MatchString(s.Text) {
			return upperFirst(strings.TrimRight(announces.ReplaceAllString(s.Text, ""), ":. ")) + " (refused)"
		}
	}
	if d := c.Input["description"]; d != "" && c.Command != "" {
		return plain(d) + " (refused)"
	}
	return ""
}

var announces = cue.One(`(?i)^(?:(?:now|then|so|first|good|ok|great)[,.]? )*(?:let me|i'll|i will|i'm going to|let's)\s+(?:now |also |just |first )*`)

// mostTasks is how many open tasks are kept: a list that is longer is a plan.
const mostTasks = 20

// openTasks makes next items of tasks that were not completed.
func openTasks(t *talk) []payload.Item {
	if len(t.session.Tasks) == 0 {
		return nil
	}
	var out []payload.Item
	turns := turnsOf(t.session)
	tasks := append([]ingest.Task(nil), t.session.Tasks...)
	sort.SliceStable(tasks, func(i, j int) bool {
		return tasks[i].Status == "in_progress" && tasks[j].Status != "in_progress"
	})
	for _, task := range tasks {
		turn := turns[task.Turn]
		if task.Status == "completed" || task.Status == "deleted" || turn == nil || turn.Abandoned || turn.Copied || len(out) == mostTasks {
			continue
		}
		text := strings.TrimRight(plain(task.Subject), ". ")
		if d := strings.TrimRight(firstSentence(plain(task.Detail)), ". "); d != "" && len(d) <= 120 && share(keywords(d), keywords(text)) < 0.7 {
			text += ": " + lowerFirst(d)
		}
		it := turnItem(payload.Next, "open-task", payload.ByAssistant, turn, tidy(shorten(text)), clip(task.Subject))
		it.About = about(task.Subject)
		out = append(out, it)
	}
	return out
}

// turnsOf finds the turns of a session's tasks.
func turnsOf(s *ingest.Session) map[ingest.TurnID]*ingest.Turn {
	turns := map[ingest.TurnID]*ingest.Turn{}
	for _, task := range s.Tasks {
		turns[task.Turn] = nil
	}
	found := func(id ingest.TurnID, t *ingest.Turn) {
		if _, ok := turns[id]; ok {
			turns[id] = t
		}
	}
	for i := range s.Turns {
		t := &s.Turns[i]
		found(t.ID, t)
		for _, r := range t.Records {
			found(ingest.TurnID(r), t)
		}
	}
	return turns
}

// clip cuts a text to what a quote may hold.
func clip(s string) string { return quote(s, 0, len(s)) }
