package ingest

import "strings"

// OwnTool reports whether a tool of a transcript is recall's own, by whatever way
// the client came by the server: "mcp__recall__recall_note",
// "mcp__plugin_recall_recall__recall_note". name is the tool's own, "" any.
// What recall says, or is told, is no evidence of anything.
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
