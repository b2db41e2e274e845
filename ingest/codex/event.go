package codex

import (
	"bytes"
	"strconv"
	"strings"

	"recall/ingest"
	"recall/ingest/jsonl"
)

// events handles what the client displayed. Most of it repeats the conversation and is read only for what is new.
var events = map[string]func(p *parser, payload []byte){
	"user_message": takeTyped, "token_count": takeTokens, "turn_aborted": takeAborted,
	"thread_rolled_back": takeRollback, "item_completed": takeItem, "sub_agent_activity": takeActivity,
	"exec_command_end": (*parser).takeCommandEnd, "patch_apply_end": (*parser).takePatchEnd,
	"mcp_tool_call_end": (*parser).takeMCPResult, "task_started": takeStarted, "turn_started": takeStarted,
	"thread_name_updated": func(p *parser, payload []byte) {
		jsonl.ReadFields(payload, jsonl.Fields{"thread_name": &p.name})
	},
	"thread_goal_updated": takeGoal,
	"error":               takeError,
}

func takeStarted(p *parser, payload []byte) {
	jsonl.ReadFields(payload, jsonl.Fields{"turn_id": &p.turn, "collaboration_mode_kind": &p.mode})
}

// usageOf reads a token count, in which the input includes tokens read from the cache.
func usageOf(raw []byte) (u ingest.Usage) {
	jsonl.ReadFields(raw, jsonl.Fields{"input_tokens": &u.Input, "cached_input_tokens": &u.CacheRead,
		"cache_write_input_tokens": &u.CacheWrite, "output_tokens": &u.Output})
	u.Input = max(0, u.Input-u.CacheRead-u.CacheWrite)
	return u
}

// takeTokens counts the tokens of a model's answer. The client repeats them with every limit it is told.
func takeTokens(p *parser, payload []byte) {
	var last, total []byte
	jsonl.ReadFields(payload, jsonl.Fields{"info": jsonl.Fields{"last_token_usage": &last, "total_token_usage": &total}})
	if last == nil || string(total) == p.total {
		return
	}
	p.total = string(total)
	if d := p.last; d != nil {
		d.turn.Usage.AddUsage(usageOf(last))
	}
}

// takeUsageRecord counts them as newer clients write them, for each answer.
func (p *parser) takeUsageRecord(payload []byte) {
	var raw []byte
	jsonl.ReadFields(payload, jsonl.Fields{"usage": &raw})
	if d := p.last; d != nil {
		d.recorded.AddUsage(usageOf(raw))
	}
}

func takeAborted(p *parser, payload []byte) {
	var reason string
	jsonl.ReadFields(payload, jsonl.Fields{"reason": &reason})
	p.settleRun()
	p.answer = true
	if reason == "interrupted" || reason == "" {
		p.draft(ingest.User, ingest.Interrupt, "[interrupted]")
	}
}

// takeRollback marks the last prompts, and what followed, as a rewound branch.
func takeRollback(p *parser, payload []byte) {
	var turns int64
	jsonl.ReadFields(payload, jsonl.Fields{"num_turns": &turns})
	p.settleRun()
	p.answer = true
	for i := len(p.drafts) - 1; i >= 0 && turns > 0; i-- {
		d := p.drafts[i]
		if d.dropped || d.turn.Abandoned {
			continue
		}
		if d.turn.Kind == ingest.Prompt || d.turn.Kind == ingest.PlanTurn {
			turns--
		}
		d.turn.Abandoned = true
	}
}

func takeGoal(p *parser, payload []byte) {
	var goal string
	jsonl.ReadFields(payload, jsonl.Fields{"goal": jsonl.Fields{"objective": &goal}})
	if goal = strings.TrimSpace(goal); goal != "" && goal != p.goal {
		p.goal = goal
		p.draft(ingest.User, ingest.Event, goal).turn.Name = "goal"
	}
}

func takeError(p *parser, payload []byte) {
	var message string
	jsonl.ReadFields(payload, jsonl.Fields{"message": &message})
	if message != "" {
		p.draft(ingest.Assistant, ingest.Event, message).turn.Name = "api-error"
	}
}

// takeActivity links a sub-agent to the call that started it.
func takeActivity(p *parser, payload []byte) {
	var call, agent, kind string
	jsonl.ReadFields(payload, jsonl.Fields{"event_id": &call, "agent_thread_id": &agent, "kind": &kind})
	if kind != "started" || agent == "" {
		return
	}
	p.spawned[agent] = call
	for _, c := range p.calls[call] {
		c.Agent = agent
	}
}

