package postings

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// How a list stands in its entry.
const (
	absent  = iota
	single  // its one posting
	inline  // docs, length, postings
	outside // docs, row
)

// appendEntry appends a word, behind the word before it in the block, none for the first.
func appendEntry(b []byte, before, word []byte, lists Lists) []byte {
	shared := 0
	for shared < len(before) && shared < len(word) && before[shared] == word[shared] {
		shared++
	}
	b = binary.AppendUvarint(b, uint64(shared))
	b = binary.AppendUvarint(b, uint64(len(word)-shared))
	b = append(b, word[shared:]...)
	forms := byte(0)
	for i, l := range lists {
		forms |= formOf(l) << (2 * i)
	}
	b = append(b, forms)
	for _, l := range lists {
		switch formOf(l) {
		case single:
			b = append(b, l.Data...)
		case inline:
			b = binary.AppendUvarint(b, uint64(l.Docs))
			b = binary.AppendUvarint(b, uint64(len(l.Data)))
			b = append(b, l.Data...)
		case outside:
			b = binary.AppendUvarint(b, uint64(l.Docs))
			b = binary.AppendUvarint(b, uint64(l.Row))
		}
	}
	return b
}

func formOf(l List) byte {
	switch {
	case l.Docs == 0:
		return absent
	case l.Row != 0:
		return outside
	case l.Docs == 1:
		return single
	}
	return inline
}

// entries goes through a block's words. word and lists hold until the next.
type entries struct {
	left  Reader
	word  []byte
	lists Lists
}

// next moves to the next word; false behind the last, or where the block is damaged.
func (e *entries) next() bool {
	if len(e.left.left) == 0 {
		return false
	}
	shared, rest := e.left.number(), e.left.number()
	if shared > uint64(len(e.word)) {
		e.left.err = ErrDamaged
	}
	e.word = append(e.word[:min(shared, uint64(len(e.word)))], e.bytes(rest)...)
	e.read()
	return e.left.err == nil
}

// read reads the lists behind a word.
func (e *entries) read() {
	forms := e.bytes(1)
	for i := range e.lists {
		e.lists[i] = List{}
		if e.left.err != nil {
			return
		}
		e.list(&e.lists[i], forms[0]>>(2*i)&3)
	}
}

func (e *entries) list(l *List, form byte) {
	switch form {
	case single:
		l.Docs = 1
		all := e.left.left
		at := Read(all)
		at.Next()
		l.Data, e.left.left, e.left.err = all[:len(all)-len(at.left)], at.left, at.err
	case inline:
		l.Docs = int(e.left.number())
		l.Data = e.bytes(e.left.number())
	case outside:
		l.Docs = int(e.left.number())
		l.Row = int64(e.left.number())
	}
}

func (e *entries) bytes(n uint64) []byte {
	if n > uint64(len(e.left.left)) {
		e.left.left, e.left.err = nil, ErrDamaged
		return nil
	}
	b := e.left.left[:n]
	e.left.left = e.left.left[n:]
	return b
}

// Find looks a word up in the block that would hold it. The lists' data are a part of block.
func Find(block []byte, word string) (lists Lists, ok bool, err error) {
	e := entries{left: Read(block)}
	for e.next() {
		if order := strings.Compare(string(e.word), word); order >= 0 {
			return e.lists, order == 0, nil
		}
	}
	return lists, false, e.left.err
}

// Each calls f for the words of a block that begin so. What f gets holds for the call.
func Each(block []byte, with string, f func(word []byte, lists Lists)) error {
	e := entries{left: Read(block)}
	for e.next() {
		if bytes.HasPrefix(e.word, []byte(with)) {
			f(e.word, e.lists)
		}
	}
	return e.left.err
}
