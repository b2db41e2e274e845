package codex

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"recall/ingest"
	"recall/ingest/jsonl"
	"recall/internal/text"
)

// toolNames maps tools to the names that recall knows, Claude Code's, so that readers need only those; others keep
// theirs.
var toolNames = map[string]string{
	"shell": "Bash", "container.exec": "Bash", "local_shell": "Bash", "exec_command": "Bash", "shell_command": "Bash",
	"unified_exec": "Bash", "update_plan": "TodoWrite", "request_user_input": "AskUserQuestion", "spawn_agent": "Agent",
	"web_search": "WebSearch", "tool_search": "ToolSearch",
}

// items handles the parts of a conversation.
var items = map[string]func(p *parser, payload []byte){
	"message": takeMessage, "reasoning": takeThought, "agent_message": (*parser).takeAgentMessage,
	"function_call": takeCall, "custom_tool_call": takeCall, "local_shell_call": takeCall, "web_search_call": takeCall,
	"tool_search_call": takeCall, "image_generation_call": takeCall,
	"function_call_output": takeOutput, "custom_tool_call_output": takeOutput, "local_shell_call_output": takeOutput,
	"tool_search_output": takeOutput,
}

// takeCall takes a call of any kind of tool.
func takeCall(p *parser, payload []byte) {
	var kind, id, callID, name, namespace, input string
	var args []byte // an object, usually encoded as a string
	c := jsonl.NewCursor(payload)
	c.Fields(jsonl.Fields{"type": &kind, "id": &id, "call_id": &callID, "name": &name, "namespace": &namespace,
		"input": &input, "action": &args, "arguments": func() { args = []byte(c.Text()) }})
	callID = cmp.Or(callID, id)
	name = cmp.Or(name, strings.TrimSuffix(kind, "_call"))
	if namespace = strings.TrimRight(namespace, "_."); namespace != "" {
		name = namespace + "__" + name
	}
	switch d := p.message(); {
	case p.calls[callID] != nil && callID != "": // repeated
	case name == "apply_patch":
		if input == "" {
			jsonl.ReadFields(args, jsonl.Fields{"input": &input, "patch": &input})
		}
		p.addCalls(d, callID, ingest.Patched(input)...)
	case input != "":
		p.addCalls(d, callID, ingest.ToolCall{Name: name, Input: map[string]string{"input": ingest.ClippedInput(input)}})
	default:
		p.takeFunction(d, callID, name, args)
	}
	if kind == "web_search_call" { // it has no output
		for _, c := range p.calls[callID] {
			c.Done, c.At = true, p.at
		}
	}
}

// takeFunction takes a call with named arguments.
func (p *parser) takeFunction(d *draft, id, name string, args []byte) {
	call := ingest.ToolCall{Name: name, Input: ingest.Input(jsonl.NewCursor(args))}
	if ours, ok := toolNames[name]; ok {
		call.Name = ours
	}
	switch call.Name {
	case "Bash":
		if patch, is := p.takeCommand(&call, args); is {
			p.addCalls(d, id, ingest.Patched(patch)...)
			return
		}
	case "TodoWrite":
		if list := ingest.Relist(p.tasks, ingest.Todos(args, "plan", "step", d.turn.ID)); len(list) > 0 {
			p.tasks = list
		}
		if plan, ok := call.Input["plan"]; ok {
			call.Input["todos"] = plan
			delete(call.Input, "plan")
		}
	case "AskUserQuestion":
		p.asked[id] = ingest.Questions(args)
	case "Agent":
		if call.Input["prompt"] == "" {
			call.Input["prompt"] = call.Input["message"]
		}
	}
	p.addCalls(d, id, call)
}

// addCalls adds a call, or several that one was split into.
func (p *parser) addCalls(d *draft, id string, calls ...ingest.ToolCall) {
	for i, c := range calls {
		if c.ID = id; i > 0 {
			c.ID += "/" + strconv.Itoa(i)
		}
		d.calls = append(d.calls, &c)
		p.calls[id] = append(p.calls[id], &c)
	}
}

// takeCommand reads a shell's command. If is, it only applies a patch.
func (p *parser) takeCommand(call *ingest.ToolCall, args []byte) (patch string, is bool) {
	var command []byte
	var dir string
	jsonl.ReadFields(args, jsonl.Fields{"command": &command, "cmd": &command, "workdir": &dir, "working_directory": &dir})
	line, shell := commandLine(words(command))
	if strings.HasPrefix(shell, "pw") || strings.HasPrefix(shell, "powershell") {
		call.Name = "PowerShell"
	}
	if at := strings.Index(line, patchBegins); at >= 0 && strings.Contains(line[:at], "apply_patch") {
		return line[at:], true
	}
	if call.Name == "Bash" {
		line = ingest.RunIn(dir, p.dir, line)
	}
	call.Command = ingest.ClippedInput(line)
	delete(call.Input, "cmd")
	call.Input["command"] = call.Command
	return "", false
}

