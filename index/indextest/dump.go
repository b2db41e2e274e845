// Package indextest reads an index's file whole, for tests that look for what
// may not be in it.
package indextest

import (
	"bytes"
	"database/sql"
	"fmt"

	"github.com/klauspost/compress/s2"
	_ "github.com/ncruces/go-sqlite3/driver"

	"recall/index/postings"
)

// Dump is all that an index holds, a value a line: rows, what is packed in them,
// and the words of its lists. It is an error if nothing was packed.
func Dump(path string) ([]byte, error) {
	db, err := sql.Open("sqlite3", "file:"+path+"?mode=ro")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	d := dump{db: db}
	tables, err := d.column(`SELECT name FROM sqlite_master WHERE type='table'`)
	if err != nil {
		return nil, err
	}
	for _, t := range tables {
		if err := d.rows(fmt.Sprintf("SELECT * FROM %q", t)); err != nil {
			return nil, fmt.Errorf("%s: %w", t, err)
		}
	}
	if err := d.words(); err != nil {
		return nil, err
	}
	if d.packed == 0 {
		return nil, fmt.Errorf("%s: no packed text found: is there a new form?", path)
	}
	return d.out.Bytes(), nil
}

type dump struct {
	db     *sql.DB
	out    bytes.Buffer
	packed int
}

func (d *dump) column(query string) (list []string, err error) {
	rows, err := d.db.Query(query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, rows.Err()
}

func (d *dump) words() error {
	rows, err := d.db.Query(`SELECT data FROM block`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var data []byte
		if err := rows.Scan(&data); err != nil {
			return err
		}
		err := postings.Each(data, func(word []byte, _ postings.Lists) bool {
			d.value(string(word))
			return true
		})
		if err != nil {
			return err
		}
	}
	return rows.Err()
}

func (d *dump) rows(query string) error {
	rows, err := d.db.Query(query)
	if err != nil {
		return err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	values := make([]any, len(names))
	into := make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		for _, v := range values {
			d.value(v)
		}
	}
	return rows.Err()
}

func (d *dump) value(v any) {
	switch v := v.(type) {
	case []byte:
		d.out.Write(v)
		if len(v) > 1 && v[0] == 's' { // see pack in index/row.go
			if text, err := s2.Decode(nil, v[1:]); err == nil {
				d.packed++
				d.out.WriteByte('\n')
				d.out.Write(text)
			}
		}
	default:
		fmt.Fprint(&d.out, v)
	}
	d.out.WriteByte('\n')
}
