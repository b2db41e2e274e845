package claudecode

import (
	"slices"
	"strings"
	"time"

	"recall/ingest"
	"recall/ingest/jsonl"
	"recall/text"
)

// queued is a prompt put in the queue while the model worked.
type queued struct {
	text   string
	at     time.Time
	line   int
	offset int64
	file   string
	drafts int // how many drafts stood before it
}

func (p *parser) takeQueue(r *record) {
	c := jsonl.NewCursor(r.content)
	p.bornBy(p.when(r))
	if c.Kind() != '"' {
		return
	}
	text := c.String()
	switch string(r.operation) {
	case "enqueue":
		p.noteNotification(text)
	case "popAll":
		p.unqueue(text)
		return
	default:
		return
	}
	p.meta.queued = append(p.meta.queued, queued{
		text: text, at: p.when(r), line: p.line, offset: p.off, file: p.file, drafts: len(p.drafts),
	})
}

// unqueue forgets a prompt that its author took back to edit it.
func (p *parser) unqueue(text string) {
	for i := len(p.meta.queued) - 1; i >= 0; i-- {
		if p.meta.queued[i].text == text {
			p.meta.queued = append(p.meta.queued[:i], p.meta.queued[i+1:]...)
			return
		}
	}
}

// recoverQueued brings back prompts that were queued and stand nowhere else.
func (p *parser) recoverQueued() {
	for k, q := range p.meta.queued {
		typed := Classify(q.text)
		if typed.Kind != ingest.Prompt || strings.HasPrefix(typed.Text, "{") || slashCommand().MatchString(typed.Text) ||
			p.said(typed.Text) {
			continue
		}
		d := &draft{node: -1}
		d.turn = ingest.Turn{
			ID: lineID(q.file, q.line), Role: ingest.User, Kind: ingest.Prompt, At: q.at,
			Text:   ingest.ClippedText(typed.Text),
			Queued: true, From: "transcript", Dir: p.meta.dir, File: q.file, Line: q.line, Offset: q.offset,
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

// said reports whether text is a person's turn, or whole lines of one: queued prompts are delivered as one.
func (p *parser) said(text string) bool {
	for _, d := range p.drafts {
		if d.turn.Role == ingest.User && len(d.turn.Text) >= len(text) &&
			strings.Contains("\n"+d.turn.Text+"\n", "\n"+text+"\n") {
			return true
		}
	}
	return false
}

// placeQueued moves queued prompts, and commands noted when they are done, to the time they were typed at.
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
