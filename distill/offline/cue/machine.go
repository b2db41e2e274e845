package cue

import (
	"encoding/binary"
	"regexp/syntax"
	"sync"
	"sync/atomic"
)

// A machine looks for any number of units, each an expression, at once. All but
// its table and the remembered restarts stays as newMachine made it.
type machine struct {
	nodes   []node
	takes   []uint64 // sets of classes, as bits
	starts  []uint32 // first node of each unit
	classes *classes
	kinds   []kind // of each class of runes
	end     uint32 // the class that stands for the end of the text
	stride  uint32 // classes with end
	all     bits   // every unit
	whole   bits   // units that are whole patterns

	restarts []atomic.Pointer[outcome] // by kind of the rune before and class of the next
	anew     bool                      // a match may begin elsewhere than with the text

	mu    sync.Mutex // guards writing to table, not reading
	table atomic.Pointer[table]
	spare sync.Pool // of *walker
}

// A node is an instruction of one of the units' programs.
type node struct {
	op   syntax.InstOp // InstRune for all that take a rune
	out  uint32
	arg  uint32 // second branch of an InstAlt, condition of an InstEmptyWidth, unit of an InstMatch
	take uint32 // of an InstRune: where in takes the classes that it takes begin
}

// A kind is what assertions tell apart in the rune before a place.
type kind uint8

const (
	other   kind = iota
	word         // \b and \B
	newline      // (?m)^
	start        // no rune: the text begins
	ending       // no rune after: the text ends
	kindCount
)

// likeness is a rune that stands for its kind in syntax.EmptyOpContext.
var likeness = [kindCount]rune{' ', 'a', '\n', -1, -1}

var (
	wordRunes    = runeSet{'0', '9', 'A', 'Z', '_', '_', 'a', 'z'}
	newlineRunes = runeSet{'\n', '\n'}
)

// newMachine makes a machine of units, nil ones never matching. The first are
// the whole patterns.
func newMachine(units []*syntax.Regexp, patterns int) *machine {
	m := &machine{}
	var sets []runeSet
	known := map[string]int{}
	var key []byte
	setOf := func(s runeSet) int {
		key = key[:0]
		for _, r := range s { // as numbers: a string of surrogates would not tell them apart
			key = binary.LittleEndian.AppendUint32(key, uint32(r))
		}
		id, ok := known[string(key)]
		if !ok {
			id = len(sets)
			known[string(key)] = id
			sets = append(sets, s)
		}
		return id
	}
	setOf(wordRunes)
	setOf(newlineRunes)
	for u, re := range units {
		if re == nil {
			continue
		}
		m.all.set(u)
		if u < patterns {
			m.whole.set(u)
		}
		prog, err := syntax.Compile(re.Simplify())
		if err != nil { // it never says so of what Parse made
			panic(err)
		}
		base := uint32(len(m.nodes))
		m.starts = append(m.starts, base+uint32(prog.Start))
		for i := range prog.Inst {
			n, set := nodeOf(&prog.Inst[i], base, u)
			if n.op == syntax.InstRune {
				n.take = uint32(setOf(set))
			}
			m.nodes = append(m.nodes, n)
		}
	}
	m.classify(sets)
	m.restarts = make([]atomic.Pointer[outcome], uint32(kindCount)*m.stride)
	m.spare.New = func() any { return newWalker(m) }
	m.anew = newWalker(m).anew()
	m.table.Store(newTable(m, 0))
	return m
}

// nodeOf makes a node of an instruction, with the runes that it takes.
func nodeOf(in *syntax.Inst, base uint32, unit int) (node, runeSet) {
	n := node{op: in.Op, out: base + in.Out}
	switch in.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		n.op, n.arg = syntax.InstAlt, base+in.Arg
	case syntax.InstEmptyWidth:
		n.arg = in.Arg
	case syntax.InstMatch:
		n.arg = uint32(unit)
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		n.op = syntax.InstRune
		switch {
		case len(in.Rune) != 1:
			return n, runeSet(in.Rune)
		case in.Op == syntax.InstRune && syntax.Flags(in.Arg)&syntax.FoldCase != 0:
			return n, foldSet(in.Rune[0])
		default:
			return n, runeSet{in.Rune[0], in.Rune[0]}
		}
	}
	return n, nil
}

// classify sorts runes into classes, and says of each node which it takes: so
// far the node has the number of its set.
func (m *machine) classify(sets []runeSet) {
	m.classes = classify(sets)
	n := m.classes.count()
	m.end, m.stride = uint32(n), uint32(n)+1
	words64 := uint32(n+63) / 64
	m.takes = make([]uint64, uint32(len(sets))*words64)
	for i, s := range sets {
		for c, r := range m.classes.sample {
			if s.has(r) {
				m.takes[uint32(i)*words64+uint32(c>>6)] |= 1 << (c & 63)
			}
		}
	}
	for i := range m.nodes {
		m.nodes[i].take *= words64
	}
	lines, words := m.asserts()
	m.kinds = make([]kind, m.stride)
	for c, r := range m.classes.sample {
		switch {
		case r == '\n' && lines:
			m.kinds[c] = newline
		case syntax.IsWordChar(r) && words:
			m.kinds[c] = word
		}
	}
	m.kinds[m.end] = ending
}

// asserts tells which kinds of runes the units' assertions ask about.
func (m *machine) asserts() (lines, words bool) {
	for i := range m.nodes {
		if n := &m.nodes[i]; n.op == syntax.InstEmptyWidth {
			op := syntax.EmptyOp(n.arg)
			lines = lines || op&(syntax.EmptyBeginLine|syntax.EmptyEndLine) != 0
			words = words || op&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0
		}
	}
	return lines, words
}
