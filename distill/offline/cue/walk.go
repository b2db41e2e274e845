package cue

import (
	"regexp/syntax"
	"slices"
)

// An outcome is where the nodes of a set lead with one more rune.
type outcome struct {
	nodes []uint32 // to go on from: they take a rune or ask a condition; ascending
	found bits     // units that matched on the way
}

// A walker holds what a step through the nodes needs. It serves one goroutine
// at a time.
type walker struct {
	m       *machine
	before  marks // nodes seen before the rune is taken
	after   marks // and after
	stack   []uint32
	landed  []uint32 // nodes reached by the rune, not yet followed
	outcome outcome
}

func newWalker(m *machine) *walker {
	return &walker{m: m, before: marks{at: make([]uint32, len(m.nodes))}, after: marks{at: make([]uint32, len(m.nodes))}}
}

// marks is a set of nodes that is emptied at no cost.
type marks struct {
	at  []uint32
	now uint32
}

func (k *marks) reset() {
	if k.now++; k.now == 0 {
		clear(k.at)
		k.now = 1
	}
}

// add tells whether a node is new to the set.
func (k *marks) add(n uint32) bool {
	if k.at[n] == k.now {
		return false
	}
	k.at[n] = k.now
	return true
}

// step follows a set of nodes, and the beginnings of all units, from after a
// rune of one kind over a rune of one class. What it returns holds until the
// next step.
func (w *walker) step(nodes []uint32, from kind, class uint32) *outcome {
	fresh := w.restart(from, class)
	w.walk(nodes, from, class)
	w.outcome.found.add(&fresh.found)
	for _, n := range fresh.nodes {
		if w.after.add(n) {
			w.outcome.nodes = append(w.outcome.nodes, n)
		}
	}
	slices.Sort(w.outcome.nodes)
	return &w.outcome
}

// restart is the outcome for the beginnings of all units, which is the same
// wherever kind and class are.
func (w *walker) restart(from kind, class uint32) *outcome {
	at := &w.m.restarts[uint32(from)*w.m.stride+class]
	if o := at.Load(); o != nil {
		return o
	}
	w.walk(w.m.starts, from, class)
	o := &outcome{slices.Clone(w.outcome.nodes), w.outcome.found}
	at.Store(o)
	return o
}

// walk sets the outcome for a set of nodes.
func (w *walker) walk(nodes []uint32, from kind, class uint32) {
	m := w.m
	w.outcome.nodes, w.outcome.found = w.outcome.nodes[:0], bits{}
	w.before.reset()
	w.after.reset()
	holds := syntax.EmptyOpContext(likeness[from], likeness[m.kinds[class]])
	w.landed = w.landed[:0]
	w.stack = append(w.stack[:0], nodes...)
	for len(w.stack) > 0 {
		at := w.pop()
		if !w.before.add(at) {
			continue
		}
		switch n := &m.nodes[at]; n.op {
		case syntax.InstAlt:
			w.stack = append(w.stack, n.out, n.arg)
		case syntax.InstNop, syntax.InstCapture:
			w.stack = append(w.stack, n.out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(n.arg)&^holds == 0 {
				w.stack = append(w.stack, n.out)
			}
		case syntax.InstMatch:
			w.outcome.found.set(int(n.arg))
		case syntax.InstRune:
			if class != m.end && m.takes[n.take+class>>6]&(1<<(class&63)) != 0 {
				w.landed = append(w.landed, n.out)
			}
		}
	}
	w.settle(m.kinds[class])
}

// settle follows the nodes that were landed on to those that take a rune or ask
// a condition that may hold after a rune of a kind.
func (w *walker) settle(after kind) {
	never := impossible(after)
	w.stack = append(w.stack[:0], w.landed...)
	for len(w.stack) > 0 {
		at := w.pop()
		if !w.after.add(at) {
			continue
		}
		switch n := &w.m.nodes[at]; n.op {
		case syntax.InstAlt:
			w.stack = append(w.stack, n.out, n.arg)
		case syntax.InstNop, syntax.InstCapture:
			w.stack = append(w.stack, n.out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(n.arg)&never == 0 {
				w.outcome.nodes = append(w.outcome.nodes, at)
			}
		case syntax.InstMatch:
			w.outcome.found.set(int(n.arg))
		case syntax.InstRune:
			w.outcome.nodes = append(w.outcome.nodes, at)
		}
	}
}

// impossible lists the assertions that cannot hold after a rune of a kind,
// whatever follows.
func impossible(before kind) (op syntax.EmptyOp) {
	if before != start {
		op |= syntax.EmptyBeginText
		if before != newline {
			op |= syntax.EmptyBeginLine
		}
	}
	return op
}

// anew tells whether a match may begin elsewhere than with the text.
func (w *walker) anew() bool {
	w.outcome.nodes, w.outcome.found = w.outcome.nodes[:0], bits{}
	w.after.reset()
	w.landed = append(w.landed[:0], w.m.starts...)
	w.settle(newline) // after it most assertions may hold
	return len(w.outcome.nodes) > 0 || w.outcome.found != bits{}
}

func (w *walker) pop() uint32 {
	at := w.stack[len(w.stack)-1]
	w.stack = w.stack[:len(w.stack)-1]
	return at
}
