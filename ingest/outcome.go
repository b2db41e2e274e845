package ingest

import (
	"cmp"
	"iter"
	"strings"

	"recall/internal/text"
)

// EachCall iterates over the calls of turns, each with its turn, in order.
func EachCall(turns []Turn) iter.Seq2[*Turn, *ToolCall] {
	return func(yield func(*Turn, *ToolCall) bool) {
		for i := range turns {
			for c := range turns[i].Calls {
				if !yield(&turns[i], &turns[i].Calls[c]) {
					return
				}
			}
		}
	}
}

// Outcome describes in a word how a call ended.
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

// With summarizes what a tool was called with: a command, a path, or the most telling input.
func (c *ToolCall) With() string {
	return cmp.Or(c.Command, c.Path, c.Telling(), c.Input["plan"], c.Input["questions"], c.Input["text"])
}

// Telling returns the input that says most about what a call was for.
func (c *ToolCall) Telling() string {
	for _, key := range []string{"subject", "description", "pattern", "query", "question", "url", "prompt", "skill"} {
		if v := c.Input[key]; v != "" {
			return v
		}
	}
	if id := c.Input["taskId"]; id != "" {
		return strings.TrimSpace("#" + id + " " + c.Input["status"])
	}
	return ""
}

// BindReason takes the next prompt on its branch as the reason for a call refused without a word, if nothing was said
// in between.
func BindReason(call *ToolCall, abandoned bool, next []Turn) {
	if call.Reason != "" {
		return
	}
	for i := range next {
		t := &next[i]
		switch {
		case t.Abandoned != abandoned, t.Kind == Interrupt, t.Kind == Event:
		case t.Kind == Prompt:
			call.Reason, call.ReasonTurn = t.Text, t.ID
			return
		case t.Kind == PlanTurn && call.Plan != nil && SamePlan(call.Plan.Text, t.Text):
			// Approved "with clear context": the call is aborted and the plan sent anew.
			call.Verdict, call.ReasonTurn = Approved, t.ID
			return
		default:
			return
		}
	}
}

// BindReasons calls BindReason for all rejected calls.
func BindReasons(turns []Turn) {
	for i := range turns {
		for c := range turns[i].Calls {
			if call := &turns[i].Calls[c]; call.Verdict == Rejected {
				BindReason(call, turns[i].Abandoned, turns[i+1:])
			}
		}
	}
}

// OwnTool reports whether a tool in a transcript is recall's own, however the client reached the server:
// "mcp__recall__recall_note", "mcp__plugin_recall_recall__recall_note". name is the tool's own name, "" any. What
// recall says, or is told, is never evidence.
func OwnTool(called, name string) bool {
	if !strings.HasPrefix(called, "mcp__") {
		return false
	}
	i := strings.LastIndex(called, "__")
	tool := called[i+2:]
	if name != "" {
		return tool == name
	}
	return strings.HasPrefix(tool, "recall_")
}

var (
	commitCall = text.Pattern(`\bgit(?:\s+-[cC]\s+\S+|\s+--[a-z-]+(?:=\S+)?)*\s+commit\b`)
	commitLine = text.Pattern(`(?m)^\[[^\]\n]* ([0-9a-f]{7,40})\] (.*)$`)
	// The two ways of passing messages: a here-document, or quotes.
	hereMessage   = text.Pattern(`(?s)<<-?\s*['"]?EOF['"]?[^\n]*\n(.*?)\n\s*EOF`)
	quotedMessage = text.Pattern(`(?s)\s-[a-z]*m[ =]?(?:"((?:[^"\\]|\\.)*)"|'([^']*)')`)
)

// NoteCommit finds the commit that a shell command made: its hash as git printed it, and its message, taken from the
// command if git was quiet.
func NoteCommit(call *ToolCall) {
	if !Commits(call.Command) {
		return
	}
	if all := commitLine().FindAllStringSubmatch(call.Result, -1); len(all) > 0 {
		last := all[len(all)-1]
		call.Commit = cmp.Or(call.Commit, last[1])
		call.CommitMessage = cmp.Or(call.CommitMessage, strings.TrimSpace(last[2]))
	}
	if call.CommitMessage == "" {
		call.CommitMessage = CommitSubject(call.Command)
	}
}

// Commits reports whether a shell command makes a git commit.
func Commits(command string) bool {
	return strings.Contains(command, "commit") && commitCall().MatchString(command)
}

// CommitSubject returns the first line of the message in a commit command.
func CommitSubject(command string) string {
	at := commitCall().FindStringIndex(command)
	command = command[at[0]:]
	message := ""
	if m := hereMessage().FindStringSubmatch(command); m != nil {
		message = m[1]
	} else if m := quotedMessage().FindStringSubmatch(command); m != nil {
		message = cmp.Or(strings.NewReplacer(`\"`, `"`, `\$`, `$`, "\\`", "`").Replace(m[1]), m[2])
	}
	line, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	return line
}

// RunIn returns the command that a shell in the usual folder needs to run command in dir.
func RunIn(dir, usual, command string) string {
	if dir == "" || dir == "." || dir == usual || strings.ContainsAny(dir, "'\n") {
		return command
	}
	return "cd '" + dir + "' && " + command
}
