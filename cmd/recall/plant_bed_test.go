package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"recall/ingest/opencode/opencodetest"
	"recall/internal/redact/plantedtest"
)

// bed is where secrets are planted: each in a place of a transcript of its own.
type bed struct {
	t        *testing.T
	r        *rand.Rand
	kinds    []plantedtest.Kind
	kind     int // of those planted in texts
	named    int // and in names
	sessions int
	secrets  map[string]plot // by secret
	leaked   map[string]bool
	heads    map[[head]byte][]string // secrets by their first bytes, lower case
	always   string                  // planted instead of secrets
	at       time.Time
	lines    bytes.Buffer
	id       string
	n        int
	parent   any
	cwd      string
	branch   string
	folders  []string // that sessions worked in
}

// plot is where a secret was planted.
type plot struct {
	kind  plantedtest.Kind
	place string
}

func (p plot) String() string { return p.kind.Class + "/" + p.kind.Name + " in a " + p.place }

// plant draws the next secret, as it stands in text.
func (b *bed) plant(place string) string {
	if b.always != "" {
		return b.always
	}
	b.kind++
	return b.draw(b.kinds[b.kind%len(b.kinds)], place)
}

func (b *bed) draw(k plantedtest.Kind, place string) string {
	text, secrets := k.Draw(b.r)
	for _, s := range secrets {
		b.secrets[s] = plot{k, place}
	}
	return text
}

// name is plant for what a file, a branch, a tool may be called: forms that tell
// themselves.
func (b *bed) name(place string) string {
	if b.always != "" {
		return b.always
	}
	for b.named++; !b.kinds[b.named%len(b.kinds)].Short(); b.named++ {
	}
	return b.draw(b.kinds[b.named%len(b.kinds)], place)
}

type object = map[string]any

func (b *bed) line(o object) {
	text, err := json.Marshal(o)
	if err != nil {
		b.t.Fatal(err)
	}
	b.lines.Write(append(text, '\n'))
}

// record writes a record of the conversation.
func (b *bed) record(kind string, message object, more object) {
	b.at = b.at.Add(time.Minute)
	b.n++
	id := fmt.Sprintf("%s-%04d", b.id[:8], b.n)
	o := object{"type": kind, "uuid": id, "parentUuid": b.parent, "sessionId": b.id,
		"timestamp": b.at.Format(time.RFC3339Nano), "cwd": b.cwd,
		"version": "2.1.197", "gitBranch": b.branch, "isSidechain": false, "userType": "external", "message": message}
	for k, v := range more {
		o[k] = v
	}
	b.line(o)
	b.parent = id
}

func (b *bed) says(text string) { b.record("user", object{"role": "user", "content": text}, nil) }

func (b *bed) answers(blocks ...object) {
	b.record("assistant", object{"id": fmt.Sprintf("m%d", b.n), "type": "message", "role": "assistant",
		"model": "claude-opus-4-8", "content": blocks,
		"stop_reason": "end_turn", "usage": object{"input_tokens": 1, "output_tokens": 1}}, nil)
}

func words(text string) object { return object{"type": "text", "text": text} }

// calls has the assistant call a tool, and writes its result.
func (b *bed) calls(name string, input object, result any, more object) {
	id := fmt.Sprintf("toolu_%s_%d", b.id[:8], b.n)
	b.answers(object{"type": "tool_use", "id": id, "name": name, "input": input})
	b.record("user", object{"role": "user", "content": []object{{"type": "tool_result", "tool_use_id": id,
		"content": result}}}, more)
}