// commandLine returns the line given to a shell, with the shell's name, or the words of a program run without one.
func commandLine(words []string) (line, shell string) {
	if len(words) == 1 {
		return words[0], ""
	}
	if len(words) >= 3 && strings.HasPrefix(words[len(words)-2], "-") {
		switch shell = strings.TrimSuffix(ingest.LastName(words[0]), ".exe"); shell {
		case "bash", "sh", "zsh", "fish", "dash", "pwsh", "powershell":
			return words[len(words)-1], shell
		}
	}
	for i, w := range words {
		if strings.ContainsAny(w, " \t\n\"$&|;<>()*?`\\") && !strings.Contains(w, "'") {
			w = "'" + w + "'"
		}
		if i > 0 {
			line += " "
		}
		line += w
	}
	return line, ""
}

// noteMark precedes what the person added to a choice.
const noteMark = "user_note: "

// answered reads the person's answers; unanswered questions are left out.
func answered(asked []ingest.Question, output string) (out []ingest.Answer) {
	given := map[string][]string{}
	c := jsonl.NewCursor([]byte(output))
	c.Fields(jsonl.Fields{"answers": func() {
		c.Object(func(id []byte) {
			said := given[jsonl.Unquote(id)]
			c.Fields(jsonl.Fields{"answers": &said})
			given[jsonl.Unquote(id)] = said
		})
	}})
	for _, q := range asked {
		a := q.Answer
		for _, said := range given[q.ID] {
			note, is := strings.CutPrefix(said, noteMark)
			offered := a.Offers(said)
			switch {
			case is && len(a.Chosen) == 1 && !a.Free:
				a.Notes = note
			case is:
				a.Chosen, a.Free = append(a.Chosen, note), true
			case offered || len(given[q.ID]) == 1: // "None of the above" says nothing beside a note
				a.Chosen, a.Free = append(a.Chosen, said), !offered
			}
		}
		if len(a.Chosen) > 0 {
			out = append(out, a)
		}
	}
	return out
}

const patchBegins = "*** Begin Patch"

// changes converts the client's own record of a patch to calls.
func changes(raw []byte) (calls []ingest.ToolCall) {
	c := jsonl.NewCursor(raw)
	c.Object(func(name []byte) {
		path := jsonl.Unquote(name)
		var kind, content, diff, to string
		c.Fields(jsonl.Fields{"type": &kind, "content": &content, "unified_diff": &diff, "move_path": &to})
		call := ingest.ToolCall{Name: "Edit", Path: path, Input: map[string]string{"file_path": path}}
		switch {
		case kind == "add":
			call.Name, call.Input["content"] = "Write", ingest.ClippedInput(content)
		case kind == "delete":
			call.Name = "delete_file"
		default:
			where := path
			if to != "" {
				where = to
				calls = append(calls, ingest.ToolCall{Name: "delete_file", Path: path,
					Input: map[string]string{"file_path": path}})
			}
			call = ingest.Patched("*** Update File: " + where + "\n" + diff)[0]
		}
		calls = append(calls, call)
	})
	slices.SortStableFunc(calls, func(a, b ingest.ToolCall) int { return strings.Compare(a.Path, b.Path) })
	return calls
}

// takeOutput pairs a call's output with it.
func takeOutput(p *parser, payload []byte) {
	var id string
	var output []byte
	jsonl.ReadFields(payload, jsonl.Fields{"call_id": &id, "output": &output})
	p.answer = true
	calls := p.calls[id]
	if len(calls) == 0 || calls[0].Done {
		return
	}
	r := resultOf(output)
	p.s.NoteRecalled(r.text, false)
	for _, c := range calls {
		p.finishCall(c, r)
	}
	p.takeStructured(calls[0], id, r)
}

// A result is the outcome of a call, without the client's wrapping of a command's output.
type result struct {
	text    string
	size    int64
	exit    int    // of a command
	exited  bool   // exit is known
	process string // id of a process that still runs, ""
	failed  bool   // according to the client
}

func resultOf(output []byte) (r result) {
	if c := jsonl.NewCursor(output); c.Kind() == '{' {
		c.Fields(jsonl.Fields{"content": &r.text, "success": func() { r.failed = c.Text() != "true" }})
	} else {
		r.text = joined(output)
	}
	r.size = int64(len(r.text))
	if strings.HasPrefix(r.text, `{"output":`) { // until late 2025
		var exit []byte
		jsonl.ReadFields([]byte(r.text), jsonl.Fields{"output": &r.text, "metadata": jsonl.Fields{"exit_code": &exit}})
		r.exits(string(exit))
		return r
	}
	for r.unwrap() { // a patch applied by a command is wrapped twice
	}
	return r
}

