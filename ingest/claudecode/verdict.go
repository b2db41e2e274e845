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
			reason, _, _ = strings.Cut(strings.TrimSpace(reason), "\n\nNote: The user's next message") // the client's own
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