// session writes one Claude Code session with a secret in each place.
func (b *bed) session(root string, i int) {
	b.id, b.parent, b.n = fmt.Sprintf("%08x-0000-4000-8000-0000000000aa", 0xc0000000+i), nil, 0
	b.lines.Reset()
	b.cwd = "/home/ann/src/" + b.name("cwd")
	if i%2 == 1 {
		b.cwd += "/app" // the project below it has a harmless name
	}
	b.folders = append(b.folders, b.cwd)
	b.branch = "fix/" + b.name("branch")
	path := func(place string) string { return b.cwd + "/src/" + b.name(place) + ".go" }
	b.line(object{"type": "custom-title", "customTitle": "Work on " + b.plant("title"), "sessionId": b.id})
	b.says(fmt.Sprintf("Let's build importer %d with a heap instead of a sorted list, because it is faster.", i))
	b.answers(object{"type": "thinking", "thinking": "I think of " + b.plant("thinking")},
		words("I begin in "+path("path said")+"."))
	edited := path("path edited")
	b.calls("Read", object{"file_path": path("path read")}, "1 package main", nil)
	b.calls("Edit", object{"file_path": edited, "old_string": "a " + b.plant("edit's old"),
		"new_string": "b " + b.plant("edit's new")}, "done", nil)
	b.calls("Write", object{"file_path": path("path written"), "content": b.plant("file's content")}, "done", nil)
	b.calls("Bash", object{"command": "cd " + b.cwd + " && go test ./... # " + b.plant("command"),
		"description": "Run " + b.plant("description")},
		"FAIL "+b.plant("result")+"\nexit status 1", nil)
	b.calls("Bash", object{"command": "git commit -m 'Add a heap " + b.name("commit's message") + "'"},
		"[fix 1a2b3c4] Add a heap\n 1 file changed", nil)
	b.calls("Bash", object{"command": "mv " + path("path moved") + " " + path("path moved to")}, "", nil)
	b.calls("mcp__"+b.name("MCP server")+"__query", object{b.name("input's name"): "x", "sql": b.plant("MCP input")},
		"ok", nil)
	b.calls("TodoWrite", object{"todos": []object{{"content": "Then tidy " + b.plant("todo"), "status": "pending",
		"activeForm": "Tidying"}}}, "ok", nil)
	b.calls("Task", object{"subagent_type": b.name("agent's type"),
		"description": "Look at " + b.plant("agent's task"), "prompt": b.plant("agent's prompt")},
		"I found "+b.plant("agent's report"), nil)
	b.calls("ExitPlanMode", object{"plan": "# Plan\n1. Use a heap for " + b.plant("plan"),
		"planFilePath": "/home/ann/.claude/plans/" + b.name("plan's file") + ".md"},
		"User has approved your plan. You can now start coding.", nil)
	question := "Which queue for " + b.plant("question") + "?"
	b.calls("AskUserQuestion", object{"questions": []object{{"question": question, "header": "Queue",
		"options": []object{
			{"label": "Heap", "description": b.plant("option")},
			{"label": "List", "description": "no"}}}}},
		"ok", object{"toolUseResult": object{"answers": object{question: "Heap"},
			"annotations": object{question: object{"notes": b.plant("answer's note")}}}})
	b.record("user", object{"role": "user", "content": "<command-name>/" + b.name("command's name") +
		"</command-name><command-args>" + b.plant("command's arguments") + "</command-args>"}, nil)
	b.says("<uploaded_files>\n<file><file_path>/tmp/" + b.name("upload") +
		".pdf</file_path></file>\n</uploaded_files>\n\nUse " + path("path typed") +
		" instead of the old file, because " + b.plant("prompt") + " is in it.")
	b.line(object{"type": "queue-operation", "operation": "enqueue", "timestamp": b.at.Format(time.RFC3339Nano),
		"sessionId": b.id, "content": "Later: " + b.plant("queued")})
	b.record("user", object{"role": "user", "content": "This session is being continued from a previous conversation. " +
		b.plant("summary")}, object{"isCompactSummary": true})
	b.line(object{"type": "pr-link", "prNumber": 7, "prUrl": "https://github.com/ann/" + b.name("PR") + "/pull/7",
		"prRepository": "ann/" + b.name("PR's repository"), "sessionId": b.id,
		"timestamp": b.at.Format(time.RFC3339Nano)})
	b.line(object{"type": "worktree-state", "sessionId": b.id,
		"worktreeSession": object{"worktreePath": "/home/ann/trees/" + b.name("worktree"),
			"worktreeName":   b.name("worktree's name"),
			"worktreeBranch": b.name("worktree's branch"), "originalCwd": b.cwd}})
	b.line(object{"type": "an-unknown-" + b.name("record's type"), "sessionId": b.id})
	b.record("assistant", object{"id": "mlast", "type": "message", "role": "assistant",
		"model": "model-" + b.name("model"), "content": []object{words("Next: log what " + b.plant("reply") +
			" does. The mock is wrong, don't forget.")},
		"stop_reason": "end_turn", "usage": object{"input_tokens": 1, "output_tokens": 1}},
		object{"version": "9.9." + b.name("version")})
	b.lines.WriteString(`{"type":"user" "` + b.name("broken line") + "\n")
	slug := strings.Map(func(r rune) rune { // as the client calls the folder
		if r < 0x80 && (r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z') {
			return r
		}
		return '-'
	}, b.cwd)
	b.file(filepath.Join(root, slug, b.id+".jsonl"), b.lines.Bytes())
}

