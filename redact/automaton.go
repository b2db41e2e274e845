package redact

import (
	"fmt"
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
// Most of a text is of no literal. Four bytes at every second place tell that at
// less cost than the table does: see walk.
type automaton struct {
	column [256]uint8
	fours  *[1 << (foursBits - 6)]uint64 // which hashes of four bytes there are where a literal begins
	next   *[maxStates * maxRow]uint16   // next[state<<rowShift|column]
	first  uint16                        // states below it are no further than in a literal's first byte
	ends   uint16                        // states from here on end a literal
	hits   [][]uint16                    // literals that end at state ends+i, the longest first
	length []int                         // of each literal
}

const (
	foursBits = 21
	foursCase = 0x20202020 // makes small letters of capital ones, and the same of others in all places
)

// newAutomaton builds the automaton of lower-case ASCII literals.
func newAutomaton(literals []string) (*automaton, error) {
	a := &automaton{next: new([maxStates * maxRow]uint16), fours: new([1 << (foursBits - 6)]uint64)}
	columns := a.columns(literals)
	if columns > maxRow {
		return nil, fmt.Errorf("redact: literals hold %d different bytes, at most %d are possible", columns, maxRow)
	}
	for _, l := range literals {
		if len(l) < 3 {
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
// literals, the longest first; and stretch, if it isn't nil, with a place in each
// stretch of twenty or more bytes without blanks, quotes and brackets. That returns up
// to where it has looked.
func (a *automaton) walk(text string, found func(literals []uint16, end int), stretch func(at int) int) {
	from, seen := 0, 0 // what stands before them was looked at
	if stretch == nil {
		seen = len(text)
	}
	for i, streak := 0, 0; i < len(text); {
		at, n := a.skip(text, i, seen, streak)
		if at >= len(text) {
			break
		}
		if n > 1 {
			seen = max(at+1, stretch(at))
			i, streak = at+window-2, 0
			continue
		}
		if at >= seen && (n > 0 || at+window <= len(text) && unbroken(eightBytes(text, at))) {
			seen = max(at+1, stretch(at))
		}
		from = a.follow(text, max(from, at-1), at+1, found)
		i, streak = from, 0
		if from > at+4 { // so far that a stretch may have begun
			streak = 1
		}
	}
	a.follow(text, max(from, len(text)-5), len(text), found)
}

const window = 8 // bytes that skip looks at at once

// skip returns the first place from i on by two where a literal may begin, or one byte
// behind or before; or, with a streak of two, one from seen on within a stretch. A streak of
// one is of what may be in a stretch.
func (a *automaton) skip(text string, i, seen, before int) (at, streak int) {
	fours := a.fours
	streak = before
	for ; i+window <= len(text); i += window - 2 {
		eight := eightBytes(text, i)
		x, y, z := foursHash(uint32(eight)), foursHash(uint32(eight>>16)), foursHash(uint32(eight>>32))
		if (fours[x/64]>>(x%64)|fours[y/64]>>(y%64)|fours[z/64]>>(z%64))&1 != 0 {
			break
		}
		streak++
		if !unbroken(eight) {
			streak = 0
		}
		if streak >= 2 && i >= seen {
			return i, streak
		}
	}
	for ; i+4 <= len(text); i += 2 {
		if h := foursHash(fourBytes(text, i)); fours[h/64]>>(h%64)&1 != 0 {
			return i, min(streak, 1)
		}
	}
	return len(text), 0
}

func eightBytes(s string, at int) uint64 {
	t := s[at : at+window]
	return uint64(t[0]) | uint64(t[1])<<8 | uint64(t[2])<<16 | uint64(t[3])<<24 |
		uint64(t[4])<<32 | uint64(t[5])<<40 | uint64(t[6])<<48 | uint64(t[7])<<56
}

// unbroken reports whether of eight bytes none stands before '-' in ASCII and none beyond it.
func unbroken(eight uint64) bool {
	const each = 0x0101010101010101
	return (eight-'-'*each|eight)&(0x80*each) == 0
}

// follow looks for literals from at on that begin at most at the place most, and returns
// where the next may begin.
func (a *automaton) follow(text string, at, most int, found func(literals []uint16, end int)) int {
	for state := uint16(0); at < len(text); at++ {
		state = a.step(state, text[at])
		if state < a.first && at > most {
			return at
		}
		if state >= a.ends {
			found(a.hits[state-a.ends], at+1)
		}
	}
	return at
}

// foursHash returns a hash of four bytes that is of no more than foursBits bits.
func foursHash(four uint32) uint32 { return (four | foursCase) * 2654435761 >> (32 - foursBits) }

// begin notes the four bytes that stand where a literal begins and those one byte on; of a
// short literal those one byte before, with any byte.
func (a *automaton) begin(literal string) {
	add := func(four []byte) {
		h := foursHash(fourBytes(string(four), 0))
		a.fours[h/64] |= 1 << (h % 64)
	}
	if len(literal) >= 5 {
		add([]byte(literal[:4]))
		add([]byte(literal[1:5]))
		return
	}
	for c := range 0x100 {
		if any := byte(c); any|0x20 == any {
			add([]byte((literal + string([]byte{any, any}))[:4]))
			add(append([]byte{any}, literal[:3]...))
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
