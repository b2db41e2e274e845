package claudecode

import (
	"cmp"
	"slices"
	"strings"

	"recall/ingest"
)

func (p *parser) finish() {
	p.recoverQueued()
	// Needed only while reading: with very many small records it takes as much memory as their content.
	p.seen, p.messages, p.calls, p.callIn = nil, nil, nil, nil
	p.linkParents()
	p.sortDrafts()
	gone := p.abandoned()
	superseded := func(id string) bool { return p.meta.superseded[id] }
	for _, d := range p.drafts {
		p.finishDraft(d)
		d.turn.Abandoned = d.node >= 0 && gone[d.node] ||
			d.turn.Role == ingest.Assistant && slices.ContainsFunc(d.turn.Records, superseded)
	}
	p.placeQueued()
	p.finishContinued()
	p.collect()
	p.finishSpilled(p.s.Turns)
	ingest.BindReasons(p.s.Turns)
	p.finishSubagents()
	p.s.Tasks = p.meta.tasks.all()
	p.finishLineage()
	p.finishTitle()
}

// finishDraft assembles a message's text and calls from its parts.
func (p *parser) finishDraft(d *draft) {
	if len(d.parts) == 0 {
		return
	}
	var text []string
	for _, q := range d.parts {
		if q.call != nil {
			d.turn.Calls = append(d.turn.Calls, *q.call)
		} else {
			text = append(text, q.text)
		}
	}
	d.turn.Text = ingest.ClippedText(strings.Join(text, "\n\n"))
	d.parts = nil
}

// collect adds the turns to the session, which counts them, and releases the drafts.
func (p *parser) collect() {
	s := p.s
	s.Turns = make([]ingest.Turn, 0, len(p.drafts))
	for i, d := range p.drafts {
		p.drafts[i] = nil
		if !d.turn.Silent() || d.counted {
			s.Count(d.turn)
		}
	}
	p.drafts = nil
}

// finishLineage names the other sessions that this one is related to, according to its own lines.
func (p *parser) finishLineage() {
	s, m := p.s, &p.meta
	for _, id := range m.sessions {
		if id != string(s.ID) {
			s.Aliases = append(s.Aliases, ingest.SessionID(id))
		}
	}
	switch {
	case m.forkOf != "" && m.forkOf != string(s.ID):
		s.Parent = &ingest.Parent{Session: ingest.SessionID(m.forkOf), How: ingest.HowBranch}
	case m.branchedFrom != "" && m.branchedFrom != string(s.ID):
		s.Parent = &ingest.Parent{Session: ingest.SessionID(m.branchedFrom), How: ingest.HowBranch}
	case slices.Contains(m.sessions, string(s.ID)) && m.sessions[0] != string(s.ID):
		s.Parent = &ingest.Parent{Session: ingest.SessionID(m.sessions[0]), How: ingest.HowContinued}
	}
	switch {
	case m.background:
		s.Copy = ingest.HowBackground
	case strings.HasSuffix(m.custom, "(fork)"):
		s.Copy = ingest.HowFork
	}
}

// finishContinued clears ContinuedIn if the session went on here after all.
func (p *parser) finishContinued() {
	for _, d := range p.drafts[min(p.meta.continuedAt, len(p.drafts)):] {
		if d.turn.Kind == ingest.Prompt || d.turn.Kind == ingest.Message {
			p.s.ContinuedIn = ""
		}
	}
}

func (p *parser) finishTitle() {
	s, m := p.s, &p.meta
	custom := m.custom
	if slices.Contains(m.worktrees, custom) {
		custom = ""
	}
	titles := []string{custom, m.renamed, m.ai, m.agent}
	for _, sum := range slices.Backward(m.summaries) {
		if _, ok := p.byID[sum.leaf]; ok {
			titles = append(titles, sum.text)
		}
	}
	for _, title := range titles {
		s.Title = cmp.Or(s.Title, ingest.FitTitle(title))
	}
	s.NameByPrompt()
	s.Helper = s.Helper && strings.HasPrefix(m.entrypoint, "sdk")
}