func (b *bed) file(path string, text []byte) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		b.t.Fatal(err)
	}
	when := b.at
	if err := os.Chtimes(path, when, when); err != nil {
		b.t.Fatal(err)
	}
}

// cowork writes a Cowork session with its record, uploads and outputs.
func (b *bed) cowork(root string, i int) {
	id := fmt.Sprintf("local_%08x-0000-4000-8000-0000000000bb", 0xd0000000+i)
	b.id, b.parent, b.n, b.branch = fmt.Sprintf("%08x-0000-4000-8000-0000000000bc", 0xd0000000+i), nil, 0, "HEAD"
	b.lines.Reset()
	dir := filepath.Join(root, "0a000000-0000-4000-8000-00000000000a", "0b000000-0000-4000-8000-00000000000b")
	b.cwd = "/sessions/calm-" + b.name("VM's process")
	upload, output := b.name("Cowork upload"), b.name("Cowork output")
	b.says("<uploaded_files>\n<file><file_path>" + b.cwd + "/mnt/uploads/" + upload +
		".csv</file_path></file>\n</uploaded_files>\n\nLet's compare the offers by price instead of by date, because the " +
		"budget is fixed.")
	b.calls("Write", object{"file_path": b.cwd + "/mnt/outputs/" + output + ".md", "content": "x"}, "done", nil)
	b.answers(words("Compared. See " + b.cwd + "/mnt/outputs/" + output + ".md"))
	b.file(filepath.Join(dir, id, ".claude", "projects", "-sessions-calm", b.id+".jsonl"), b.lines.Bytes())
	b.file(filepath.Join(dir, id, "uploads", upload+".csv"), []byte("a,b"))
	b.file(filepath.Join(dir, id, "outputs", output+".md"), []byte("x"))
	record := object{"sessionId": id, "processName": strings.TrimPrefix(b.cwd, "/sessions/"), "cliSessionId": b.id,
		"cwd": b.cwd, "title": "Compare " + b.plant("Cowork title"),
		"initialMessage": "Let's compare " + b.plant("Cowork first message"), "model": "claude-opus-4-8",
		"scheduledTaskId": b.name("schedule"),
		"createdAt":       b.at.UnixMilli(), "lastActivityAt": b.at.UnixMilli(), "spaceId": fmt.Sprintf("space-%d", i)}
	if i%2 == 0 {
		record["userSelectedFolders"] = []string{"/Users/ann/" + b.name("Cowork folder")}
	}
	text, err := json.Marshal(record)
	if err != nil {
		b.t.Fatal(err)
	}
	b.file(filepath.Join(dir, id+".json"), text)
}

// spaces writes the table of Cowork's spaces.
func (b *bed) spaces(root string, n int) {
	var all []object
	for i := range n {
		all = append(all, object{"id": fmt.Sprintf("space-%d", i), "name": "Space " + b.name("space")})
	}
	text, err := json.Marshal(object{"spaces": all})
	if err != nil {
		b.t.Fatal(err)
	}
	b.file(filepath.Join(root, "0a000000-0000-4000-8000-00000000000a", "0b000000-0000-4000-8000-00000000000b",
		"spaces.json"), text)
}

