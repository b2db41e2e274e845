package opencode

import (
	"cmp"
	"path"
	"strconv"
	"strings"

	"recall/ingest"
	"recall/ingest/jsonl"
)

// toolNames maps tools to the names that recall knows, Claude Code's. Others keep their own.
var toolNames = map[string]string{
	"bash": "Bash", "edit": "Edit", "multiedit": "MultiEdit", "write": "Write", "read": "Read", "glob": "Glob",
	"grep": "Grep", "list": "LS", "websearch": "WebSearch", "webfetch": "WebFetch", "todowrite": "TodoWrite",
	"task": "Agent", "question": "AskUserQuestion", "plan_exit": "ExitPlanMode", "skill": "Skill",
}

// The client's wordings, in results, for what the person or a rule said.
const (
	refused   = "The user rejected permission to use this specific tool call"
	because   = "with the following feedback: "
	ruledOut  = "The user has specified a rule which prevents you from using this specific tool call"
	dismissed = "The user dismissed this question"
)

// takeCall takes a tool call and its outcome.
func (p *parser) takeCall(m *message, data []byte) {
	var tool, id, status, output, fault, agent string
	var ended, exit int64
	var input, answers []byte
	jsonl.ReadFields(data, jsonl.Fields{"tool": &tool, "callID": &id, "state": jsonl.Fields{
		"status": &status, "input": &input, "output": &output, "error": &fault, "time": jsonl.Fields{"end": &ended},
		"metadata": jsonl.Fields{"sessionId": &agent, "exit": &exit, "answers": &answers}}})
	name, ours := toolNames[tool]
	switch {
	case ours:
	case strings.HasPrefix(tool, "recall_"): // its server's name, which people can choose, and the tool's
		name = "mcp__recall__" + tool
	default:
		name = tool
	}
	call := ingest.ToolCall{ID: id, Name: name, Input: ingest.Input(jsonl.NewCursor(input))}
	call.Path = call.Input["filePath"]
	if agent != "" {
		call.Agent = ingest.FolderID(agent)
	}
	result := cmp.Or(output, fault)
	if call.Done = status == "completed" || status == "error"; call.Done {
		call.ResultTurn, call.At, call.Failed = m.turn.ID, timeOf(ended), status == "error" || exit != 0
		call.Result, call.ResultLen = ingest.ClippedResult(result), int64(len(result))
	}
	switch {
	case strings.HasPrefix(fault, refused), strings.HasPrefix(fault, dismissed):
		call.Verdict = ingest.Rejected
		_, call.Reason, _ = strings.Cut(fault, because)
	case strings.HasPrefix(fault, ruledOut):
		call.Verdict = ingest.Denied
	}
	p.s.NoteRecalled(result, false)
	if tool == "apply_patch" { // one call per file
		var patch string
		jsonl.ReadFields(input, jsonl.Fields{"patchText": &patch})
		for _, c := range ingest.Patched(patch) {
			call.Name, call.Path, call.Input, call.Edits = c.Name, c.Path, c.Input, c.Edits
			m.turn.Calls = append(m.turn.Calls, call)
		}
		return
	}
	p.takeTool(m, &call, input, answers, exit)
	m.turn.Calls = append(m.turn.Calls, call)
}

// takeTool reads what a tool's input and result hold apart from their texts.
func (p *parser) takeTool(m *message, call *ingest.ToolCall, input, answers []byte, exit int64) {
	in := call.Input
	switch call.Name {
	case "Bash":
		call.Command = ingest.RunIn(in["workdir"], m.turn.Dir, in["command"])
		if p.shell {
			p.shell = false
			t := m.turn
			t.ID += "#shell"
			t.Records, t.Keys, t.Calls, t.Usage = []string{string(t.ID)}, nil, nil, ingest.Usage{}
			t.Role, t.Kind, t.Text, t.Model = ingest.User, ingest.Shell, call.Command, ""
			p.turns = append(p.turns, &t)
		}
		if exit != 0 {
			call.Result = "Exit code " + strconv.FormatInt(exit, 10) + "\n" + call.Result
		}
		if call.Worked() {
			ingest.NoteCommit(call)
		}
	case "Edit":
		call.Edits = []ingest.Edit{{Old: in["oldString"], New: in["newString"]}}
	case "MultiEdit":
		jsonl.ReadFields(input, jsonl.Fields{"edits": jsonl.List(func(c *jsonl.Cursor) {
			var e ingest.Edit
			c.Fields(jsonl.Fields{"oldString": &e.Old, "newString": &e.New})
			call.Edits = append(call.Edits, e)
		})})
	case "Write":
		if path.Ext(call.Path) == ".md" && call.Worked() {
			var whole string
			jsonl.ReadFields(input, jsonl.Fields{"content": &whole})
			p.plan = ingest.ClippedText(whole)
		}
	case "TodoWrite":
		if call.Worked() {
			p.tasks = ingest.Relist(p.tasks, ingest.Todos(input, "todos", "content", m.turn.ID))
		}
	case "AskUserQuestion":
		call.Answers = answered(input, answers)
	case "ExitPlanMode":
		if call.Plan = (&ingest.Plan{Text: p.plan}); call.Worked() {
			call.Verdict = ingest.Approved
		}
	}
}

// answered reads the person's answers, by index of the question; unanswered questions are left out.
func answered(input, answers []byte) (out []ingest.Answer) {
	all := ingest.Questions(input)
	c, n := jsonl.NewCursor(answers), 0
	c.Array(func() {
		var chosen []string
		c.Array(func() { chosen = append(chosen, c.Text()) })
		if n < len(all) && len(chosen) > 0 {
			all[n].Choose(strings.Join(chosen, ", "))
			out = append(out, all[n].Answer)
		}
		n++
	})
	return out
}
