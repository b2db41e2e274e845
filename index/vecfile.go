package index

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"strconv"

	"recall/payload"
)

// vectorHead is the first line of vectors/<model>.f32 in a session's folder of the library: JSON with the
// model, the dimensions and the items in order, each with a hash of the embedded text. The vectors follow as
// 32-bit floats, little-endian.
type vectorHead struct {
	Model string     `json:"model"`
	Dims  int        `json:"dims"`
	Items []Embedded `json:"items"`
}

// Embedded is an item's vector and the text that it was made from.
type Embedded struct {
	Item payload.ItemID `json:"id"`
	Text string         `json:"text"` // TextHash
	V    []float32      `json:"-"`    // of length 1
}

// TextHash identifies the text that an item's vector is made from.
func TextHash(it payload.Item) string {
	h := fnv.New64a()
	io.WriteString(h, TextToEmbed(it))
	return strconv.FormatUint(h.Sum64(), 16)
}

// EncodeVectors encodes the file; all vectors must have the same length.
func EncodeVectors(model string, list []Embedded) ([]byte, error) {
	head := vectorHead{Model: model, Items: append([]Embedded{}, list...)}
	var data []byte
	for _, e := range list {
		if err := CheckVector(e.V); err != nil {
			return nil, fmt.Errorf("item %s: %w", e.Item, err)
		}
		if head.Dims == 0 {
			head.Dims = len(e.V)
		}
		if len(e.V) != head.Dims {
			return nil, fmt.Errorf("item %s: %d dimensions beside %d: %w", e.Item, len(e.V), head.Dims, ErrVector)
		}
		data = append(data, vectorBytes(e.V)...)
	}
	line, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	return append(append(line, '\n'), data...), nil
}

// DecodeVectors decodes the file. It returns none if the vectors are of another model.
func DecodeVectors(model string, b []byte) ([]Embedded, error) {
	if len(b) == 0 {
		return nil, nil
	}
	line, data, ok := bytes.Cut(b, []byte("\n"))
	var head vectorHead
	if err := json.Unmarshal(line, &head); err != nil || !ok {
		return nil, fmt.Errorf("vectors of %s: no head: %w", model, ErrVector)
	}
	if head.Model != model {
		return nil, nil
	}
	if head.Dims < 0 || head.Dims > 1<<16 || len(data) != 4*head.Dims*len(head.Items) {
		return nil, fmt.Errorf("vectors of %s: %d bytes for %d vectors of %d dimensions: %w", model, len(data),
			len(head.Items), head.Dims, ErrVector)
	}
	for i := range head.Items {
		it := &head.Items[i]
		it.V = vectorOf(data[4*head.Dims*i : 4*head.Dims*(i+1)])
		if err := CheckVector(it.V); err != nil {
			return nil, fmt.Errorf("vectors of %s: item %s: %w", model, it.Item, err)
		}
	}
	return head.Items, nil
}