// unwrap removes what the client puts before a command's output.
func (r *result) unwrap() bool {
	head, body, ok := strings.Cut(r.text, "\nOutput:\n")
	if !ok {
		head, ok = strings.CutSuffix(r.text, "\nOutput:")
	}
	if at := strings.TrimSuffix(r.text, abortedByUser); !ok && at != r.text {
		head, body, ok = at, abortedByUser, true
	}
	if !ok || len(head) > 600 || !wrapped().MatchString(head) {
		return false
	}
	r.text = body
	if m := exitLine().FindStringSubmatch(head); m != nil {
		r.exits(m[1])
	}
	if m := processLine().FindStringSubmatch(head); m != nil {
		r.process = m[1]
	}
	return true
}

// abortedByUser is the output of a command that the person refused or stopped.
const abortedByUser = "aborted by user"

var (
	wrapped     = text.Pattern(`(?m)^(?:Wall time|Exit code|Process )`)
	exitLine    = text.Pattern(`(?m)^(?:Exit code:|Process exited with code) (-?\d+)\s*$`)
	processLine = text.Pattern(`(?m)^Process running with session ID (\d+)\s*$`)
)

func (r *result) exits(code string) {
	if n, err := strconv.Atoi(code); err == nil {
		r.exit, r.exited = n, true
	}
}

// refusals are the client's wordings for a call that wasn't carried out.
var refusals = []struct {
	opening string
	verdict ingest.Verdict
}{
	{"exec command rejected by user", ingest.Rejected}, {"patch rejected by user", ingest.Rejected},
	{"rejected by user", ingest.Rejected}, {"user rejected", ingest.Rejected}, {"user cancelled", ingest.Rejected},
	{"This action was rejected due to unacceptable risk", ingest.Denied}, {"approval policy is", ingest.Denied},
	{"exec command rejected by", ingest.Denied}, {"patch rejected", ingest.Denied}, {"command rejected", ingest.Denied},
}

// finishCall records the outcome of a call.
func (p *parser) finishCall(c *ingest.ToolCall, r result) {
	c.Done, c.At, c.ResultLen = true, p.at, r.size
	c.Result = ingest.ClippedResult(r.text)
	c.ResultTurn = ingest.TurnID(p.id())
	if strings.TrimSpace(r.text) == abortedByUser && !r.exited {
		c.Failed = true
		if c.Input["sandbox_permissions"] == "require_escalated" { // the person was asked; else they stopped it
			c.Verdict = ingest.Rejected
		}
		return
	}
	for _, how := range refusals {
		if !r.exited && strings.HasPrefix(strings.TrimSpace(r.text), how.opening) {
			c.Verdict, c.Failed = how.verdict, true
			return
		}
	}
	c.Failed = r.failed || r.exited && r.exit != 0
	switch {
	case c.Command != "":
		stopped := strings.HasPrefix(r.text, "aborted") || strings.HasPrefix(r.text, "exec_command failed")
		c.Failed = c.Failed || !r.exited && stopped
		if r.exited && r.exit != 0 {
			c.Result = "Exit code " + strconv.Itoa(r.exit) + "\n" + c.Result
		}
	case c.Path != "": // a successful patch says so
		c.Failed = c.Failed || !r.exited && !strings.HasPrefix(r.text, "Success") && !strings.HasPrefix(r.text, "{}") &&
			!strings.HasPrefix(r.text, "Done")
	}
	if c.Command != "" && !c.Failed && r.process == "" {
		ingest.NoteCommit(c)
	}
	if r.process != "" {
		p.running[r.process] = c
	}
}

// takeStructured reads what a result holds apart from its text.
func (p *parser) takeStructured(c *ingest.ToolCall, id string, r result) {
	switch c.Name {
	case "AskUserQuestion":
		if c.Answers = answered(p.asked[id], r.text); len(c.Answers) == 0 {
			c.Failed = true
		}
	case "Agent":
		jsonl.ReadFields([]byte(r.text), jsonl.Fields{"agent_id": &c.Agent})
		for agent, call := range p.spawned {
			if call == id {
				c.Agent = agent
			}
		}
	case "write_stdin": // the command it writes to continues, or ends
		of := p.running[c.Input["session_id"]]
		if of == nil || !r.exited {
			return
		}
		c.Failed = false // the write itself succeeded
		p.exited(of, r.exit)
		of.Result = ingest.ClippedResult(strings.TrimSpace(of.Result + "\n" + r.text))
		if !of.Failed {
			ingest.NoteCommit(of)
		}
	}
}

// exited records how a command ended.
func (p *parser) exited(c *ingest.ToolCall, exit int) {
	if c.Failed = exit != 0; c.Failed && !strings.HasPrefix(c.Result, "Exit code ") {
		c.Result = "Exit code " + strconv.Itoa(exit) + "\n" + c.Result
	}
}