// codex writes a Codex session with a secret in each place.
func (b *bed) codex(root string, i int) {
	id := fmt.Sprintf("%08x-0000-7000-8000-0000000000cc", 0xe0000000+i)
	b.lines.Reset()
	b.cwd = "/home/ann/src/" + b.name("Codex cwd") + "/app"
	b.folders = append(b.folders, b.cwd)
	add := func(kind string, payload object) {
		b.at = b.at.Add(time.Minute)
		b.line(object{"timestamp": b.at.Format(time.RFC3339Nano), "type": kind, "payload": payload})
	}
	n := 0
	calls := func(name string, args object, output any) {
		text, err := json.Marshal(args)
		if err != nil {
			b.t.Fatal(err)
		}
		n++
		add("response_item", object{"type": "function_call", "name": name, "call_id": fmt.Sprint("call_", n),
			"arguments": string(text)})
		add("response_item", object{"type": "function_call_output", "call_id": fmt.Sprint("call_", n),
			"output": output})
	}
	said := func(role, kind, text string) {
		add("response_item", object{"type": "message", "role": role, "content": []object{{"type": kind, "text": text}}})
	}
	shown := func(o object) { add("event_msg", o) }
	prompt := func(text string) {
		said("user", "input_text", text)
		shown(object{"type": "user_message", "message": text})
	}
	add("session_meta", object{"id": id, "cwd": b.cwd, "timestamp": b.at.Format(time.RFC3339Nano),
		"cli_version": "9.9." + b.name("Codex version"), "git": object{"branch": "fix/" + b.name("Codex branch")}})
	said("user", "input_text", "# AGENTS.md instructions for "+b.cwd+"\n<INSTRUCTIONS>"+b.plant("Codex rules")+
		"</INSTRUCTIONS>")
	add("turn_context", object{"cwd": b.cwd, "model": "gpt-" + b.name("Codex model")})
	prompt("Let's sort with a heap instead of a sorted list, because " + b.plant("Codex prompt") + " is in it.")
	add("response_item", object{"type": "reasoning", "summary": []object{{"type": "summary_text",
		"text": b.plant("Codex reasoning")}}})
	said("assistant", "output_text", "Next: log what "+b.plant("Codex reply")+" does.")
	calls("shell", object{"command": []string{"bash", "-lc", "go test ./... # " + b.plant("Codex command")},
		"workdir": b.cwd + "/" + b.name("Codex workdir")}, "Exit code: 1\nWall time: 1 seconds\nOutput:\nFAIL "+
		b.plant("Codex output"))
	calls("apply_patch", object{"input": "*** Begin Patch\n*** Add File: src/" + b.name("Codex file") + ".go\n+" +
		b.plant("Codex content") + "\n*** Update File: src/" + b.name("Codex edited") + ".go\n@@\n-" +
		b.plant("Codex old") + "\n+" + b.plant("Codex new") + "\n*** End Patch"},
		"Success. Updated the following files:\n")
	calls("update_plan", object{"plan": []object{{"step": "Tidy " + b.plant("Codex step"), "status": "pending"}}}, "ok")
	calls("request_user_input", object{"questions": []object{{"id": "q", "question": "Which " +
		b.plant("Codex question") + "?", "options": []object{
		{"label": "Heap", "description": b.plant("Codex option")}}}}},
		`{"answers":{"q":{"answers":["Heap","user_note: `+b.name("Codex note")+`"]}}}`)
	calls("mcp__"+b.name("Codex server")+"__query", object{b.name("Codex input's name"): b.plant("Codex input")}, "ok")
	calls("shell", object{"command": []string{"rm", "-rf", "x"}}, "exec command rejected by user")
	prompt("No: " + b.plant("Codex reason") + " must stay as it is.")
	said("assistant", "output_text", "<proposed_plan>\n# Use "+b.plant("Codex plan")+"\n</proposed_plan>")
	shown(object{"type": "patch_apply_end", "call_id": "exec-1", "success": true,
		"changes": object{b.cwd + "/" + b.name("Codex change") + ".go": object{"type": "add", "content": "x"}}})
	shown(object{"type": "thread_goal_updated", "goal": object{"objective": "Reach " + b.plant("Codex goal")}})
	shown(object{"type": "thread_name_updated", "thread_name": "Work on " + b.plant("Codex title")})
	add("compacted", object{"message": b.plant("Codex summary")})
	add("inter_agent_communication", object{"author": "/" + b.name("Codex agent"), "content": b.plant("Codex message")})
	add("a-"+b.name("Codex type"), object{})
	b.file(filepath.Join(root, "sessions", "2026", "01", "02", "rollout-2026-01-02T03-04-05-"+id+".jsonl"),
		b.lines.Bytes())
}

