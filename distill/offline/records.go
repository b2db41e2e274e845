package offline

import (
	"slices"
	"strings"

	"recall/distill"
	"recall/ingest"
	"recall/internal/text"
	"recall/payload"
)

// What a transcript has on record is taken verbatim. Language only matters for whether an
// answer decides anything.

// claimed are the classes of records that are stated as fact, by how often people and a model who read sessions of 17
// projects found them right: 23 of 27 answers; that a plan's choices were approved isn't uncertain. Refusals (14 of
// 19), plans with their steps and open tasks (0 of 10) are quoted.
var claimed = map[string]float64{payload.AnswerRule: 0.85, payload.PointRule: 0}

func records(s *ingest.Session) []payload.Item {
	var out []payload.Item
	recorded := []func(*ingest.Session) []payload.Item{answers, plans, refusals, openTasks, taskStates}
	if s.Headless { // a program answered and approved
		recorded = recorded[3:]
	}
	for _, take := range recorded {
		for _, it := range take(s) {
			if !slices.ContainsFunc(out, func(o payload.Item) bool { // once per class
				return o.Rule == it.Rule && strings.EqualFold(o.Text, it.Text)
			}) {
				sure, isClaimed := claimed[it.Rule]
				switch {
				case isClaimed:
					it.Confidence = sure
				case it.By == payload.ByUser && !asks(it.Text) || it.By == payload.ByAssistant:
					it.Confidence = typedWeight * byPlace(it.First().N, len(s.Turns))
				case it.By == payload.ByBoth:
					it.Confidence = planWeight * byPlace(it.First().N, len(s.Turns))
				}
				if !isClaimed {
					it.Kind, it.Hint = payload.Lead, it.Kind
				}
				out = append(out, it)
			}
		}
	}
	return out
}

func recorded(kind payload.Kind, rule string, by payload.By, t *ingest.Turn, text, quote string) payload.Item {
	return payload.Item{Kind: kind, Rule: rule, By: by, Maker: payload.ByRule, State: payload.Stands, Text: text, At: t.At,
		About: about(text), Evidence: []payload.Evidence{{Turn: string(t.ID), N: t.N, Quote: clip(quote)}}}
}

// answers turns questions that the person answered into decisions. If one was asked twice,
// the last answer counts.
func answers(s *ingest.Session) []payload.Item {
	at := map[string]int{}
	var out []payload.Item
	for turn, c := range ingest.EachCall(s.Turns) {
		for _, a := range c.Open {
			if it, ok := namedLater(s, turn, a); ok {
				out = append(out, it)
			}
		}
		if turn.Aside() || c.Verdict == ingest.Rejected || c.Verdict == ingest.Clarify {
			continue
		}
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
	}
	return out
}

// answered returns a question with the chosen option, verbatim. An answer that only asks, leaves the choice or says
// how to proceed decides nothing.
func answered(turn *ingest.Turn, c *ingest.ToolCall, a ingest.Answer) (payload.Item, bool) {
	choice := plain(strings.Join(a.Chosen, ", "))
	question := plain(a.Question)
	said := ingest.Turn{Role: ingest.User, Text: strings.Join(a.Chosen, "\n") + "\n" + a.Notes}
	ingest.MarkForeign(&said)
	if choice == "" || question == "" || len(said.Foreign) > 0 {
		return payload.Item{}, false
	}
	it := recorded(payload.Decision, payload.AnswerRule, payload.ByUser, turn, question+" → "+choice, a.Chosen[0])
	if !c.At.IsZero() {
		it.At = c.At
	}
	for _, o := range a.Options {
		switch chosen := slices.Contains(a.Chosen, o.Label); {
		case chosen && len(a.Chosen) == 1 && o.Description != "": // the assistant's words
			it.Evidence = append(it.Evidence, payload.Evidence{Turn: string(turn.ID), N: turn.N, Quote: clip(o.Description)})
		case !chosen && !a.Multi && !a.Free && !takesAll().MatchString(choice):
			it.Alternatives = append(it.Alternatives, plain(o.Label))
		}
	}
	if notes := strings.TrimRight(plain(a.Notes), ".。 "); notes != "" && !strings.Contains(it.Text, notes) {
		it.Why = notes
	}
	return it, true
}

// takesAll matches an option that takes the others in.
var takesAll = text.Pattern(`(?i)^(?:both|beide\pL?|les deux|amb[oa]s)\b|` +
	`^(?:all|alles?|tou(?:s|tes)|tod[oa]s)(?: (?:of (?:them|these|the above)|the above|three|four|drei|vier))?\W*$`)

