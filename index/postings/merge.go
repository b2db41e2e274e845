package postings

import "bytes"

// A Source gives the blocks and rows of a segment, in order. At the end it
// gives nil.
type Source interface {
	Block() ([]byte, error)
	Row() ([]byte, error)
}

// Part is a segment to be merged.
type Part struct {
	Source
	Alive func(table int, doc int64) bool // nil if all its documents are
}

// Merge makes one segment of several. Those further on hold higher documents.
// Documents that aren't alive any more are left out.
func Merge(to Store, from ...Part) error {
	m := merging{writer: writer{store: to}}
	for _, p := range from {
		c := &cursor{Part: p}
		if err := c.next(); err != nil {
			return err
		}
		m.left = append(m.left, c)
	}
	for m.lowest() {
		if err := m.word(); err != nil {
			return err
		}
	}
	return m.writer.flush()
}

// merging is a merge under way.
type merging struct {
	writer  writer
	left    []*cursor
	holders []*cursor // of the word that comes next, in order
	room    [Tables][]byte
}

// lowest finds the segments that hold the word that comes next, false if none is left.
func (m *merging) lowest() bool {
	m.holders = m.holders[:0]
	for _, c := range m.left {
		if c.ended {
			continue
		}
		order := -1
		if len(m.holders) > 0 {
			order = bytes.Compare(c.at.word, m.holders[0].at.word)
		}
		if order < 0 {
			m.holders = m.holders[:0]
		}
		if order <= 0 {
			m.holders = append(m.holders, c)
		}
	}
	return len(m.holders) > 0
}

// word writes the word that comes next, and goes on to the one after it.
func (m *merging) word() error {
	var lists Lists
	if one := m.holders[0]; len(m.holders) == 1 && one.Alive == nil {
		for table, l := range one.at.lists {
			lists[table] = List{Docs: l.Docs, Data: one.data[table]}
		}
	} else if err := m.join(&lists); err != nil {
		return err
	}
	if lists.some() {
		if err := m.writer.add(m.holders[0].at.word, lists); err != nil {
			return err
		}
	}
	for _, c := range m.holders {
		if err := c.next(); err != nil {
			return err
		}
	}
	return nil
}

func (l *Lists) some() bool { return l[0].Docs+l[1].Docs+l[2].Docs > 0 }

func (m *merging) join(to *Lists) error {
	for table := range to {
		j := joined{data: m.room[table][:0]}
		for _, c := range m.holders {
			if err := j.add(table, c); err != nil {
				return err
			}
		}
		m.room[table] = j.data
		to[table] = List{Docs: j.docs, Data: j.data}
	}
	return nil
}

// joined is lists put one behind the other.
type joined struct {
	data []byte
	docs int
	last int64
}

func (j *joined) add(table int, c *cursor) error {
	r := Read(c.data[table])
	for p, ok := r.Next(); ok; p, ok = r.Next() {
		if c.Alive != nil && !c.Alive(table, p.Doc) {
			continue
		}
		if p.Doc <= j.last {
			return ErrDamaged
		}
		j.data = appendPosting(j.data, j.last, p)
		j.last = p.Doc
		j.docs++
		if c.Alive == nil { // what follows counts from here, and stays as it is
			return j.rest(&r, c.at.lists[table].Docs)
		}
	}
	return r.Err()
}

// rest appends the postings behind the first.
func (j *joined) rest(r *Reader, docs int) error {
	j.data = append(j.data, r.left...)
	for p, ok := r.Next(); ok; p, ok = r.Next() {
		j.last = p.Doc
	}
	j.docs += docs - 1
	return r.Err()
}

// cursor goes through the words of a segment.
type cursor struct {
	Part
	at    entries
	data  [Tables][]byte // of the word's lists
	ended bool
}

// next goes to the next word.
func (c *cursor) next() error {
	for !c.at.next() { // at the end of a block
		if c.at.left.err != nil {
			return c.at.left.err
		}
		b, err := c.Block()
		if err != nil {
			return err
		}
		if b == nil {
			c.ended = true
			return nil
		}
		c.at = entries{left: Read(b), word: c.at.word[:0]}
	}
	for i, l := range c.at.lists {
		c.data[i] = l.Data
		if l.Row == 0 {
			continue
		}
		var err error
		if c.data[i], err = c.Row(); err != nil {
			return err
		}
	}
	return nil
}
