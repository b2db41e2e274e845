package index

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
)

// pieceDocs is how many documents share a row with what scoring needs of each: few enough rows to be read
// quickly, small enough to be rewritten with every session.
const pieceDocs = 1 << 12

// docSize is a document's size in words, from 1 to 65,535, and the row of its session. Zero means that the
// document doesn't exist.
type docSize struct {
	words   uint16
	session uint32
}

const docSizeBytes = 2 + 4

// sizes gives access to the sizes of the documents of each full-text table, by number.
type sizes struct {
	*pieces
	tx   transaction
	last *sizePiece // last one used
	id   int64      // of last
}

// pieces caches what was read, by pieceID.
type pieces struct {
	mu     sync.Mutex
	of     map[int64]*sizePiece
	writes bool // create missing pieces
}

type sizePiece struct {
	docs    [pieceDocs]docSize
	changed bool
}

func pieceID(table int, doc int64) int64 { return int64(table)<<40 | doc/pieceDocs }

// of returns the entry of a document, to be changed only by set.
func (s *sizes) of(ctx context.Context, table int, doc int64) (*docSize, error) {
	if doc < 0 || doc >= pieceDocs<<40 {
		return nil, fmt.Errorf("document %d: %w", doc, ErrRebuild)
	}
	if id := pieceID(table, doc); s.last == nil || s.id != id {
		p, err := s.piece(ctx, id)
		if err != nil {
			return nil, err
		}
		s.last, s.id = p, id
	}
	return &s.last.docs[doc%pieceDocs], nil
}

func (s *sizes) set(ctx context.Context, table int, doc int64, to docSize) error {
	d, err := s.of(ctx, table, doc)
	if err == nil {
		*d, s.last.changed = to, true
	}
	return err
}

func (s *sizes) piece(ctx context.Context, id int64) (*sizePiece, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.pieces.of[id]; p != nil {
		return p, nil
	}
	var data []byte
	err := s.tx.QueryRowContext(ctx, `SELECT data FROM size WHERE id=?`, id).Scan(&data)
	if err != nil && !(err == sql.ErrNoRows && s.writes) { // a search only asks for listed documents
		return nil, err
	}
	p := new(sizePiece)
	for i := range min(len(data)/docSizeBytes, pieceDocs) {
		d := data[i*docSizeBytes:]
		p.docs[i] = docSize{binary.LittleEndian.Uint16(d), binary.LittleEndian.Uint32(d[2:])}
	}
	s.pieces.of[id] = p
	return p, nil
}

// save writes the changed pieces.
func (s *sizes) save(ctx context.Context) error {
	for id, p := range s.pieces.of {
		if !p.changed {
			continue
		}
		data := make([]byte, 0, pieceDocs*docSizeBytes)
		for _, d := range p.docs {
			data = binary.LittleEndian.AppendUint16(data, d.words)
			data = binary.LittleEndian.AppendUint32(data, d.session)
		}
		for len(data) > 0 && !slices.ContainsFunc(data[len(data)-docSizeBytes:], func(b byte) bool { return b != 0 }) {
			data = data[:len(data)-docSizeBytes]
		}
		if _, err := s.tx.ExecContext(ctx, `INSERT OR REPLACE INTO size(id, data) VALUES(?,?)`, id, data); err != nil {
			return err
		}
		p.changed = false
	}
	return nil
}
