package cue

import (
	"encoding/binary"
	"slices"
	"sync/atomic"
)

// A table holds the states met so far and the steps between them. Readers need
// no lock: a step is stored atomically after what it leads to, and a table that
// is full is replaced by a larger copy, or by an empty one of the next
// generation once it is as large as it may be.
type table struct {
	generation int
	steps      []uint32 // by row of a state + class: 0 if unknown, else the row of the next state, or'ed with notable
	states     []*state // by row / stride; the first is never used
	used       int      // states in use
	byKey      map[string]*state
	start      uint32 // row where texts begin
}

// notable marks the steps that lead to a state with matches, or to a dead one.
const notable = 1 << 31

// How large a table may get: 8 MB of steps. The cues of cues.go make 3,300
// states (1 MB) of 30,000 sentences of real transcripts.
const (
	maxSteps  = 2 << 20
	maxStates = 20_000
)

// A state is a set of nodes that are open after a rune of a kind.
type state struct {
	generation int
	row        uint32
	after      kind
	nodes      []uint32
	found      bits // units that matched on the step to it
	dead       bool // nothing can match any more
	key        string
}

func newTable(m *machine, generation int) *table {
	const states = 64
	t := &table{generation: generation, used: 1, byKey: map[string]*state{},
		steps: make([]uint32, states*m.stride), states: make([]*state, states)}
	t.start = t.put(m, start, &outcome{}).row
	return t
}

// put finds or makes the state of an outcome. There must be room.
func (t *table) put(m *machine, after kind, o *outcome) *state {
	key := binary.LittleEndian.AppendUint64(make([]byte, 0, 64+4*len(o.nodes)), uint64(after))
	for _, f := range o.found {
		key = binary.LittleEndian.AppendUint64(key, f)
	}
	for _, n := range o.nodes {
		key = binary.LittleEndian.AppendUint32(key, n)
	}
	if s, ok := t.byKey[string(key)]; ok {
		return s
	}
	s := &state{generation: t.generation, row: uint32(t.used) * m.stride, after: after, nodes: slices.Clone(o.nodes), found: o.found, key: string(key)}
	s.dead = len(s.nodes) == 0 && after != start && (after == ending || !m.anew)
	t.byKey[s.key] = s
	t.states[t.used] = s
	t.used++
	return s
}

// learn finds where a state leads over a rune of a class, which the caller's
// table doesn't know. It returns the newest table with the row of that state
// and the step.
func (m *machine) learn(from *state, class uint32) (t *table, step uint32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t = m.room()
	if from.generation != t.generation {
		from = t.put(m, from.after, &outcome{from.nodes, from.found})
	}
	at := &t.steps[from.row+class]
	if step = atomic.LoadUint32(at); step != 0 {
		return t, step
	}
	w := m.spare.Get().(*walker)
	to := t.put(m, m.kinds[class], w.step(from.nodes, from.after, class))
	m.spare.Put(w)
	step = to.row
	if to.dead || to.found != (bits{}) {
		step |= notable
	}
	atomic.StoreUint32(at, step)
	return t, step
}

// room gives a table with room for two more states.
func (m *machine) room() *table {
	t := m.table.Load()
	if t.used+2 <= len(t.states) {
		return t
	}
	if most := max(64, min(maxStates, maxSteps/int(m.stride))); len(t.states) >= most {
		t = newTable(m, t.generation+1)
	} else {
		n := min(most, 2*len(t.states))
		larger := *t
		larger.steps = make([]uint32, n*int(m.stride))
		copy(larger.steps, t.steps)
		larger.states = make([]*state, n)
		copy(larger.states, t.states)
		t = &larger
	}
	m.table.Store(t)
	return t
}
