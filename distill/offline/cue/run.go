package cue

import (
	"sync/atomic"
	"unicode/utf8"
)

// run reads a text once and tells which units match in it: all of them, or some
// with one that is a whole pattern if any is enough.
func (m *machine) run(text string, any bool) bits {
	var found bits
	t := m.table.Load()
	steps, ascii := t.steps, &m.classes.ascii
	row, missed := t.start, 0
	for i := 0; i <= len(text); {
		class, size := m.end, 1
		if i < len(text) {
			if b := text[i]; b < utf8.RuneSelf {
				class = uint32(ascii[b])
				if step := atomic.LoadUint32(&steps[row+class]); step-1 < notable-1 { // as most are
					row = step
					i++
					continue
				}
			} else {
				var r rune
				r, size = utf8.DecodeRuneInString(text[i:])
				class = m.classes.of(r)
			}
		}
		step := atomic.LoadUint32(&steps[row+class])
		if step == 0 {
			from := t.states[row/m.stride]
			if missed++; t.generation > 0 && missed > 8+len(text)/8 {
				return m.plod(from, text[i:], found)
			}
			t, step = m.learn(from, class)
			steps = t.steps
		}
		if step&notable != 0 {
			step &^= notable
			s := t.states[step/m.stride]
			found.add(&s.found)
			if s.dead || found == m.all || any && found.and(m.whole) != (bits{}) {
				return found
			}
		}
		row = step
		i += size
	}
	return found
}

// plod reads the rest of a text without the table, for texts that would fill it
// with states of no use to others.
func (m *machine) plod(from *state, text string, found bits) bits {
	w := m.spare.Get().(*walker)
	defer m.spare.Put(w)
	nodes, after := append([]uint32(nil), from.nodes...), from.after
	for i := 0; i <= len(text); {
		class, size := m.end, 1
		if i < len(text) {
			var r rune
			r, size = utf8.DecodeRuneInString(text[i:])
			class = m.classes.of(r)
		}
		o := w.step(nodes, after, class)
		found.add(&o.found)
		nodes, after = append(nodes[:0], o.nodes...), m.kinds[class]
		if found == m.all || len(nodes) == 0 && !m.anew {
			break
		}
		i += size
	}
	return found
}
