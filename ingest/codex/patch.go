package codex

import (
	"slices"
	"strings"

	"recall/ingest"
	"recall/ingest/jsonl"
)

const patchBegins = "*** Begin Patch"

// patched are the calls that a patch amounts to, one a file: written, edited or deleted. An unreadable one is one call.
func patched(patch string) (calls []ingest.ToolCall) {
	var file *ingest.ToolCall
	var old, made []byte // of a hunk
	end := func() {
		switch {
		case file == nil || len(old)+len(made) == 0:
		case file.Name == "Edit":
			file.Edits = append(file.Edits, ingest.Edit{Old: clipped(string(old)), New: clipped(string(made))})
		case file.Name == "Write":
			file.Input["content"] = clipped(file.Input["content"] + string(made))
		}
		old, made = old[:0], made[:0]
	}
	begin := func(name, path string) {
		end()
		calls = append(calls, ingest.ToolCall{Name: name, Path: strings.TrimSpace(path),
			Input: map[string]string{"file_path": strings.TrimSpace(path)}})
		file = &calls[len(calls)-1]
	}
	for line := range strings.Lines(patch) {
		what, path, _ := strings.Cut(strings.TrimRight(line, "\r\n"), ": ")
		switch {
		case what == "*** Add File":
			begin("Write", path)
		case what == "*** Update File":
			begin("Edit", path)
		case what == "*** Delete File":
			begin("delete_file", path)
		case what == "*** Move to" && file != nil:
			was := file.Path
			file.Name, file.Path, file.Input["file_path"] = "delete_file", was, was
			begin("Edit", path)
		case strings.HasPrefix(line, "*** End Patch"):
			end()
			file = nil
		case file == nil:
		case strings.HasPrefix(line, "@@"):
			end()
		case line[0] == '+':
			made = append(made, line[1:]...)
		case line[0] == '-':
			old = append(old, line[1:]...)
		case line[0] == ' ':
			old, made = append(old, line[1:]...), append(made, line[1:]...)
		}
	}
	if end(); len(calls) == 0 {
		return []ingest.ToolCall{{Name: "apply_patch", Input: map[string]string{"input": clipped(patch)}}}
	}
	return calls
}

// changes are the calls that the client's own note of what was patched amounts to.
func changes(raw []byte) (calls []ingest.ToolCall) {
	c := jsonl.NewCursor(raw)
	c.Object(func(name []byte) {
		path := jsonl.Unquote(name)
		var kind, content, diff, to string
		c.Fields(jsonl.Fields{"type": &kind, "content": &content, "unified_diff": &diff, "move_path": &to})
		call := ingest.ToolCall{Name: "Edit", Path: path, Input: map[string]string{"file_path": path}}
		switch {
		case kind == "add":
			call.Name, call.Input["content"] = "Write", clipped(content)
		case kind == "delete":
			call.Name = "delete_file"
		default:
			where := path
			if to != "" {
				where = to
				calls = append(calls, ingest.ToolCall{Name: "delete_file", Path: path,
					Input: map[string]string{"file_path": path}})
			}
			call = patched("*** Update File: " + where + "\n" + diff)[0]
		}
		calls = append(calls, call)
	})
	slices.SortStableFunc(calls, func(a, b ingest.ToolCall) int { return strings.Compare(a.Path, b.Path) })
	return calls
}
