package claudecode

import (
	"cmp"
	"slices"
	"strings"

	"recall/ingest"
	"recall/ingest/jsonl"
	"recall/internal/text"
)

// Refusal reports whether a tool's result is a refusal, by whom, and the person's words with it. Only its beginning
// counts, as output can quote the sentences.
func Refusal(text string) (v ingest.Verdict, reason string) {
	text = strings.TrimSpace(strings.TrimPrefix(text, "Error: "))
	opens := func(sentence string) bool {
		return strings.HasPrefix(text, sentence) || strings.HasPrefix(text, strings.ReplaceAll(sentence, "'", "’"))
	}
	switch {
	case opens("The user doesn't want to proceed with this tool use."), opens("Permission for this tool use was denied."):
		return rejection(text)
	case opens("User rejected tool use"), opens("The agent proposed a plan that was rejected by the user."):
		return ingest.Rejected, ""
	case opens("The user wants to clarify these questions"):
		return ingest.Clarify, ""
	case opens("The user doesn't want to take this action right now."), opens("Permission for this action was denied"),
		opens("Permission to use ") && strings.Contains(text, "has been denied"):
		return ingest.Denied, ""
	}
	return ingest.Unasked, ""
}

// reasonMarks precede the person's words in a refusal.
var reasonMarks = []string{
	"To tell you how to proceed, the user said:",
	"The user provided the following reason for the rejection:",
	"The user said:",
}

func rejection(text string) (ingest.Verdict, string) {
	for _, mark := range reasonMarks {
		if _, reason, ok := strings.Cut(text, mark); ok {
			reason, _, _ = strings.Cut(strings.TrimSpace(reason), "\n\nNote: The user's next message") // the client's
			if strings.HasPrefix(reason, "The user wants to clarify these questions") {
				return ingest.Clarify, ""
			}
			return ingest.Rejected, strings.TrimSpace(reason)
		}
	}
	if strings.HasPrefix(text, "Permission for this tool use was denied.") {
		return ingest.Denied, ""
	}
	return ingest.Rejected, ""
}

// takePlan reads the response to a plan.
func (p *parser) takePlan(call *ingest.ToolCall, raw []byte, text string) {
	var plan, file string
	agent, waiting, edited := false, false, false
	jsonl.ReadFields(raw, jsonl.Fields{"plan": &plan, "filePath": &file, "planFilePath": &file, "isAgent": &agent,
		"awaitingLeaderApproval": &waiting, "planWasEdited": &edited})
	approved, told, rewritten := planVerdict(text)
	if call.Plan != nil {
		plan = cmp.Or(plan, call.Plan.Text)
		file = cmp.Or(file, call.Plan.File)
	}
	if _, refused, ok := strings.Cut(text, "Rejected plan:"); ok && call.Verdict == ingest.Rejected {
		plan = cmp.Or(plan, strings.TrimSpace(refused))
	}
	if rewritten || strings.TrimSpace(plan) == "" {
		plan = cmp.Or(told, plan)
	}
	if strings.TrimSpace(plan) == "" && (approved == ingest.Approved || call.Verdict == ingest.Rejected) {
		plan, file = p.meta.lastPlan, cmp.Or(file, p.meta.lastPlanFile)
	}
	if strings.TrimSpace(plan) == "" && (file == "" || approved != ingest.Approved) {
		return
	}
	call.Plan = &ingest.Plan{Text: ingest.ClippedText(strings.TrimSpace(plan)), File: file, Edited: edited || rewritten}
	p.s.PlanFiles = ingest.Union(p.s.PlanFiles, file)
	if approved == ingest.Approved && !agent && !waiting {
		call.Verdict = ingest.Approved
	}
}

// planVerdict reads the result of ExitPlanMode: whether the person approved, and the text of the plan if the result
// contains it.
func planVerdict(text string) (v ingest.Verdict, plan string, edited bool) {
	if !strings.HasPrefix(text, "User has approved your plan.") {
		return ingest.Unasked, "", false
	}
	_, plan, _ = strings.Cut(text, "## Approved Plan") // the first is the client's; the plan could contain another
	plan, edited = strings.CutPrefix(plan, " (edited by user)")
	plan, _ = strings.CutPrefix(plan, ":")
	return ingest.Approved, strings.TrimSpace(plan), edited
}

