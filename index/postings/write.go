package postings

import (
	"maps"
	"slices"
)

// A Store takes what a segment consists of, in the order of its words. It neither
// changes data nor holds on to it.
type Store interface {
	// Block keeps a dictionary block, whose first word is first.
	Block(first string, data []byte) error
	// Row keeps a long list, and names it by a number that is not 0.
	Row(data []byte) (int64, error)
}

// A block and its first word take no more than so many bytes: then three fit in a page
// of 4 KB with what SQLite needs beside them (of blocks a little longer, two do), and
// going through one takes a microsecond. A list of more bytes than inlineMost stands
// apart, so that looking up how frequent a word is stays cheap.
const (
	blockMost  = 1330
	inlineMost = 400
)

// Last comes behind every word.
const Last = "\U0010ffff"

// writer makes blocks of words that come in order.
type writer struct {
	store  Store
	block  []byte
	first  string
	before []byte // the last word
}

func (w *writer) add(word []byte, lists Lists) error {
	for i, l := range lists {
		if len(l.Data) <= inlineMost {
			continue
		}
		row, err := w.store.Row(l.Data)
		if err != nil {
			return err
		}
		lists[i].Data, lists[i].Row = nil, row
	}
	if size := len(w.block); size > 0 {
		w.block = appendEntry(w.block, w.before, word, lists)
		if len(w.first)+len(w.block) <= blockMost {
			w.before = append(w.before[:0], word...)
			return nil
		}
		w.block = w.block[:size]
		if err := w.flush(); err != nil {
			return err
		}
	}
	w.first, w.before = string(word), append(w.before[:0], word...)
	w.block = appendEntry(w.block, nil, word, lists)
	return nil
}

// flush ends a block.
func (w *writer) flush() error {
	if len(w.block) == 0 {
		return nil
	}
	err := w.store.Block(w.first, w.block)
	w.block = w.block[:0]
	return err
}

// Builder gathers the words of new documents.
type Builder struct{ words map[string]*Word }

// Word is where a word's postings go.
type Word struct {
	lists [Tables]struct {
		docs int
		last int64
		data []byte
	}
}

// NewBuilder is an empty one.
func NewBuilder() *Builder { return &Builder{words: map[string]*Word{}} }

// Word is where the postings of a word go. The same is given for the same word.
func (b *Builder) Word(word string) *Word {
	w := b.words[word]
	if w == nil {
		w = new(Word)
		b.words[word] = w
	}
	return w
}

// Add says how often the word stands in a document, whose number is higher than
// those before it in the table.
func (w *Word) Add(table int, p Posting) {
	l := &w.lists[table]
	l.data = appendPosting(l.data, l.last, p)
	l.last = p.Doc
	l.docs++
}

// Write makes a segment of what was gathered.
func (b *Builder) Write(to Store) error {
	w := writer{store: to}
	all := slices.AppendSeq(make([]string, 0, len(b.words)), maps.Keys(b.words))
	slices.Sort(all)
	var name []byte
	for _, word := range all {
		var lists Lists
		for table, l := range b.words[word].lists {
			lists[table] = List{Docs: l.docs, Data: l.data}
		}
		name = append(name[:0], word...)
		if err := w.add(name, lists); err != nil {
			return err
		}
	}
	return w.flush()
}
