package claudecode

import (
	"strings"
	"time"

	"recall/ingest"
	"recall/ingest/jsonl"
)

// A record is one line: its known parts, as raw slices that are valid only until the next line.
type record struct {
	kind, subtype                        jsonl.Escaped
	uuid, parent, logicalParent          jsonl.Escaped
	session, agent, at                   jsonl.Escaped
	cwd, branch, version                 jsonl.Escaped
	entrypoint                           jsonl.Escaped
	promptSource, sessionKind            jsonl.Escaped
	origin, turnOrigin                   jsonl.Escaped // origin.kind; by what the client was set to work
	denial, feedback, planContent        jsonl.Escaped
	forkSession, forkUUID                jsonl.Escaped
	title, leaf                          jsonl.Escaped
	operation, continuedIn               jsonl.Escaped
	sourceSession, branchedAt, relocated jsonl.Escaped
	auditAt, messageAt                   jsonl.Escaped // of an audit log, like the next two
	parentAgent, failure                 jsonl.Escaped
	summarized                           jsonl.Escaped // which part of the conversation the person had summarized
	sidechain, meta, summary             bool
	apiError, shutdown                   bool
	synthetic, replay                    bool
	spoken                               bool // there is a message, be it an object or a text
	msg                                  message
	toolResult, attachment               []byte // raw values
	content, worktree, supersedes        []byte
	size                                 int64 // bytes cut from the line when it was read

	idText string // see id
}

// id returns the record's uuid as a shared string; "" if it has none.
func (r *record) id() string {
	if r.idText == "" && len(r.uuid) > 0 {
		r.idText = string(r.uuid)
	}
	return r.idText
}

// message is what a user or assistant record carries.
type message struct {
	id, model, stop jsonl.Escaped
	usage           ingest.Usage
	hasUsage        bool
	plain           []byte // content that is a single string, raw; nil if it is blocks
	blocks          []block
	odd             bool // the content has a form that this version doesn't know
}

// A block is one part of a message's content.
type block struct {
	kind, text jsonl.Escaped
	id, name   jsonl.Escaped
	toolUse    jsonl.Escaped // tool_use_id
	input      []byte        // raw value
	content    []byte        // raw value: of a tool result
	isError    bool
}

// A recordReader reads records, each over the one before. Strings stay escaped.
type recordReader struct {
	record
	c       *jsonl.Cursor
	fields  jsonl.Fields
	message jsonl.Fields
	blocks  *blockReader
}

func newRecordReader() *recordReader {
	r := &recordReader{blocks: newBlockReader()}
	m := &r.msg
	usage := jsonl.Fields{"input_tokens": &m.usage.Input, "output_tokens": &m.usage.Output,
		"cache_creation_input_tokens": &m.usage.CacheWrite, "cache_read_input_tokens": &m.usage.CacheRead,
		"cache_creation": jsonl.Fields{"ephemeral_1h_input_tokens": &m.usage.CacheHour}}
	r.message = jsonl.Fields{"id": &m.id, "model": &m.model, "stop_reason": &m.stop, "content": r.readContent,
		"_audit_timestamp": func() { r.readTime(&r.messageAt) }, "usage": func() { m.hasUsage = r.c.Fields(usage) }}
	r.fields = jsonl.Fields{
		"type": &r.kind, "subtype": &r.subtype, "uuid": &r.uuid, "parentUuid": &r.parent,
		"logicalParentUuid": &r.logicalParent, "sessionId": &r.session, "agentId": &r.agent, "cwd": &r.cwd,
		"gitBranch": &r.branch, "version": &r.version, "entrypoint": &r.entrypoint, "isSidechain": &r.sidechain,
		"isMeta": &r.meta, "isCompactSummary": &r.summary, "isApiErrorMessage": &r.apiError,
		"interruptedByShutdown": &r.shutdown, "toolUseResult": &r.toolResult, "tool_use_result": &r.toolResult,
		"attachment": &r.attachment, "content": &r.content, "promptSource": &r.promptSource,
		"sessionKind": &r.sessionKind, "toolDenialKind": &r.denial, "userFeedback": &r.feedback,
		"planContent": &r.planContent, "worktreeSession": &r.worktree, "customTitle": &r.title, "aiTitle": &r.title,
		"agentName": &r.title, "summary": &r.title, "leafUuid": &r.leaf, "operation": &r.operation,
		"continuedInSessionId": &r.continuedIn, "supersedes": &r.supersedes, "sourceSessionId": &r.sourceSession,
		"branchedAt": &r.branchedAt, "relocatedCwd": &r.relocated, "isSynthetic": &r.synthetic,
		"parent_tool_use_id": &r.parentAgent, "error": &r.failure, "isReplay": &r.replay, "claude_code_version": &r.version,
		"_audit_timestamp": func() { r.readTime(&r.auditAt) },
		"timestamp":        func() { r.readTime(&r.at) },
		"message":          r.readMessage,
		"origin":           jsonl.Fields{"kind": &r.origin},
		"turnOrigin":       &r.turnOrigin,

		"summarizeMetadata": jsonl.Fields{"direction": &r.summarized},
		"forkedFrom":        jsonl.Fields{"sessionId": &r.forkSession, "messageUuid": &r.forkUUID},
		"session_id": func() {
			if s := r.c.RawString(); r.session == nil {
				r.session = s
			}
		},
	}
	return r
}

