package index

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/klauspost/compress/s2"

	"recall/payload"
)

const (
	turnShown = 8 << 10 // bytes of a turn that are stored for display
	minPacked = 200     // bytes; shorter texts don't compress
	maxPacked = 4 << 20 // size limit of a packed text, whatever it declares
)

// The kinds of rows of a session, by table.
const (
	items = iota
	turns
	windows
)

var tables = [...]string{items: "item", turns: "turn", windows: "window"}

// rows is a Doc as table rows.
type rows struct {
	docs   [3][]row // those of windows are exchanges, cut when inserted: most of a grown session's are there already
	turns  []Turn
	did    []activityRow
	thread []byte
	spent  []byte // see packRequests
}

// row is an item, a turn, or an exchange.
type row struct {
	hash   int64
	of     exchange
	values []any  // of the columns after the hash, see insertOf
	words  string // of an item, as it is searched; "" for one that is only a quote of what is
}

func rowsOf(d Doc) (rows, error) {
	r := rows{did: activityRows(d.Did), spent: packRequests(d.Requests), turns: d.Turns}
	var err error
	if r.thread, err = threadRow(d.Thread); err != nil {
		return rows{}, err
	}
	s := stemmer{map[string]string{}}
	for _, it := range d.Items {
		row, err := s.itemRow(it, len(d.Turns) > 0)
		if err != nil {
			return rows{}, err
		}
		r.docs[items] = append(r.docs[items], row)
	}
	for _, t := range d.Turns {
		r.docs[turns] = append(r.docs[turns], row{
			hash:   hashOf(t.ID, t.Role, strconv.FormatInt(millis(t.At), 10), strconv.Itoa(t.N), t.Text),
			values: []any{t.ID, t.N, t.Role, millis(t.At), t.Text}})
	}
	r.docs[windows] = hashExchanges(d.Turns)
	return r, nil
}

func (s *stemmer) itemRow(it Item, told bool) (row, error) {
	data, err := json.Marshal(it.Item)
	if err != nil {
		return row{}, fmt.Errorf("item %s: %w", it.ID, err)
	}
	r := row{hash: hashOf(string(data)), values: []any{string(it.ID), string(it.Kind), string(it.State), millis(it.At),
		it.First().N, pack(string(data))}}
	if quotes := told && it.Kind == payload.Lead && it.First().N > 0; !quotes {
		r.words = strings.Join(s.item(it), " ")
	}
	return r, nil
}

// hashOf identifies a list of texts. Two 32-bit checksums do as well as one of 64 bits, and processors compute
// them in hardware.
func hashOf(parts ...string) int64 {
	h := fnv.New64a()
	var b [16]byte
	for _, p := range parts {
		text := []byte(p)
		binary.LittleEndian.PutUint64(b[:], uint64(len(p)))
		binary.LittleEndian.PutUint32(b[8:], crc32.Checksum(text, castagnoli))
		binary.LittleEndian.PutUint32(b[12:], crc32.ChecksumIEEE(text))
		h.Write(b[:])
	}
	return int64(h.Sum64())
}

// pack encodes a text for storage: "=" and the text, or "s" and the text compressed with S2. Of real turns S2
// leaves 73 %, deflate 54 %, in seven times the time; a search reads a hundred texts and would wait fifteen
// times as long for deflate.
func pack(s string) []byte {
	if len(s) < minPacked {
		return append([]byte{'='}, s...)
	}
	return append([]byte{'s'}, s2.Encode(nil, []byte(s))...) // a copy, without Encode's spare capacity
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func unpack(b []byte) (string, error) {
	if len(b) == 0 || b[0] != '=' && b[0] != 's' {
		return "", fmt.Errorf("a packed text of unknown form: %w", ErrRebuild)
	}
	text := b[1:]
	if b[0] == '=' {
		return string(text), nil
	}
	n, err := s2.DecodedLen(text)
	if err == nil && n <= maxPacked {
		text, err = s2.Decode(nil, text)
	}
	if err != nil || n > maxPacked {
		return "", fmt.Errorf("a packed text of %d bytes: %v: %w", n, err, ErrRebuild)
	}
	return string(text), nil
}
