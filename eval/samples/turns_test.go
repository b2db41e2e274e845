package samples

import (
	"fmt"
	"strings"
	"time"
)

// block plays one block of the script.
func (w *scribe) block(b block, next *block) error {
	switch b.verb {
	case "user":
		w.closeMessage()
		w.endTurn()
		w.user(b)
	case "queued":
		w.closeMessage()
		w.queued(b.part(0))
	case "think":
		w.closeMessage()
		w.pass(4, 20)
		w.said(obj("type", "thinking", "thinking", b.part(0), "signature", signature(b.part(0))), b.part(0), next)
	case "say":
		if w.message == "" || len(w.open) > 0 || w.afterText() {
			w.closeMessage()
		}
		w.pass(4, 30)
		w.said(obj("type", "text", "text", b.part(0)), b.part(0), next)
	case "compact":
		w.closeMessage()
		w.endTurn()
		w.compact(b)
	case "interrupt":
		w.closeMessage()
		w.interrupt("[Request interrupted by user]")
	case "wait":
		w.closeMessage()
		w.endTurn()
		d, err := time.ParseDuration(b.arg)
		if err != nil {
			return err
		}
		w.now = w.now.Add(d)
	case "mark":
		w.closeMessage()
		w.marks[b.arg] = mark{w.tip, len(w.s.records)}
	case "rewind":
		w.closeMessage()
		w.endTurn()
		m, ok := w.marks[b.arg]
		if !ok {
			return fmt.Errorf("no mark %q", b.arg)
		}
		w.tip = m.tip
	case "pr":
		w.closeMessage()
		number, url, _ := strings.Cut(b.arg, " ")
		w.bare("type", "pr-link", "prNumber", atoi(number), "prUrl", url,
			"prRepository", repoOf(url), "timestamp", stamp(w.now), "sessionId", w.s.id)
	case "upload":
		w.s.uploads[b.arg] = b.part(0) + "\n"
	default:
		return w.tool(b)
	}
	return nil
}

// afterText reports whether the open message already holds a text.
func (w *scribe) afterText() bool {
	for i := len(w.s.records) - 1; i >= 0; i-- {
		if w.s.records[i].typ == "assistant" {
			return blockType(w.s.records[i]) == "text"
		}
	}
	return false
}

func blockType(r *record) string {
	for _, f := range r.message {
		if blocks, ok := f.value.([]object); ok && f.name == "content" && len(blocks) > 0 {
			return blocks[0][0].value.(string)
		}
	}
	return ""
}

// user writes a typed prompt with what the client puts around it.
func (w *scribe) user(b block) {
	options := options(b.arg)
	w.pass(50, 800)
	w.began, w.count = w.now, 0
	if mode := options["mode"]; mode != "" {
		w.mode = mode
	}
	text := b.part(0)
	if w.s.first == "" {
		w.s.first = text
	}
	w.s.last = text
	w.prompt = w.uuid("prompt", text)
	id := w.uuid("user", text)
	cowork := w.s.head["source"] == "cowork"
	var content any = text
	var rest object
	if cowork {
		w.bare("type", "queue-operation", "operation", "enqueue", "timestamp", stamp(w.now), "sessionId", w.s.id,
			"content",
			text)
		w.bare("type", "queue-operation", "operation", "dequeue", "timestamp", stamp(w.now), "sessionId", w.s.id)
		content = []object{obj("type", "text", "text", w.manifest(options["files"])+text)}
		rest = obj("permissionMode", w.mode, "promptSource", "sdk")
	} else {
		w.bare("type", "file-history-snapshot", "messageId", id, "snapshot",
			obj("messageId", id, "trackedFileBackups", obj(), "timestamp", stamp(w.now)), "isSnapshotUpdate", false)
		rest = obj("permissionMode", w.mode, "origin", obj("kind", "human"), "promptSource", "typed")
	}
	w.chain(&record{typ: "user", uuid: id, before: obj("promptId", w.prompt), typed: text,
		message: obj("role", "user", "content", content), after: rest})
	if w.mode == "plan" && !cowork {
		w.attach("plan_mode", "reminderType", "full", "isSubAgent", false, "planFilePath", w.planFile(), "planExists", false)
	}
}

// queued writes a prompt typed while the assistant works.
func (w *scribe) queued(text string) {
	w.pass(2, 9)
	w.s.last = text
	w.bare("type", "queue-operation", "operation", "enqueue", "timestamp", stamp(w.now), "sessionId", w.s.id, "content",
		text)
	w.pass(1, 4)
	w.bare("type", "queue-operation", "operation", "remove", "timestamp", stamp(w.now), "sessionId", w.s.id)
	w.attach("queued_command", "prompt", text, "commandMode", "prompt", "origin", obj("kind", "human"))
}

