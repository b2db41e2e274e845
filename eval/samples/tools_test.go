package samples

import (
	"encoding/json"
	"fmt"
	"path"
	"strconv"
	"strings"
)

const (
	refusal    = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). "
	refusalSay = refusal + "To tell you how to proceed, the user said:\n"
	refusalNo  = refusal + "STOP what you are doing and wait for the user to tell you how to proceed."
	current    = " (file state is current in your context — no need to Read it back)"
)

// answer is what comes back from a tool: what the model sees, what the client
// shows, and whether it is an error (nil: not stated).
type answer struct {
	content any
	result  any
	failed  *bool
	denied  bool
}

// tool writes a call of a tool and has its result written after the message.
func (w *scribe) tool(b block) error {
	name, input, ans, err := w.form(b)
	if err != nil {
		return err
	}
	switch {
	case b.parallel:
	case len(w.open) > 0:
		w.closeMessage()
	}
	w.pass(3, 25)
	c := &call{name: name, input: input}
	key, err := encode(input)
	if err != nil {
		return err
	}
	c.id = apiID("toolu_01", w.s.name, w.uuid("call", name, string(key)))
	r := w.said(obj("type", "tool_use", "id", c.id, "name", name, "input", input), name+string(key), &b)
	r.call, r.answer, c.uuid = c, false, r.uuid
	r.asked, r.allowed = name == "AskUserQuestion" || b.refused, !b.refused
	if b.refused {
		ans = refuse(b)
	}
	w.open = append(w.open, c)
	w.results = append(w.results, func() { w.result(c, ans, b) })
	return nil
}

// result writes what a call gave back.
func (w *scribe) result(c *call, a answer, b block) {
	switch {
	case c.name == "AskUserQuestion" || c.name == "ExitPlanMode" || b.refused:
		w.pass(20, 150)
	case b.took > 0:
		w.now = w.now.Add(b.took)
	case c.name == "Bash":
		w.pass(2, 40)
	default:
		w.pass(1, 3)
	}
	block := obj("type", "tool_result", "tool_use_id", c.id, "content", a.content)
	if a.failed != nil {
		block = append(block, field{"is_error", *a.failed})
	}
	after := obj("toolUseResult", a.result, "sourceToolAssistantUUID", c.uuid)
	if a.denied {
		after = append(obj("toolDenialKind", "user-rejected"), after...)
	}
	if text, ok := a.content.(string); ok {
		w.context += len(text) / 4
	}
	r := w.chain(&record{typ: "user", uuid: w.uuid("result", c.id), before: obj("promptId", w.prompt),
		message: obj("role", "user", "content", []object{block}), after: after, call: c, result: a.result})
	r.parent = c.uuid // results of parallel calls hang off their own call
	if a.denied && reason(b) == "" {
		w.interrupt("[Request interrupted by user for tool use]")
	}
	if c.name == "ExitPlanMode" && !b.refused {
		w.mode = "default"
		w.attach("plan_mode_exit", "planFilePath", w.planFile(), "planExists", true)
	}
}

func reason(b block) string {
	if b.verb == "bash" || len(b.parts) > 1 {
		return b.parts[len(b.parts)-1]
	}
	return ""
}

func refuse(b block) answer {
	yes := true
	if r := reason(b); r != "" {
		return answer{content: refusalSay + r, result: "User rejected tool use", failed: &yes, denied: true}
	}
	return answer{content: refusalNo, result: "User rejected tool use", failed: &yes, denied: true}
}

// form gives a block's tool, input and answer.
func (w *scribe) form(b block) (name string, input object, a answer, err error) {
	no := false
	switch b.verb {
	case "bash", "bash-fail":
		return w.bash(b)
	case "read":
		p, text := w.path(b.arg), b.part(0)
		return "Read", obj("file_path", p), answer{content: numbered(text), result: obj("type", "text", "file",
			obj("filePath", p, "content", text, "numLines", lineCount(text), "startLine", 1, "totalLines",
				lineCount(text)))}, nil
	case "grep":
		n := lineCount(b.part(0))
		return "Grep", obj("pattern", b.arg, "output_mode", "files_with_matches"), answer{
			content: fmt.Sprintf("Found %d %s\n%s", n, plural(n, "file"), b.part(0)),
			result:  obj("mode", "files_with_matches", "filenames", strings.Split(b.part(0), "\n"), "numFiles", n)}, nil
	case "write":
		p, text := w.path(b.arg), b.part(0)+"\n"
		w.produced(b.arg, text)
		return "Write", obj("file_path", p, "content", text), answer{content: "File created successfully at: " + p + current,
			result: obj("type", "create", "filePath", p, "content", text, "structuredPatch", []object{},
				"originalFile", nil,
				"userModified", false)}, nil
	case "edit":
		p, before, after := w.path(b.arg), b.part(0), b.part(1)
		return "Edit", obj("replace_all", false, "file_path", p, "old_string", before, "new_string", after), answer{
			content: "The file " + p + " has been updated successfully." + current,
			result: obj("filePath", p, "oldString", before, "newString", after, "originalFile", before+"\n", "structuredPatch",
				[]object{patch(before, after)}, "userModified", false, "replaceAll", false)}, nil
	case "task+":
		w.tasks++
		id := strconv.Itoa(w.tasks)
		return "TaskCreate", obj("subject", b.arg, "description", b.part(0)), answer{
			content: "Task #" + id + " created successfully: " + b.arg,
			result:  obj("task", obj("id", id, "subject", b.arg))}, nil
	case "task":
		id, state, _ := strings.Cut(b.arg, " ")
		return "TaskUpdate", obj("taskId", id, "status", state), answer{content: "Updated task #" + id + " status",
			result: obj("success", true, "taskId", id, "updatedFields", []string{"status"}, "statusChange",
				obj("from", "pending", "to", state))}, nil
	case "ask":
		return ask(b)
	case "plan":
		return w.plan(b)
	case "agent":
		return w.agent(b)
	case "web":
		return "WebFetch", obj("url", b.arg, "prompt", b.part(0)), answer{content: b.part(1),
			result: obj("url", b.arg, "code", 200,
				"codeText", "OK", "bytes", 20*len(b.part(1)), "result", b.part(1), "durationMs", 1840)}, nil
	case "mcp":
		tool, args, _ := strings.Cut(b.arg, " ")
		var in json.RawMessage = []byte(args)
		if !json.Valid(in) {
			return "", nil, a, fmt.Errorf("input isn't JSON: %s", args)
		}
		var m map[string]any
		if err := json.Unmarshal(in, &m); err != nil {
			return "", nil, a, err
		}
		for _, k := range sortedKeys(m) {
			input = append(input, field{k, m[k]})
		}
		return tool, input, answer{content: []object{obj("type", "text", "text", b.part(0))},
			result: []object{obj("type", "text", "text", b.part(0))}, failed: &no}, nil
	}
	return "", nil, a, fmt.Errorf("unknown verb %q", b.verb)
}

