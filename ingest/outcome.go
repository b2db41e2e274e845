package ingest

// Outcome is what came of a call, in a word.
func (c *ToolCall) Outcome() string {
	switch {
	case c.Verdict == Rejected || c.Verdict == Clarify:
		return "rejected"
	case c.Verdict == Denied:
		return "denied"
	case !c.Done:
		return "no result"
	case c.Failed:
		return "failed"
	}
	return "ok"
}

// saying are the inputs that say most of what a call was for, the first that is there.
var saying = []string{"pattern", "query", "question", "url", "subject", "description", "prompt", "skill", "plan", "questions", "text"}

// With is what a tool was called with, in short: a command, a path, or what says most
// of its input.
func (c *ToolCall) With() string {
	if c.Command != "" {
		return c.Command
	}
	if c.Path != "" {
		return c.Path
	}
	for _, key := range saying {
		if v := c.Input[key]; v != "" {
			return v
		}
	}
	return ""
}
