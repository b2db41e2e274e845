package opencode

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"recall/ingest"
	"recall/ingest/jsonl"
)

// A parser turns the rows of a session's files into turns; finish builds the session from them.
type parser struct {
	s        *ingest.Session
	file     string // name of the file being read
	own      string // the session, as its folder is named
	sessions map[string]row
	line     int

	open     *message
	reverted bool // what follows was taken back
	shell    bool // the next call was made by the person
	turns    []*ingest.Turn
	plan     string // content of the last written file that could be a plan
	tasks    []ingest.Task
	known    map[string]bool // messages read so far: an upgraded database has those of before in both forms
}

// A row is one of any table.
type row struct {
	table, id, of, kind string // of: the message that it is part of; kind: of a newer message, its speaker
	created             int64
	dir, title          string // of a session, like those below
	forkOf              string // the session that it was forked from, by version 2
	fromMessage, from   string // the message, and the part of it if not "", from which on it was taken back
	before              bool   // that was so before newer messages
	data                []byte
}

func (p *parser) takeLine(l jsonl.Line) {
	p.line = l.N
	p.s.Report.Objects(l, p.file, func(b []byte) (rest []byte, why string) {
		c, r := jsonl.NewCursor(b), row{}
		if !c.Fields(jsonl.Fields{"table": &r.table, "id": &r.id, "message_id": &r.of,
			"type": &r.kind, "time_created": &r.created, "directory": &r.dir, "title": &r.title,
			"fork_session_id": &r.forkOf, "data": &r.data, "revert": func() {
				jsonl.ReadFields([]byte(c.Text()), jsonl.Fields{"messageID": &r.fromMessage, "partID": &r.from})
			}}) {
			return nil, ingest.NotObject(c, b)
		}
		p.s.Report.Records++
		p.takeRow(r)
		return c.Rest(), ""
	})
}

func (p *parser) takeRow(r row) {
	switch r.table {
	case sessionTable, newerSessions:
		r.data = nil
		if r.fromMessage == "" { // the newer table says nothing of what was taken back before
			was := p.sessions[ingest.FolderID(r.id)]
			r.fromMessage, r.from, r.before = was.fromMessage, was.from, true
		}
		p.sessions[ingest.FolderID(r.id)] = r
	case messageTable:
		p.closeMessage()
		p.takeMessage(r)
	case partTable:
		if p.open == nil || p.open.turn.Records[0] != r.of {
			p.closeMessage()
			p.s.Report.CountUnknown("part of a message that isn't there")
			p.takeMessage(row{id: r.of, created: r.created})
		}
		p.takePart(r)
	case newerTable:
		if !p.known[r.id] {
			p.closeMessage()
			p.takeNewer(r)
		}
	}
}

// timeOf converts milliseconds since 1970, zero if invalid.
func timeOf(ms int64) time.Time {
	t, _ := ingest.ParseTime(strconv.FormatInt(ms, 10))
	return t
}

// A message is a turn under construction.
type message struct {
	turn        ingest.Turn
	role, fault string
	said        []string
	summary     bool
	steps       ingest.Usage
	ended       time.Time
	compaction  bool   // it asks for one
	command     string // by which the person had an agent run
	pictures    int
}

func (p *parser) takeMessage(r row) {
	m := &message{}
	var created, completed int64
	var name, kind, why, model, dir string
	c := jsonl.NewCursor(r.data)
	c.Fields(jsonl.Fields{"role": &m.role, "modelID": &model, "summary": &m.summary,
		"time":   jsonl.Fields{"created": &created, "completed": &completed},
		"path":   jsonl.Fields{"cwd": &dir},
		"tokens": func() { m.turn.Usage = usageOf(c) },
		"error":  jsonl.Fields{"name": &name, "data": jsonl.Fields{"message": &why}, "type": &kind, "message": &why}})
	if m.fault = strings.TrimSpace(name + " " + why); name == "MessageAbortedError" || kind == aborted {
		m.fault = aborted
	}
	m.ended = timeOf(completed)
	p.reverted = p.reverted || r.id != "" && r.id == p.sessions[p.own].fromMessage && p.sessions[p.own].from == ""
	m.turn = ingest.Turn{ID: ingest.TurnID(cmp.Or(r.id, "L"+strconv.Itoa(p.line))), Records: []string{r.id},
		Usage: m.turn.Usage, File: p.file, Line: p.line, Abandoned: p.reverted,
		At: timeOf(cmp.Or(created, r.created)), Dir: cmp.Or(dir, p.sessions[p.own].dir), Model: model}
	if r.id != "" {
		m.turn.Keys = []string{ingest.MessageKey + r.id}
	}
	if !m.turn.At.IsZero() { // a fork's messages have new ids, but the times of the originals
		m.turn.Keys = append(m.turn.Keys, "o:"+m.turn.Dir+":"+m.role+":"+m.turn.At.String())
	}
	if p.open = m; p.known == nil {
		p.known = map[string]bool{}
	}
	p.known[r.id] = true
}