// namedLater returns what the person said of a question that they wanted to talk about first: their next words that
// name one of its options and ask nothing. Whether they took it, nothing on record says: it is quoted.
func namedLater(s *ingest.Session, of *ingest.Turn, a ingest.Answer) (it payload.Item, ok bool) {
	for i := range s.Turns {
		turn := &s.Turns[i]
		if turn.N <= of.N || turn.Aside() || !typed(turn) {
			continue
		}
		for _, sentence := range text.Sentences(turn.OwnText(), true) {
			words, named := text.Words(sentence), 0
			for _, o := range a.Options {
				if label := text.Words(o.Label); len(label) > 0 && label.In(words) == 1 {
					named++
				}
			}
			if named == 1 && !asks(sentence) {
				it = recorded(payload.Decision, "answer-asking", payload.ByUser, turn, plain(sentence), sentence)
				it.Evidence = append(it.Evidence,
					payload.Evidence{Turn: string(of.ID), N: of.N, Quote: clip(a.Question)})
				return it, true
			}
		}
	}
	return it, false
}

// plans returns what the plans that the person approved say; of those with the same title the last counts.
func plans(s *ingest.Session) (out []payload.Item) {
	had := map[string]bool{}
	for i := range slices.Backward(s.Turns) {
		turn := &s.Turns[i]
		approved := []string{}
		if turn.Kind == ingest.PlanTurn {
			approved = append(approved, turn.Text)
		}
		for _, c := range turn.Calls {
			if c.Plan != nil && c.Verdict == ingest.Approved {
				approved = append(approved, c.Plan.Text)
			}
		}
		for _, plan := range approved {
			if title, ok := planTitle(plan); !turn.Aside() && !had[title] {
				had[title] = ok
				out = append(out, planned(turn, plan)...)
			}
		}
	}
	return out
}

var (
	planHeading = text.Pattern(`^(#{1,6})\s+(.+)$`)
	planStep    = text.Pattern("^(?:\\p{L}+ )?\\d{1,2}[.:)]\\s+([^`].*)$")   // "3. …", "Step 3: …", not of a file
	planPoint   = text.Pattern("^(?:[-*+•]|\\d{1,2}[.)])\\s+([^`].*[^:?])$") // not of a file, nor of more below it

	// planOptional matches a point that approving the plan doesn't decide.
	planOptional = text.Pattern(`(?i)^\W{0,3}optional\b`)
	// planChoices matches headings below which a plan says what was chosen, or what is left as it is.
	planChoices = text.Pattern(`(?i)\b(?:decisions?|decided|chosen|choices?|non-?goals?|out of scope|` +
		`not (?:do|doing|chang\w*|touch\w*))\b|^(?:the )?approach\b|` +
		`\b(?:design|conventions?|constraints?|principles?)\W*$|\bentscheidung|^决定|^决策|^決定`)
	// planAside matches headings below which a plan says how things are, what else could be, or how it will be checked.
	planAside = text.Pattern(`(?i)\b(?:context|background|current|existing|problems?|issues?|findings?|blockers?|why|` +
		`files|tests?|testing|verif\w*|questions?|risks?|alternatives?|considered|rejected|summary|benefits)\b|^goals?\b`)
)

// planned returns what a plan chose: the points of its outermost lists that stand below its title itself, or below a
// heading that says so and that they are said with; and, to be quoted, its title with its steps, which are its numbered
// headings or else its other points. Whether a step was done, and stayed done, a plan doesn't know.
func planned(turn *ingest.Turn, plan string) (out []payload.Item) {
	title, _ := planTitle(plan)
	var steps, points []string
	under, chosen, fenced := "", true, false
	aside := 0 // level of the heading below which all is
	for line := range strings.Lines(plan) {
		line = strings.TrimRight(line, " \r\n")
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		if m := planHeading().FindStringSubmatch(line); m != nil && !fenced && m[2] != title {
			under = plain(m[2])
			if aside == 0 || len(m[1]) <= aside {
				aside = 0
				if planAside().MatchString(under) {
					aside = len(m[1])
				}
			}
			chosen = aside == 0 && planChoices().MatchString(under)
			if step := planStep().FindStringSubmatch(under); step != nil && aside == 0 {
				steps = append(steps, step[1])
			}
		} else if m := planPoint().FindStringSubmatch(line); m != nil && !fenced && tells(m[1], 2) {
			point := plain(m[1])
			switch {
			case chosen && (len(out) == maxChoices || planOptional().MatchString(point)):
			case chosen && under != "":
				point = strings.TrimRight(under, ":") + ": " + point
				fallthrough
			case chosen:
				out = append(out, recorded(payload.Decision, payload.PointRule, payload.ByBoth, turn, point, m[1]))
			case aside == 0:
				points = append(points, point)
			}
		}
	}
	if len(steps) == 0 {
		steps = points
	}
	all := strings.Join(append([]string{title}, steps...), " · ")
	bare := len(steps) == 0 && len(out) > 0 // a title that says nothing beside its choices
	if title != "" && tells(all, 2) && !bare {
		out = append(out, recorded(payload.Decision, "plan", payload.ByBoth, turn, text.Clip(all, maxSteps), title))
	}
	return out
}

const (
	maxChoices = 8   // of one plan: a longer list is its details
	maxSteps   = 400 // characters that are quoted of a plan's title and steps
)

func planTitle(text string) (string, bool) {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	title, ok := strings.CutPrefix(strings.TrimSpace(first), "# ")
	return strings.TrimSpace(title), ok
}

