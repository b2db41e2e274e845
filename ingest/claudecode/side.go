package claudecode

import (
	"io"
	"path"
	"strings"

	"recall/ingest"
	"recall/ingest/jsonl"
	"recall/text"
)

const maxSpilled = 16 << 20 // bytes read of a result that was saved to a file

// readTodoFile reads a list of todos or a single task kept beside the
// session.
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

// finishTasks takes the list as the transcript tells it; the files beside it
// speak only where the transcript says nothing.
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

// readPlanFile keeps a plan file for plans that the transcript only points
// to.
func (p *parser) readPlanFile(f ingest.File) {
	raw, _, err := f.Head(ingest.ClipText)
	if err != nil {
		p.problem(f.Name, err)
		return
	}
	p.meta.planFiles[path.Base(f.Name)] = strings.ToValidUTF8(string(raw), "\ufffd")
}

// finishSpilled replaces the previews of results that were saved to a file by
// the file's beginning and end.
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
	if strings.HasSuffix(f.Name, ".json") {
		raw, _, err := f.Head(maxSpilled)
		if o := resultText(raw); err == nil && o.clipped != "" {
			call.Result, call.ResultLen = o.clipped, o.size
			return
		}
	}
	r, err := f.Open()
	if err != nil {
		p.problem(f.Name, err)
		return
	}
	defer r.Close()
	head := make([]byte, ingest.ClipResult*3/4)
	n, err := io.ReadFull(r, head)
	if err != nil && n == 0 {
		return
	}
	size, tail := int64(n), make([]byte, 0, ingest.ClipResult/4)
	buf := make([]byte, 64<<10)
	for size < maxSpilled {
		k, err := r.Read(buf)
		size += int64(k)
		tail = append(tail, buf[:k]...)
		tail = tail[max(0, len(tail)-ingest.ClipResult/4):]
		if err != nil {
			break
		}
	}
	text := string(head[:n])
	if cut := size - int64(n) - int64(len(tail)); cut > 0 {
		text += "\n… " + itoa(int(cut)) + " bytes left out …\n"
	}
	text = strings.ReplaceAll(strings.ToValidUTF8(text+string(tail), ""), "\x00", "")
	call.Result, call.ResultLen = stripANSI(text), max(size, f.Size)
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

func baseName(path string) string {
	if k := strings.LastIndexAny(path, `/\`); k >= 0 {
		return path[k+1:]
	}
	return path
}
