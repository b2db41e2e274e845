package index

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"recall/payload"
)

// ErrVector means that a vector can't be compared with others.
var ErrVector = errors.New("not a usable vector")

// CheckVector rejects vectors that would spoil comparisons: empty, all zero, or with a component that isn't a
// number.
func CheckVector(v []float32) error {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return fmt.Errorf("%d dimensions, squares sum to %v: %w", len(v), sum, ErrVector)
	}
	return nil
}

// PutVectors stores items' vectors of a model. They are a copy of the library's and are deleted with the index
// or their items.
func (x *Index) PutVectors(ctx context.Context, model string, list []Embedded) error {
	op := "put vectors of " + model
	for _, v := range list {
		if err := CheckVector(v.V); err != nil {
			return fmt.Errorf("%s: item %s: %w", op, v.Item, err)
		}
	}
	return x.fail(op, inTransaction(ctx, x.db, func(tx *sql.Tx) error {
		do, fault := statements(ctx, tx)
		for _, v := range list {
			do(`INSERT OR REPLACE INTO vec(iid, model, data) VALUES(?,?,?)`, string(v.Item), model, vectorBytes(v.V))
		}
		return fault()
	}))
}

// HasVectors reports whether any item has a vector of a model.
func (x *Index) HasVectors(ctx context.Context, model string) (has bool, err error) {
	err = x.db.QueryRowContext(ctx, `SELECT EXISTS(SELECT 1 FROM vec WHERE model=?)`, model).Scan(&has)
	return has, x.fail("look for vectors", err)
}

// TextToEmbed is the text that an item's vector is made from: its own text twice, for weight, then the rest.
func TextToEmbed(it payload.Item) string {
	s := it.Text + ".\n" + it.Text + ".\n" + it.Why
	for _, a := range it.Aliases {
		s += ".\n" + a
	}
	for _, e := range it.Evidence {
		s += ".\n" + e.Quote
	}
	return s
}

func vectorBytes(v []float32) []byte {
	b, _ := binary.Append(nil, binary.LittleEndian, v) // can't fail for floats
	return b
}

func vectorOf(b []byte) []float32 {
	v := make([]float32, len(b)/4)
	_, _ = binary.Decode(b, binary.LittleEndian, v) // can't fail: the lengths match
	return v
}
