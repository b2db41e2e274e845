package synthtest

import (
	"fmt"
	"strings"
)

// attachments writes what the client tells the model at the start.
func (g *session) attachments() {
	g.begin()
	g.o.open("attachment", `{"type":"skill_listing"`)
	var b strings.Builder
	for range 12 {
		fmt.Fprintf(&b, "- %s-%s: %s\n", g.one(verbs), g.one(g.p.things), g.sentences(2))
	}
	g.o.str("content", b.String())
	g.o.shut("}")
	g.end("attachment")
}

// snapshot writes the record of files that the client keeps copies of.
func (g *session) snapshot() {
	if g.most < withAttachments {
		return
	}
	id := g.uuid()
	g.o.reset()
	g.o.raw("type", `"file-history-snapshot"`)
	g.o.str("messageId", id)
	g.o.open("snapshot", `{"messageId":"`+id+`","trackedFileBackups":{`)
	for i := range g.IntN(4) {
		if i > 0 {
			g.o.b = append(g.o.b, ',')
		}
		g.o.b = quote(g.o.b, fmt.Sprintf("%d/%s", i, g.p.file(g.source)))
		g.o.b = append(g.o.b, fmt.Sprintf(`:{"backupFileName":"%x@v%d","version":%d,"backupTime":"%s"}`, g.Uint64(), i+1,
			i+1, stamp(g.now))...)
	}
	g.o.shut("}")
	g.o.str("timestamp", stamp(g.now))
	g.o.shut("}")
	g.o.raw("isSnapshotUpdate", "false")
	g.line()
}

// progress writes a hook's sign of life during a call.
func (g *session) progress(call string) {
	g.begin()
	g.o.open("data", `{"type":"hook_progress","hookEvent":"PostToolUse","hookName":"PostToolUse:`+g.one(verbs)+`"`)
	g.o.str("command", "tools/hooks/"+g.one(g.p.parts)+".sh")
	g.o.str("output", strings.Join(g.code(4+g.IntN(12)), "\n"))
	g.o.shut("}")
	g.o.str("parentToolUseID", call)
	g.o.str("toolUseID", call)
	g.end("progress")
}

// afterTurn writes what the client notes when a turn is over.
func (g *session) afterTurn() {
	g.begin()
	g.o.raw("subtype", `"turn_duration"`)
	g.o.num("durationMs", 4000+g.IntN(200000))
	g.o.num("messageCount", 3+g.IntN(60))
	g.o.raw("isMeta", "false")
	g.end("system")
}