// maxCommand is the number of characters of a refused command by which it is found.
const maxCommand = 120

// refusals turns what the person said when refusing a call into eliminated items.
func refusals(s *ingest.Session) []payload.Item {
	var out []payload.Item
	places := s.Places()
	changed := map[string]int{} // where the session last changed a file
	for turn, c := range ingest.EachCall(s.Turns) {
		if c.Path != "" && writes(c.Name) && c.Worked() {
			changed[c.Path] = turn.N
		}
	}
	for turn, c := range ingest.EachCall(s.Turns) {
		reason := text.OneLine(c.Reason)
		refused := c.Verdict == ingest.Rejected && len(c.Answers) == 0 && !turn.Aside() &&
			!(c.Plan != nil && text.Agrees(reason)) // "looks good, but clear the context first"
		later := c.Path != "" && changed[c.Path] > turn.N // then one way to change it was refused, not that it is
		// What is said with the refusal is about what was refused; what else was typed next may be about anything.
		ofCall := (c.Command != "" || c.Path != "" && !later) && c.ReasonTurn == "" && strings.Contains(reason, " ")
		says := ofCall || tells(reason, 3) && !strings.HasSuffix(reason, "?")
		if !refused || !says || reason[0] == '<' {
			continue
		}
		by := turn
		if c.ReasonTurn != "" { // what was typed next is the reason
			at, ok := places[string(c.ReasonTurn)]
			if !ok {
				continue
			}
			by = &s.Turns[at]
		}
		it := recorded(payload.Eliminated, payload.RefusalRule, payload.ByUser, by, reason, c.Reason)
		if what := c.With(); what != "" {
			if c.Plan != nil {
				what, _, _ = strings.Cut(strings.TrimLeft(what, "# \n"), "\n")
			}
			it.Evidence = append(it.Evidence, payload.Evidence{Turn: string(turn.ID), N: turn.N, Quote: clip(what)})
		}
		switch {
		case later:
		case c.Path != "":
			it.About = appendNew(it.About, distill.FileName(distill.Roots(s), c.Path))
		case c.Command != "": // by whose words it is found when that is to run again
			it.About = appendNew(it.About, text.Clip(text.OneLine(c.Command), maxCommand))
		}
		out = append(out, it)
	}
	return out
}

// maxTasks is the number of open tasks kept; a longer list is a plan.
const maxTasks = 20

// A todo is a task of the session's own list.
type todo struct {
	ingest.Task
	put  *ingest.Turn // where it came on the list, which a change of its state doesn't repeat
	last *ingest.Turn // where it was touched last
}

// tasks returns the tasks of the session's own list.
func tasks(s *ingest.Session) (all []todo) {
	if len(s.Tasks) == 0 {
		return nil
	}
	places := s.Places()
	put := map[string]int{}
	for turn, c := range ingest.EachCall(s.Turns) {
		if subject := c.Input["subject"]; subject != "" {
			put[subject] = places[string(turn.ID)]
		}
	}
	for _, task := range s.Tasks {
		at, ok := places[string(task.Turn)]
		from := at
		if by, there := put[task.Subject]; there {
			from = by
		}
		if task.Status != "deleted" && ok && !s.Turns[from].Aside() {
			all = append(all, todo{task, &s.Turns[from], &s.Turns[at]})
		}
	}
	return all
}

// openTasks turns tasks that were not completed into next items.
func openTasks(s *ingest.Session) (out []payload.Item) {
	for _, task := range tasks(s) {
		it := recorded(payload.Next, payload.TaskRule, payload.ByAssistant, task.put, plain(task.Subject), task.Subject)
		if task.Status == "in_progress" {
			it.Why = payload.TaskInProgress
		}
		if task.Status != "completed" && len(out) < maxTasks {
			out = append(out, it)
		}
	}
	return out
}

// taskStates tells how far the tasks of the session's own list are: in a line each those that are complete, in progress
// and not started, all as of when the list was written last; none if all are complete, which the report tells better.
func taskStates(s *ingest.Session) (out []payload.Item) {
	all := tasks(s)
	open := func(t todo) bool { return t.Status != "completed" }
	if len(all) < 2 || !slices.ContainsFunc(all, open) {
		return nil
	}
	last := slices.MaxFunc(all, func(a, b todo) int { return a.last.N - b.last.N }).last
	names := map[string]string{"completed": "COMPLETE", "in_progress": "IN PROGRESS", "pending": "NOT STARTED"}
	for _, state := range []string{"completed", "in_progress", "pending"} {
		var subjects []string
		var line payload.Item
		for _, task := range all {
			if task.Status == state && len(subjects) < maxTasks {
				subjects = append(subjects, plain(task.Subject))
				text := names[state] + ": " + strings.Join(subjects, " · ")
				line = recorded(payload.Status, payload.TaskStatesRule, payload.ByAssistant, task.put, text,
					task.Subject)
				line.At = last.At
			}
		}
		if len(subjects) > 0 {
			out = append(out, line)
		}
	}
	return out
}
