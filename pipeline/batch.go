package pipeline

import (
	"context"

	"recall/index"
	"recall/ingest"
)

// batch collects index entries so that many sessions share one transaction. A
// session is finished only when its entry is in the index.
type batch struct {
	index *index.Index
	docs  []index.Doc
	done  []func()
	size  int
}

// A transaction is closed at so many sessions or bytes of text.
const (
	batchDocs  = 64
	batchBytes = 8 << 20
)

func newBatch(x *index.Index) *batch { return &batch{index: x} }

func (b *batch) put(ctx context.Context, d index.Doc, done func()) error {
	b.docs = append(b.docs, d)
	b.done = append(b.done, done)
	for _, t := range d.Turns {
		b.size += len(t.Text) + len(t.More)
	}
	if len(b.docs) >= batchDocs || b.size >= batchBytes {
		return b.flush(ctx)
	}
	return nil
}

func (b *batch) flush(ctx context.Context) error {
	if len(b.docs) == 0 {
		return nil
	}
	if err := b.index.PutAll(ctx, b.docs); err != nil {
		return err
	}
	for _, done := range b.done {
		done()
	}
	b.drop()
	return nil
}

func (b *batch) drop() { b.docs, b.done, b.size = nil, nil, 0 }

// known answers whether a line is one that another session's payload.md was
// written with, and for which items: in the index, or waiting to get there.
// A fault of the index shows when something is put into it.
func (b *batch) known(ctx context.Context, line string, self ingest.SessionID) ([]string, bool) {
	hash := index.LineHash(line)
	for _, d := range b.docs {
		for _, l := range d.Lines {
			if d.Session != string(self) && index.LineHash(l.Text) == hash {
				return l.IDs, true
			}
		}
	}
	ids, ok, _ := b.index.Known(ctx, line, string(self))
	return ids, ok
}
