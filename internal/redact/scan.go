package redact

import (
	"cmp"
	"slices"
	"strings"
)

// span is a secret's place in a text.
type span struct {
	from, to int
	kind     string
	rank     int    // of two with the same place, the lower gives the kind
	secret   string // its unescaped form, "" if that isn't different
}

const (
	genericKind = "key"    // found by the generic rule; any other kind says more
	knownKind   = "secret" // recognized as one found before, and gets its placeholder
)

// scan is one pass over one text. Its memory is reused for the next.
type scan struct {
	text  string
	found []span

	blockEnd int // of the last key block

	// the run of token characters around the last literal, and how many tries it has left (see exhausted)
	runTo, tries int

	access, password reach  // beside words of each kind
	beside           []span // what was found there

	decoding bool // the text was encoded
	undo     bool // it has lines that nested must read as URLs

	topics map[string]bool   // that its words speak of
	looks  map[string]string // by word: how odd it looks

	around map[*lazyRule]int // by rule: where its last window ended
}

// look collects the secrets in a text in s.found.
func (s *scan) look(text string) {
	scanner.once.Do(scanner.build)
	*s = scan{text: text, found: s.found[:0], beside: s.beside[:0], blockEnd: -1, around: s.around, looks: s.looks,
		decoding: s.decoding}
	clear(s.around)
	for from, to := range longRuns(text) {
		s.randomRun(from, to)
	}
	scanner.literals.each(text, func(one *literal, at int) {
		if !s.exhausted(at) {
			s.try(one, at)
		}
	})
	s.oddWords(s.oddWord)
	s.addBeside()
}

func (s *scan) try(one *literal, at int) {
	for _, try := range one.tries {
		try(s, at, at+len(one.text))
	}
}

func (s *scan) add(from, to int, kind string) {
	if from < to {
		rank := len(s.found)
		if kind == genericKind || kind == knownKind {
			rank += 1 << 30
		}
		s.found = append(s.found, span{from: from, to: to, kind: kind, rank: rank})
	}
}

// merged returns the spans in order, with overlapping ones joined; the longest gives the kind, on a tie the first.
func (s *scan) merged() []span {
	slices.SortFunc(s.found, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to), cmp.Compare(a.rank, b.rank))
	})
	var out []span
	longest := 0
	for _, f := range s.found {
		last := len(out) - 1
		if last < 0 || f.from >= out[last].to {
			out, longest = append(out, f), f.to-f.from
			continue
		}
		if f.to-f.from > longest {
			out[last].kind, longest = f.kind, f.to-f.from
		}
		out[last].to = max(out[last].to, f.to)
	}
	return out
}

// How many literals are tried in one run of token characters. Ordinary text has one in a few dozen bytes; without the
// limit, a megabyte of nothing but literals would take minutes.
const (
	triesARun = 32
	triesEach = 48 // bytes of the run per additional try
)

// exhausted reports whether the run of token characters around a position has used up its tries.
func (s *scan) exhausted(at int) bool {
	if at >= s.runTo {
		end := at + 1
		for end < len(s.text) && is(s.text[end], token) {
			end++
		}
		s.runTo, s.tries = end, triesARun+(end-at)/triesEach
	}
	s.tries--
	return s.tries < 0
}

// before returns the byte before position at, 0 at the beginning.
func (s *scan) before(at int) byte {
	if at == 0 {
		return 0
	}
	return s.text[at-1]
}

// at returns the byte at position at, 0 at the end.
func (s *scan) at(at int) byte {
	if at >= len(s.text) {
		return 0
	}
	return s.text[at]
}

// literals finds many literals in one case-insensitive pass. A table lookup by the first four bytes skips most text.
type literals struct {
	// by a hash of three bytes: the shortest literal that begins with them, and a bit set of the fourth bytes that can
	// follow
	first  [1 << firstBits]*literal
	fourth [1 << firstBits]uint64
}

// literal is a text in lower case, and the detectors to try where it occurs.
type literal struct {
	text  string
	tries []detector
	next  *literal // with the same hash, and no shorter
}

const (
	firstBits = 13
	bytesCase = 0x20202020 // lowers the case of four bytes at once; maps other bytes consistently
)

func (l *literals) add(text string, try detector) {
	h := hashOfThree(fourBytes(text+" ", 0) | bytesCase)
	place := &l.first[h]
	for *place != nil && len((*place).text) <= len(text) && (*place).text != text {
		place = &(*place).next
	}
	if *place == nil || (*place).text != text {
		*place = &literal{text: text, next: *place}
	}
	(*place).tries = append((*place).tries, try)
	if len(text) == 3 {
		l.fourth[h] = ^uint64(0)
	} else {
		l.fourth[h] |= 1 << ((text[3] | 0x20) % 64)
	}
}

func fourBytes(s string, at int) uint32 {
	_ = s[at+3]
	return uint32(s[at]) | uint32(s[at+1])<<8 | uint32(s[at+2])<<16 | uint32(s[at+3])<<24
}

// hashOfThree hashes the first three of four bytes.
func hashOfThree(four uint32) uint32 { return four << 8 * 2654435761 >> (32 - firstBits) }

// each calls found for every occurrence of a literal, in order; nil holds none.
func (l *literals) each(text string, found func(one *literal, at int)) {
	if l == nil {
		return
	}
	for at := 0; at+4 <= len(text); at++ {
		if four := fourBytes(text, at) | bytesCase; l.fourth[hashOfThree(four)]>>(four>>24%64)&1 != 0 {
			l.at(text, at, found)
		}
	}
	if at := len(text) - 3; at >= 0 {
		l.at(text, at, found)
	}
}

func (l *literals) at(text string, at int, found func(one *literal, at int)) {
	three := uint32(text[at]) | uint32(text[at+1])<<8 | uint32(text[at+2])<<16
	for one := l.first[hashOfThree(three|bytesCase)]; one != nil; one = one.next {
		end := at + len(one.text)
		if end <= len(text) && (text[end-1]^one.text[len(one.text)-1])&^0x20 == 0 && // a quick look
			strings.EqualFold(text[at:end], one.text) {
			found(one, at)
		}
	}
}
