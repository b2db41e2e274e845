package synthtest

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// session is one being made up.
type session struct {
	talk
	out     *json.Encoder
	written *counter
	err     error
	most    int64
	images  bool
	imaged  int64    // bytes of base64 so far
	pool    []string // lines of code

	id, version, branch string
	prompt              string // id of the prompt being answered
	last                any    // id of the record before, nil before the first
	now                 time.Time
	said                []Item
}

// object is one of JSON.
type object = map[string]any

func newSession(p *project, o Options, i int, out *counter) *session {
	g := &session{talk: newTalk(p, newSource(o.Seed, uint64(i)+1<<32)), most: o.BytesEach, images: o.Images,
		out: json.NewEncoder(out), written: out}
	g.out.SetEscapeHTML(false)
	g.id = g.uuid()
	g.version = fmt.Sprintf("2.1.%d", 60+i*120/max(1, o.Sessions))
	g.branch = "main"
	if g.chance(2) {
		g.branch = g.one(p.parts) + "-" + g.one(p.things)
	}
	const span = Months * 30 * 24 * time.Hour
	g.now = First.Add(span / time.Duration(max(1, o.Sessions)) * time.Duration(i))
	g.tick(0, 3600)
	return g
}

const (
	// Smaller sessions have less of what surrounds their turns, so that small ones can be made.
	withAttachments = 30 << 10
	turnSize        = 60 << 10 // of a turn with its calls, on average
	poolLines       = 3000     // of code that a session's project has: the same files are read again and again
)

// play writes the session: turns until it is as long as wanted.
func (g *session) play() {
	if g.most > withAttachments {
		g.line(object{"type": "permission-mode", "permissionMode": "default", "sessionId": g.id})
		var skills strings.Builder
		for range 12 {
			fmt.Fprintf(&skills, "- %s-%s: %s\n", g.one(verbs), g.one(g.p.things), g.sentences(2))
		}
		g.record("attachment", object{"attachment": object{"type": "skill_listing", "content": skills.String()}})
	}
	for first := true; first || g.written.n < g.most; first = false {
		g.turn(first)
	}
	g.line(object{"type": "ai-title", "aiTitle": capital(g.said[0].about), "sessionId": g.id})
}

// line writes a record outside the conversation.
func (g *session) line(r object) {
	if g.err == nil {
		g.err = g.out.Encode(r)
	}
}

// record completes a record of the conversation, whose parent is the one before,
// writes it and returns its id.
func (g *session) record(kind string, r object) string {
	id := g.uuid()
	for name, value := range (object{
		"parentUuid": g.last, "isSidechain": false, "type": kind, "uuid": id, "timestamp": stamp(g.now), "cwd": g.p.dir(),
		"userType": "external", "entrypoint": "cli", "sessionId": g.id, "version": g.version, "gitBranch": g.branch,
	}) {
		r[name] = value
	}
	g.last = id
	g.line(r)
	return id
}

func stamp(t time.Time) string { return t.Format("2006-01-02T15:04:05.000Z") }

// tick lets time pass, some seconds between the two.
func (g *session) tick(least, most int) {
	g.now = g.now.Add(time.Duration(least*1000+g.IntN((most-least)*1000)) * time.Millisecond)
}

// turn writes a prompt, what the assistant does, and its answer.
func (g *session) turn(first bool) {
	kind := g.one(kinds)
	if first {
		kind = "goal"
	}
	item := g.item(kind)
	g.tick(20, 900)
	g.snapshot()
	g.prompt = g.uuid()
	g.keep(item, g.user(g.promptContent(item.TurnText), nil))
	left := g.most - g.written.n
	for n := range 5 + g.IntN(3) {
		if g.written.n >= g.most || left < 4<<10 {
			break
		}
		g.step(n)
	}
	g.answer()
	if left > turnSize {
		g.record("system", object{"subtype": "turn_duration", "durationMs": 4000 + g.IntN(200000),
			"messageCount": 3 + g.IntN(60), "isMeta": false})
	}
}

func (g *session) keep(item Item, turn string) {
	item.Session, item.Turn, item.At = g.id, turn, g.now
	g.said = append(g.said, item)
}

// snapshot writes the record of files that the client keeps copies of.
func (g *session) snapshot() {
	if g.most < withAttachments {
		return
	}
	id, backups := g.uuid(), object{}
	for i := range g.IntN(4) {
		backups[g.file()] = object{"backupFileName": fmt.Sprintf("%x@v%d", g.Uint64(), i+1), "version": i + 1,
			"backupTime": stamp(g.now)}
	}
	g.line(object{"type": "file-history-snapshot", "messageId": id, "isSnapshotUpdate": false,
		"snapshot": object{"messageId": id, "trackedFileBackups": backups, "timestamp": stamp(g.now)}})
}

