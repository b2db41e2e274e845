package gemini

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"html"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"recall/ingest"
	"recall/ingest/jsonl"
)

// A parser turns the records of a session's files into drafts of turns; finish builds the session from them.
type parser struct {
	s    *ingest.Session
	file string // name of the file being read
	line int

	drafts []*ingest.Turn
	byID   map[string]*ingest.Turn // those that weren't taken back
	ids    map[string]int          // how often an id was used
	heard  map[string]bool         // what was said, by role

	restated string // when the client began to write its history again, under new ids, after a call was cancelled

	session, hash, summary, dir string
	plans                       map[string]string // contents of written files, by their last names
	tasks                       []ingest.Task
}

func newParser(s *ingest.Session) *parser {
	return &parser{s: s, byID: map[string]*ingest.Turn{}, ids: map[string]int{}, heard: map[string]bool{},
		plans: map[string]string{}}
}

// takeLine accounts for one line, or a document.
func (p *parser) takeLine(l jsonl.Line) {
	p.line = l.N
	p.s.Report.Objects(l, p.file, func(b []byte) (rest []byte, why string) {
		c := jsonl.NewCursor(b)
		r, ok := readRecord(c)
		if !ok {
			return nil, ingest.NotObject(c, b)
		}
		p.s.Report.Records++
		p.takeRecord(r)
		return c.Rest(), ""
	})
}

// A record is a line: the session's header, a change to that, or a message.
type record struct {
	session, hash, started, summary string
	dirs                            []string
	rewind                          string
	set, messages                   []byte // values, like those below

	id, kind, at, model string
	content, shown      []byte
	calls, tokens       []byte
}

func readRecord(c *jsonl.Cursor) (r record, ok bool) {
	ok = c.Kind() == '{' && c.Fields(jsonl.Fields{"sessionId": &r.session, "projectHash": &r.hash,
		"startTime": &r.started, "summary": &r.summary, "$rewindTo": &r.rewind, "$set": &r.set,
		"messages": &r.messages, "directories": &r.dirs, "id": &r.id, "type": &r.kind, "timestamp": &r.at,
		"model": &r.model, "content": &r.content,
		"displayContent": &r.shown, "toolCalls": &r.calls, "tokens": &r.tokens})
	return r, ok
}

func (p *parser) takeRecord(r record) {
	switch {
	case r.rewind != "":
		p.rewind(r.rewind)
	case r.id != "":
		p.takeMessage(r)
	case r.set != nil:
		in, _ := readRecord(jsonl.NewCursor(r.set))
		p.takeHeader(in)
		p.takeHistory(in.messages)
	case r.session != "" || r.hash != "":
		p.takeHeader(r)
		c := jsonl.NewCursor(r.messages)
		c.Array(func() {
			m, _ := readRecord(c)
			p.takeMessage(m)
		})
	default:
		p.s.Report.CountUnknown("(record of no known kind)")
	}
}

// takeHeader takes what a record says about the session.
func (p *parser) takeHeader(r record) {
	p.session, p.hash, p.summary = cmp.Or(r.session, p.session), cmp.Or(r.hash, p.hash), cmp.Or(r.summary, p.summary)
	if at, ok := ingest.ParseTime(r.started); ok && p.s.Born.IsZero() {
		p.s.Born = at
	}
	p.s.Where.Folders = ingest.Union(p.s.Where.Folders, r.dirs...)
}

// rewind marks the messages from one on, or all if it isn't there, as taken back.
func (p *parser) rewind(id string) {
	for _, d := range p.drafts[max(0, slices.Index(p.drafts, p.byID[id])):] {
		d.Abandoned = true
		for _, id := range d.Records {
			delete(p.byID, id)
		}
	}
}

// takeHistory takes the list of messages as rewritten by the client. Messages not seen before are new, usually a
// summary of what was left out. The others stay as they were, as the list can hold them with results cut.
func (p *parser) takeHistory(raw []byte) {
	if raw == nil {
		return
	}
	before := maps.Clone(p.heard)
	c := jsonl.NewCursor(raw)
	c.Array(func() {
		switch m, _ := readRecord(c); {
		case p.byID[m.id] != nil, before[m.kind+"\n"+m.said()]:
		case m.kind == "gemini" && strings.HasPrefix(m.said(), acknowledged):
		default:
			p.takeMessage(m)
		}
	})
}

// said returns a message's text: as typed, where the client distinguishes that from what it added for the model.
func (r *record) said() string { return cmp.Or(textOf(r.shown), textOf(r.content)) }

// textOf returns the text of one part, several or none; a tool's result has none.
func textOf(raw []byte) string {
	c := jsonl.NewCursor(raw)
	switch c.Kind() {
	case '"':
		return strings.TrimSpace(c.String())
	case '{':
		var text string
		var thought bool
		if c.Fields(jsonl.Fields{"text": &text, "thought": &thought}); thought {
			return ""
		}
		return strings.TrimSpace(text)
	}
	var all []string
	c.Array(func() {
		if text := textOf(c.Raw()); text != "" {
			all = append(all, text)
		}
	})
	return strings.Join(all, "\n")
}

const (
	acknowledged = "Got it. Thanks for the additional context!" // the client's reply for the model to its own context
	snapshot     = "<state_snapshot>"
	shellOpening = "I ran the following shell command:"
	filesFollow  = "--- Content from referenced files ---"
	hookOpens    = "<hook_context>" // around what a hook adds to a prompt or a result, before or behind
	hookCloses   = "</hook_context>"
)

// injected are the beginnings of texts that the client puts under the person's name.
var injected = []string{"<session_context>", "<system-reminder>",
	"This is the Gemini CLI. We are setting up the context for our chat"}

