package claudecode

import (
	"strings"

	"recall/ingest/jsonl"
)

// A record is one line as written: the parts that this package knows, as raw
// slices of the line, which are valid only as long as the line is.
type record struct {
	kind, subtype                        []byte
	uuid, parent, logicalParent          []byte
	session, agent, at                   []byte
	cwd, branch, version                 []byte
	entrypoint                           []byte
	promptSource, sessionKind            []byte
	origin                               []byte // origin.kind
	denial, feedback, planContent        []byte
	forkSession, forkUUID                []byte
	sidechain, meta, summary             bool
	apiError, shutdown                   bool
	synthetic                            bool
	auditAt                              []byte // of an audit log
	msg                                  message
	toolResult, attachment               []byte // raw values
	compact, content, todos              []byte // raw values
	worktree, data, supersedes           []byte // raw values
	parentToolUse                        []byte
	title, leaf                          []byte
	operation, continuedIn               []byte
	sourceSession, branchedAt, relocated []byte
	prURL, prRepository                  []byte
	prNumber                             int64
	size                                 int64 // bytes cut out of the line when it was read

	idText string // see id
}

// id is the record's uuid, one string for all that keep it; "" if it has none.
func (r *record) id() string {
	if r.idText == "" && len(r.uuid) > 0 {
		r.idText = string(r.uuid)
	}
	return r.idText
}

// message is what a user or assistant record carries.
type message struct {
	id, model, stop []byte
	usage           usage
	hasUsage        bool
	plain           []byte // content that is one string, raw; nil if it is blocks
	blocks          []block
	odd             bool // content of a form that this version doesn't know
}

type usage struct{ in, out, write, read int64 }

// A block is one part of a message's content.
type block struct {
	kind     []byte
	text     []byte // raw string: of text or thinking
	id, name []byte
	input    []byte // raw value
	toolUse  []byte // tool_use_id
	content  []byte // raw value: of a tool result
	isError  bool
}

// decode reads the members of one object from the cursor. Content of
// strings is not touched.
func (r *record) decode(c *jsonl.Cursor) bool {
	blocks := r.msg.blocks[:0]
	*r = record{}
	r.msg.blocks = blocks
	return c.Object(func(name []byte) { r.member(c, name) })
}

func (r *record) member(c *jsonl.Cursor, name []byte) {
	switch string(name) {
	case "type":
		r.kind = c.RawString()
	case "subtype":
		r.subtype = c.RawString()
	case "uuid":
		r.uuid = c.RawString()
	case "parentUuid":
		r.parent = c.RawString()
	case "logicalParentUuid":
		r.logicalParent = c.RawString()
	case "sessionId":
		r.session = c.RawString()
	case "session_id":
		if s := c.RawString(); r.session == nil {
			r.session = s
		}
	case "agentId":
		r.agent = c.RawString()
	case "timestamp":
		if c.Kind() == '0' {
			r.at = c.Raw() // milliseconds
		} else {
			r.at = c.RawString()
		}
	case "cwd":
		r.cwd = c.RawString()
	case "gitBranch":
		r.branch = c.RawString()
	case "version":
		r.version = c.RawString()
	case "entrypoint":
		r.entrypoint = c.RawString()
	case "isSidechain":
		r.sidechain = c.Bool()
	case "isMeta":
		r.meta = c.Bool()
	case "isCompactSummary":
		r.summary = c.Bool()
	case "isApiErrorMessage":
		r.apiError = c.Bool()
	case "interruptedByShutdown":
		r.shutdown = c.Bool()
	case "message":
		r.msg.decode(c)
	case "toolUseResult", "tool_use_result":
		r.toolResult = c.Raw()
	case "attachment":
		r.attachment = c.Raw()
	case "content":
		r.content = c.Raw()
	default:
		r.rare(c, name)
	}
}