// gemini writes a Gemini CLI session with a secret in each place.
func (b *bed) gemini(root string, i int) {
	id := fmt.Sprintf("%08x-0000-4000-8000-0000000000dd", 0xf0000000+i)
	b.lines.Reset()
	b.cwd = "/home/ann/src/" + b.name("Gemini root") + "/app"
	b.folders = append(b.folders, b.cwd)
	n := 0
	add := func(kind string, o object) {
		b.at, n = b.at.Add(time.Minute), n+1
		o["id"], o["type"], o["timestamp"] = fmt.Sprint(id, "-", n), kind, b.at.Format(time.RFC3339Nano)
		b.line(o)
	}
	call := func(name, status string, args object, output string) object {
		return object{"id": fmt.Sprint(name, n), "name": name, "args": args, "status": status,
			"result": []object{{"functionResponse": object{"name": name, "response": object{"output": output}}}}}
	}
	b.line(object{"sessionId": id, "projectHash": "x", "startTime": b.at.Format(time.RFC3339Nano),
		"directories": []string{"/home/ann/" + b.name("Gemini folder")}})
	add("user", object{"content": "<session_context>" + b.plant("Gemini context") + "</session_context>"})
	add("user", object{"content": []object{{"text": "Let's sort with a heap instead of a sorted list, because " +
		b.plant("Gemini prompt") + " is in it."}}})
	add("gemini", object{"content": "Next: log what " + b.plant("Gemini reply") + " does.",
		"model": "gemini-" + b.name("Gemini model"), "thoughts": []object{{"subject": "Plan",
			"description": b.plant("Gemini thought")}}, "toolCalls": []object{
			call("run_shell_command", "success", object{"command": "go test ./... # " + b.plant("Gemini command"),
				"dir_path": b.cwd + "/" + b.name("Gemini dir")},
				"Output: FAIL "+b.plant("Gemini output")+"\nExit Code: 1"),
			call("replace", "success", object{"file_path": "src/" + b.name("Gemini file") + ".go",
				"old_string": b.plant("Gemini old"), "new_string": b.plant("Gemini new")}, "ok"),
			call("write_todos", "success", object{"todos": []object{{"description": "Tidy " + b.plant("Gemini todo"),
				"status": "pending"}}}, "ok"),
			call("ask_user", "success", object{"questions": []object{{
				"question": "Which " + b.plant("Gemini question") + "?",
				"options":  []object{{"label": "Heap", "description": b.plant("Gemini option")}}}}},
				`{"answers":{"0":"`+b.name("Gemini answer")+`"}}`),
			call("write_file", "success", object{"file_path": "plans/p.md",
				"content": "# Use " + b.plant("Gemini plan")}, "ok"),
			call("exit_plan_mode", "success", object{"plan_filename": "p.md"}, "Plan rejected. User feedback: not "+
				b.plant("Gemini feedback")),
			call("mcp_"+b.name("Gemini server")+"_query", "success", object{b.name("Gemini input's name"): "x"}, "ok"),
			call("run_shell_command", "cancelled", object{"command": "rm -rf x"}, "User did not allow tool call"),
		}})
	add("user", object{"content": "No: " + b.plant("Gemini reason") + " must stay as it is."})
	add("user", object{"content": "<state_snapshot>" + b.plant("Gemini snapshot") + "</state_snapshot>"})
	add("error", object{"content": "[API Error: " + b.plant("Gemini error") + "]"})
	add("a-"+b.name("Gemini type"), object{})
	b.line(object{"$set": object{"summary": "Work on " + b.plant("Gemini summary")}})
	dir := filepath.Join(root, "tmp", fmt.Sprint("p", i))
	b.file(filepath.Join(dir, "chats", "session-2026-01-02T03-04-"+id[:8]+".jsonl"), b.lines.Bytes())
	b.file(filepath.Join(dir, ".project_root"), []byte(b.cwd))
}

