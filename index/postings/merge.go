package postings

// Take adds the words of a segment's block. Row gives a long list, and alive reports
// whether a document of a table is still there. The documents are higher than all
// that were added before.
func (b *Builder) Take(block []byte, row func(int64) ([]byte, error), alive func(table int, doc int64) bool) error {
	e := entries{left: Read(block)}
	for e.next() {
		for table, l := range e.lists {
			if l.Row != 0 {
				var err error
				if l.Data, err = row(l.Row); err != nil {
					return err
				}
			}
			if err := b.takeList(e.word, table, l.Data, alive); err != nil {
				return err
			}
		}
	}
	return e.left.err
}

func (b *Builder) takeList(word []byte, table int, data []byte, alive func(table int, doc int64) bool) error {
	w := b.words[string(word)]
	r := Read(data)
	for p, ok := r.Next(); ok; p, ok = r.Next() {
		if !alive(table, p.Doc) {
			continue
		}
		if w == nil {
			w = b.Word(string(word))
		}
		if p.Doc <= w.lists[table].last {
			return ErrDamaged
		}
		w.Add(table, p)
	}
	return r.Err()
}
