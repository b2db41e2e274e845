package index

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"strings"

	"github.com/klauspost/compress/s2"

	"recall/payload"
)

const (
	turnShown = 8 << 10 // bytes of a turn that are stored for display
	minPacked = 200     // bytes; shorter texts don't compress
)

// The kinds of rows of a session, by table.
const (
	items = iota
	turns
	windows
)

// itemRow is an item as it is stored.
type itemRow struct {
	values []any  // of the columns after the session
	words  string // as it is searched; "" for one that is only a quote of what is
}

func (s *stemmer) itemRow(it Item, told bool) (itemRow, error) {
	data, err := json.Marshal(it.Item)
	if err != nil {
		return itemRow{}, fmt.Errorf("item %s: %w", it.ID, err)
	}
	r := itemRow{values: []any{string(it.ID), string(it.Kind), string(it.State), millis(it.At), it.First().N,
		pack(string(data))}}
	if quotes := told && it.Kind == payload.Lead && it.First().N > 0; !quotes {
		r.words = strings.Join(s.item(it), " ")
	} else if it.Rule == payload.RefusalRule || it.Rule == payload.RemovedRule {
		// Its turn is found by what was said, and only this by what was refused or removed.
		r.words = strings.Join(s.item(Item{Item: payload.Item{About: it.About}}), " ")
	}
	return r, nil
}

// keyOf identifies a text.
func keyOf(said string) int64 {
	h := fnv.New64a()
	h.Write([]byte(said))
	return int64(h.Sum64())
}

// packedHead is how many bytes stand before a packed text: its checksum and its form.
const packedHead = 5

// pack encodes a text for storage: a checksum of the rest, then "=" and the text, or "s" and the text compressed with
// S2. Of real turns S2 leaves 73 %, deflate 54 %, in seven times the time; a search reads a hundred texts and would
// wait fifteen times as long for deflate.
func pack(s string) []byte {
	form, text := byte('='), []byte(s)
	if len(s) >= minPacked {
		form, text = 's', s2.Encode(nil, text)
	}
	b := append(make([]byte, packedHead-1, packedHead+len(text)), form)
	b = append(b, text...)
	binary.LittleEndian.PutUint32(b, crc32.Checksum(b[packedHead-1:], castagnoli))
	return b
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func unpack(b []byte) (string, error) {
	if len(b) < packedHead || binary.LittleEndian.Uint32(b) != crc32.Checksum(b[packedHead-1:], castagnoli) {
		return "", fmt.Errorf("a packed text that isn't as it was written: %w", ErrRebuild)
	}
	text := b[packedHead:]
	if b[packedHead-1] == '=' {
		return string(text), nil
	}
	text, err := s2.Decode(nil, text)
	if err != nil {
		return "", fmt.Errorf("a packed text: %v: %w", err, ErrRebuild)
	}
	return string(text), nil
}
