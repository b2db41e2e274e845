package index

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"strconv"

	"github.com/klauspost/compress/s2"

	"recall/internal/text"
)

// How many words of a text are searched, and how many bytes of a turn are stored for display. Of a source turn
// and of a preceding turn only the beginning counts, which states its topic.
const (
	itemContext = 300
	turnContext = 120 // of each of the two preceding turns
	turnBody    = 4000
	turnShown   = 8 << 10
	minPacked   = 200     // bytes; shorter texts don't compress
	maxPacked   = 4 << 20 // size limit of a packed text, whatever it declares
)

// rows is a Doc as table rows.
type rows struct {
	docs   [2][]row // items and turns
	texts  []Turn   // split only when inserted: most turns of a session that grew are already stored
	did    []activityRow
	thread []byte
	spent  []byte      // see packRequests
	words  *vocabulary // of all the bags
}

// row is an item or a turn.
type row struct {
	hash   int64
	of     int   // index of a turn
	values []any // of the columns after the hash, see insertOf; nil for a turn until it is cut
	texts  []bag // see textsOf
}

func rowsOf(d Doc) (rows, error) {
	r := rows{did: activityRows(d.Did), spent: packRequests(d.Requests), words: newVocabulary()}
	var err error
	if r.thread, err = threadRow(d.Thread); err != nil {
		return rows{}, err
	}
	for _, it := range d.Items {
		row, err := itemRowOf(it, r.words)
		if err != nil {
			return rows{}, err
		}
		r.docs[items] = append(r.docs[items], row)
	}
	r.docs[turns], r.texts = r.words.hashTurns(d.Turns), d.Turns
	return r, nil
}

func itemRowOf(it Item, v *vocabulary) (row, error) {
	data, err := json.Marshal(it.Item)
	if err != nil {
		return row{}, fmt.Errorf("item %s: %w", it.ID, err)
	}
	return row{hash: v.hash(string(data), it.Context), texts: v.itemBags(it),
		values: []any{string(it.ID), string(it.Kind), string(it.State), millis(it.At), it.First().N,
			pack(string(data))}}, nil
}

// itemBags returns an item's words by table: its own with its aliases, and those of its source turns.
func (v *vocabulary) itemBags(it Item) []bag {
	var text, alias []uint32
	for _, t := range append([]string{it.Text, it.Why, it.Scope, it.Path}, append(it.Alternatives, it.About...)...) {
		text = v.cut(text, -1, t)
	}
	for _, t := range it.Aliases {
		alias = v.cut(alias, -1, t)
	}
	return []bag{ofItems: v.bag(text, alias), ofSources: v.bag(v.cut(nil, itemContext, it.Context))}
}

// hashTurns makes rows with hashes of the turn and of the two before it, whose beginnings are searched with it.
func (v *vocabulary) hashTurns(turns []Turn) []row {
	out := make([]row, len(turns))
	var before [2]string
	for i := range turns {
		t := &turns[i]
		out[i] = row{of: i, hash: v.hash(t.ID, t.Role, strconv.FormatInt(millis(t.At), 10), strconv.Itoa(t.N), t.Text,
			t.More, before[0], before[1])}
		before = [2]string{before[1], strconv.FormatInt(v.hash(t.Text), 36)}
	}
	return out
}

// cut fills in the row of a turn.
func (r *rows) cut(to *row) {
	i := to.of
	v, t := r.words, &r.texts[i]
	list := v.cut(v.list[:0], turnBody, t.Text)
	v.keepOpening(i, list)
	body := v.cut(list, turnBody-len(list), t.More)
	list = body
	for k := max(0, i-2); k < i; k++ {
		list = append(list, r.opening(k)...)
	}
	v.list = list
	to.texts = []bag{v.bag(body, list[len(body):])}
	to.values = []any{t.ID, t.N, t.Role, millis(t.At), pack(text.HeadMarked(t.Text, turnShown))}
}

// opening returns the opening words of a turn, for those after it.
func (r *rows) opening(i int) []uint32 {
	v := r.words
	if o := &v.opening[i%len(v.opening)]; o.of != i+1 {
		v.keepOpening(i, v.cut(nil, turnContext, r.texts[i].Text))
	}
	return v.opening[i%len(v.opening)].words
}

// keepOpening keeps the opening words of a turn.
func (v *vocabulary) keepOpening(i int, list []uint32) {
	o := &v.opening[i%len(v.opening)]
	o.of, o.words = i+1, append(o.words[:0], list[:min(len(list), turnContext)]...)
}

// hash identifies a list of texts. Two 32-bit checksums do as well as one of 64 bits, and processors compute
// them in hardware.
func (v *vocabulary) hash(parts ...string) int64 {
	h := fnv.New64a()
	var b [16]byte
	for _, p := range parts {
		v.text = append(v.text[:0], p...)
		binary.LittleEndian.PutUint64(b[:], uint64(len(p)))
		binary.LittleEndian.PutUint32(b[8:], crc32.Checksum(v.text, castagnoli))
		binary.LittleEndian.PutUint32(b[12:], crc32.ChecksumIEEE(v.text))
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
