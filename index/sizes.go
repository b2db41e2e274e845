package index

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
)

// What scoring needs of each document is kept in pieces of so many documents,
// a row each: few enough to be read in a moment, small enough to be written
// again with every session.
const pieceDocs = 1 << 12

// sized is what a piece says of a document: how many words it holds, at least 1 and at
// most 65,535, and the row of the session that it is of. All 0 is none, or one that isn't
// there any more.
type sized struct {
	words   uint16
	session uint32
}

const sizedBytes = 2 + 4

// sizes are those of the documents of each full-text table, by their number.
type sizes struct {
	*pieces
	tx   *sql.Tx
	last *sizePiece // looked at
	id   int64      // of last
}

// pieces are those that were read, by pieceID.
type pieces struct {
	mu     sync.Mutex
	of     map[int64]*sizePiece
	writes bool // a piece that isn't there is made
}

type sizePiece struct {
	docs    [pieceDocs]sized
	changed bool
}

func pieceID(table int, doc int64) int64 { return int64(table)<<40 | doc/pieceDocs }

// of gives what is known of a document. Who changes it says so by touch.
func (s *sizes) of(ctx context.Context, table int, doc int64) (*sized, error) {
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

func (s *sizes) set(ctx context.Context, table int, doc int64, to sized) error {
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
	if err != nil && !(err == sql.ErrNoRows && s.writes) { // who searches asks for what stands in the lists
		return nil, err
	}
	p := new(sizePiece)
	for i := range min(len(data)/sizedBytes, pieceDocs) {
		d := data[i*sizedBytes:]
		p.docs[i] = sized{binary.LittleEndian.Uint16(d), binary.LittleEndian.Uint32(d[2:])}
	}
	s.pieces.of[id] = p
	return p, nil
}

// save writes what was changed.
func (s *sizes) save(ctx context.Context) error {
	for id, p := range s.pieces.of {
		if !p.changed {
			continue
		}
		data := make([]byte, 0, pieceDocs*sizedBytes)
		for _, d := range p.docs {
			data = binary.LittleEndian.AppendUint16(data, d.words)
			data = binary.LittleEndian.AppendUint32(data, d.session)
		}
		for len(data) > 0 && !slices.ContainsFunc(data[len(data)-sizedBytes:], func(b byte) bool { return b != 0 }) {
			data = data[:len(data)-sizedBytes]
		}
		if _, err := s.tx.ExecContext(ctx, `INSERT OR REPLACE INTO size(id, data) VALUES(?,?)`, id, data); err != nil {
			return err
		}
		p.changed = false
	}
	return nil
}