func (g *session) promptContent(text string) any {
	if !g.images || !g.chance(3) {
		return text
	}
	return []object{{"type": "text", "text": text}, image(g.picture())}
}

func image(data string) object {
	return object{"type": "image", "source": object{"type": "base64", "media_type": "image/png", "data": data}}
}

// picture is an image's base64: as much as brings its share to three quarters of
// the file.
func (g *session) picture() string {
	n := min(int(g.most/4), 60<<10+g.IntN(700<<10))
	g.imaged += int64(n)
	return g.base64(n)
}

// answer closes a turn in words: what was done, and now and then what came of it.
func (g *session) answer() {
	g.tick(3, 40)
	text := g.sentences(2 + g.IntN(3))
	if g.chance(3) {
		g.assistant(g.messageID(), "end_turn", object{"type": "text", "text": text})
		return
	}
	i := g.item(g.one([]string{"eliminated", "next", "deferred", "decision"}))
	i.By = "assistant-accepted"
	i.TurnText = text + "\n\n" + i.Quote + " " + g.sentence()
	g.keep(i, g.assistant(g.messageID(), "end_turn", object{"type": "text", "text": i.TurnText}))
}

func (g *session) messageID() string { return "msg_01" + g.source.id(22) }

// user writes a user's record; result is the object that comes with a tool's result.
func (g *session) user(content, result any) string {
	r := object{"promptId": g.prompt, "message": object{"role": "user", "content": content}}
	if result != nil {
		r["toolUseResult"], r["sourceToolAssistantUUID"] = result, g.last
	} else {
		r["permissionMode"] = "default"
	}
	return g.record("user", r)
}

// assistant writes one content block of a message.
func (g *session) assistant(message, stop string, block object) string {
	write := g.IntN(9000)
	return g.record("assistant", object{"requestId": "req_011C" + g.source.id(20), "message": object{
		"model": "claude-opus-4-8", "id": message, "type": "message", "role": "assistant", "content": []object{block},
		"stop_reason": stop, "stop_sequence": nil, "stop_details": nil,
		"usage": object{"input_tokens": 3 + g.IntN(40), "cache_creation_input_tokens": write,
			"cache_read_input_tokens": 12000 + g.IntN(90000), "output_tokens": 40 + g.IntN(1800),
			"server_tool_use": object{"web_search_requests": 0, "web_fetch_requests": 0}, "service_tier": "standard",
			"cache_creation": object{"ephemeral_1h_input_tokens": write, "ephemeral_5m_input_tokens": 0},
			"inference_geo":  "not_available", "speed": "standard"}}})
}

// step is one call of a tool with thinking before and its result.
func (g *session) step(n int) {
	message := g.messageID()
	g.tick(2, 12)
	if g.chance(2) {
		text := ""
		if g.chance(2) {
			text = g.sentences(3 + g.IntN(8))
		}
		g.assistant(message, "tool_use",
			object{"type": "thinking", "thinking": text, "signature": g.base64(700 + g.IntN(1300))})
	}
	if g.chance(4) {
		g.assistant(message, "tool_use", object{"type": "text", "text": g.sentences(1 + g.IntN(2))})
	}
	switch {
	case g.images && g.imaged*100 < g.written.n*66:
		g.readImage(message)
	case n == 4 && g.chance(6):
		g.ask(message)
	case n == 4 && g.chance(6):
		g.refuse(message)
	case n%5 == 0:
		g.search(message)
	case n%5 == 1 || n%5 == 3:
		g.read(message)
	case n%5 == 2:
		g.edit(message)
	default:
		g.test(message)
	}
}

// call writes a tool's call, and a hook's signs of life during it.
func (g *session) call(message, name string, input object) string {
	id := "toolu_01" + g.source.id(22)
	g.assistant(message, "tool_use", object{"type": "tool_use", "id": id, "name": name, "input": input,
		"caller": object{"type": "direct"}})
	g.tick(1, 6)
	for n := 1 + g.IntN(3)/2; n > 0 && g.most > withAttachments; n-- {
		g.record("progress", object{"parentToolUseID": id, "toolUseID": id, "data": object{"type": "hook_progress",
			"hookEvent": "PostToolUse", "hookName": "PostToolUse:" + g.one(verbs),
			"command": "tools/hooks/" + g.one(g.p.parts) + ".sh", "output": strings.Join(g.code(4+g.IntN(12)), "\n")}})
	}
	return id
}

// result writes a tool's result, as text for the model and as an object.
func (g *session) result(id string, content any, failed bool, full any) {
	g.user([]object{{"type": "tool_result", "tool_use_id": id, "content": content, "is_error": failed}}, full)
}

