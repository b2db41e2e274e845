// Package postings holds the lists that say in which documents a word stands, and
// their form in bytes. Where the bytes are kept is the caller's matter.
//
// The words of some documents are a row of blocks, each words in order:
//
//	block   entry…
//	entry   shared rest word there list…
//	        shared: bytes that the word has in common with the one before it in the
//	        block; rest: how many follow; there: a bit for each table with a list
//	list    docs length posting…
//	posting gap<<2|form counts
//	        gap: from the document before, from 0 for the first; counts by its
//	        form: none (once in column 0, once in column 1, once in each) or two
//
// Numbers are varints as encoding/binary has them.
package postings

import (
	"encoding/binary"
	"errors"
	"iter"
	"maps"
	"slices"
)

// Tables is how many kinds of documents have lists of their own.
const Tables = 3

// Columns is how many parts of a document words are counted in apart.
const Columns = 2

// ErrDamaged means that bytes aren't what was written.
var ErrDamaged = errors.New("lists of words are damaged")

// Posting is how often a word stands in a document.
type Posting struct {
	Doc    int64
	Counts [Columns]uint32 // in each column, not all 0
}

// List is the documents of one table that hold a word.
type List struct {
	Docs int    // how many
	Data []byte // see Read
	last int64
}

// Lists are a word's lists, one a table.
type Lists [Tables]List

// The forms of a posting's counts.
const (
	onceFirst = iota
	onceSecond
	onceEach
	counted
)

// Add says how often the word stands in a document, whose number is higher than
// those before it in the list: false if it isn't.
func (l *List) Add(p Posting) bool {
	if p.Doc <= l.last {
		return false
	}
	form := uint64(counted)
	switch p.Counts {
	case [Columns]uint32{1, 0}:
		form = onceFirst
	case [Columns]uint32{0, 1}:
		form = onceSecond
	case [Columns]uint32{1, 1}:
		form = onceEach
	}
	l.Data = binary.AppendUvarint(l.Data, uint64(p.Doc-l.last)<<2|form)
	if form == counted {
		l.Data = binary.AppendUvarint(l.Data, uint64(p.Counts[0]))
		l.Data = binary.AppendUvarint(l.Data, uint64(p.Counts[1]))
	}
	l.last = p.Doc
	l.Docs++
	return true
}

// Words are the lists of words in the making.
type Words map[string]*Lists

// Of is where the postings of a word go. The same is given for the same word.
func (w Words) Of(word string) *Lists {
	l := w[word]
	if l == nil {
		l = new(Lists)
		w[word] = l
	}
	return l
}

// blockMost is how many bytes a block and its first word take, unless it is of one
// word alone: four fit in a page of 4 KB with what SQLite needs beside them, and going
// through one takes a microsecond.
const blockMost = 960

// Last comes behind every word.
const Last = "\U0010ffff"

// Blocks are the words in order, each block with its first one. Its bytes hold until
// the next.
func (w Words) Blocks() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		var block []byte
		var first, before string
		for _, word := range slices.Sorted(maps.Keys(w)) {
			longer := appendEntry(block, before, word, w[word])
			if len(block) > 0 && len(first)+len(longer) > blockMost {
				if !yield(first, block) {
					return
				}
				block = block[:0]
				longer = appendEntry(block, "", word, w[word])
			}
			if len(block) == 0 {
				first = word
			}
			block, before = longer, word
		}
		if len(block) > 0 {
			yield(first, block)
		}
	}
}

// appendEntry appends a word, behind the word before it in the block, none for the first.
func appendEntry(b []byte, before, word string, lists *Lists) []byte {
	shared, there := 0, byte(0)
	for shared < len(before) && shared < len(word) && before[shared] == word[shared] {
		shared++
	}
	b = binary.AppendUvarint(b, uint64(shared))
	b = binary.AppendUvarint(b, uint64(len(word)-shared))
	b = append(b, word[shared:]...)
	for i, l := range lists {
		if l.Docs > 0 {
			there |= 1 << i
		}
	}
	b = append(b, there)
	for _, l := range lists {
		if l.Docs > 0 {
			b = binary.AppendUvarint(b, uint64(l.Docs))
			b = binary.AppendUvarint(b, uint64(len(l.Data)))
			b = append(b, l.Data...)
		}
	}
	return b
}

// Each calls f for the words of a block in order, until it returns false. What f gets
// holds for the call; the lists' data are a part of block.
func Each(block []byte, f func(word []byte, lists Lists) bool) error {
	r := Read(block)
	var word []byte
	for r.More() {
		shared := r.Number()
		if shared > uint64(len(word)) {
			return ErrDamaged
		}
		word = append(word[:shared], r.Bytes()...)
		there := r.Number()
		var lists Lists
		for i := range lists {
			if there>>i&1 != 0 {
				lists[i] = List{Docs: int(r.Number()), Data: r.Bytes()}
			}
		}
		if r.err != nil {
			return r.err
		}
		if !f(word, lists) {
			return nil
		}
	}
	return nil
}

// Reader goes through the postings of a list, or whatever else is made of varints.
type Reader struct {
	left []byte
	doc  int64
	err  error
}

// Read begins with the first posting.
func Read(data []byte) Reader { return Reader{left: data} }

// Err is ErrDamaged if what was read ended early.
func (r *Reader) Err() error { return r.err }

// More reports whether anything is left to read.
func (r *Reader) More() bool { return len(r.left) > 0 }

// Next gives the next posting, false behind the last.
func (r *Reader) Next() (p Posting, ok bool) {
	if len(r.left) == 0 {
		return p, false
	}
	gap := r.Number()
	r.doc += int64(gap >> 2)
	p.Doc = r.doc
	switch gap & 3 {
	case onceFirst:
		p.Counts[0] = 1
	case onceSecond:
		p.Counts[1] = 1
	case onceEach:
		p.Counts[0], p.Counts[1] = 1, 1
	default:
		p.Counts[0], p.Counts[1] = uint32(r.Number()), uint32(r.Number())
	}
	return p, r.err == nil
}

// Number reads a varint; 0 behind the end.
func (r *Reader) Number() uint64 {
	if len(r.left) > 0 && r.left[0] < 0x80 { // most
		n := r.left[0]
		r.left = r.left[1:]
		return uint64(n)
	}
	n, size := binary.Uvarint(r.left)
	if size <= 0 {
		r.left, r.err = nil, ErrDamaged
		return 0
	}
	r.left = r.left[size:]
	return n
}

// Bytes reads a length and as many bytes.
func (r *Reader) Bytes() []byte {
	n := r.Number()
	if n > uint64(len(r.left)) {
		r.left, r.err = nil, ErrDamaged
		return nil
	}
	b := r.left[:n]
	r.left = r.left[n:]
	return b
}
