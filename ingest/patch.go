package ingest

import "strings"

// Patched splits a patch into calls, one for each file that it writes, edits or deletes. A patch that can't be read is
// one call.
func Patched(patch string) (calls []ToolCall) {
	var file *ToolCall
	var old, made []byte // of a hunk
	end := func() {
		switch {
		case file == nil || len(old)+len(made) == 0:
		case file.Name == "Edit":
			file.Edits = append(file.Edits, Edit{Old: ClippedInput(string(old)), New: ClippedInput(string(made))})
		case file.Name == "Write":
			file.Input["content"] = ClippedInput(file.Input["content"] + string(made))
		}
		old, made = old[:0], made[:0]
	}
	begin := func(name, path string) {
		end()
		calls = append(calls, ToolCall{Name: name, Path: strings.TrimSpace(path),
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
		return []ToolCall{{Name: "apply_patch", Input: map[string]string{"input": ClippedInput(patch)}}}
	}
	return calls
}
