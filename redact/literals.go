package redact

import (
	"slices"
	"strings"
)

// literals finds many literals in one pass, in either case. A look at a table by the first four bytes passes most text.
type literals struct {
	// By a hash of three bytes: the literals that begin so, shorter ones first, and the last bits of bytes that may
	// follow.
	all    [1 << firstBits][]*literal
	fourth [1 << firstBits]uint64
}

// literal is a text, in small letters, and what to try where it stands.
type literal struct {
	text  string
	tries []detector
}

const (
	firstBits = 13
	bytesCase = 0x20202020 // makes small letters of capital ones, and the same of others in all places
)

func (l *literals) add(one *literal) {
	h := hashOfThree(fourBytes(one.text+" ", 0) | bytesCase)
	l.all[h] = append(l.all[h], one)
	slices.SortStableFunc(l.all[h], func(a, b *literal) int { return len(a.text) - len(b.text) })
	if len(one.text) == 3 {
		l.fourth[h] = ^uint64(0)
	} else {
		l.fourth[h] |= 1 << ((one.text[3] | 0x20) % 64)
	}
}

func fourBytes(s string, at int) uint32 {
	_ = s[at+3]
	return uint32(s[at]) | uint32(s[at+1])<<8 | uint32(s[at+2])<<16 | uint32(s[at+3])<<24
}

// hashOfThree is one of the first three of four bytes.
func hashOfThree(four uint32) uint32 { return four << 8 * 2654435761 >> (32 - firstBits) }

// each calls found for every place where a literal stands, in order; nil holds none.
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
	for _, one := range l.all[hashOfThree(three|bytesCase)] {
		if end := at + len(one.text); end <= len(text) && strings.EqualFold(text[at:end], one.text) {
			found(one, at)
		}
	}
}
