package ingest

import (
	"cmp"
	"strings"

	"recall/text"
)

var (
	commitCall = text.Pattern(`\bgit(?:\s+-[cC]\s+\S+|\s+--[a-z-]+(?:=\S+)?)*\s+commit\b`)
	commitLine = text.Pattern(`(?m)^\[[^\]\n]* ([0-9a-f]{7,40})\] (.*)$`)
	// The two ways in which messages are handed over: a here-document, or quotes.
	hereMessage   = text.Pattern(`(?s)<<-?\s*['"]?EOF['"]?[^\n]*\n(.*?)\n\s*EOF`)
	quotedMessage = text.Pattern(`(?s)\s-[a-z]*m[ =]?(?:"((?:[^"\\]|\\.)*)"|'([^']*)')`)
)

// NoteCommit finds the commit that a shell command made: its hash as git
// printed it, and its message, which stands in the command if git was quiet.
func NoteCommit(call *ToolCall) {
	if !strings.Contains(call.Command, "commit") || !commitCall().MatchString(call.Command) {
		return
	}
	if all := commitLine().FindAllStringSubmatch(call.Result, -1); len(all) > 0 {
		last := all[len(all)-1]
		call.Commit = cmp.Or(call.Commit, last[1])
		call.CommitMessage = cmp.Or(call.CommitMessage, strings.TrimSpace(last[2]))
	}
	if call.CommitMessage == "" {
		call.CommitMessage = messageIn(call.Command)
	}
}

// messageIn reads the message out of a commit command, its first line.
func messageIn(command string) string {
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

// RunIn is a command as a shell in the usual folder is told to run it in another.
func RunIn(dir, usual, command string) string {
	if dir == "" || dir == "." || dir == usual || strings.ContainsAny(dir, "'\n") {
		return command
	}
	return "cd '" + dir + "' && " + command
}