// said writes one block of an assistant's message.
func (w *scribe) said(content object, text string, next *block) *record {
	if w.message == "" {
		w.message = apiID("msg_01", w.s.name, w.uuid("message", text))
	}
	stop := "end_turn"
	if next != nil && goesOn(next.verb, blockName(content)) {
		stop = "tool_use"
	}
	tokens := len(text)/4 + 12
	w.context += tokens
	return w.chain(&record{typ: "assistant", uuid: w.uuid("assistant", text),
		message: obj("id", w.message, "type", "message", "role", "assistant", "model", w.model,
			"content", []object{content}, "stop_reason", stop, "stop_sequence", nil, "usage", usage(w.context, tokens)),
		before: obj("requestId", apiID("req_011C", w.message)),
		answer: stop == "end_turn",
	})
}

func blockName(content object) string { return content[0].value.(string) }

// goesOn reports whether the message goes on after a block: thinking always does, a
// text if a tool call follows.
func goesOn(verb, kind string) bool {
	switch verb {
	case "user", "queued", "compact", "wait", "mark", "rewind", "pr", "interrupt", "upload", "think":
		return kind == "thinking"
	case "say":
		return kind == "thinking"
	}
	return true
}

// closeMessage ends the open message: the results of its calls follow.
func (w *scribe) closeMessage() {
	due := w.results
	w.message, w.open, w.results = "", nil, nil
	for _, f := range due {
		f()
	}
}

// endTurn writes what stands after the assistant's last word.
func (w *scribe) endTurn() {
	if w.began.IsZero() || w.s.head["source"] == "cowork" {
		return
	}
	w.chain(&record{typ: "system", uuid: w.uuid("turn"), after: obj("subtype", "turn_duration",
		"durationMs", w.now.Sub(w.began).Milliseconds(), "messageCount", w.count, "isMeta", false)})
	w.began = time.Time{}
}

// tail writes the bookkeeping at the end of the file.
func (w *scribe) tail() {
	w.bare("type", "last-prompt", "lastPrompt", w.s.last, "leafUuid", w.tip, "sessionId", w.s.id)
	if t := w.s.head["title"]; t != "" {
		w.bare("type", "ai-title", "aiTitle", t, "sessionId", w.s.id)
	}
	if t := w.s.head["renamed"]; t != "" {
		w.bare("type", "custom-title", "customTitle", t, "sessionId", w.s.id)
	}
	w.bare("type", "mode", "mode", "normal", "sessionId", w.s.id)
	w.bare("type", "permission-mode", "permissionMode", w.mode, "sessionId", w.s.id)
}

func (w *scribe) interrupt(text string) {
	w.pass(1, 5)
	w.chain(&record{typ: "user", uuid: w.uuid("user", text), before: obj("promptId", w.prompt),
		message: obj("role", "user", "content", []object{obj("type", "text", "text", text)})})
}

// compact writes /compact: the boundary, the summary, the command itself.
func (w *scribe) compact(b block) {
	w.pass(60, 200)
	last := w.tip
	before, summary := w.context+90000, w.uuid("summary")
	boundary := &record{typ: "system", uuid: w.uuid("boundary"), at: w.now,
		before: obj("logicalParentUuid", last),
		after: obj("subtype", "compact_boundary", "content", "Conversation compacted", "isMeta", false, "level", "info",
			"compactMetadata", obj("trigger", "manual", "preTokens", before, "durationMs", 48211, "userContext", b.arg,
				"postTokens", 5120))}
	w.tip = ""
	w.chain(boundary)
	w.prompt = w.uuid("prompt", "compact")
	own := func(id, text string, after object) {
		w.chain(&record{typ: "user", uuid: id, before: obj("promptId", w.prompt),
			message: obj("role", "user", "content", text), after: after})
	}
	own(summary, "This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\nSummary:\n"+
		b.part(0)+"\n\nIf you need specific details from before compaction (like exact code snippets, error messages, or content you generated), read the full transcript at: "+
		w.transcriptPath(), obj("isVisibleInTranscriptOnly", true, "isCompactSummary", true))
	own(w.uuid("caveat"), "<local-command-caveat>Caveat: The messages below were generated by the user while running local commands. DO NOT respond to these messages or otherwise consider them in your response unless the user explicitly asks you to.</local-command-caveat>", obj("isMeta", true))
	own(w.uuid("command"), "<command-name>/compact</command-name>\n            <command-message>compact</command-message>\n            <command-args>"+b.arg+"</command-args>", nil)
	own(w.uuid("stdout"), "<local-command-stdout>Compacted </local-command-stdout>", nil)
	w.context = 22000
}