// Typed parts a text, a prompt or a result, from what hooks put before and behind it.
func Typed(said string) (typed, told string) {
	for strings.HasPrefix(said, hookOpens) {
		context, rest, ok := strings.Cut(said, hookCloses)
		if !ok {
			break
		}
		said, told = strings.TrimSpace(rest), told+context+"\n"
	}
	if at := strings.LastIndex(said, "\n"+hookOpens); at >= 0 && strings.HasSuffix(said, hookCloses) {
		said, told = strings.TrimSpace(said[:at]), told+said[at:]
	}
	return said, html.UnescapeString(told)
}

// takeMessage takes a message, or a new state of one.
func (p *parser) takeMessage(m record) {
	if p.restated != "" && m.at == p.restated && p.byID[m.id] == nil && p.heard[m.kind+"\n"+m.said()] {
		return
	}
	switch said := m.said(); m.kind {
	case "user":
		p.takeUser(m, said)
	case "gemini":
		d := p.draft(m, ingest.Assistant, ingest.Message, said)
		d.Model, d.Usage = m.model, usageOf(m.tokens)
		d.Calls = nil
		c := jsonl.NewCursor(m.calls)
		c.Array(func() { p.takeCall(d, c.Raw()) })
	case "error":
		p.draft(m, ingest.Assistant, ingest.Event, said).Name = "api-error"
	case "info", "warning":
		if said == "Request cancelled." {
			p.draft(m, ingest.User, ingest.Interrupt, "[interrupted]")
		}
	default:
		p.s.Report.CountUnknown("message " + m.kind)
	}
}

// takeUser takes a message under the person's name, if it is really theirs.
func (p *parser) takeUser(m record, said string) {
	said, told := Typed(said)
	p.s.NoteRecalled(told, true)
	if said == "" && told != "" {
		return
	}
	typed, _, _ := strings.Cut(said, filesFollow)
	typed = strings.TrimSpace(typed)
	for _, opening := range injected {
		if strings.HasPrefix(typed, opening) {
			if opening == injected[0] && len(p.drafts) > 0 {
				p.restated = m.at
			}
			p.s.NoteRecalled(said, true)
			return
		}
	}
	switch {
	case strings.HasPrefix(typed, snapshot) && p.byID[m.id] == nil:
		typed = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(typed, snapshot), "</state_snapshot>"))
		p.draft(m, ingest.Assistant, ingest.Summary, typed)
	case strings.HasPrefix(typed, shellOpening):
		_, command, _ := strings.Cut(typed, "```sh\n")
		command, printed, _ := strings.Cut(command, "\n```")
		_, printed, _ = strings.Cut(printed, "```\n")
		d := p.draft(m, ingest.User, ingest.Shell, command)
		d.Printed(strings.TrimSuffix(printed, "\n```"), d.At)
	case typed != "":
		p.draft(m, ingest.User, ingest.Prompt, typed)
	case strings.Contains(string(m.content), `"inlineData"`):
		p.draft(m, ingest.User, ingest.Prompt, ingest.ImageOnly)
	}
}

// draft begins a turn, or returns the one that a message already is.
func (p *parser) draft(m record, role ingest.Role, kind ingest.TurnKind, text string) *ingest.Turn {
	d := p.byID[m.id]
	if d == nil {
		id := cmp.Or(m.id, "L"+strconv.Itoa(p.line))
		if p.ids[id]++; p.ids[id] > 1 { // again, after being taken back
			id += "#" + strconv.Itoa(p.ids[id])
		}
		d = &ingest.Turn{ID: ingest.TurnID(id), Records: []string{id}, File: p.file, Line: p.line}
		if m.id != "" {
			p.byID[m.id], d.Keys = d, []string{ingest.MessageKey + m.id}
			d.Records = ingest.Union(d.Records, m.id)
		}
		p.drafts = append(p.drafts, d)
	}
	d.Role, d.Kind, d.Text = role, kind, ingest.ClippedText(text)
	p.heard[m.kind+"\n"+m.said()] = true
	if at, ok := ingest.ParseTime(m.at); ok {
		d.At = at
	}
	return d
}

// usageOf reads a token count, in which the input includes tokens read from the cache.
func usageOf(raw []byte) (u ingest.Usage) {
	var thoughts, tool int64
	jsonl.ReadFields(raw, jsonl.Fields{"input": &u.Input, "output": &u.Output, "cached": &u.CacheRead,
		"thoughts": &thoughts, "tool": &tool})
	u.Input, u.Output = max(0, u.Input-u.CacheRead)+tool, u.Output+thoughts
	return u
}

func (p *parser) finish() {
	s := p.s
	if p.dir == "" {
		p.dir = p.hashedDir()
	}
	if p.dir != "" {
		s.CountDir(p.dir, 0)
	} else {
		s.Where.Hash = p.hash
	}
	for _, t := range p.drafts {
		t.Dir = p.dir
	}
	s.Finish(p.drafts, p.summary)
	p.drafts, s.Tasks = nil, p.tasks
	if p.session != "" && p.session != string(s.ID) {
		s.Aliases = append(s.Aliases, ingest.SessionID(p.session))
	}
}

// hashedDir finds the folder whose hash older clients wrote, among the paths worked on; "" if none matches.
func (p *parser) hashedDir() string {
	tried := map[string]bool{}
	for _, d := range p.drafts {
		for _, c := range d.Calls {
			for _, value := range []string{c.Path, c.Input["path"], c.Input["dir_path"], c.Input["directory"]} {
				for dir := value; path.IsAbs(dir) && len(dir) > 1 && !tried[dir]; dir = path.Dir(dir) {
					tried[dir] = true
					if sum := sha256.Sum256([]byte(dir)); hex.EncodeToString(sum[:]) == p.hash {
						return dir
					}
				}
			}
		}
	}
	return ""
}
