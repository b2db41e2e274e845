package codex

import (
	"strconv"
	"strings"

	"recall/ingest"
	"recall/text"
)

// finish makes the session of all that was read.
func (p *parser) finish() {
	p.settleRun()
	s := p.s
	p.agree()
	nth, chain := map[string]int{}, ""
	for _, d := range p.drafts {
		if d.dropped {
			continue
		}
		p.finishDraft(d)
		t := &d.turn
		if t.Kind == ingest.Message && t.Text+t.Thinking == "" && len(t.Calls) == 0 && t.Usage == (ingest.Usage{}) {
			continue // nothing said
		}
		chain = text.Hash(chain+"\n"+string(t.Kind)+"\n"+t.Text, 12)
		if nth[d.client]++; len(d.client) == 36 {
			t.Keys = []string{"c:" + d.client + ":" + strconv.Itoa(nth[d.client])}
		} else {
			for _, root := range p.roots {
				t.Keys = append(t.Keys, "h:"+root+":"+chain)
			}
		}
		ingest.MarkForeign(t)
		s.Count(*t)
	}
	p.drafts, p.calls = nil, nil
	ingest.BindReasons(s.Turns)
	s.Tasks = p.tasks
	if p.own.id != "" && p.own.id != string(s.ID) {
		s.Aliases = append(s.Aliases, ingest.SessionID(p.own.id))
	}
	p.finishTitle()
	s.NoteNewer(KnownVersion)
}

func (p *parser) finishDraft(d *draft) {
	t := &d.turn
	if t.Kind == ingest.Message {
		t.Text = ingest.ClippedText(strings.Join(d.said, "\n\n"))
		t.Thinking = ingest.ClippedText(strings.Join(d.thought, "\n\n"))
	}
	for _, c := range d.calls {
		t.Calls = append(t.Calls, *c)
	}
	if d.recorded != (ingest.Usage{}) {
		t.Usage = d.recorded
	}
}

// agree marks the plans that the person agreed to: the client then sends a sentence of its own in their name.
func (p *parser) agree() {
	var plan *ingest.ToolCall
	for _, d := range p.drafts {
		if d.dropped {
			continue
		}
		if d.turn.Kind == ingest.Prompt {
			if plan != nil && strings.HasPrefix(d.turn.Text, planAgreed) {
				plan.Verdict = ingest.Approved
				if rest := d.turn.Text[len(planAgreed):]; rest == "" || strings.HasPrefix(rest, planGoal) {
					d.turn.Kind, d.turn.Name = ingest.Event, "plan agreed to"
				}
			}
			plan = nil
		}
		for _, c := range d.calls {
			if c.Plan != nil {
				plan = c
			}
		}
	}
}

// finishTitle takes the name that the person gave the thread, else the first prompt.
func (p *parser) finishTitle() {
	s := p.s
	if s.Title = strings.TrimSpace(p.name); s.Title != "" {
		s.TitleFrom = "custom-title"
	}
	s.NameByPrompt(imageOnly)
}
