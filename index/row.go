package index

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"strconv"

	"github.com/klauspost/compress/s2"

	"recall/text"
)

// How many words of a text are searched, and how many bytes of a turn are kept
// to be shown. The beginning of a source turn or of a turn before says what it
// is about.
const (
	itemContext = 300
	turnContext = 120 // of each of the two turns before
	turnBody    = 4000
	turnShown   = 8 << 10
	packFrom    = 200     // bytes; shorter texts gain nothing
	packedMost  = 4 << 20 // bytes of a packed text that are read, whatever it says
)

// rows is what a Doc becomes in the tables.
type rows struct {
	docs   [2][]row // items and turns
	texts  []Turn   // what turns are of, cut as they are put in: most of a session that grew are there already
	did    []doing
	thread []byte
	spent  []byte      // see packRequests
	words  *vocabulary // of all the bags
}

// row is an item or a turn.
type row struct {
	hash   int64
	of     int   // a turn's place
	values []any // of its columns behind the hash, see insertOf; nil of a turn until it is cut
	texts  []bag // see textsOf
}

func rowsOf(d Doc) (rows, error) {
	r := rows{did: didOf(d.Did), spent: packRequests(d.Requests), words: newVocabulary()}
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

// itemBags are an item's words by the table that they stand in: its own with its aliases', and those of its source.
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

// hashTurns makes rows that tell what they are of: the turn, and the two before it,
// whose beginnings are searched with it.
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

// cut makes what is written of a turn.
func (r *rows) cut(to *row) {
	i := to.of
	v, t := r.words, &r.texts[i]
	list := v.cut(v.list[:0], turnBody, t.Text)
	v.opens(i, list)
	body := v.cut(list, turnBody-len(list), t.More)
	list = body
	for k := max(0, i-2); k < i; k++ {
		list = append(list, r.opening(k)...)
	}
	v.list = list
	to.texts = []bag{v.bag(body, list[len(body):])}
	to.values = []any{t.ID, t.N, t.Role, millis(t.At), pack(text.HeadMarked(t.Text, turnShown))}
}

// opening is how a turn begins, for those after it.
func (r *rows) opening(i int) []uint32 {
	v := r.words
	if o := &v.opening[i%len(v.opening)]; o.of != i+1 {
		v.opens(i, v.cut(nil, turnContext, r.texts[i].Text))
	}
	return v.opening[i%len(v.opening)].words
}

// opens keeps how a turn begins.
func (v *vocabulary) opens(i int, list []uint32) {
	o := &v.opening[i%len(v.opening)]
	o.of, o.words = i+1, append(o.words[:0], list[:min(len(list), turnContext)]...)
}

// hash tells lists of texts apart. Two checksums do so as well as one of their
// length, and processors know them.
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

// pack makes a text's stored form: "=" and the text, or "s" and it compressed as S2. Of
// real turns S2 leaves 73 %, deflate 54 %, in seven times the time; a search, which
// reads a hundred, waits fifteen times as long for deflate.
func pack(s string) []byte {
	if len(s) < packFrom {
		return append([]byte{'='}, s...)
	}
	return append([]byte{'s'}, s2.Encode(nil, []byte(s))...) // a copy, without the room that Encode might have needed
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
	if err == nil && n <= packedMost {
		text, err = s2.Decode(nil, text)
	}
	if err != nil || n > packedMost {
		return "", fmt.Errorf("a packed text of %d bytes: %v: %w", n, err, ErrRebuild)
	}
	return string(text), nil
}