func (g *session) search(message string) {
	var found strings.Builder
	n := 8 + g.IntN(24)
	for range n {
		fmt.Fprintf(&found, "%s:%d:%s\n", g.file(), 1+g.IntN(600), g.functions(1)[1])
	}
	id := g.call(message, "Grep", object{"pattern": g.identifier(), "output_mode": "content", "-n": true})
	g.result(id, found.String(), false, object{"mode": "content", "numFiles": 0, "filenames": []string{},
		"content": found.String(), "numLines": n})
}

func (g *session) path() string { return g.p.dir() + "/" + g.file() }

// code returns n lines of source, fewer than poolLines.
func (g *session) code(n int) []string {
	if from := len(g.pool); from < poolLines {
		for len(g.pool) < from+n {
			g.pool = append(g.pool, g.functions(1)...)
		}
		return g.pool[from : from+n]
	}
	from := g.IntN(len(g.pool) - n)
	return g.pool[from : from+n]
}

func (g *session) read(message string) {
	path, from := g.path(), 1+g.IntN(400)
	lines := g.code(30 + g.IntN(100))
	id := g.call(message, "Read", object{"file_path": path, "offset": from, "limit": len(lines)})
	var shown strings.Builder
	for i, l := range lines {
		shown.WriteString(strconv.Itoa(from+i) + "\t" + l + "\n")
	}
	g.result(id, shown.String(), false, object{"type": "text", "file": object{"filePath": path,
		"content": strings.Join(lines, "\n"), "numLines": len(lines), "startLine": from,
		"totalLines": from + len(lines) + g.IntN(200)}})
}

func (g *session) edit(message string) {
	path, lines := g.path(), g.code(150+g.IntN(300))
	at := 20 + g.IntN(90)
	was, is := lines[at:at+9], g.functions(2+g.IntN(4))
	old, new := strings.Join(was, "\n"), strings.Join(is, "\n")
	id := g.call(message, "Edit", object{"file_path": path, "old_string": old, "new_string": new})
	changes := strings.Split("-"+strings.ReplaceAll(old, "\n", "\n-")+"\n+"+strings.ReplaceAll(new, "\n", "\n+"), "\n")
	g.result(id, "The file "+path+" has been updated successfully.", false, object{"filePath": path, "oldString": old,
		"newString": new, "originalFile": strings.Join(lines, "\n"), "userModified": false, "replaceAll": false,
		"structuredPatch": []object{{"oldStart": at + 1, "oldLines": 9, "newStart": at + 1, "newLines": len(is),
			"lines": changes}}})
}

func (g *session) test(message string) {
	fails := g.chance(3)
	out := g.testRun(fails)
	id := g.call(message, "Bash",
		object{"command": g.p.Test, "description": "Run the tests of the " + g.one(g.p.parts)})
	if fails {
		g.result(id, "Exit code 1\n"+out, true, "Error: Exit code 1\n"+out)
		return
	}
	g.result(id, out, false, object{"stdout": out, "stderr": "", "interrupted": false, "isImage": false,
		"noOutputExpected": false})
}

// readImage reads a picture, whose base64 stands in the record twice.
func (g *session) readImage(message string) {
	id := g.call(message, "Read", object{"file_path": g.p.dir() + "/docs/" + g.one(g.p.things) + ".png"})
	data := g.picture()
	g.imaged += int64(len(data))
	g.result(id, []object{image(data)}, false, object{"type": "image",
		"file": object{"base64": data, "type": "image/png", "originalSize": len(data) * 3 / 4}})
}

// ask has the assistant put a question with options and the person answer it:
// mostly the option that the project takes, now and then in their own words.
func (g *session) ask(message string) {
	about, taken, left, why := g.choice()
	question, answer := "Which way for "+about+"?", capital(taken)
	questions := []object{{"question": question, "header": capital(g.one(g.p.parts)), "multiSelect": false,
		"options": []object{{"label": capital(taken), "description": "Since " + why},
			{"label": capital(left), "description": "As it is now"}}}}
	if g.chance(5) {
		answer = taken + ", but only for the " + g.word()
	}
	id := g.call(message, "AskUserQuestion", object{"questions": questions})
	g.tick(20, 200)
	g.result(id, `Your questions have been answered: "`+question+`"="`+answer+
		`". You can now continue with these answers in mind.`, false,
		object{"questions": questions, "answers": object{question: answer}, "annotations": object{}})
}

// refuse has the person refuse a change and say why.
func (g *session) refuse(message string) {
	item := g.item("eliminated")
	id := g.call(message, "Edit", object{"file_path": g.path(), "old_string": strings.Join(g.functions(1), "\n"),
		"new_string": strings.Join(g.functions(1), "\n")})
	g.tick(5, 60)
	g.user([]object{{"type": "tool_result", "tool_use_id": id, "is_error": true, "content": "The user doesn't want to " +
		"proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written " +
		"to the file). To tell you how to proceed, the user said:\n" + item.Quote}}, "User rejected tool use")
}