// takeItem takes an item that the client displayed as done. Those with an id of the conversation are already known.
func takeItem(p *parser, payload []byte) {
	var item, content []byte
	var kind, plan string
	jsonl.ReadFields(payload, jsonl.Fields{"item": &item})
	jsonl.ReadFields(item, jsonl.Fields{"type": &kind, "content": &content, "text": &plan})
	switch kind {
	case "UserMessage":
		images := false
		said := ""
		texts(content, func(_ int, kind, block string) {
			images = images || kind != "text"
			said = strings.TrimSpace(said + "\n\n" + typedIn(block))
		})
		p.sawTyped(said, images)
	case "Plan":
		p.takePlan(plan)
	case "CommandExecution":
		p.takeCommandEnd(item)
	case "FileChange":
		p.takePatchEnd(item)
	case "McpToolCall":
		p.takeMCPResult(item)
	default:
		p.known("item " + kind)
	}
}

// takeCommandEnd takes the outcome of a command, and the command itself if a program written by the model ran it.
func (p *parser) takeCommandEnd(payload []byte) {
	var id, source, output, exit, status, dir string
	var command []byte
	jsonl.ReadFields(payload, jsonl.Fields{"id": &id, "call_id": &id, "source": &source, "aggregated_output": &output,
		"exit_code": &exit, "status": &status, "command": &command, "cwd": &dir})
	code, err := strconv.Atoi(exit)
	if strings.HasPrefix(source, "user") {
		return // it is in the conversation
	}
	for _, c := range p.calls[id] {
		if err == nil && c.Command != "" {
			p.exited(c, code)
		}
	}
	if p.calls[id] != nil || len(command) == 0 {
		return
	}
	d := p.callerMessage()
	line, _ := commandLine(words(command))
	line = ingest.ClippedInput(line)
	p.addCalls(d, id, ingest.ToolCall{Name: "Bash", Command: line, Input: map[string]string{"command": line}})
	r := result{text: output, size: int64(len(output)), exit: code, exited: err == nil, failed: status == "declined"}
	p.finishCall(p.calls[id][0], r)
}

// callerMessage returns the message whose call made another call.
func (p *parser) callerMessage() *draft {
	if p.last == nil {
		return p.message()
	}
	return p.last
}

// takePatchEnd takes the outcome of a patch.
func (p *parser) takePatchEnd(payload []byte) {
	var id, out, status string
	var done, told bool
	var raw []byte
	c := jsonl.NewCursor(payload)
	c.Fields(jsonl.Fields{"id": &id, "call_id": &id, "stdout": &out, "status": &status, "changes": &raw,
		"success": func() { told, done = true, c.Text() == "true" }})
	if !told {
		done = status == "completed"
	}
	if p.calls[id] == nil {
		p.addCalls(p.callerMessage(), id, changes(raw)...)
		for _, c := range p.calls[id] {
			p.finishCall(c, result{text: out, size: int64(len(out)), exited: true})
		}
	}
	for _, c := range p.calls[id] {
		if c.Verdict == ingest.Unasked {
			c.Failed = !done
		}
		if status == "declined" {
			c.Verdict = ingest.Rejected
		}
	}
}

// takeMCPResult takes the result of an MCP server's tool.
func (p *parser) takeMCPResult(payload []byte) {
	var id, server, tool string
	var args, gave []byte
	jsonl.ReadFields(payload, jsonl.Fields{"call_id": &id, "id": &id, "result": &gave, "server": &server, "tool": &tool,
		"arguments": &args, "invocation": jsonl.Fields{"server": &server, "tool": &tool, "arguments": &args}})
	if p.calls[id] == nil && tool != "" {
		p.addCalls(p.callerMessage(), id, ingest.ToolCall{Name: "mcp__" + server + "__" + tool,
			Input: ingest.Input(jsonl.NewCursor(args))})
		p.finishCall(p.calls[id][0], result{text: string(gave), size: int64(len(gave))})
	}
	for _, c := range p.calls[id] {
		c.Failed = c.Failed || bytes.HasPrefix(gave, []byte(`{"Err"`)) ||
			bytes.Contains(gave, []byte(`"isError":true`)) || bytes.Contains(gave, []byte(`"is_error":true`))
	}
}
