package ingest

import "strings"

// Changes is how much a session changed files, as far as its calls state it.
type Changes struct{ Files, Added, Removed int }

// Changes counts what its own and its sub-agents' calls changed that worked, on branches that weren't abandoned.
func (s *Session) Changes() (c Changes) {
	for _, f := range s.ChangedFiles() {
		c.Files, c.Added, c.Removed = c.Files+1, c.Added+f.Added, c.Removed+f.Removed
	}
	return c
}

// Changed is a file that calls changed.
type Changed struct {
	Path           string
	Added, Removed int // lines
	Turn           int // place, from 1, of the first of the session's own turns that did; 0 for a sub-agent's
}

// ChangedFiles lists the files that Changes counts, in the order in which they were first changed.
func (s *Session) ChangedFiles() (all []Changed) {
	at := map[string]int{}
	for c, turns := range s.conversations() {
		for i := range turns {
			for k := range turns[i].Calls {
				call := &turns[i].Calls[k]
				added, removed := call.Lines()
				if turns[i].Aside() || !call.Worked() || added+removed == 0 {
					continue
				}
				n, known := at[call.Path]
				if !known {
					n, at[call.Path] = len(all), len(all)
					all = append(all, Changed{Path: call.Path})
				}
				f := &all[n]
				if f.Added, f.Removed = f.Added+added, f.Removed+removed; c == 0 && f.Turn == 0 {
					f.Turn = i + 1
				}
			}
		}
	}
	return all
}

// Replaced returns what a call replaced in its file, or all that it wrote.
func (c *ToolCall) Replaced() []Edit {
	if text := c.Input["content"]; len(c.Edits) == 0 && c.Path != "" && text != "" {
		return []Edit{{New: text}}
	}
	return c.Edits
}

// Lines counts the lines that a call added to and removed from its file.
func (c *ToolCall) Lines() (added, removed int) {
	for _, e := range c.Replaced() {
		_, old, now, _ := e.Lines()
		added, removed = added+len(now), removed+len(old)
	}
	return added, removed
}

// Lines returns the lines that an edit replaced and those that took their place, between those at its beginning and end
// that it left as they were: it names few besides.
func (e Edit) Lines() (before, old, now, after []string) {
	old, now = linesOf(e.Old), linesOf(e.New)
	n, m := 0, 0
	for n < min(len(old), len(now)) && old[n] == now[n] {
		n++
	}
	for m < min(len(old), len(now))-n && old[len(old)-1-m] == now[len(now)-1-m] {
		m++
	}
	return old[:n], old[n : len(old)-m], now[n : len(now)-m], old[len(old)-m:]
}

func linesOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

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