// quoted is a text as SQL has it.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// openCode puts an OpenCode session into its database with a secret in each place.
func (b *bed) openCode(root string, i int) {
	id := fmt.Sprintf("ses_%08x0000aaaaaaaaaaaaaa", 0xe0000000+i)
	b.lines.Reset()
	b.cwd = "/home/ann/src/" + b.name("OpenCode directory") + "/app"
	b.folders = append(b.folders, b.cwd)
	n, message := 0, ""
	row := func(table string, o object) {
		b.at, n = b.at.Add(time.Minute), n+1
		o["time_created"], o["time_updated"] = b.at.UnixMilli(), b.at.UnixMilli()
		names, values := "", ""
		for _, name := range slices.Sorted(maps.Keys(o)) {
			value, text := o[name].(string)
			if !text {
				raw, err := json.Marshal(o[name])
				if err != nil {
					b.t.Fatal(err)
				}
				value = string(raw)
			}
			names, values = names+", "+name, values+", "+quoted(value)
		}
		fmt.Fprintf(&b.lines, "INSERT INTO %s (%s) VALUES (%s);\n", table, names[2:], values[2:])
	}
	say := func(role string, data object) {
		message = fmt.Sprint(id, "-", n)
		data["role"], data["path"] = role, object{"cwd": b.cwd}
		row("message", object{"id": message, "session_id": id, "data": data})
	}
	part := func(kind string, data object) {
		data["type"] = kind
		row("part", object{"id": fmt.Sprint("prt-", id, n), "message_id": message, "session_id": id, "data": data})
	}
	call := func(tool string, input object, result string, metadata object) {
		state := object{"status": "completed", "input": input, "output": result, "metadata": metadata}
		if metadata == nil {
			state["status"], state["error"] = "error", result
		}
		part("tool", object{"tool": tool, "callID": fmt.Sprint(tool, n), "state": state})
	}
	row("session", object{"id": id, "directory": b.cwd, "title": "Work on " + b.plant("OpenCode title"),
		"version": "1." + b.name("OpenCode version")})
	say("user", object{})
	part("text", object{"text": b.plant("OpenCode injected"), "synthetic": true})
	part("text", object{"text": "Let's sort with a heap instead of a sorted list, because " + b.plant("OpenCode prompt") +
		" is in it."})
	part("file", object{"mime": "text/plain", "filename": b.name("OpenCode upload") + ".md"})
	say("assistant", object{"modelID": "model-" + b.name("OpenCode model"),
		"error": object{"name": "APIError", "data": object{"message": b.plant("OpenCode error")}}})
	part("reasoning", object{"text": b.plant("OpenCode thought")})
	part("text", object{"text": "Next: log what " + b.plant("OpenCode reply") + " does."})
	call("bash", object{"command": "go test ./... # " + b.plant("OpenCode command"),
		"workdir": b.cwd + "/" + b.name("OpenCode dir")}, "FAIL "+b.plant("OpenCode output"), object{"exit": 1})
	call("edit", object{"filePath": "src/" + b.name("OpenCode file") + ".go", "oldString": b.plant("OpenCode old"),
		"newString": b.plant("OpenCode new")}, "ok", object{})
	call("apply_patch", object{"patchText": "*** Begin Patch\n*** Add File: src/" + b.name("OpenCode patched") + ".go\n+" +
		b.plant("OpenCode patch") + "\n*** End Patch"}, "ok", object{})
	call("todowrite", object{"todos": []object{{"content": "Tidy " + b.plant("OpenCode todo"), "status": "pending"}}},
		"ok", object{})
	call("question", object{"questions": []object{{"question": "Which " + b.plant("OpenCode question") + "?",
		"options": []object{{"label": "Heap", "description": b.plant("OpenCode option")}}}}}, "ok",
		object{"answers": [][]string{{b.name("OpenCode answer")}}})
	call("write", object{"filePath": "plans/p.md", "content": "# Use " + b.plant("OpenCode plan")}, "ok", object{})
	call("plan_exit", object{}, "The user dismissed this question", nil)
	call(b.name("OpenCode server")+"_query", object{b.name("OpenCode input's name"): "x"}, "ok", object{})
	call("bash", object{"command": "rm -rf x"}, "The user rejected permission to use this specific tool call with the "+
		"following feedback: "+b.plant("OpenCode reason")+" must stay as it is.", nil)
	part("a-"+b.name("OpenCode kind"), object{})
	say("user", object{})
	part("subtask", object{"description": b.plant("OpenCode subtask"), "agent": b.name("OpenCode agent")})
	fmt.Fprintf(&b.lines, "INSERT INTO todo VALUES (%s, %s, 0);\n", quoted(id), quoted(b.plant("OpenCode row")))
	if err := opencodetest.Exec(filepath.Join(root, "opencode.db"), b.lines.String()); err != nil {
		b.t.Fatal(err)
	}
}
