package claudecode

// A node is a record with a uuid: a place in the tree of the conversation.
type node struct {
	parent   int32 // always earlier in the list; -1 for the first
	prompt   bool  // a person's prompt begins here
	boundary bool  // a compaction
	speech   bool  // a user or assistant record
}

// addNode hangs a record below its parent. One whose parent isn't known hangs below
// the record before it: that is where it was written. So no edge leads to a
// later record, and there are no cycles.
func (p *parser) addNode(r *record) int32 {
	if len(r.uuid) == 0 {
		return -1
	}
	kind := string(r.kind)
	n := node{parent: int32(len(p.nodes)) - 1, speech: kind == "user" || kind == "assistant"}
	want := r.parent
	if string(r.subtype) == "compact_boundary" {
		want = r.logicalParent
	}
	if at, ok := p.byID[string(want)]; ok && len(want) > 0 {
		n.parent = at
	} else if len(r.parent) > 0 && n.parent >= 0 {
		p.s.Report.Repaired++
	}
	at := int32(len(p.nodes))
	p.nodes = append(p.nodes, n)
	p.byID[r.id()] = at
	return at
}

// tip is the last record of the conversation as it was left, -1 if there is
// none: the one that the client named last, or the last one spoken since.
func (p *parser) tip() int32 {
	last := int32(-1)
	for i := range p.nodes {
		if p.nodes[i].speech {
			last = int32(i)
		}
	}
	if leaf, ok := p.byID[p.meta.leaf]; ok && p.meta.leaf != "" && last < int32(p.meta.leafNode) {
		return leaf
	}
	return last
}

// abandoned tells for each node whether it stands on a branch that was
// rewound: below a prompt that is not on the way to the tip, while another prompt
// was typed on that way after the two parted. Side branches without a prompt
// come from parallel calls and belong to the conversation.
func (p *parser) abandoned() []bool {
	out := make([]bool, len(p.nodes))
	if p.s.Report.Repaired > max(3, len(p.nodes)/20) {
		return out // too broken to be trusted: the order of the file counts
	}
	onPath := make([]bool, len(p.nodes))
	promptBelow := make([]bool, len(p.nodes))
	below := false
	for n := p.tip(); n >= 0; n = p.nodes[n].parent {
		onPath[n], promptBelow[n] = true, below
		below = below || p.nodes[n].prompt
	}
	left := make([]int32, len(p.nodes)) // where the way to the node leaves the path
	for i := range p.nodes {
		n := &p.nodes[i]
		switch {
		case onPath[i]:
			left[i] = int32(i)
		case n.parent < 0:
			left[i] = -1
		default:
			left[i] = left[n.parent]
			out[i] = left[i] >= 0 && promptBelow[left[i]] && (n.prompt || out[n.parent])
		}
	}
	return out
}
