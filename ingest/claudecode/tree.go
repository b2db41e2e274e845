package claudecode

import "slices"

// A node is a record with a uuid: a place in the tree of the conversation.
type node struct {
	parent  int32  // -1 for a root; later in the list if the client wrote it later
	prompt  bool   // a person's prompt begins here
	guessed bool   // its parent is but the record before it
	speech  bool   // a user or assistant record
	goesOn  bool   // the assistant's words, or a tool's result: what was under way goes on
	said    *draft // the turn that it is of, nil if it is of none
}

// awaited is a parent that no record had been read of.
type awaited struct {
	node int32
	uuid string
}

// addNode hangs a record below its parent; one whose parent isn't known yet waits, see settle.
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
	p.nodes = append(p.nodes, n)
	p.byID[r.id()] = at
	return at
}

// wentOn notes that with this record the work under way went on.
func (p *parser) wentOn(n int32) {
	if n >= 0 {
		p.nodes[n].goesOn = true
	}
}

// settle hangs records below parents that stand later, and makes p.order: the file's order, parents before children.
// One whose parent stands nowhere hangs below the one before it, where it was written.
func (p *parser) settle() {
	for _, w := range p.awaited {
		if at, ok := p.byID[w.uuid]; ok {
			p.nodes[w.node].parent, p.nodes[w.node].guessed = at, false
		} else if w.node > 0 {
			p.s.Report.Repaired++
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
				p.cut(chain[slices.Index(chain, up):])
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

// cut makes a chain of a loop, in which each is the child of the next and the last
// the child of the first: one whose parent was guessed begins it, or else the last.
func (p *parser) cut(loop []int32) {
	root := slices.IndexFunc(loop, func(n int32) bool { return p.nodes[n].guessed })
	if root < 0 {
		root = len(loop) - 1
		p.s.Report.Repaired++
	}
	p.nodes[loop[root]].parent = -1
	copy(loop, slices.Concat(loop[root+1:], loop[:root+1]))
}

// sortDrafts puts turns whose records the client wrote before what they answer after it.
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
		place[d] = last // one without a place stays behind the one before it
	}
	slices.SortStableFunc(p.drafts, func(a, b *draft) int { return place[a] - place[b] })
}

// tip is the last record of the conversation as it was left, -1 if there is
// none: the one that the client named last, or the last one spoken since.
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

// abandoned tells for each node whether it is on a rewound branch: below a prompt off the way to the tip, where that
// went on with another prompt. Where it went on with the work under way, the prompt was typed meanwhile and belongs to
// it. Side branches without a prompt come from parallel calls and belong to the conversation.
func (p *parser) abandoned() []bool {
	out := make([]bool, len(p.nodes))
	if p.s.Report.Repaired > max(3, len(p.nodes)/20) {
		return out // too broken to be trusted: the order of the file counts
	}
	onPath := make([]bool, len(p.nodes))
	promptNext := make([]bool, len(p.nodes)) // before the work goes on
	next := false
	for n := p.tip(); n >= 0; n = p.nodes[n].parent {
		onPath[n], promptNext[n] = true, next
		next = !p.nodes[n].goesOn && (p.nodes[n].prompt || next)
	}
	left := make([]int32, len(p.nodes)) // where the way to the node leaves the path
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
