package claudecode

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"recall/ingest"
	"recall/ingest/jsonl"
	"recall/internal/text"
)

// takeResult pairs a result with its call, by id.
func (p *parser) takeResult(b *block, r *record, at time.Time) {
	id := string(b.toolUse)
	call := p.calls[id]
	if call == nil {
		p.orphans[id] = keepOrphan(b, r)
		return
	}
	if call.Done {
		return
	}
	call.Done = true
	call.At, call.ResultTurn = at, ingest.TurnID(r.id())
	d := p.callIn[id]
	if len(r.uuid) > 0 {
		d.turn.Records = append(d.turn.Records, r.id())
	}
	if bytes.Contains(b.content, marker) {
		text := jsonl.Strings(b.content)
		p.s.Hand(text)
		p.s.Pasted = ingest.Union(p.s.Pasted, ingest.PayloadIDs(text, true)...)
		d.turn.Carried = ingest.Union(d.turn.Carried, ingest.CarriedIDs(text)...)
	}
	out := resultText(b.content)
	call.Failed = b.isError || exitFailure().MatchString(out)
	call.Result, call.ResultLen = ingest.ClippedResult(out), int64(len(out))+r.size
	p.judge(call, r, out)
	p.takeStructured(call, r, out)
	if call.Verdict == ingest.Unasked && !call.Failed {
		ingest.NoteCommit(call)
	}
}

var (
	marker      = []byte("!-- recall ")
	exitFailure = text.Pattern(`^Exit code \d*[1-9]`)
)

// noteInjected records what recall passed to the session outside its turns, through a hook or a command.
func (p *parser) noteInjected(raw []byte, read func([]byte) string, hook bool) {
	if bytes.Contains(raw, marker) {
		p.s.NoteRecalled(read(raw), hook)
	}
}

// maxOrphan bounds what is kept of a result until its call appears, which is rare.
const maxOrphan = 64 << 10

func keepOrphan(b *block, r *record) orphan {
	o := orphan{block: block{toolUse: bytes.Clone(b.toolUse), isError: b.isError}}
	if len(b.content) < maxOrphan {
		o.block.content = bytes.Clone(b.content)
	}
	o.rec = record{uuid: bytes.Clone(r.uuid), denial: bytes.Clone(r.denial), feedback: bytes.Clone(r.feedback),
		shutdown: r.shutdown, version: bytes.Clone(r.version)}
	if len(r.toolResult) < maxOrphan {
		o.rec.toolResult = bytes.Clone(r.toolResult)
	}
	return o
}

// resultText reads the content of a tool result: a string or blocks.
func resultText(raw []byte) string {
	c := jsonl.NewCursor(raw)
	if c.Kind() == '"' {
		return c.String()
	}
	var parts []string
	blocks := newBlockReader()
	c.Array(func() {
		part := ""
		switch b := blocks.readBlock(c); string(b.kind) {
		case "text":
			part = jsonl.Unquote(b.text)
		case "image", "document":
			part = "[" + string(b.kind) + "]"
		case "tool_reference":
			part = string(b.name)
		}
		if part != "" {
			parts = append(parts, part)
		}
	})
	return strings.Join(parts, "\n")
}

// judge determines whether the person, or something else, refused the call.
func (p *parser) judge(call *ingest.ToolCall, r *record, text string) {
	if !call.Failed && len(r.denial) == 0 {
		return
	}
	call.Verdict, call.Reason = Refusal(text)
	switch denial := string(r.denial); {
	case denial == "" && p.log == nil && strings.HasPrefix(call.Name, "mcp__") && marksRefusals(jsonl.Unquote(r.version)):
		call.Verdict, call.Reason = ingest.Unasked, "" // a server's error, whatever its wording
	case denial == "":
	case denial == "user-rejected" && !r.shutdown:
		if call.Verdict != ingest.Clarify {
			call.Verdict = ingest.Rejected
		}
	default:
		call.Verdict, call.Reason = ingest.Denied, ""
	}
	if call.Verdict == ingest.Rejected && call.Reason == "" {
		call.Reason = jsonl.Unquote(r.feedback)
	}
}