func (w *scribe) bash(b block) (string, object, answer, error) {
	command, words, _ := strings.Cut(b.arg, "  ## ")
	input := obj("command", command)
	if words != "" {
		input = append(input, field{"description", words})
	}
	name, out := "Bash", b.part(0)
	if w.s.head["source"] == "cowork" {
		name = "mcp__workspace__bash"
	}
	if b.verb == "bash-fail" {
		yes := true
		out = "Exit code 1\n" + out
		return name, input, answer{content: out, result: "Error: " + out, failed: &yes}, nil
	}
	no, shown := false, out
	if shown == "" {
		shown = "(Bash completed with no output)"
	}
	if name != "Bash" {
		return name, input, answer{content: []object{obj("type", "text", "text", shown)},
			result: []object{obj("type", "text", "text", shown)}, failed: &no}, nil
	}
	return name, input, answer{content: shown, result: obj("stdout", out, "stderr", "", "interrupted", false,
		"isImage", false, "noOutputExpected", false), failed: &no}, nil
}

// ask reads the questions of a block and what was answered.
func ask(b block) (string, object, answer, error) {
	var questions []object
	var said []string
	answers, notes := object{}, object{}
	var question, header string
	var options []object
	many := false
	flush := func() {
		if question != "" {
			questions = append(questions, obj("question", question, "header", header, "multiSelect", many, "options", options))
		}
		options = nil
	}
	for _, line := range strings.Split(b.part(0), "\n") {
		mark, rest, _ := strings.Cut(line, " ")
		switch mark {
		case "?", "?*":
			flush()
			many = mark == "?*"
			question, header, _ = strings.Cut(rest, " | ")
		case "-":
			label, about, _ := strings.Cut(rest, " :: ")
			options = append(options, obj("label", label, "description", about))
		case "=":
			answers = append(answers, field{question, rest})
			said = append(said, fmt.Sprintf("\"%s\"=\"%s\"", question, rest))
		case "~":
			notes = append(notes, field{question, obj("notes", rest)})
		default:
			return "", nil, answer{}, fmt.Errorf("not a line of a question: %q", line)
		}
	}
	flush()
	return "AskUserQuestion", obj("questions", questions), answer{
		content: "Your questions have been answered: " + strings.Join(said, ", ") +
			". You can now continue with these answers in mind.",
		result: obj("questions", questions, "answers", answers, "annotations", notes)}, nil
}

// plan puts a plan before the person.
func (w *scribe) plan(b block) (string, object, answer, error) {
	text, file := b.part(0)+"\n", w.planFile()
	if !b.refused {
		w.s.plans[path.Base(file)] = text
	}
	return "ExitPlanMode", obj("plan", text, "planFilePath", file), answer{
		content: "User has approved your plan. You can now start coding. Start with updating your todo list if applicable\n\nYour plan has been saved to: " +
			file + "\nYou can refer back to it if needed during implementation.\n\n## Approved Plan:\n" + text,
		result: obj("plan", text, "isAgent", false, "filePath", file)}, nil
}

// agent starts a sub-agent: its own transcript stands in a file beside.
func (w *scribe) agent(b block) (string, object, answer, error) {
	kind, about, _ := strings.Cut(b.arg, " :: ")
	prompt, report := b.part(0), b.part(len(b.parts)-1)
	id := "a" + strings.ReplaceAll(uuid("agent", w.s.name, about), "-", "")[:16]
	lines, err := w.subagent(id, kind, prompt, b.part(1), report)
	if err != nil {
		return "", nil, answer{}, err
	}
	w.s.files["subagents/agent-"+id+".jsonl"] = lines
	meta, err := encode(obj("agentType", kind, "description", about, "spawnDepth", 1))
	if err != nil {
		return "", nil, answer{}, err
	}
	w.s.files["subagents/agent-"+id+".meta.json"] = string(meta)
	text := obj("type", "text", "text", report)
	return "Agent", obj("description", about, "prompt", prompt, "subagent_type", kind), answer{
		content: []object{text, obj("type", "text", "text", "agentId: "+id+" (use SendMessage with to: '"+id+
			"', summary: '<5-10 word recap>' to continue this agent)\n<usage>subagent_tokens: 18240\ntool_uses: 2\nduration_ms: 41200</usage>")},
		result: obj("status", "completed", "prompt", prompt, "agentId", id, "agentType", kind, "content", []object{text},
			"totalDurationMs", 41200, "totalTokens", 18240, "totalToolUseCount", 2)}, nil
}
