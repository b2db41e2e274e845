package synthtest

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// session is one being made up.
type session struct {
	talk
	o       object
	out     io.Writer
	err     error
	written int64
	most    int64
	images  bool
	imaged  int64    // bytes of base64 so far
	pool    []string // lines of code

	id, version, branch string
	prompt              string // id of the prompt being answered
	last                string // id of the record before
	now                 time.Time
	said                []Item
}

func newSession(p *project, o Options, i int) *session {
	r := newSource(o.Seed, uint64(i)+1<<32)
	g := &session{talk: newTalk(p, r), most: o.BytesEach, images: o.Images}
	g.id = g.uuid()
	g.version = fmt.Sprintf("2.1.%d", 60+i*120/max(1, o.Sessions))
	g.branch = "main"
	if g.chance(2) {
		g.branch = g.one(p.parts) + "-" + g.one(p.things)
	}
	span := time.Duration(Months) * 30 * 24 * time.Hour
	g.now = First.Add(span / time.Duration(max(1,
		o.Sessions)) * time.Duration(i)).Add(time.Duration(g.IntN(3600)) * time.Second)
	return g
}

// Below these sizes a session has less of what surrounds its turns, so that
// small ones can be made.
const (
	withAttachments = 30 << 10
	turnSize        = 60 << 10 // of a turn with its calls, on average
)

// play writes the session: turns until it is as long as wanted.
func (g *session) play() {
	if g.most > withAttachments {
		g.line3("permission-mode", "permissionMode", "default")
		g.attachments()
	}
	for first := true; first || g.written < g.most; first = false {
		g.turn(first)
	}
	g.line3("ai-title", "aiTitle", capital(g.said[0].about))
}

// line3 writes one of the small records outside the conversation.
func (g *session) line3(kind, name, value string) {
	g.o.reset()
	g.o.str("type", kind)
	g.o.str(name, value)
	g.o.str("sessionId", g.id)
	g.line()
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
	text := item.TurnText
	id := g.user(func(o *object) { g.promptContent(o, text) }, nil)
	g.keep(item, id)

	left := g.most - g.written
	for n := range 5 + g.IntN(3) {
		if g.written >= g.most || left < 4<<10 {
			break
		}
		g.step(n)
	}
	g.answer()
	if left > turnSize {
		g.afterTurn()
	}
}

func (g *session) keep(item Item, turn string) {
	item.Session, item.Turn, item.At = g.id, turn, g.now
	g.said = append(g.said, item)
}

func (g *session) promptContent(o *object, text string) {
	if !g.images || !g.chance(3) {
		o.str("content", text)
		return
	}
	o.open("content", `[{"type":"text"`)
	o.str("text", text)
	o.shut(`},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"`)
	o.b = g.picture(o.b)
	o.shut(`"}}]`)
}

// picture appends an image's base64: as much as brings its share to three
// quarters of the file.
func (g *session) picture(b []byte) []byte {
	n := min(int(g.most/4), 60<<10+g.IntN(700<<10))
	g.imaged += int64(n)
	return g.base64(b, n)
}

// answer closes a turn in words: what was done, and now and then what came of it.
func (g *session) answer() {
	g.tick(3, 40)
	text := g.sentences(2 + g.IntN(3))
	var item *Item
	if !g.chance(3) {
		i := g.item(g.one([]string{"eliminated", "next", "deferred", "decision"}))
		i.By = "assistant-accepted"
		text += "\n\n" + i.Quote + " " + g.sentence()
		i.TurnText = text
		item = &i
	}
	id := g.assistant(g.messageID(), "end_turn", func(o *object) {
		o.b = append(o.b, `"type":"text"`...)
		o.str("text", text)
	})
	if item != nil {
		g.keep(*item, id)
	}
}

func (g *session) messageID() string { return "msg_01" + g.source.id(22) }

// tick lets time pass, some seconds between the two.
func (g *session) tick(least, most int) {
	g.now = g.now.Add(time.Duration(least*1000+g.IntN((most-least)*1000)) * time.Millisecond)
}

