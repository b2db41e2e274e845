package synthtest

import (
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// object builds one JSON object, members in the order they are added.
type object struct{ b []byte }

func (o *object) reset() { o.b = append(o.b[:0], '{') }

func (o *object) name(n string) {
	if o.b[len(o.b)-1] != '{' {
		o.b = append(o.b, ',')
	}
	o.b = append(quote(o.b, n), ':')
}

func (o *object) str(n, v string) {
	o.name(n)
	o.b = quote(o.b, v)
}

func (o *object) num(n string, v int) {
	o.name(n)
	o.b = strconv.AppendInt(o.b, int64(v), 10)
}

// raw adds a value that is JSON already.
func (o *object) raw(n, v string) {
	o.name(n)
	o.b = append(o.b, v...)
}

// open begins an object or list as a member; shut ends it.
func (o *object) open(n, bracket string) {
	o.name(n)
	o.b = append(o.b, bracket...)
}

func (o *object) shut(bracket string) { o.b = append(o.b, bracket...) }

// quote appends a JSON string. Texts here are valid UTF-8, so that there is no
// error.
func quote(b []byte, s string) []byte {
	b, _ = jsontext.AppendQuote(b, s)
	return b
}

func stamp(t time.Time) string { return t.Format("2006-01-02T15:04:05.000Z") }

// begin starts a record of the conversation; its parent is the one before.
func (g *session) begin() {
	g.o.reset()
	if g.last == "" {
		g.o.raw("parentUuid", "null")
	} else {
		g.o.str("parentUuid", g.last)
	}
	g.o.raw("isSidechain", "false")
}

// end closes a record with the members that all have, writes it and makes it the
// parent of the next. It returns the record's id.
func (g *session) end(kind string) string {
	id := g.uuid()
	g.o.str("type", kind)
	g.o.str("uuid", id)
	g.o.str("timestamp", stamp(g.now))
	g.o.raw("userType", `"external"`)
	g.o.raw("entrypoint", `"cli"`)
	g.o.str("cwd", g.p.dir())
	g.o.str("sessionId", g.id)
	g.o.str("version", g.version)
	g.o.str("gitBranch", g.branch)
	g.last = id
	g.line()
	return id
}

// line writes what was built as one line.
func (g *session) line() {
	g.o.b = append(g.o.b, '}', '\n')
	if g.err == nil {
		_, g.err = g.out.Write(g.o.b)
	}
	g.written += int64(len(g.o.b))
}

// user writes a user's record with content that is JSON already.
func (g *session) user(content func(o *object), result func(o *object)) string {
	g.begin()
	g.o.str("promptId", g.prompt)
	g.o.open("message", `{"role":"user"`)
	content(&g.o)
	g.o.shut("}")
	if result != nil {
		g.o.name("toolUseResult")
		result(&g.o)
		g.o.str("sourceToolAssistantUUID", g.last)
	} else {
		g.o.raw("permissionMode", `"default"`)
	}
	return g.end("user")
}

// assistant writes one content block of a message.
func (g *session) assistant(message, stop string, block func(o *object)) string {
	g.begin()
	g.o.open("message", `{"model":"claude-opus-4-8"`)
	g.o.str("id", message)
	g.o.raw("type", `"message"`)
	g.o.raw("role", `"assistant"`)
	g.o.open("content", "[{")
	block(&g.o)
	g.o.shut("}]")
	g.o.str("stop_reason", stop)
	g.o.raw("stop_sequence", "null")
	g.o.raw("stop_details", "null")
	g.usage()
	g.o.shut("}")
	g.o.str("requestId", "req_011C"+g.source.id(20))
	return g.end("assistant")
}

func (g *session) usage() {
	in, write, read, out := 3+g.IntN(40), g.IntN(9000), 12000+g.IntN(90000), 40+g.IntN(1800)
	g.o.open("usage", `{"input_tokens":`)
	b := strconv.AppendInt(g.o.b, int64(in), 10)
	for _, m := range []struct {
		name string
		n    int
	}{{"cache_creation_input_tokens", write}, {"cache_read_input_tokens", read}, {"output_tokens", out}} {
		b = append(b, `,"`+m.name+`":`...)
		b = strconv.AppendInt(b, int64(m.n), 10)
	}
	b = append(b, `,"server_tool_use":{"web_search_requests":0,"web_fetch_requests":0},"service_tier":"standard","cache_creation":{"ephemeral_1h_input_tokens":`...)
	b = strconv.AppendInt(b, int64(write), 10)
	b = append(b, `,"ephemeral_5m_input_tokens":0},"inference_geo":"not_available","speed":"standard"}`...)
	g.o.b = b
}
