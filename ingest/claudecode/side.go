package claudecode

import (
	"path"
	"strconv"
	"strings"

	"recall/ingest"
	"recall/ingest/jsonl"
	"recall/text"
)

const maxSpilled = 16 << 20 // bytes read of a result that was saved to a file

// readTodoFile reads a list of todos or a single task kept beside the session.
func (p *parser) readTodoFile(f ingest.File) {
	raw, _, err := f.Head(1 << 20)
	if err != nil {
		p.problem(f.Name, err)
		return
	}
	c := jsonl.NewCursor(raw)
	if c.Kind() == '{' {
		if t := readTask(c); c.Err() == nil && t.Subject != "" {
			p.meta.taskFiles = append(p.meta.taskFiles, t)
		}
		return
	}
	p.meta.taskFiles = append(p.meta.taskFiles, readTodos(raw)...)
}

// finishTasks takes the transcript's list; the files beside it speak only where that says nothing.
func (p *parser) finishTasks() {
	list := p.meta.tasks.all()
	if !p.meta.tasks.touched {
		list = p.meta.taskFiles
	}
	for _, t := range list {
		if t.Status != "deleted" {
			p.s.Tasks = append(p.s.Tasks, t)
		}
	}
}

// readPlanFile keeps a plan file for plans that the transcript only points to.
func (p *parser) readPlanFile(f ingest.File) {
	raw, _, err := f.Head(ingest.ClipText)
	if err != nil {
		p.problem(f.Name, err)
		return
	}
	p.meta.planFiles[path.Base(f.Name)] = strings.ToValidUTF8(string(raw), "\ufffd")
}

// finishSpilled replaces previews of results that were saved to a file by the file's beginning and end.
func (p *parser) finishSpilled(turns []ingest.Turn) {
	for _, call := range ingest.EachCall(turns) {
		if f, ok := p.spilled[call.Spilled]; ok {
			p.readSpilled(call, f)
		} else {
			call.Spilled = ""
		}
	}
}

func (p *parser) readSpilled(call *ingest.ToolCall, f ingest.File) {
	raw, _, err := f.Head(maxSpilled)
	if err != nil {
		p.problem(f.Name, err)
	}
	if strings.HasSuffix(f.Name, ".json") {
		if o := resultText(raw); err == nil && o.clipped != "" {
			call.Result, call.ResultLen = o.clipped, o.size
			return
		}
	}
	if len(raw) == 0 {
		return
	}
	text := string(raw)
	if head, tail := ingest.ClipResult*3/4, len(raw)-ingest.ClipResult/4; head < tail {
		text = text[:head] + "\n… " + strconv.Itoa(tail-head) + " bytes left out …\n" + text[tail:]
	}
	text = strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\x00", "")
	call.Result, call.ResultLen = ingest.StripANSI(text), max(int64(len(raw)), f.Size)
}

var savedTo = text.Pattern(`(?:Full output|Output has been) saved to:? (\S[^\n]*)`)

// persisted returns the path of the file that holds the whole of an output.
func persisted(text string) string {
	if !strings.Contains(text, "saved to") {
		return ""
	}
	if m := savedTo().FindStringSubmatch(text); m != nil && strings.Contains(m[1], "tool-results") {
		return strings.TrimSuffix(strings.TrimSpace(m[1]), ".")
	}
	return ""
}
