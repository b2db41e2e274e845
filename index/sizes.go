package index

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"slices"
)

// What scoring needs of each document is kept in pieces of so many documents,
// a row each: few enough to be read in a moment, small enough to be written
// again with every session.
const pieceDocs = 1 << 13

// sizes are how many words the documents of each full-text table hold, by their
// number; 0 for one that isn't there any more, at least 1 for one that is. At most 65,535
// are counted.
type sizes struct {
	tx     *sql.Tx
	load   *sql.Stmt // SELECT data FROM size WHERE id=?
	pieces [tableCount][]*sizePiece
	cache  *cache // with other searches of this state of the index; nil for a writer
}

type sizePiece struct {
	words   [pieceDocs]uint16
	changed bool
}

func pieceID(table int, doc int64) int64 { return int64(table)<<40 | doc/pieceDocs }

// of says how many words a document holds.
func (s *sizes) of(ctx context.Context, table int, doc int64) (uint16, error) {
	if i := uint64(doc) / pieceDocs; i < uint64(len(s.pieces[table])) && s.pieces[table][i] != nil {
		return s.pieces[table][i].words[uint64(doc)%pieceDocs], nil
	}
	p, err := s.piece(ctx, table, doc)
	if err != nil {
		return 0, err
	}
	return p.words[doc%pieceDocs], nil
}

// set notes how many words a document holds.
func (s *sizes) set(ctx context.Context, table int, doc int64, n uint16) error {
	p, err := s.piece(ctx, table, doc)
	if err != nil {
		return err
	}
	p.words[doc%pieceDocs], p.changed = n, true
	return nil
}

func (s *sizes) piece(ctx context.Context, table int, doc int64) (*sizePiece, error) {
	i := doc / pieceDocs
	if doc < 0 || i >= 1<<24 {
		return nil, fmt.Errorf("document %d: %w", doc, ErrRebuild)
	}
	if of := s.pieces[table]; i < int64(len(of)) && of[i] != nil {
		return of[i], nil
	}
	p, err := s.read(ctx, pieceID(table, doc))
	if err != nil {
		return nil, err
	}
	if n := int(i) + 1; n > len(s.pieces[table]) {
		s.pieces[table] = append(s.pieces[table], make([]*sizePiece, n-len(s.pieces[table]))...)
	}
	s.pieces[table][i] = p
	return p, nil
}

func (s *sizes) read(ctx context.Context, id int64) (*sizePiece, error) {
	if s.cache != nil {
		s.cache.mu.Lock()
		defer s.cache.mu.Unlock()
		if p := s.cache.pieces[id]; p != nil {
			return p, nil
		}
	}
	p := new(sizePiece)
	data, err := blob(ctx, s.load, id)
	if err != nil {
		return nil, err
	}
	if data == nil && s.cache != nil { // who searches asks for what stands in the lists
		return nil, fmt.Errorf("a row of sizes isn't there: %w", ErrRebuild)
	}
	for i := range min(len(data)/2, pieceDocs) {
		p.words[i] = binary.LittleEndian.Uint16(data[2*i:])
	}
	if s.cache != nil {
		s.cache.pieces[id] = p
	}
	return p, nil
}

// save writes what was changed.
func (s *sizes) save(ctx context.Context) error {
	for table, of := range s.pieces {
		for i, p := range of {
			if p == nil || !p.changed {
				continue
			}
			last := len(p.words)
			for last > 0 && p.words[last-1] == 0 {
				last--
			}
			data := make([]byte, 0, 2*last)
			for _, n := range p.words[:last] {
				data = binary.LittleEndian.AppendUint16(data, n)
			}
			if err := saveBlob(ctx, s.tx, "size", pieceID(table, int64(i)*pieceDocs), data); err != nil {
				return err
			}
			p.changed = false
		}
	}
	return nil
}

// blob reads a row's data; nil if there is no such row.
func blob(ctx context.Context, st *sql.Stmt, id int64) (data []byte, err error) {
	err = st.QueryRowContext(ctx, id).Scan(&data)
	if err == sql.ErrNoRows {
		return nil, nil
	}
	return data, err
}

func saveBlob(ctx context.Context, tx *sql.Tx, table string, id int64, data []byte) error {
	_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO `+table+`(id, data) VALUES(?,?)`, id, data)
	return err
}

// run is documents of one session. What a session brings at once follows one
// another, so that a search within a project needn't look at every row.
type run struct {
	until   int64 // the document behind the last
	session int64
}

// owner is the session that a document belongs to, 0 if it isn't known.
func (f *fulltext) owner(ctx context.Context, kind int, doc int64) (int64, error) {
	id := pieceID(kind, doc)
	runs, ok := f.runs[id]
	if !ok {
		var err error
		if runs, err = f.readRuns(ctx, id, doc-doc%pieceDocs); err != nil {
			return 0, err
		}
		f.runs[id] = runs
	}
	i, _ := slices.BinarySearchFunc(runs, doc, func(r run, doc int64) int { return int(r.until - doc - 1) })
	if i == len(runs) {
		return 0, nil
	}
	return runs[i].session, nil
}

func (f *fulltext) readRuns(ctx context.Context, id, from int64) ([]run, error) {
	known := f.sizes.cache
	known.mu.Lock()
	defer known.mu.Unlock()
	if runs, ok := known.runs[id]; ok {
		return runs, nil
	}
	load, err := f.kept.on(ctx, f.tx, ownerOf)
	if err != nil {
		return nil, err
	}
	data, err := blob(ctx, load, id)
	if err != nil {
		return nil, err
	}
	known.runs[id] = readRuns(data, from)
	return known.runs[id], nil
}

func readRuns(data []byte, from int64) []run {
	var out []run
	for len(data) > 0 {
		n, a := binary.Uvarint(data)
		session, b := binary.Uvarint(data[max(a, 0):])
		if a <= 0 || b <= 0 {
			break
		}
		data, from = data[a+b:], from+int64(n)
		out = append(out, run{from, int64(session)})
	}
	return out
}

// belong notes that the documents from one on, up to another, are a session's.
func belong(ctx context.Context, tx *sql.Tx, kind int, from, to, session int64) error {
	load, err := tx.PrepareContext(ctx, ownerOf)
	if err != nil {
		return err
	}
	defer load.Close()
	for from < to {
		n := min(to, from-from%pieceDocs+pieceDocs) - from
		id := pieceID(kind, from)
		data, err := blob(ctx, load, id)
		if err != nil {
			return err
		}
		if at := from - from%pieceDocs; len(data) == 0 && at < from { // document 0 is none
			data = binary.AppendUvarint(data, uint64(from-at))
			data = binary.AppendUvarint(data, 0)
		}
		data = binary.AppendUvarint(data, uint64(n))
		data = binary.AppendUvarint(data, uint64(session))
		if err := saveBlob(ctx, tx, "owner", id, data); err != nil {
			return err
		}
		from += n
	}
	return nil
}