// rare reads the members that few records have.
func (r *record) rare(c *jsonl.Cursor, name []byte) {
	switch string(name) {
	case "promptSource":
		r.promptSource = c.RawString()
	case "sessionKind":
		r.sessionKind = c.RawString()
	case "origin":
		c.Object(func(n []byte) {
			if string(n) == "kind" {
				r.origin = c.RawString()
			}
		})
	case "forkedFrom":
		c.Object(func(n []byte) {
			switch string(n) {
			case "sessionId":
				r.forkSession = c.RawString()
			case "messageUuid":
				r.forkUUID = c.RawString()
			}
		})
	case "toolDenialKind":
		r.denial = c.RawString()
	case "userFeedback":
		r.feedback = c.RawString()
	case "planContent":
		r.planContent = c.RawString()
	case "compactMetadata", "compact_metadata":
		r.compact = c.Raw()
	case "todos":
		r.todos = c.Raw()
	case "worktreeSession":
		r.worktree = c.Raw()
	case "customTitle", "aiTitle", "agentName":
		r.title = c.RawString()
	case "summary":
		r.title = c.RawString()
	case "leafUuid":
		r.leaf = c.RawString()
	case "operation":
		r.operation = c.RawString()
	case "continuedInSessionId":
		r.continuedIn = c.RawString()
	case "data":
		r.data = c.Raw()
	case "parentToolUseID":
		r.parentToolUse = c.RawString()
	case "supersedes":
		r.supersedes = c.Raw()
	case "sourceSessionId":
		r.sourceSession = c.RawString()
	case "branchedAt":
		r.branchedAt = c.RawString()
	case "relocatedCwd":
		r.relocated = c.RawString()
	case "prNumber":
		r.prNumber = c.Int()
	case "prUrl":
		r.prURL = c.RawString()
	case "prRepository":
		r.prRepository = c.RawString()
	case "isSynthetic":
		r.synthetic = c.Bool()
	case "_audit_timestamp":
		r.auditAt = c.RawString()
	}
}

func (m *message) decode(c *jsonl.Cursor) {
	*m = message{blocks: m.blocks[:0]}
	switch c.Kind() {
	case '{', 'n':
	default:
		m.decodeContent(c)
		return
	}
	c.Object(func(name []byte) {
		switch string(name) {
		case "id":
			m.id = c.RawString()
		case "model":
			m.model = c.RawString()
		case "stop_reason":
			m.stop = c.RawString()
		case "usage":
			m.hasUsage = m.usage.decode(c)
		case "content":
			m.decodeContent(c)
		}
	})
}

func (m *message) decodeContent(c *jsonl.Cursor) {
	m.blocks, m.plain = m.blocks[:0], nil
	if c.Kind() == '"' {
		m.plain = c.RawString()
		return
	}
	m.odd = c.Kind() != '[' && c.Kind() != 'n'
	c.Array(func() {
		var b block
		b.decode(c)
		m.blocks = append(m.blocks, b)
	})
}

func (u *usage) decode(c *jsonl.Cursor) bool {
	return c.Object(func(name []byte) {
		switch string(name) {
		case "input_tokens":
			u.in = c.Int()
		case "output_tokens":
			u.out = c.Int()
		case "cache_creation_input_tokens":
			u.write = c.Int()
		case "cache_read_input_tokens":
			u.read = c.Int()
		}
	})
}

// decode reads a block; a bare string in a list of blocks is text.
func (b *block) decode(c *jsonl.Cursor) {
	if c.Kind() == '"' {
		b.kind, b.text = []byte("text"), c.RawString()
		return
	}
	c.Object(func(name []byte) {
		switch string(name) {
		case "type":
			b.kind = c.RawString()
		case "text", "thinking":
			b.text = c.RawString()
		case "id":
			b.id = c.RawString()
		case "name":
			b.name = c.RawString()
		case "input":
			b.input = c.Raw()
		case "tool_use_id":
			b.toolUse = c.RawString()
		case "content":
			b.content = c.Raw()
		case "is_error":
			b.isError = c.Bool()
		}
	})
}

// Content reads the message of a user's record: its text blocks, a line each, and whether tools' results stand in it.
func Content(raw []byte) (text string, results bool) {
	var m message
	m.decode(jsonl.NewCursor(raw))
	if m.plain != nil {
		return jsonl.Unquote(m.plain), false
	}
	var parts []string
	for _, b := range m.blocks {
		switch string(b.kind) {
		case "text":
			parts = append(parts, jsonl.Unquote(b.text))
		case "tool_result":
			results = true
		}
	}
	return strings.Join(parts, "\n"), results
}
