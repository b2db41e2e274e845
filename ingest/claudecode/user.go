package claudecode

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"recall/ingest"
	"recall/ingest/jsonl"
	"recall/internal/text"
)

// takeUser takes a record under the person's name, whoever wrote it. The checks are in the order of the format
// reference.
func (p *parser) takeUser(r *record, n int32, at time.Time) {
	if r.summary {
		p.takeSummary(r, n, at)
		return
	}
	if r.msg.odd {
		p.unknown("user content")
		return
	}
	p.noteInjected(r.msg.plain, false)
	results := false
	for i := range r.msg.blocks {
		b := &r.msg.blocks[i]
		if p.noteInjected(b.text, false); string(b.kind) == "tool_result" {
			p.takeResult(b, r, at)
			results = true
		}
	}
	if results {
		p.continued(n)
		p.takeBeside(r, n, at)
		return
	}
	text := p.userText(r)
	if r.meta || r.synthetic {
		p.unqueue(text) // such as a prompt that the model scheduled
		return
	}
	p.takeTyped(r, n, at, p.spoken(r, text))
}

// takeBeside takes text beside a tool's result: what the person typed while the tool ran, and the client's reminders.
func (p *parser) takeBeside(r *record, n int32, at time.Time) {
	text, _ := r.msg.text()
	typed := p.spoken(r, text)
	if r.meta || r.synthetic || typed.Kind != ingest.Prompt {
		return
	}
	d := p.takeTyped(r, n, at, typed)
	if d == nil {
		return
	}
	d.turn.Queued = true
	for i := range r.msg.blocks { // the record now belongs to that turn, not to the call's
		if of := p.callIn[string(r.msg.blocks[i].toolUse)]; of != nil {
			of.turn.Records = slices.DeleteFunc(of.turn.Records, func(id string) bool { return id == string(r.uuid) })
		}
	}
}

// takeTyped begins a turn; nil if there is nothing to keep, or it is there already.
func (p *parser) takeTyped(r *record, n int32, at time.Time, typed Typed) *draft {
	if typed.Kind == "" || p.repeated(at, typed.Text) {
		return nil
	}
	d := p.draft(r, n, at, typed.Role, typed.Kind)
	d.turn.Name, d.turn.Text, d.turn.Uploads = typed.Name, ingest.ClippedText(typed.Text), typed.Uploads
	switch typed.Kind {
	case ingest.Prompt, ingest.PlanTurn, ingest.Command, ingest.Shell:
		if n >= 0 {
			p.nodes[n].prompt = typed.Kind != ingest.Shell
		}
	}
	if typed.Kind == ingest.PlanTurn && len(r.planContent) > 0 {
		d.turn.Text = ingest.ClippedText(jsonl.Unquote(r.planContent))
	}
	if typed.Kind == ingest.Command && typed.Name == "/rename" && typed.Text != "" {
		p.meta.renamed = d.turn.Text
	}
	d.turn.Keys = keysOf(r, at, typed.Text)
	return d
}

// repeated reports whether a text with the same time, to the millisecond, was seen before: clients write prompts again
// after a compaction or on resume.
func (p *parser) repeated(at time.Time, text string) (before bool) {
	if at.IsZero() || text == "" {
		return false
	}
	key := timeKey(at, text)
	before = p.seen[key]
	p.seen[key] = true
	return before
}

func (p *parser) userText(r *record) string {
	text, _ := r.msg.text()
	for _, b := range r.msg.blocks {
		switch string(b.kind) {
		case "text":
		case "image", "document":
			text = cmp.Or(text, ingest.ImageOnly)
		default:
			p.unknown("block " + jsonl.Unquote(b.kind))
		}
	}
	return text
}

func (p *parser) takeSummary(r *record, n int32, at time.Time) {
	text := stripInjected(p.userText(r))
	d := p.draft(r, n, at, ingest.Assistant, ingest.Summary)
	d.turn.Text = ingest.ClippedText(text)
	d.turn.Keys = keysOf(r, at, text)
}

// queued is a prompt queued while the model worked.
type queued struct {
	text   string
	at     time.Time
	line   int
	file   string
	drafts int // number of drafts before it
}

func (p *parser) takeQueue(r *record) {
	c := jsonl.NewCursor(r.content)
	at, _ := ingest.ParseTime(string(r.at))
	p.noteBirth(at)
	if c.Kind() != '"' {
		return
	}
	text := c.String()
	switch string(r.operation) {
	case "enqueue":
		p.meta.queued = append(p.meta.queued, queued{text, at, p.line, p.file, len(p.drafts)})
	case "popAll":
		p.unqueue(text)
	}
}

// unqueue removes a prompt that its author took back to edit it, that was blocked, or that is a program's; an earlier
// version of the source may have had it still.
func (p *parser) unqueue(text string) {
	for i := len(p.meta.queued) - 1; i >= 0; i-- {
		if q := p.meta.queued[i]; q.text == text {
			p.s.TakenBack = append(p.s.TakenBack, timeKey(q.at, p.spoken(&record{}, q.text).Text))
			p.meta.queued = append(p.meta.queued[:i], p.meta.queued[i+1:]...)
			return
		}
	}
}

// recoverQueued restores queued prompts that appear nowhere else.
func (p *parser) recoverQueued() {
	for k, q := range p.meta.queued {
		typed := p.spoken(&record{}, q.text)
		if typed.Kind != ingest.Prompt || strings.HasPrefix(typed.Text, "{") ||
			slashCommand().MatchString(typed.Text) || p.typed(typed.Text) {
			continue
		}
		d := &draft{node: -1}
		d.turn = ingest.Turn{
			ID: lineID(q.file, q.line), Role: typed.Role, Kind: ingest.Prompt, At: q.at,
			Text:   ingest.ClippedText(typed.Text),
			Queued: true, Dir: p.meta.dir, File: q.file, Line: q.line,
		}
		if !q.at.IsZero() {
			d.turn.Keys = []string{timeKey(q.at, typed.Text)}
		}
		p.drafts = slices.Insert(p.drafts, q.drafts, d)
		for i := k + 1; i < len(p.meta.queued); i++ {
			p.meta.queued[i].drafts++
		}
	}
}

var slashCommand = text.Pattern(`^/[a-z][\w:-]*(\s|$)`)

// typed reports whether text is a person's turn, or whole lines of one: queued prompts are delivered as one.
func (p *parser) typed(text string) bool {
	return slices.ContainsFunc(p.drafts, func(d *draft) bool {
		return d.turn.Role != ingest.Assistant && len(d.turn.Text) >= len(text) &&
			strings.Contains("\n"+d.turn.Text+"\n", "\n"+text+"\n")
	})
}

// placeQueued moves queued prompts, and commands recorded on completion, to the time at which they were typed.
func (p *parser) placeQueued() {
	for i, d := range p.drafts {
		if !d.turn.Queued && d.turn.Kind != ingest.Command || d.turn.At.IsZero() {
			continue
		}
		k := i
		for k > 0 && p.drafts[k-1].turn.At.After(d.turn.At) {
			k--
		}
		copy(p.drafts[k+1:i+1], p.drafts[k:i])
		p.drafts[k] = d
	}
}