// step is one call of a tool with thinking before and its result.
func (g *session) step(n int) {
	message := g.messageID()
	g.tick(2, 12)
	if g.chance(2) {
		g.thinking(message)
	}
	if g.chance(4) {
		text := g.sentences(1 + g.IntN(2))
		g.assistant(message, "tool_use", func(o *object) {
			o.b = append(o.b, `"type":"text"`...)
			o.str("text", text)
		})
	}
	switch {
	case g.images && g.imaged*100 < g.written*66:
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

func (g *session) thinking(message string) {
	text := ""
	if g.chance(2) {
		text = g.sentences(3 + g.IntN(8))
	}
	g.assistant(message, "tool_use", func(o *object) {
		o.b = append(o.b, `"type":"thinking"`...)
		o.str("thinking", text)
		o.name("signature")
		o.b = append(o.b, '"')
		o.b = g.base64(o.b, 700+g.IntN(1300))
		o.b = append(o.b, '"')
	})
}

// call writes a tool's call; the input's members are added by input.
func (g *session) call(message, name string, input func(o *object)) string {
	id := "toolu_01" + g.source.id(22)
	g.assistant(message, "tool_use", func(o *object) {
		o.b = append(o.b, `"type":"tool_use"`...)
		o.str("id", id)
		o.str("name", name)
		o.open("input", "{")
		input(o)
		o.shut("}")
		o.raw("caller", `{"type":"direct"}`)
	})
	g.tick(1, 6)
	for n := 1 + g.IntN(3)/2; n > 0 && g.most > withAttachments; n-- {
		g.progress(id)
	}
	return id
}

// result writes a tool's result, as text for the model and as an object.
func (g *session) result(id, text string, failed bool, full func(o *object)) {
	g.user(func(o *object) {
		o.open("content", `[{"tool_use_id":`)
		o.b = quote(o.b, id)
		o.raw("type", `"tool_result"`)
		o.str("content", text)
		o.raw("is_error", strconv.FormatBool(failed))
		o.shut("}]")
	}, full)
}

func (g *session) search(message string) {
	found := g.grep(8 + g.IntN(24))
	pattern := g.p.identifier(g.source)
	id := g.call(message, "Grep", func(o *object) {
		o.str("pattern", pattern)
		o.raw("output_mode", `"content"`)
		o.raw("-n", "true")
	})
	g.result(id, found, false, func(o *object) {
		o.b = append(o.b, `{"mode":"content","numFiles":0,"filenames":[]`...)
		o.str("content", found)
		o.num("numLines", strings.Count(found, "\n"))
		o.shut("}")
	})
}

func (g *session) path() string { return g.p.dir() + "/" + g.p.file(g.source) }

func (g *session) read(message string) {
	path, from := g.path(), 1+g.IntN(400)
	lines := g.code(30 + g.IntN(100))
	id := g.call(message, "Read", func(o *object) {
		o.str("file_path", path)
		o.num("offset", from)
		o.num("limit", len(lines))
	})
	g.result(id, numbered(lines, from), false, func(o *object) {
		o.b = append(o.b, `{"type":"text","file":{"filePath":`...)
		o.b = quote(o.b, path)
		o.str("content", strings.Join(lines, "\n"))
		o.num("numLines", len(lines))
		o.num("startLine", from)
		o.num("totalLines", from+len(lines)+g.IntN(200))
		o.shut("}}")
	})
}

func (g *session) edit(message string) {
	path := g.path()
	lines := g.code(150 + g.IntN(300))
	at := 20 + g.IntN(90)
	old, replaced := lines[at:at+9], g.fresh(2+g.IntN(4))
	id := g.call(message, "Edit", func(o *object) {
		o.str("file_path", path)
		o.str("old_string", strings.Join(old, "\n"))
		o.str("new_string", strings.Join(replaced, "\n"))
	})
	g.result(id, "The file "+path+" has been updated successfully.", false, func(o *object) {
		o.b = append(o.b, `{"filePath":`...)
		o.b = quote(o.b, path)
		o.str("oldString", strings.Join(old, "\n"))
		o.str("newString", strings.Join(replaced, "\n"))
		o.str("originalFile", strings.Join(lines, "\n"))
		o.open("structuredPatch", `[{"oldStart":`+strconv.Itoa(at+1)+`,"oldLines":9,"newStart":`+strconv.Itoa(at+1)+`,"newLines":`+strconv.Itoa(len(replaced))+`,"lines":[`)
		for i, l := range append(minus(old), plus(replaced)...) {
			if i > 0 {
				o.b = append(o.b, ',')
			}
			o.b = quote(o.b, l)
		}
		o.shut(`]}]`)
		o.raw("userModified", "false")
		o.raw("replaceAll", "false")
		o.shut("}")
	})
}

func minus(lines []string) []string { return prefixed("-", lines) }
func plus(lines []string) []string  { return prefixed("+", lines) }

func prefixed(p string, lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = p + l
	}
	return out
}

var testCommands = map[string]string{"go": "go test ./internal/...", "ts": "npx vitest run",
	"py": "python -m pytest -q", "rs": "cargo test"}

func (g *session) test(message string) {
	fails := g.chance(3)
	out := g.testRun(fails)
	id := g.call(message, "Bash", func(o *object) {
		o.str("command", testCommands[g.p.lang])
		o.str("description", "Run the tests of the "+g.one(g.p.parts))
	})
	if fails {
		g.result(id, "Exit code 1\n"+out, true, func(o *object) { o.b = quote(o.b, "Error: Exit code 1\n"+out) })
		return
	}
	g.result(id, out, false, func(o *object) {
		o.b = append(o.b, '{')
		o.str("stdout", out)
		o.raw("stderr", `""`)
		o.raw("interrupted", "false")
		o.raw("isImage", "false")
		o.raw("noOutputExpected", "false")
		o.shut("}")
	})
}

// readImage reads a picture, whose base64 stands in the record twice.
func (g *session) readImage(message string) {
	path := g.p.dir() + "/docs/" + g.one(g.p.things) + ".png"
	id := g.call(message, "Read", func(o *object) { o.str("file_path", path) })
	data := string(g.picture(nil))
	g.imaged += int64(len(data))
	g.user(func(o *object) {
		o.open("content", `[{"tool_use_id":`)
		o.b = quote(o.b, id)
		o.raw("type", `"tool_result"`)
		o.open("content", `[{"type":"image","source":{"type":"base64","data":"`)
		o.b = append(o.b, data...)
		o.shut(`","media_type":"image/png"}}]}]`)
	}, func(o *object) {
		o.b = append(o.b, `{"type":"image","file":{"base64":"`...)
		o.b = append(o.b, data...)
		o.b = append(o.b, `","type":"image/png","originalSize":`...)
		o.b = strconv.AppendInt(o.b, int64(len(data)*3/4), 10)
		o.shut("}}")
	})
}