// marksRefusals reports whether a version of the client marks refusals ("toolDenialKind"): since 2.1.198.
func marksRefusals(version string) bool {
	var major, minor, patch int
	n, _ := fmt.Sscanf(version, "%d.%d.%d", &major, &minor, &patch)
	return n == 3 && slices.Compare([]int{major, minor, patch}, []int{2, 1, 198}) >= 0
}

// takeStructured reads what the structured form of a result adds.
func (p *parser) takeStructured(call *ingest.ToolCall, r *record, text string) {
	raw := r.toolResult
	switch call.Name {
	case "AskUserQuestion":
		if questions := p.meta.questions[call.ID]; call.Verdict == ingest.Clarify {
			call.Answers, call.Open = answeredSoFar(questions, text)
		} else if !call.Failed {
			call.Answers = answered(questions, askReply(raw))
		}
	case "ExitPlanMode", "exit_plan_mode":
		p.takePlan(call, raw, text)
	case "Task", "Agent":
		p.takeAgent(call, raw, text)
	case "TodoWrite", "TaskCreate", "TaskUpdate":
		if !call.Failed {
			p.meta.tasks.apply(call, raw, text, ingest.TurnID(r.uuid))
		}
	case "EnterWorktree":
		p.takeWorktree(raw, ingest.Worktree{Original: p.meta.dir})
	case "Bash", "mcp__workspace__bash":
		if bytes.Contains(raw, []byte(`"gitOperation"`)) {
			jsonl.ReadFields(raw, jsonl.Fields{"gitOperation": jsonl.Fields{"commit": jsonl.Fields{"sha": &call.Commit,
				"hash": &call.Commit, "message": &call.CommitMessage, "subject": &call.CommitMessage}}})
		}
		call.Failed = call.Failed || bytes.Contains(raw, []byte(`"interrupted":true`))
	}
	if path := spilledPath(call.Result); path != "" {
		call.Spilled = ingest.LastName(path)
	}
}

// tasks tracks the session's lists. A session continued in a newer client has two: todos, written as a whole, and
// tasks, written one by one; neither mentions the other.
type tasks struct{ todos, list []ingest.Task }

// all returns both lists; a task replaces the todo that it was made from.
func (t *tasks) all() []ingest.Task {
	todos := slices.DeleteFunc(t.todos, func(todo ingest.Task) bool {
		return slices.ContainsFunc(t.list, func(task ingest.Task) bool { return task.Subject == todo.Subject })
	})
	return append(todos, t.list...)
}

// apply applies a call to the lists.
func (t *tasks) apply(call *ingest.ToolCall, raw []byte, text string, turn ingest.TurnID) {
	switch call.Name {
	case "TodoWrite":
		if !bytes.Contains(raw, []byte(`"newTodos"`)) { // some programs keep no structured results
			raw = []byte(`{"newTodos":` + cmp.Or(call.Input["todos"], "[]") + `}`)
		}
		t.todos = ingest.Relist(t.todos, ingest.Todos(raw, "newTodos", "content", turn))
	case "TaskCreate":
		t.create(call, raw, text, turn)
	case "TaskUpdate":
		t.update(call, turn)
	}
}

var taskNumber = text.Pattern(`Task #(\S+) created`)

func (t *tasks) create(call *ingest.ToolCall, raw []byte, text string, turn ingest.TurnID) {
	task := ingest.Task{Subject: call.Input["subject"], Status: "pending", Turn: turn}
	jsonl.ReadFields(raw, jsonl.Fields{"task": jsonl.Fields{"id": &task.ID}})
	if m := taskNumber().FindStringSubmatch(text); m != nil {
		task.ID = cmp.Or(task.ID, m[1])
	}
	task.ID = cmp.Or(task.ID, strconv.Itoa(len(t.list)+1))
	t.list = append(slices.DeleteFunc(t.list, func(had ingest.Task) bool { return had.ID == task.ID }), task)
}

func (t *tasks) update(call *ingest.ToolCall, turn ingest.TurnID) {
	i := slices.IndexFunc(t.list, func(task ingest.Task) bool { return task.ID == call.Input["taskId"] })
	if i < 0 {
		return
	}
	task := &t.list[i]
	task.Turn = turn
	task.Subject = cmp.Or(call.Input["subject"], task.Subject)
	if task.Status = cmp.Or(call.Input["status"], task.Status); task.Status == "deleted" {
		t.list = slices.Delete(t.list, i, i+1)
	}
}
