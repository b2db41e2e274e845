// Package postings holds posting lists, which say which documents contain a word, and their encoding. The
// caller stores the bytes.
//
// The words of some documents are encoded as a sequence of blocks, each with its words in order:
//
//	block   entry…
//	entry   shared rest word there list…
//	        shared: bytes that the word shares with the previous one in the block;
//	        rest: how many follow; there: a bit for each table with a list
//	list    docs length posting…
//	posting gap<<2|form counts
//	        gap: from the previous document, from 0 for the first; counts by
//	        form: none (once in column 0, once in column 1, once in each) or two
//
// Numbers are varints as in encoding/binary.
package postings

import (
	"encoding/binary"
	"errors"
	"iter"
	"maps"
	"slices"
)

// Tables is how many kinds of documents have separate lists.
const Tables = 3

// Columns is how many parts of a document are counted separately.
const Columns = 2

// ErrDamaged means that the bytes are not as they were written.
var ErrDamaged = errors.New("lists of words are damaged")

// Posting is how often a word occurs in a document.
type Posting struct {
	Doc    int64
	Counts [Columns]uint32 // by column, not all 0
}

// List is the documents of one table that contain a word.
type List struct {
	Docs int    // how many
	Data []byte // see Read
	last int64
}

// Lists are a word's lists, one per table.
type Lists [Tables]List

// The encodings of a posting's counts.
const (
	onceFirst = iota
	onceSecond
	onceEach
	counted
)

// Add appends a posting. It returns false if the document's number isn't higher than those before it.
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

// Words collects the lists of words.
type Words map[string]*Lists

// Of returns the lists of a word, creating them if needed.
func (w Words) Of(word string) *Lists {
	l := w[word]
	if l == nil {
		l = new(Lists)
		w[word] = l
	}
	return l
}

// maxBlock is the size limit of a block with its first word, unless it holds only one word: four fit in a page
// of 4 KB with SQLite's overhead, and reading through one takes a microsecond.
const maxBlock = 960

// Last sorts after every word.
const Last = "\U0010ffff"

// Blocks iterates over the blocks in order, each with its first word. The bytes are valid until the next
// iteration.
func (w Words) Blocks() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		var block []byte
		var first, before string
		for _, word := range slices.Sorted(maps.Keys(w)) {
			longer := appendEntry(block, before, word, w[word])
			if len(block) > 0 && len(first)+len(longer) > maxBlock {
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

// appendEntry appends a word, given the previous word in the block, "" for the first.
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

// Each calls f for the words of a block in order, until it returns false. Word is valid only during the call;
// the lists' data are slices of block.
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

// Reader reads the postings of a list, or other data made of varints.
type Reader struct {
	left []byte
	doc  int64
	err  error
}

// Read returns a Reader at the first posting.
func Read(data []byte) Reader { return Reader{left: data} }

// Err is ErrDamaged if the data ended early.
func (r *Reader) Err() error { return r.err }

// More reports whether anything is left to read.
func (r *Reader) More() bool { return len(r.left) > 0 }

// Next returns the next posting, false after the last.
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

// Number reads a varint; 0 after the end.
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

// Bytes reads a length and that many bytes.
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