// takeNewer takes a message as version 2 keeps it: its kind in a column, what it says or its parts in its data.
func (p *parser) takeNewer(r row) {
	p.reverted = p.reverted && !p.sessions[p.own].before
	p.takeMessage(r)
	m := p.open
	var said, summary, command, output, dir string
	var exit int64
	c := jsonl.NewCursor(r.data)
	c.Fields(jsonl.Fields{"text": &said, "summary": &summary, "model": jsonl.Fields{"id": &m.turn.Model},
		"command": &command, "exit": &exit, "output": jsonl.Fields{"output": &output},
		"location": jsonl.Fields{"directory": &dir}, "files": jsonl.List(m.attach),
		"content": func() { c.Array(func() { p.takePart(row{data: c.Raw()}) }) }})
	switch m.role = r.kind; r.kind {
	case "user", "assistant":
		m.say(said)
	case "compaction":
		m.role, m.summary = "assistant", true
		m.say(summary)
	case "shell":
		m.role, p.shell = "assistant", true
		call := ingest.ToolCall{ID: r.id, Name: "Bash", Input: map[string]string{"command": command}}
		settle(&call, m.turn.ID, m.ended, output, exit != 0)
		p.takeTool(m, &call, nil, nil, exit)
		m.turn.Calls = append(m.turn.Calls, call)
	default:
		p.takeNotice(r.kind, said, dir)
		p.open = nil
	}
}

// takeNotice takes what version 2 notes among the messages and nobody said.
func (p *parser) takeNotice(kind, said, dir string) {
	switch kind {
	case "synthetic", "system", "skill":
		p.s.NoteRecalled(said, true)
	case "location-switched":
		own := p.sessions[p.own]
		p.s.CountDir(own.dir, 0)
		own.dir = dir
		p.sessions[p.own] = own
	case "idle", "agent-switched", "model-switched":
	default:
		p.s.Report.CountUnknown("message of " + cmp.Or(kind, "nobody"))
	}
}

func (m *message) say(s string) {
	if s = strings.TrimSpace(s); s != "" {
		m.said = append(m.said, s)
	}
}

// attach takes a file that the person sent along, in either version's form.
func (m *message) attach(c *jsonl.Cursor) {
	var mime, name string
	c.Fields(jsonl.Fields{"mime": &mime, "filename": &name, "name": &name})
	if m.turn.Uploads = append(m.turn.Uploads, name); strings.HasPrefix(mime, "image/") {
		m.pictures++
	}
}

const (
	aborted   = "aborted"
	ranByHand = "The following tool was executed by the user"
)

func usageOf(c *jsonl.Cursor) (u ingest.Usage) {
	var reasoning int64
	c.Fields(jsonl.Fields{"input": &u.Input, "output": &u.Output, "reasoning": &reasoning,
		"cache": jsonl.Fields{"read": &u.CacheRead, "write": &u.CacheWrite}})
	u.Output += reasoning
	return u
}

// takePart takes a part of the open message.
func (p *parser) takePart(r row) {
	m := p.open
	if r.id != "" && r.id == p.sessions[p.own].from {
		p.reverted = true
		rest := &message{turn: m.turn, role: m.role, ended: m.ended}
		rest.turn.ID, rest.turn.Abandoned, rest.turn.Keys = m.turn.ID+"#reverted", true, nil
		rest.turn.Calls, rest.turn.Usage = nil, ingest.Usage{}
		p.closeMessage()
		p.open, m = rest, rest
	}
	if r.id != "" {
		m.turn.Records = append(m.turn.Records, r.id)
	}
	var kind, said, agent, command string
	var synthetic, ignored bool
	c := jsonl.NewCursor(r.data)
	c.Fields(jsonl.Fields{"type": &kind, "text": &said, "synthetic": &synthetic, "ignored": &ignored,
		"agent": &agent, "command": &command, "description": &said,
		"tokens": func() { m.steps.AddUsage(usageOf(c)) }})
	said = strings.TrimSpace(said)
	switch kind {
	case "text":
		switch {
		case synthetic || ignored:
			p.s.NoteRecalled(said, true)
			p.shell = p.shell || m.role == "user" && said == ranByHand
		default:
			m.say(said)
		}
	case "tool":
		p.takeCall(m, r.data)
	case "file":
		m.attach(jsonl.NewCursor(r.data))
	case "compaction":
		m.compaction = true
	case "subtask":
		m.command, m.said = "@"+agent, append(m.said, said)
		if command != "" {
			m.command = "/" + command
		}
	case "reasoning", "step-start", "step-finish", "snapshot", "patch", "agent", "retry":
	default:
		p.s.Report.CountUnknown("part " + kind)
	}
}

