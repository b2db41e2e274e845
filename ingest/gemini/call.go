package gemini

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"recall/ingest"
	"recall/ingest/jsonl"
	"recall/internal/text"
)

// toolNames maps tools to the names that recall knows, Claude Code's. Others keep their own.
var toolNames = map[string]string{
	"run_shell_command": "Bash", "write_file": "Write", "replace": "Edit", "read_file": "Read", "glob": "Glob",
	"grep_search": "Grep", "search_file_content": "Grep", "list_directory": "LS", "google_web_search": "WebSearch",
	"web_fetch": "WebFetch", "write_todos": "TodoWrite", "ask_user": "AskUserQuestion",
	"exit_plan_mode": "ExitPlanMode",
}

// nameOf returns the name of a tool; recall's own have their server's prefix, however the client writes it.
func nameOf(name string) string {
	if ours, ok := toolNames[name]; ok {
		return ours
	}
	if at := strings.LastIndex(name, "recall_"); at == 0 || at > 0 && strings.HasPrefix(name, "mcp_") {
		return "mcp__recall__" + name[at:]
	}
	return name
}

// takeCall takes a tool call and its outcome.
func (p *parser) takeCall(d *ingest.Turn, raw []byte) {
	var id, name, status, when, agent string
	var args, given []byte
	jsonl.ReadFields(raw, jsonl.Fields{"id": &id, "name": &name, "args": &args, "status": &status,
		"timestamp": &when, "agentId": &agent, "result": &given})
	call := ingest.ToolCall{ID: id, Name: nameOf(name), Agent: agent,
		Input: ingest.Input(jsonl.NewCursor(args))}
	if agent != "" {
		call.Name, call.Input["subagent_type"] = "Agent", name
		call.Input["prompt"] = cmp.Or(call.Input["prompt"], call.Input["objective"], call.Input["task"])
	}
	call.Path = cmp.Or(call.Input["file_path"], call.Input["absolute_path"])
	result, failed := resultOf(given)
	result, told := Typed(result)
	result = strings.TrimSuffix(strings.TrimPrefix(result, "<untrusted_context>\n"), "\n</untrusted_context>")
	p.s.NoteRecalled(told, true)
	switch status {
	case "success", "error", "cancelled":
		call.Done, call.ResultTurn = true, d.ID
		if at, ok := ingest.ParseTime(when); ok {
			call.At = at
		}
		call.Failed = failed || status != "success"
		call.Result, call.ResultLen = ingest.ClippedResult(result), int64(len(result))
	}
	switch { // the output of a call that ran can quote these
	case status == "cancelled" && strings.Contains(result, "User did not allow tool call"),
		status != "success" && strings.Contains(result, "User denied execution"):
		call.Verdict = ingest.Rejected
	case status == "error" && strings.Contains(result, "denied by policy"):
		call.Verdict = ingest.Denied
	}
	p.s.NoteRecalled(result, false)
	p.takeTool(d, &call, args, result)
	d.Calls = append(d.Calls, call)
}

// takeTool reads what a tool's input and result hold apart from their texts.
func (p *parser) takeTool(d *ingest.Turn, call *ingest.ToolCall, args []byte, result string) {
	in := call.Input
	switch call.Name {
	case "Bash":
		p.takeShell(call, result)
	case "Edit":
		call.Edits = []ingest.Edit{{Old: in["old_string"], New: in["new_string"]}}
	case "Write":
		if path.Ext(call.Path) == ".md" && call.Worked() {
			var whole string
			jsonl.ReadFields(args, jsonl.Fields{"content": &whole})
			p.plans[ingest.LastName(call.Path)] = ingest.ClippedText(whole)
		}
	case "TodoWrite":
		if call.Worked() {
			p.tasks = ingest.Relist(p.tasks, ingest.Todos(args, "todos", "description", d.ID))
		}
	case "AskUserQuestion":
		call.Answers = answered(args, result)
		call.Failed = call.Failed || call.Done && len(call.Answers) == 0
	case "ExitPlanMode":
		file := cmp.Or(in["plan_path"], in["plan_filename"])
		call.Plan = &ingest.Plan{Text: p.plans[ingest.LastName(file)], File: file}
		_, why, rejected := strings.Cut(result, "Plan rejected.")
		switch {
		case strings.HasPrefix(result, "Plan approved"):
			call.Verdict = ingest.Approved
		case rejected:
			call.Verdict = ingest.Rejected
			why, _, _ = strings.Cut(why, "\n\nThe plan is stored at")
			if _, said, ok := strings.Cut(why, "User feedback:"); ok {
				call.Reason = strings.TrimSpace(said)
			}
		case strings.HasPrefix(result, "User cancelled the plan approval"):
			call.Verdict = ingest.Rejected
		}
	}
}

// takeShell reads what was run, where, and how it ended.
func (p *parser) takeShell(call *ingest.ToolCall, result string) {
	dir := cmp.Or(call.Input["dir_path"], call.Input["directory"])
	call.Command = ingest.RunIn(dir, p.dir, call.Input["command"])
	if m := exitCode().FindStringSubmatch(result); m != nil && m[1] != "0" {
		call.Failed = true
		call.Result = "Exit code " + m[1] + "\n" + call.Result
	}
	if call.Worked() {
		ingest.NoteCommit(call)
	}
}

// exitCode matches the exit code after a command's output, and what the client adds to it.
var exitCode = text.Pattern(`(?m)^Exit Code: (-?\d+)\s*(?:\n(?:Signal|Background PIDs|Process Group PGID): .*)*\s*\z`)

// resultOf reads the parts of a call's result; failed reports whether it is an error.
func resultOf(raw []byte) (result string, failed bool) {
	var all []string
	take := func(part []byte) {
		var output, wrong, text string
		jsonl.ReadFields(part, jsonl.Fields{"text": &text,
			"functionResponse": jsonl.Fields{"response": jsonl.Fields{"output": &output, "error": &wrong}}})
		failed = failed || wrong != ""
		all = append(all, cmp.Or(output, wrong, text))
	}
	switch c := jsonl.NewCursor(raw); c.Kind() {
	case '"':
		return c.String(), false
	case '{':
		take(raw)
	case '[':
		c.Array(func() { take(c.Raw()) })
	}
	all = slices.DeleteFunc(all, func(s string) bool { return s == "" })
	return strings.TrimPrefix(strings.Join(all, "\n"), "Output: "), failed
}

// answered reads the person's answers, by index of the question; unanswered questions are left out.
func answered(args []byte, result string) (out []ingest.Answer) {
	given := map[string]string{}
	c := jsonl.NewCursor([]byte(result))
	c.Fields(jsonl.Fields{"answers": func() {
		c.Object(func(n []byte) { given[string(n)] = c.Text() })
	}})
	for n, q := range ingest.Questions(args) {
		if said := given[strconv.Itoa(n)]; said != "" {
			q.Choose(said)
			out = append(out, q.Answer)
		}
	}
	return out
}
