package redact

import (
	"fmt"
	"slices"
)

// A row of the table is as wide as a power of two, and the table has a fixed
// size, so that the inner loop needs no check of bounds.
const (
	rowShift  = 6
	maxRow    = 1 << rowShift // different bytes in literals, and one for all others
	maxStates = 4096
)

// An automaton finds many literals in one pass, in either case of ASCII letters
// (Aho and Corasick's construction, as one table with a row per state).
//
// Bytes that no literal holds share column 0. States at which a literal ends
// come last, so that one comparison tells them.
//
// Most bytes of a text are of no literal. Three bytes in a row tell that at less
// cost than the table does, for they are looked up without waiting for what
// stands before them: see skip.
type automaton struct {
	column [256]uint8
	begins [1 << (3 * rowShift) / 64]uint64 // a bit for every three columns that a literal begins with
	next   *[maxStates * maxRow]uint16      // next[state<<rowShift|column]
	first  uint16                           // states below it are no further than in a literal's first byte
	ends   uint16                           // states from here on end a literal
	hits   [][]uint16                       // literals that end at state ends+i, the longest first
	length []int                            // of each literal
}

// newAutomaton builds the automaton of lower-case ASCII literals.
func newAutomaton(literals []string) (*automaton, error) {
	a := &automaton{next: new([maxStates * maxRow]uint16)}
	columns := a.columns(literals)
	if columns > maxRow {
		return nil, fmt.Errorf("redact: literals hold %d different bytes, at most %d are possible", columns, maxRow)
	}
	for _, l := range literals {
		if len(l) < 2 {
			return nil, fmt.Errorf("redact: the literal %q is too short", l)
		}
		a.begin(l)
	}
	t := newTrie(a, literals)
	if len(t.hits) > maxStates {
		return nil, fmt.Errorf("redact: literals make up %d states, at most %d are possible", len(t.hits), maxStates)
	}
	t.link(columns)
	a.number(t)
	return a, nil
}

// walk calls found for every place at which literals end, in order, with those
// literals, the longest first.
func (a *automaton) walk(text string, found func(literals []uint16, end int)) {
	for at := a.skip(text, 0); at < len(text); at = a.skip(text, at) {
		state := a.step(0, text[at])
		for at++; at < len(text); at++ {
			state = a.step(state, text[at])
			if state < a.first {
				break // what begins at this byte, if anything, skip sees
			}
			if state >= a.ends {
				found(a.hits[state-a.ends], at+1)
			}
		}
	}
}

// skip returns the first place from at on where a literal may begin.
func (a *automaton) skip(text string, at int) int {
	if at+2 < len(text) {
		three := uint32(a.column[text[at]])<<rowShift | uint32(a.column[text[at+1]])
		for i := at + 2; i < len(text); i++ {
			three = (three<<rowShift | uint32(a.column[text[i]])) % (1 << (3 * rowShift))
			if a.begins[three/64]>>(three%64)&1 != 0 {
				return i - 2
			}
		}
	}
	return max(at, len(text)-2)
}

// begin notes what a literal begins with.
func (a *automaton) begin(literal string) {
	two := uint32(a.column[literal[0]])<<rowShift | uint32(a.column[literal[1]])
	for third := range uint32(maxRow) {
		if len(literal) == 2 || third == uint32(a.column[literal[2]]) {
			three := two<<rowShift | third
			a.begins[three/64] |= 1 << (three % 64)
		}
	}
}

// step returns the state after a byte.
func (a *automaton) step(state uint16, c byte) uint16 {
	return a.next[(uint32(state)<<rowShift|uint32(a.column[c]))%(maxStates*maxRow)]
}

func (a *automaton) columns(literals []string) int {
	n := 1
	for _, l := range literals {
		a.length = append(a.length, len(l))
		for i := range len(l) {
			if c := l[i]; a.column[c] == 0 {
				a.column[c] = uint8(n)
				n++
			}
		}
	}
	for c := 'A'; c <= 'Z'; c++ {
		a.column[c] = a.column[c+'a'-'A']
	}
	return n
}

// trie is the automaton before its states have their final numbers.
type trie struct {
	next  []uint16 // 0 where there is no edge; none leads back to the root
	hits  [][]uint16
	order []uint16 // states by depth, once linked
}

func newTrie(a *automaton, literals []string) *trie {
	most := 1
	for _, l := range literals {
		most += len(l)
	}
	t := &trie{next: make([]uint16, maxRow, most<<rowShift), hits: make([][]uint16, 1, most)}
	for id, l := range literals {
		at := 0
		for i := range len(l) {
			edge := at<<rowShift | int(a.column[l[i]])
			if t.next[edge] == 0 {
				t.next[edge] = uint16(len(t.hits))
				t.next = t.next[:len(t.next)+maxRow]
				t.hits = append(t.hits, nil)
			}
			at = int(t.next[edge])
		}
		t.hits[at] = append(t.hits[at], uint16(id))
	}
	return t
}

// link gives every state the edges of its longest proper suffix where it has none
// of its own, and that suffix's literals. Suffixes are less deep, so they are
// complete when they are wanted.
func (t *trie) link(columns int) {
	suffix := make([]uint16, len(t.hits))
	t.order = append(make([]uint16, 0, len(t.hits)), 0)
	for i := 0; i < len(t.order); i++ {
		at := int(t.order[i])
		row, shorter := t.next[at<<rowShift:], t.next[int(suffix[at])<<rowShift:]
		for c := range columns {
			to := row[c]
			switch {
			case to == 0:
				row[c] = shorter[c] // the root's own row: stays 0
			case at == 0:
				t.order = append(t.order, to)
			default:
				suffix[to] = shorter[c]
				t.hits[to] = append(t.hits[to], t.hits[shorter[c]]...)
				t.order = append(t.order, to)
			}
		}
	}
}

// number puts the states at which literals end behind the others.
func (a *automaton) number(t *trie) {
	number := make([]uint16, len(t.hits))
	n := uint16(0)
	for pass := range 2 {
		if pass == 1 {
			a.ends = n
		}
		for _, s := range t.order {
			if (len(t.hits[s]) > 0) != (pass == 1) {
				continue
			}
			number[s] = n
			n++
			if s == 0 || slices.Contains(t.next[:maxRow], s) {
				a.first = n
			}
			if pass == 1 {
				a.hits = append(a.hits, t.hits[s])
			}
		}
	}
	for s := range t.hits {
		row := t.next[s<<rowShift : (s+1)<<rowShift]
		for c, to := range row {
			a.next[int(number[s])<<rowShift|c] = number[to]
		}
	}
}
