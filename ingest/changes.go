package ingest

import "strings"

// Changes is how much a session changed files, as far as its calls state it.
type Changes struct{ Files, Added, Removed int }

// Changes counts what its own and its sub-agents' calls changed that worked, on branches that weren't abandoned.
func (s *Session) Changes() (c Changes) {
	files := map[string]bool{}
	for _, turns := range s.conversations() {
		for i := range turns {
			for k := range turns[i].Calls {
				call := &turns[i].Calls[k]
				if turns[i].Aside() || !call.Worked() {
					continue
				}
				added, removed := call.Lines()
				if c.Added, c.Removed = c.Added+added, c.Removed+removed; added+removed > 0 {
					files[call.Path] = true
				}
			}
		}
	}
	c.Files = len(files)
	return c
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
