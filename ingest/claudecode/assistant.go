package claudecode

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"recall/ingest"
	"recall/ingest/jsonl"
)

const synthetic = "<synthetic>"

// takeAssistant takes a line of an assistant's message, which can span several lines.
func (p *parser) takeAssistant(r *record, n int32, at time.Time) {
	switch {
	case r.summary:
		p.takeSummary(r, n, at)
		return
	case r.apiError, jsonl.Unquote(r.msg.model) == synthetic:
		p.takeSynthetic(r, n, at)
		return
	}
	p.continued(n)
	if r.msg.odd {
		p.unknown("assistant content")
	}
	if c := jsonl.NewCursor(r.supersedes); c.Kind() == '[' {
		c.Array(func() { p.meta.superseded[c.Text()] = true })
	}
	d := p.messageOf(r, n, at)
	if r.msg.hasUsage {
		d.turn.Usage, d.counted = r.msg.usage, true
	}
	if m := jsonl.Unquote(r.msg.model); m != "" {
		d.turn.Model = m
	}
	if r.msg.plain != nil {
		d.addText(jsonl.Unquote(r.msg.plain))
	}
	for i := range r.msg.blocks {
		p.takeBlock(d, &r.msg.blocks[i])
	}
	if string(r.msg.stop) == "end_turn" {
		d.ended = true
	}
}

// messageOf returns the message that a line continues, or begins a new one.
func (p *parser) messageOf(r *record, n int32, at time.Time) *draft {
	id := string(r.msg.id)
	if d := p.messages[id]; d != nil && id != "" {
		if len(r.uuid) > 0 {
			d.turn.Records = append(d.turn.Records, r.id())
		}
		return d
	}
	d := p.draft(r, n, at, ingest.Assistant, ingest.Message)
	if id != "" {
		p.messages[id] = d
		d.turn.Keys = append(keysOf(r, at, ""), ingest.MessageKey+id)
	} else {
		d.turn.Keys = keysOf(r, at, string(r.msg.plain))
	}
	return d
}

// takeSynthetic keeps what the client wrote in place of the model if it reports an error.
func (p *parser) takeSynthetic(r *record, n int32, at time.Time) {
	text, _ := r.msg.text()
	if !r.apiError || text == "" {
		return
	}
	d := p.draft(r, n, at, ingest.Assistant, ingest.Event)
	d.turn.Name, d.turn.Text = "api-error", ingest.ClippedText(text)
}

func (p *parser) takeBlock(d *draft, b *block) {
	switch string(b.kind) {
	case "text":
		d.addText(jsonl.Unquote(b.text))
	case "tool_use", "server_tool_use", "mcp_tool_use":
		p.takeCall(d, b)
	case "thinking", "redacted_thinking", "image", "document", "fallback":
	case "tool_result", "web_search_tool_result", "web_fetch_tool_result", "mcp_tool_result",
		"code_execution_tool_result", "bash_code_execution_tool_result", "text_editor_code_execution_tool_result":
		p.takeResult(b, &p.rec.record, d.turn.At)
	default:
		p.unknown("block " + jsonl.Unquote(b.kind))
	}
}

// addText adds a block of text unless an earlier line had it; a longer snapshot of the last block replaces that.
func (d *draft) addText(text string) {
	if text == "" {
		return
	}
	last := -1
	for i := range d.parts {
		if d.parts[i].call != nil {
			continue
		}
		if d.parts[i].text == text {
			return
		}
		last = i
	}
	if last >= 0 && !d.ended {
		switch have := d.parts[last].text; {
		case strings.HasPrefix(text, have):
			d.parts[last].text = text
			return
		case strings.HasPrefix(have, text):
			return
		}
	}
	d.parts = append(d.parts, part{text: text})
}

// takeCall adds a tool call, or completes one from an earlier snapshot.
func (p *parser) takeCall(d *draft, b *block) {
	id := string(b.id)
	for i := range d.parts {
		if q := &d.parts[i]; q.call != nil && id != "" && q.call.ID == id {
			if len(b.input) > q.size {
				p.readInput(q.call, b.input)
				q.size = len(b.input)
			}
			return
		}
	}
	q := part{call: &ingest.ToolCall{ID: id, Name: jsonl.Unquote(b.name)}, size: len(b.input)}
	if q.size > 0 {
		p.readInput(q.call, b.input)
	}
	d.parts = append(d.parts, q)
	if id == "" || p.calls[id] != nil {
		return
	}
	p.calls[id], p.callIn[id] = q.call, d
	if o, ok := p.orphans[id]; ok {
		delete(p.orphans, id)
		p.takeResult(&o.block, &o.rec, time.Time{})
	}
}

// readInput reads what a tool was called with.
func (p *parser) readInput(call *ingest.ToolCall, input []byte) {
	call.Input = ingest.Input(jsonl.NewCursor(input))
	call.Path = cmp.Or(call.Input["file_path"], call.Input["notebook_path"])
	switch call.Name {
	case "Bash", "BashOutput", "mcp__workspace__bash", "PowerShell":
		call.Command = call.Input["command"]
	case "Edit", "MultiEdit":
		call.Edits = readEdits(call.Input, input)
		p.editOwnPlan(call.Path, input)
	case "ExitPlanMode", "exit_plan_mode":
		if plan := inputString(input, "plan"); strings.TrimSpace(plan) != "" && !call.Done {
			call.Plan = &ingest.Plan{Text: ingest.ClippedText(plan), File: call.Input["planFilePath"]}
		}
	case "AskUserQuestion":
		p.meta.questions[call.ID] = slices.DeleteFunc(ingest.Questions(input),
			func(q ingest.Question) bool { return q.Question == "" })
	case "ScheduleWakeup", "CronCreate":
		p.meta.scheduled[strings.TrimSpace(call.Input["prompt"])] = true
	case "Write":
		p.noteOwnPlan(call.Path, input)
	}
}

// readEdits returns the replacements of Edit, from the call's values, and of MultiEdit.
func readEdits(in map[string]string, raw []byte) []ingest.Edit {
	var out []ingest.Edit
	if one := (ingest.Edit{Old: in["old_string"], New: in["new_string"]}); one != (ingest.Edit{}) {
		out = append(out, one)
	}
	if in["edits"] == "" {
		return out
	}
	jsonl.ReadFields(raw, jsonl.Fields{"edits": jsonl.List(func(c *jsonl.Cursor) {
		var e ingest.Edit
		c.Fields(jsonl.Fields{"old_string": func() { e.Old = ingest.ClipValue(c) },
			"new_string": func() { e.New = ingest.ClipValue(c) }})
		out = append(out, e)
	})})
	return out
}

// inputString reads one member of an object, unclipped.
func inputString(raw []byte, member string) (out string) {
	jsonl.ReadFields(raw, jsonl.Fields{member: &out})
	return out
}