func (r *recordReader) readRecord(c *jsonl.Cursor) bool {
	r.record = record{msg: message{blocks: r.msg.blocks[:0]}}
	r.c = c
	return c.Fields(r.fields)
}

// readTime reads a time as text, or a number of milliseconds.
func (r *recordReader) readTime(to *jsonl.Escaped) {
	if r.c.Kind() == '0' {
		*to = r.c.Raw()
	} else {
		*to = r.c.RawString()
	}
}

func (r *recordReader) readMessage() {
	r.msg = message{blocks: r.msg.blocks[:0]}
	k := r.c.Kind()
	if r.spoken = k == '{' || k == '"'; k == '{' || k == 'n' {
		r.c.Fields(r.message)
	} else {
		r.readContent()
	}
}

func (r *recordReader) readContent() {
	m := &r.msg
	m.blocks, m.plain = m.blocks[:0], nil
	if r.c.Kind() == '"' {
		m.plain = r.c.RawString()
		return
	}
	m.odd = r.c.Kind() != '[' && r.c.Kind() != 'n'
	r.c.Array(func() { m.blocks = append(m.blocks, r.blocks.readBlock(r.c)) })
}

// A blockReader reads blocks one after another.
type blockReader struct {
	block
	fields jsonl.Fields
}

func newBlockReader() *blockReader {
	r := &blockReader{}
	r.fields = jsonl.Fields{"type": &r.kind, "text": &r.text, "id": &r.id, "name": &r.name,
		"input": &r.input, "tool_use_id": &r.toolUse, "content": &r.content, "is_error": &r.isError}
	return r
}

// readBlock reads a block; a bare string in a list of blocks is text.
func (r *blockReader) readBlock(c *jsonl.Cursor) block {
	r.block = block{}
	if c.Kind() == '"' {
		r.kind, r.text = jsonl.Escaped("text"), c.RawString()
	} else {
		c.Fields(r.fields)
	}
	return r.block
}

// text returns a message's text blocks, one per line, and reports whether it contains tool results.
func (m *message) text() (text string, results bool) {
	if m.plain != nil {
		return jsonl.Unquote(m.plain), false
	}
	var parts []string
	for i := range m.blocks {
		switch b := &m.blocks[i]; string(b.kind) {
		case "text":
			parts = append(parts, jsonl.Unquote(b.text))
		case "tool_result":
			results = true
		}
	}
	return strings.Join(parts, "\n"), results
}

// A Log is asked about each object of a file that isn't a transcript but contains messages of one, such as Cowork's
// audit log. It reports whether the entry is a message, to be read like a transcript's record, or else why it is
// unusable. It accounts for entries that are neither.
type Log func(e *Entry) (message bool, why string)

// An Entry is an object of a log. The Log can change the message through it.
type Entry struct {
	Kind, Subtype, Session string
	UUID, Parent           string // as written; Parent is only set by the Log
	Dir, Version           string // as written
	At                     time.Time
	InAgent                bool // a sub-agent's
	Synthetic, Replay      bool // written by the client; an echo
	Spoken                 bool // it contains a message
	Text                   string
	Results                bool   // the message contains tool results
	Raw                    []byte // JSON, valid only during the call
	Line                   int
}

// takeEntry takes the log object just read as a transcript's record, if the log says that it is one.
func (p *parser) takeEntry(raw []byte) (why string) {
	r := &p.rec.record
	e := Entry{Kind: jsonl.Unquote(r.kind), Subtype: jsonl.Unquote(r.subtype), Session: jsonl.Unquote(r.session),
		UUID: string(r.uuid), Dir: string(r.cwd), Version: string(r.version), InAgent: len(r.parentAgent) > 0,
		Synthetic: r.synthetic, Replay: r.replay, Spoken: r.spoken, Raw: raw, Line: p.line}
	for _, text := range []jsonl.Escaped{r.auditAt, r.at, r.messageAt} { // early versions put it into the message
		if at, ok := ingest.ParseTime(string(text)); ok {
			e.At = at
			break
		}
	}
	e.Text, e.Results = r.msg.text()
	message, why := p.log(&e)
	if !message {
		if why == "" {
			p.s.Report.Records++
		}
		return why
	}
	r.at, r.idText = nil, ""
	if !e.At.IsZero() {
		r.at = jsonl.Escaped(e.At.Format(time.RFC3339Nano))
	}
	r.uuid, r.parent, r.logicalParent = jsonl.Escaped(e.UUID), jsonl.Escaped(e.Parent), jsonl.Escaped(e.Parent)
	r.cwd, r.version = jsonl.Escaped(e.Dir), jsonl.Escaped(e.Version)
	r.apiError = len(r.failure) > 0 && e.Kind == "assistant"
	p.takeRecord(r)
	return ""
}
