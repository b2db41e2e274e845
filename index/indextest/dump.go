// Package indextest dumps an index's file for tests that check what it must not contain.
package indextest

import (
	"bytes"
	"cmp"
	"database/sql"
	"fmt"

	"github.com/klauspost/compress/s2"
	"github.com/ncruces/go-sqlite3/driver"
	"github.com/ncruces/go-sqlite3/ext/fts5"
)

// Dump returns everything that an index holds, one value per line: rows, unpacked texts, and the words of its
// full text. It returns an error if nothing was packed.
func Dump(path string) ([]byte, error) {
	db, err := driver.Open("file:"+path+"?mode=ro", fts5.Register)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	d := dump{}
	queries := []string{}
	err = each(db, `SELECT name FROM sqlite_master WHERE type='table'`, func(name any) error {
		queries = append(queries, fmt.Sprintf("SELECT * FROM %q", name))
		return nil
	})
	for _, q := range queries {
		err = cmp.Or(err, each(db, q, d.value))
	}
	if err == nil && d.packed == 0 {
		err = fmt.Errorf("%s: no packed text found: has the format changed?", path)
	}
	return d.out.Bytes(), err
}

// each calls do for each value in a query's result.
func each(db *sql.DB, query string, do func(any) error) error {
	rows, err := db.Query(query)
	if err != nil {
		return err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	values, into := make([]any, len(names)), make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		err := rows.Scan(into...)
		for _, v := range values {
			err = cmp.Or(err, do(v))
		}
		if err != nil {
			return err
		}
	}
	return rows.Err()
}

type dump struct {
	out    bytes.Buffer
	packed int
}

func (d *dump) value(v any) error {
	switch v := v.(type) {
	case []byte:
		d.out.Write(v)
		if len(v) > 5 && v[4] == 's' { // see pack in index/row.go
			if text, err := s2.Decode(nil, v[5:]); err == nil {
				d.packed++
				d.out.WriteByte('\n')
				d.out.Write(text)
			}
		}
	default:
		fmt.Fprint(&d.out, v)
	}
	d.out.WriteByte('\n')
	return nil
}
