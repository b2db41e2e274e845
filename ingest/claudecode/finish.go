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

// A node is a record with a uuid: a position in the conversation's tree.
type node struct {
	parent  int32 // -1 for a root; later in the list if the client wrote it later
	prompt  bool  // a person's prompt begins here
	guessed bool  // its parent is merely the preceding record
	speech  bool  // a user or assistant record
	work    bool  // the assistant's words, or a tool's result: it continues the work in progress
}

// awaited is a parent of which no record has been read yet.
type awaited struct {
	node int32
	uuid string
}

// addNode adds a record below its parent; one whose parent isn't known yet waits, see linkParents.
func (p *parser) addNode(r *record) int32 {
	if len(r.uuid) == 0 {
		return -1
	}
	kind := string(r.kind)
	at := int32(len(p.nodes))
	n := node{parent: at - 1, guessed: true, speech: kind == "user" || kind == "assistant"}
	want := r.parent
	if string(r.subtype) == "compact_boundary" {
		want = r.logicalParent
	}
	if known, ok := p.byID[string(want)]; ok && len(want) > 0 {
		n.parent, n.guessed = known, false
	} else if len(want) > 0 {
		p.awaited = append(p.awaited, awaited{at, string(want)})
	}
	// A summary of a part, asked for after a rewind, replaces that part for the model; the person took nothing back.
	if len(r.summarized) > 0 && n.parent > 0 && !n.guessed {
		p.nodes[n.parent].parent = n.parent - 1
	}
	p.nodes = append(p.nodes, n)
	p.byID[r.id()] = at
	return at
}

// continued records that a record continues the work in progress.
func (p *parser) continued(n int32) {
	if n >= 0 {
		p.nodes[n].work = true
	}
}

// linkParents links records to parents that come later, and builds p.order: the file's order, but parents before
// children. A record whose parent is nowhere stays below the record before it, where it was written.
func (p *parser) linkParents() {
	for _, w := range p.awaited {
		if at, ok := p.byID[w.uuid]; ok {
			p.nodes[w.node].parent, p.nodes[w.node].guessed = at, false
		} else if w.node > 0 {
			p.repaired++
		}
	}
	p.order = make([]int32, 0, len(p.nodes))
	const unseen, waiting, placed = 0, 1, 2
	state := make([]uint8, len(p.nodes))
	var chain []int32 // a child before its parent
	for i := range p.nodes {
		for n := int32(i); n >= 0 && state[n] == unseen; n = p.nodes[n].parent {
			state[n] = waiting
			chain = append(chain, n)
			if up := p.nodes[n].parent; up >= 0 && state[up] == waiting {
				p.breakLoop(chain[slices.Index(chain, up):])
				break
			}
		}
		for ; len(chain) > 0; chain = chain[:len(chain)-1] {
			n := chain[len(chain)-1]
			state[n] = placed
			p.order = append(p.order, n)
		}
	}
}

// breakLoop makes a chain of a loop, in which each is the child of the next and the last the child of the first: it
// begins with one whose parent was guessed, else with the last.
func (p *parser) breakLoop(loop []int32) {
	root := slices.IndexFunc(loop, func(n int32) bool { return p.nodes[n].guessed })
	if root < 0 {
		root = len(loop) - 1
		p.repaired++
	}
	p.nodes[loop[root]].parent = -1
	copy(loop, slices.Concat(loop[root+1:], loop[:root+1]))
}

// sortDrafts moves turns that were written before what they answer behind it.
func (p *parser) sortDrafts() {
	if slices.IsSorted(p.order) {
		return
	}
	rank := make([]int, len(p.nodes))
	for k, n := range p.order {
		rank[n] = k
	}
	place := make(map[*draft]int, len(p.drafts))
	last := -1
	for _, d := range p.drafts {
		if d.node >= 0 {
			last = rank[d.node]
		}
		place[d] = last // a draft without a node stays behind the one before it
	}
	slices.SortStableFunc(p.drafts, func(a, b *draft) int { return place[a] - place[b] })
}

// tip returns the last record of the conversation in its final state, -1 if there is none: the one that the client
// named last, or the last one spoken since.
func (p *parser) tip() int32 {
	last, lastWritten := int32(-1), int32(-1)
	for _, n := range p.order {
		if p.nodes[n].speech {
			last, lastWritten = n, max(lastWritten, n)
		}
	}
	if leaf, ok := p.byID[p.meta.leaf]; ok && p.meta.leaf != "" && lastWritten < int32(p.meta.leafNode) {
		return leaf
	}
	return last
}

// abandoned reports for each node whether it is on a rewound branch: below a prompt off the path to the tip, where that
// continued with another prompt. If the path continued with work in progress instead, the prompt was typed in the
// meantime and belongs to it. Side branches without a prompt come from parallel calls and belong to the conversation.
func (p *parser) abandoned() []bool {
	out := make([]bool, len(p.nodes))
	if p.repaired > max(3, len(p.nodes)/20) {
		return out // too broken to be trusted: the order of the file counts
	}
	onPath := make([]bool, len(p.nodes))
	promptNext := make([]bool, len(p.nodes)) // before more work
	next := false
	for n := p.tip(); n >= 0; n = p.nodes[n].parent {
		onPath[n], promptNext[n] = true, next
		next = !p.nodes[n].work && (p.nodes[n].prompt || next)
	}
	left := make([]int32, len(p.nodes)) // where the path to the node leaves that to the tip
	for _, i := range p.order {
		n := &p.nodes[i]
		switch {
		case onPath[i]:
			left[i] = i
		case n.parent < 0:
			left[i] = -1
		default:
			left[i] = left[n.parent]
			out[i] = left[i] >= 0 && promptNext[left[i]] && (n.prompt || out[n.parent])
		}
	}
	return out
}