// noteOwnPlan remembers a plan file that the session wrote.
func (p *parser) noteOwnPlan(path string, input []byte) {
	slashed := strings.ReplaceAll(path, `\`, "/")
	named := strings.HasSuffix(slashed, ".md") && strings.Contains(slashed, "/.claude/plans/") ||
		planName().MatchString(slashed)
	if !named && !slices.Contains(p.s.PlanFiles, path) { // a setting can name another folder
		return
	}
	p.s.PlanFiles = ingest.Union(p.s.PlanFiles, path)
	p.meta.lastPlan = ingest.ClippedText(inputString(input, "content"))
	p.meta.lastPlanFile = path
}

// editOwnPlan applies an edit to the plan file written last.
func (p *parser) editOwnPlan(path string, input []byte) {
	if path == "" || path != p.meta.lastPlanFile {
		return
	}
	if old := inputString(input, "old_string"); old != "" {
		p.meta.lastPlan = ingest.ClippedText(strings.Replace(p.meta.lastPlan, old, inputString(input, "new_string"), 1))
	}
}

// planName matches the names that the client gives plans, wherever its configuration folder is.
var planName = text.Pattern(`/plans/[a-z]+(?:-[a-z]+){2,}\.md$`)

// reply is the response to an AskUserQuestion call.
type reply struct {
	answers  map[string]string
	notes    map[string]string
	skipped  map[string]bool
	response string
	timedOut bool
}

// askReply reads the structured result of AskUserQuestion.
func askReply(raw []byte) (r reply) {
	c := jsonl.NewCursor(raw)
	if c.Kind() != '{' {
		return r
	}
	r.answers, r.notes, r.skipped = map[string]string{}, map[string]string{}, map[string]bool{}
	c.Fields(jsonl.Fields{
		"answers": func() {
			c.Object(func(q []byte) {
				if c.Kind() != '{' {
					r.answers[jsonl.Unquote(q)] = answerText(c)
				}
			})
		},
		"annotations": func() {
			c.Object(func(q []byte) {
				question, notes := jsonl.Unquote(q), ""
				c.Fields(jsonl.Fields{"notes": &notes, "unanswered": func() { r.skipped[question] = c.Text() != "" }})
				r.notes[question] = notes
			})
		},
		"response":     &r.response,
		"afkTimeoutMs": func() { r.timedOut = c.Kind() != 'n' },
	})
	return r
}

// answerText reads one answer, joining a list as the client does.
func answerText(c *jsonl.Cursor) string {
	if c.Kind() != '[' {
		return c.Text()
	}
	var parts []string
	c.Array(func() { parts = append(parts, c.Text()) })
	return strings.Join(parts, ", ")
}

// answered fills in the person's choices; unanswered questions are omitted.
func answered(questions []ingest.Question, r reply) []ingest.Answer {
	if r.timedOut {
		return nil
	}
	var out []ingest.Answer
	for _, q := range questions {
		got, ok := r.answers[q.Question]
		if !ok || strings.TrimSpace(got) == "" || r.skipped[q.Question] {
			continue
		}
		q.Notes = r.notes[q.Question]
		if q.Choose(got); q.Free {
			q.Answer = replaceOther(q.Answer)
		}
		if len(q.Chosen) > 0 {
			out = append(out, q.Answer)
		}
	}
	if len(out) == 0 && strings.TrimSpace(r.response) != "" && len(questions) > 0 {
		q := questions[0].Answer
		q.Chosen, q.Free = []string{r.response}, true
		out = append(out, q)
	}
	return out
}

// answeredSoFar parts the questions that a person wanted to talk about from those that they had answered before.
func answeredSoFar(questions []ingest.Question, text string) (had, open []ingest.Answer) {
	for _, q := range questions {
		_, after, _ := strings.Cut(text, `- "`+q.Question+`"`)
		line, _, _ := strings.Cut(strings.TrimSpace(after), "\n")
		if said, ok := strings.CutPrefix(line, "Answer: "); ok {
			q.Choose(said)
			had = append(had, q.Answer)
		} else {
			open = append(open, q.Answer)
		}
	}
	return had, open
}

// replaceOther replaces the choice "Other", which says nothing itself, by the person's note.
func replaceOther(q ingest.Answer) ingest.Answer {
	said := q.Chosen
	q.Chosen, q.Free = nil, false
	for _, s := range said {
		if strings.EqualFold(strings.Trim(s, " ."), "other") {
			s, q.Notes = strings.TrimSpace(q.Notes), ""
		}
		if s == "" {
			continue
		}
		q.Chosen = append(q.Chosen, s)
		q.Free = q.Free || !q.Offers(s)
	}
	return q
}
