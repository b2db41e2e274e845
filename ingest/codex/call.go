package codex

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"recall/ingest"
	"recall/ingest/jsonl"
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
		p.takePlanUpdate(d, &call, args)
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

// takePlanUpdate takes the steps of a plan as tasks; unchanged ones keep their last touch.
func (p *parser) takePlanUpdate(d *draft, call *ingest.ToolCall, args []byte) {
	type todo struct {
		Content string `json:"content"`
		Status  string `json:"status"`
	}
	var todos []todo
	list := ingest.Relist(p.tasks, ingest.Todos(args, "plan", "step", d.turn.ID))
	if len(list) == 0 {
		return
	}
	for _, t := range list {
		todos = append(todos, todo{t.Subject, t.Status})
	}
	p.tasks = list
	b, _ := json.Marshal(todos) // of strings
	delete(call.Input, "plan")
	call.Input["todos"] = string(b)
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
