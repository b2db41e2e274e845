package redact

import (
	"fmt"
	"math/bits"
	"slices"
	"unicode/utf8"
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
// Most bytes of a text are of no literal. What a literal begins with tells that at
// less cost than the table does, for the next bytes are looked up without waiting
// for what stands before them: see skip.
type automaton struct {
	column [256]uint8
	sort   [256]uint8
	begins *[1 << (3 * sortBits)]uint8 // by three sorts of bytes in a row: where in a literal's beginning they stand
	next   *[maxStates * maxRow]uint16 // next[state<<rowShift|column]
	first  uint16                      // states below it are no further than in a literal's first byte
	ends   uint16                      // states from here on end a literal
	hits   [][]uint16                  // literals that end at state ends+i, the longest first
	length []int                       // of each literal
}

// What literals begin with is compared by sorts of bytes, few enough that three in
// a row make a small table. Bytes that no literal holds are of sort 0.
const sortBits = 5

var sorts = [...]string{1: "jqvxz", "_-", "\"'`", ":", "(", "/", " ", "0123456789", ".=?&$%@+<>,;|#!*)[]{}~^",
	"a", "b", "c", "d", "e", "f", "g", "h", "i", "k", "l", "m", "n", "o", "p", "r", "s", "t", "u", "w", "y"}

// Only every second byte of a text is looked at, with the two after it. A literal
// begins there or one byte before or behind, and two such looks in a row see its
// first five or six bytes. Each of these ways has two bits, the second of which
// tells that both looks fit.
var ways = [...]struct {
	short bool
	looks [2]int // which bytes of the literal they begin with
}{{false, [2]int{1, 3}}, {false, [2]int{0, 2}}, {true, [2]int{0, 2}}, {true, [2]int{-1, 1}}}

const (
	firstLook  = 0b01010101
	secondLook = 0b10101010
	shortLess  = 6 // bytes: of a short literal any bytes may follow
)

// newAutomaton builds the automaton of lower-case ASCII literals.
func newAutomaton(literals []string) (*automaton, error) {
	a := &automaton{next: new([maxStates * maxRow]uint16), begins: new([1 << (3 * sortBits)]uint8)}
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
	if at >= len(text) {
		return at
	}
	sort, begins := &a.sort, a.begins
	last, seen, i := uint32(sort[text[at]]), uint8(0), at
	for ; i+2 < len(text); i += 2 {
		next := uint32(sort[text[i+2]])
		seen = (seen<<1 | firstLook) & begins[(last<<sortBits|uint32(sort[text[i+1]]))<<sortBits|next]
		if seen&secondLook != 0 {
			if from := begun(seen, i, at); from >= 0 {
				return from
			}
		}
		last = next
	}
	for ; i < len(text)+2; i += 2 { // as if bytes of no literal followed
		middle := uint32(0)
		if i+1 < len(text) {
			middle = uint32(sort[text[i+1]])
		}
		seen = (seen<<1 | firstLook) & begins[(last<<sortBits|middle)<<sortBits]
		if from := begun(seen, i, at); from >= 0 && from+2 <= len(text) {
			return from
		}
		last = 0
	}
	return len(text)
}

// begun returns where from at on the literal begins whose second look is at i, -1
// if there is none.
func begun(seen uint8, i, at int) int {
	for seen &= secondLook; seen != 0; seen &= seen - 1 {
		if from := i - ways[bits.TrailingZeros8(seen)/2].looks[1]; from >= at {
			return from
		}
	}
	return -1
}

// begin notes what a literal begins with.
func (a *automaton) begin(literal string) {
	for way, w := range ways {
		if w.short != (len(literal) < shortLess) {
			continue
		}
		for look, at := range w.looks {
			var from, to [3]uint32
			for n := range 3 {
				to[n] = 1<<sortBits - 1
				if at+n >= 0 && at+n < len(literal) {
					from[n] = uint32(a.sort[literal[at+n]])
					to[n] = from[n]
				}
			}
			for x := from[0]; x <= to[0]; x++ {
				for y := from[1]; y <= to[1]; y++ {
					for z := from[2]; z <= to[2]; z++ {
						a.begins[(x<<sortBits|y)<<sortBits|z] |= 1 << (2*way + look)
					}
				}
			}
		}
	}
}

// step returns the state after a byte.
func (a *automaton) step(state uint16, c byte) uint16 {
	return a.next[(uint32(state)<<rowShift|uint32(a.column[c]))%(maxStates*maxRow)]
}

// beyondASCII is how many columns the bytes of letters beyond ASCII have: all that
// are as many apart share one, so that what is found has to be compared.
const beyondASCII = 8

func (a *automaton) columns(literals []string) int {
	n := 1
	for _, l := range literals {
		a.length = append(a.length, len(l))
		for i := range len(l) {
			if c := l[i]; a.column[c] == 0 {
				if c >= utf8.RuneSelf {
					c = utf8.RuneSelf + c%beyondASCII
				}
				for ; ; c += beyondASCII {
					a.column[c] = uint8(n)
					if c < utf8.RuneSelf || c > 0xff-beyondASCII {
						break
					}
				}
				n++
			}
		}
	}
	for c := 'A'; c <= 'Z'; c++ {
		a.column[c] = a.column[c+'a'-'A']
	}
	for sort, chars := range sorts {
		for i := range len(chars) {
			a.sort[chars[i]] = uint8(sort)
		}
	}
	for c := range utf8.RuneSelf {
		switch {
		case a.column[c] == 0:
			a.sort[c] = 0
		case is(byte(c), upper):
			a.sort[c] = a.sort[c+'a'-'A']
		}
	}
	for _, l := range literals {
		for i := range len(l) {
			if c := l[i]; c >= utf8.RuneSelf {
				a.sort[c], a.sort[c^0x20] = uint8(len(sorts)), uint8(len(sorts)) // Cyrillic capitals too
			}
		}
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
