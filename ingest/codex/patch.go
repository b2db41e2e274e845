package codex

import (
	"slices"
	"strings"

	"recall/ingest"
	"recall/ingest/jsonl"
)

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