// closeMessage makes a turn of the open message, and another of how it ended if it went wrong.
func (p *parser) closeMessage() {
	m := p.open
	if p.open = nil; m == nil {
		return
	}
	t := &m.turn
	t.Text = ingest.ClippedText(strings.Join(m.said, "\n\n"))
	switch m.role {
	case "user":
		t.Role, t.Kind, t.Model, t.Usage = ingest.User, ingest.Prompt, "", ingest.Usage{}
		switch {
		case m.compaction:
			return
		case m.command != "":
			t.Kind, t.Name = ingest.Command, m.command
		case t.Text == "" && m.pictures > 0:
			t.Text = ingest.ImageOnly
		case t.Text == "":
			return
		}
	default:
		t.Role, t.Kind = ingest.Assistant, ingest.Message
		if m.steps != (ingest.Usage{}) { // earlier versions' messages count only the last step
			t.Usage = m.steps
		}
		if m.summary && t.Text != "" {
			t.Kind = ingest.Summary
		}
		if m.role != "assistant" {
			p.s.Report.CountUnknown("message of " + cmp.Or(m.role, "nobody"))
		}
	}
	p.turns = append(p.turns, t)
	if m.fault != "" {
		end := &ingest.Turn{ID: t.ID + "#end", Records: []string{string(t.ID) + "#end"}, Role: ingest.Assistant,
			Kind: ingest.Event, Name: "api-error", Text: ingest.ClippedText(m.fault), At: cmp.Or(m.ended, t.At),
			Dir: t.Dir, File: t.File, Line: t.Line, Abandoned: t.Abandoned}
		if m.fault == aborted {
			end.Role, end.Kind, end.Name, end.Text = ingest.User, ingest.Interrupt, "", "[interrupted]"
		}
		p.turns = append(p.turns, end)
	}
}

func (p *parser) finish() {
	p.closeMessage()
	s, a := p.s, p.sessions[p.own]
	if a.dir != "" {
		s.CountDir(a.dir, 0)
	}
	s.Born = timeOf(a.created)
	if strings.HasPrefix(a.title, "New session - ") || strings.HasPrefix(a.title, "Child session - ") {
		a.title = ""
	}
	s.Finish(p.turns, a.title)
	s.Tasks = p.tasks
	if a.forkOf != "" {
		s.Parent = &ingest.Parent{Session: ingest.SessionID(ingest.FolderID(a.forkOf)), How: ingest.HowBranch}
	}
}

// toolNames maps tools to the names that recall knows, Claude Code's. Others keep their own.
var toolNames = map[string]string{
	"bash": "Bash", "edit": "Edit", "multiedit": "MultiEdit", "write": "Write", "read": "Read", "glob": "Glob",
	"grep": "Grep", "list": "LS", "websearch": "WebSearch", "webfetch": "WebFetch", "todowrite": "TodoWrite",
	"task": "Agent", "question": "AskUserQuestion", "plan_exit": "ExitPlanMode", "skill": "Skill",
	"shell": "Bash", "subagent": "Agent", // since version 2
}

// The client's wordings, in results, for what the person or a rule said.
const (
	refused   = "The user rejected permission to use this specific tool call"
	declined  = "The user declined this tool call" // version 2's refusal
	because   = "with the following feedback: "
	ruledOut  = "The user has specified a rule which prevents you from using this specific tool call"
	dismissed = "The user dismissed this question"
	blocked   = "permission.rejected" // version 2's kind of a fault where a rule prevents a call
)

