package codex

import (
	"strconv"
	"strings"

	"recall/ingest"
	"recall/ingest/jsonl"
	"recall/internal/text"
)

// takeOutput pairs a call's output with it.
func takeOutput(p *parser, payload []byte) {
	var id string
	var output []byte
	jsonl.ReadFields(payload, jsonl.Fields{"call_id": &id, "output": &output})
	p.answer = true
	calls := p.calls[id]
	if len(calls) == 0 || calls[0].Done {
		return
	}
	r := resultOf(output)
	p.s.NoteRecalled(r.text, false)
	for _, c := range calls {
		p.finishCall(c, r)
	}
	p.takeStructured(calls[0], id, r)
}

// A result is the outcome of a call, without the client's wrapping of a command's output.
type result struct {
	text    string
	size    int64
	exit    int    // of a command
	exited  bool   // exit is known
	process string // id of a process that still runs, ""
	failed  bool   // according to the client
}

func resultOf(output []byte) (r result) {
	if c := jsonl.NewCursor(output); c.Kind() == '{' {
		c.Fields(jsonl.Fields{"content": &r.text, "success": func() { r.failed = c.Text() != "true" }})
	} else {
		r.text = joined(output)
	}
	r.size = int64(len(r.text))
	if strings.HasPrefix(r.text, `{"output":`) { // until late 2025
		var exit []byte
		jsonl.ReadFields([]byte(r.text), jsonl.Fields{"output": &r.text, "metadata": jsonl.Fields{"exit_code": &exit}})
		r.exits(string(exit))
		return r
	}
	for r.unwrap() { // a patch applied by a command is wrapped twice
	}
	return r
}

// unwrap removes what the client puts before a command's output.
func (r *result) unwrap() bool {
	head, body, ok := strings.Cut(r.text, "\nOutput:\n")
	if !ok {
		head, ok = strings.CutSuffix(r.text, "\nOutput:")
	}
	if at := strings.TrimSuffix(r.text, abortedByUser); !ok && at != r.text {
		head, body, ok = at, abortedByUser, true
	}
	if !ok || len(head) > 600 || !wrapped().MatchString(head) {
		return false
	}
	r.text = body
	if m := exitLine().FindStringSubmatch(head); m != nil {
		r.exits(m[1])
	}
	if m := processLine().FindStringSubmatch(head); m != nil {
		r.process = m[1]
	}
	return true
}

// abortedByUser is the output of a command that the person refused or stopped.
const abortedByUser = "aborted by user"

var (
	wrapped     = text.Pattern(`(?m)^(?:Wall time|Exit code|Process )`)
	exitLine    = text.Pattern(`(?m)^(?:Exit code:|Process exited with code) (-?\d+)\s*$`)
	processLine = text.Pattern(`(?m)^Process running with session ID (\d+)\s*$`)
)

func (r *result) exits(code string) {
	if n, err := strconv.Atoi(code); err == nil {
		r.exit, r.exited = n, true
	}
}

// refusals are the client's wordings for a call that wasn't carried out.
var refusals = []struct {
	opening string
	verdict ingest.Verdict
}{
	{"exec command rejected by user", ingest.Rejected}, {"patch rejected by user", ingest.Rejected},
	{"rejected by user", ingest.Rejected}, {"user rejected", ingest.Rejected}, {"user cancelled", ingest.Rejected},
	{"This action was rejected due to unacceptable risk", ingest.Denied}, {"approval policy is", ingest.Denied},
	{"exec command rejected by", ingest.Denied}, {"patch rejected", ingest.Denied}, {"command rejected", ingest.Denied},
}

// finishCall records the outcome of a call.
func (p *parser) finishCall(c *ingest.ToolCall, r result) {
	c.Done, c.At, c.ResultLen = true, p.at, r.size
	c.Result = ingest.ClippedResult(r.text)
	c.ResultTurn = ingest.TurnID(p.id())
	if strings.TrimSpace(r.text) == abortedByUser {
		c.Failed = true
		if c.Input["sandbox_permissions"] == "require_escalated" { // the person was asked; else they stopped it
			c.Verdict = ingest.Rejected
		}
		return
	}
	for _, how := range refusals {
		if strings.HasPrefix(strings.TrimSpace(r.text), how.opening) {
			c.Verdict, c.Failed = how.verdict, true
			return
		}
	}
	c.Failed = r.failed || r.exited && r.exit != 0
	switch {
	case c.Command != "":
		c.Failed = c.Failed || strings.HasPrefix(r.text, "aborted") || strings.HasPrefix(r.text, "exec_command failed")
		if r.exited && r.exit != 0 {
			c.Result = "Exit code " + strconv.Itoa(r.exit) + "\n" + c.Result
		}
	case c.Path != "": // a successful patch says so
		c.Failed = c.Failed || !r.exited && !strings.HasPrefix(r.text, "Success") && !strings.HasPrefix(r.text, "{}") &&
			!strings.HasPrefix(r.text, "Done")
	}
	if c.Command != "" && !c.Failed && r.process == "" {
		ingest.NoteCommit(c)
	}
	if r.process != "" {
		p.running[r.process] = c
	}
}

// takeStructured reads what a result holds apart from its text.
func (p *parser) takeStructured(c *ingest.ToolCall, id string, r result) {
	switch c.Name {
	case "AskUserQuestion":
		if c.Answers = answered(p.asked[id], r.text); len(c.Answers) == 0 {
			c.Failed = true
		}
	case "Agent":
		jsonl.ReadFields([]byte(r.text), jsonl.Fields{"agent_id": &c.Agent})
		for agent, call := range p.spawned {
			if call == id {
				c.Agent = agent
			}
		}
	case "write_stdin": // the command it writes to continues, or ends
		of := p.running[c.Input["session_id"]]
		if of == nil || !r.exited {
			return
		}
		c.Failed = false // the write itself succeeded
		p.exited(of, r.exit)
		of.Result = ingest.ClippedResult(strings.TrimSpace(of.Result + "\n" + r.text))
		if !of.Failed {
			ingest.NoteCommit(of)
		}
	}
}

// exited records how a command ended.
func (p *parser) exited(c *ingest.ToolCall, exit int) {
	if c.Failed = exit != 0; c.Failed && !strings.HasPrefix(c.Result, "Exit code ") {
		c.Result = "Exit code " + strconv.Itoa(exit) + "\n" + c.Result
	}
}
