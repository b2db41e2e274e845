// Package postings holds the lists that say in which documents a word stands:
// their form in bytes, the dictionary blocks that name them, and the merging
// of segments. Where the bytes are kept is the caller's matter.
//
// A segment is the words of some documents. It never changes; documents that
// come later go into another one, and segments that follow one another are
// merged into one. Its dictionary is a row of blocks, each words in order:
//
//	block   entry…
//	entry   shared rest word forms list…
//	        shared: bytes that the word has in common with the one before it in
//	        the block; rest: how many follow; forms: two bits a table
//	list    by its form: nothing; one posting; docs, length and postings;
//	        docs and the number of the row that holds them
//	row     posting…
//	posting gap<<2|form counts
//	        gap: from the document before, from 0 for the first; counts by its
//	        form: none (once in column 0, once in column 1, once in each) or two
//
// Numbers are varints as encoding/binary has them.
package postings

import (
	"encoding/binary"
	"errors"
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
	Data []byte // the postings; nil if Row holds them
	Row  int64
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

// appendPosting appends what follows the posting of document before.
func appendPosting(b []byte, before int64, p Posting) []byte {
	form := uint64(counted)
	switch p.Counts {
	case [Columns]uint32{1, 0}:
		form = onceFirst
	case [Columns]uint32{0, 1}:
		form = onceSecond
	case [Columns]uint32{1, 1}:
		form = onceEach
	}
	b = binary.AppendUvarint(b, uint64(p.Doc-before)<<2|form)
	if form == counted {
		b = binary.AppendUvarint(b, uint64(p.Counts[0]))
		b = binary.AppendUvarint(b, uint64(p.Counts[1]))
	}
	return b
}

// Reader goes through the postings of a list.
type Reader struct {
	left []byte
	doc  int64
	err  error
}

// Read begins with the first posting.
func Read(data []byte) Reader { return Reader{left: data} }

// Err is ErrDamaged if Next ended early.
func (r *Reader) Err() error { return r.err }

// Next gives the next posting, false behind the last.
func (r *Reader) Next() (p Posting, ok bool) {
	if len(r.left) == 0 {
		return p, false
	}
	gap := r.number()
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
		p.Counts[0], p.Counts[1] = uint32(r.number()), uint32(r.number())
	}
	return p, r.err == nil
}

func (r *Reader) number() uint64 {
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
