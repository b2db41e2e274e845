package claudecode

import (
	"cmp"
	"slices"
	"strings"

	"recall/ingest"
	"recall/ingest/jsonl"
)

// newCall reads a tool_use block.
func (p *parser) newCall(b *block) ingest.ToolCall {
	call := ingest.ToolCall{ID: string(b.id), Name: p.text(b.name)}
	if len(b.input) == 0 {
		return call
	}
	call.Input = ingest.Input(jsonl.NewCursor(b.input), p.text)
	call.Path = cmp.Or(call.Input["file_path"], call.Input["notebook_path"])
	switch call.Name {
	case "Bash", "BashOutput", "mcp__workspace__bash", "PowerShell":
		call.Command = call.Input["command"]
	case "Edit", "MultiEdit":
		call.Edits = readEdits(call.Input, b.input)
		p.editOwnPlan(call.Path, b.input)
	case "ExitPlanMode", "exit_plan_mode":
		if plan := inputString(b.input, "plan"); strings.TrimSpace(plan) != "" {
			call.Plan = &ingest.Plan{Text: ingest.ClippedText(plan), File: call.Input["planFilePath"]}
		}
	case "AskUserQuestion":
		p.meta.questions[call.ID] = slices.DeleteFunc(ingest.Questions(b.input),
			func(q ingest.Question) bool { return q.Question == "" })
	case "Write":
		p.noteOwnPlan(call.Path, b.input)
	}
	return call
}

// readEdits reads the replacements of Edit, from the call's values, and of MultiEdit.
func readEdits(in map[string]string, raw []byte) []ingest.Edit {
	var out []ingest.Edit
	if one := (ingest.Edit{Old: in["old_string"], New: in["new_string"]}); one != (ingest.Edit{}) {
		out = append(out, one)
	}
	if in["edits"] == "" {
		return out
	}
	c := jsonl.NewCursor(raw)
	c.Fields(jsonl.Fields{"edits": func() {
		c.Array(func() {
			var e ingest.Edit
			c.Fields(jsonl.Fields{"old_string": func() { e.Old = ingest.ClipValue(c) },
				"new_string": func() { e.New = ingest.ClipValue(c) }})
			out = append(out, e)
		})
	}})
	return out
}

// inputString reads one member of an object, whole.
func inputString(raw []byte, member string) (out string) {
	jsonl.NewCursor(raw).Fields(jsonl.Fields{member: &out})
	return out
}