// takeCall takes a tool call and its outcome.
func (p *parser) takeCall(m *message, data []byte) {
	var tool, id, status, output, fault, kind, agent string
	var ended, exit int64
	var input, answers []byte
	c := jsonl.NewCursor(data)
	c.Fields(jsonl.Fields{"tool": &tool, "name": &tool, "callID": &id, "id": &id,
		"time": jsonl.Fields{"completed": &ended}, "state": jsonl.Fields{"status": &status, "input": &input,
			"output": &output, "content": func() { output = joined(c) }, "time": jsonl.Fields{"end": &ended},
			"error": func() {
				if c.Kind() == '"' {
					fault = c.String()
					return
				}
				c.Fields(jsonl.Fields{"type": &kind, "message": &fault})
			},
			"metadata": jsonl.Fields{"sessionId": &agent, "sessionID": &agent, "exit": &exit, "answers": &answers}}})
	name, ours := toolNames[tool]
	switch {
	case ours:
	case strings.HasPrefix(tool, "recall_"): // its server's name, which people can choose, and the tool's
		name = "mcp__recall__" + tool
	default:
		name = tool
	}
	call := ingest.ToolCall{ID: id, Name: name, Input: ingest.Input(jsonl.NewCursor(input))}
	if call.Path = call.Input["filePath"]; slices.Contains([]string{"Read", "Edit", "Write"}, name) {
		call.Path = cmp.Or(call.Path, call.Input["path"])
	}
	if agent != "" {
		call.Agent = ingest.FolderID(agent)
	}
	result := cmp.Or(output, fault)
	if status == "completed" || status == "error" {
		settle(&call, m.turn.ID, timeOf(ended), result, status == "error" || exit != 0)
	}
	switch {
	case strings.HasPrefix(fault, refused), strings.HasPrefix(fault, declined), strings.HasPrefix(fault, dismissed):
		call.Verdict = ingest.Rejected
		_, call.Reason, _ = strings.Cut(fault, because)
	case strings.HasPrefix(fault, ruledOut), kind == blocked:
		call.Verdict = ingest.Denied
	}
	p.s.NoteRecalled(result, false)
	if tool == "apply_patch" || tool == "patch" { // one call per file
		var patch string
		jsonl.ReadFields(input, jsonl.Fields{"patchText": &patch})
		for _, c := range ingest.Patched(patch) {
			call.Name, call.Path, call.Input, call.Edits = c.Name, c.Path, c.Input, c.Edits
			m.turn.Calls = append(m.turn.Calls, call)
		}
		return
	}
	p.takeTool(m, &call, input, answers, exit)
	m.turn.Calls = append(m.turn.Calls, call)
}

// settle records how a call ended.
func settle(call *ingest.ToolCall, in ingest.TurnID, at time.Time, result string, failed bool) {
	call.Done, call.ResultTurn, call.At, call.Failed = true, in, at, failed
	call.Result, call.ResultLen = ingest.ClippedResult(result), int64(len(result))
}

// joined reads the texts of a tool's result, one after the other.
func joined(c *jsonl.Cursor) string {
	var all []string
	c.Array(func() {
		var said string
		c.Fields(jsonl.Fields{"text": &said})
		if said != "" {
			all = append(all, said)
		}
	})
	return strings.Join(all, "\n")
}

// takeTool reads what a tool's input and result hold apart from their texts.
func (p *parser) takeTool(m *message, call *ingest.ToolCall, input, answers []byte, exit int64) {
	in := call.Input
	switch call.Name {
	case "Bash":
		call.Command = ingest.RunIn(in["workdir"], m.turn.Dir, in["command"])
		if p.shell {
			p.shell = false
			t := m.turn
			t.ID += "#shell"
			t.Records, t.Keys, t.Calls, t.Usage = []string{string(t.ID)}, nil, nil, ingest.Usage{}
			t.Role, t.Kind, t.Text, t.Model = ingest.User, ingest.Shell, call.Command, ""
			p.turns = append(p.turns, &t)
		}
		if exit != 0 {
			call.Result = "Exit code " + strconv.FormatInt(exit, 10) + "\n" + call.Result
		}
		if call.Worked() {
			ingest.NoteCommit(call)
		}
	case "Edit":
		call.Edits = []ingest.Edit{{Old: in["oldString"], New: in["newString"]}}
	case "MultiEdit":
		jsonl.ReadFields(input, jsonl.Fields{"edits": jsonl.List(func(c *jsonl.Cursor) {
			var e ingest.Edit
			c.Fields(jsonl.Fields{"oldString": &e.Old, "newString": &e.New})
			call.Edits = append(call.Edits, e)
		})})
	case "Write":
		if path.Ext(call.Path) == ".md" && call.Worked() {
			var whole string
			jsonl.ReadFields(input, jsonl.Fields{"content": &whole})
			p.plan = ingest.ClippedText(whole)
		}
	case "TodoWrite":
		if call.Worked() {
			p.tasks = ingest.Relist(p.tasks, ingest.Todos(input, "todos", "content", m.turn.ID))
		}
	case "AskUserQuestion":
		call.Answers = answered(input, answers)
	case "ExitPlanMode":
		if call.Plan = (&ingest.Plan{Text: p.plan}); call.Worked() {
			call.Verdict = ingest.Approved
		}
	}
}

// answered reads the person's answers, by index of the question; unanswered questions are left out.
func answered(input, answers []byte) (out []ingest.Answer) {
	all := ingest.Questions(input)
	c, n := jsonl.NewCursor(answers), 0
	c.Array(func() {
		var chosen []string
		c.Array(func() { chosen = append(chosen, c.Text()) })
		if n < len(all) && len(chosen) > 0 {
			all[n].Choose(strings.Join(chosen, ", "))
			out = append(out, all[n].Answer)
		}
		n++
	})
	return out
}
