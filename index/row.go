package index

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"io"
	"slices"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/klauspost/compress/flate"
)

// How many words of a text are searched, and how many bytes of a turn are kept
// to be shown. The beginning of a source turn or of a turn before says what it
// is about.
const (
	itemContext = 300
	turnContext = 120 // of each of the two turns before
	turnBody    = 4000
	turnShown   = 8 << 10
	deflateFrom = 200     // bytes; shorter texts grow by it
	packedMost  = 4 << 20 // bytes of a packed text that are read, whatever it says
)

// rows is what a Doc becomes in the tables.
type rows struct {
	items  []itemRow
	turns  []turnRow
	did    didRows
	thread []byte
	words  *vocabulary // of all the bags
}

type itemRow struct {
	iid, kind, state string
	at, n, hash      int64
	data             []byte
	text, source     bag
}

type turnRow struct {
	tid, role   string
	at, n, hash int64
	text        []byte
	said        bag
}

func rowsOf(d Doc) (rows, error) {
	r := rows{did: didOf(d.Did), words: newVocabulary()}
	var err error
	if r.thread, err = threadRow(d.Thread); err != nil {
		return rows{}, err
	}
	for _, it := range d.Items {
		row, err := itemRowOf(it, r.words)
		if err != nil {
			return rows{}, err
		}
		r.items = append(r.items, row)
	}
	var before lead
	for _, t := range d.Turns {
		row, own, err := turnRowOf(t, before, r.words)
		if err != nil {
			return rows{}, err
		}
		r.turns = append(r.turns, row)
		before = lead{words: [2][]uint32{before.words[1], own}, sums: [2]int64{before.sums[1], r.words.sum(own)}}
	}
	return r, nil
}

// lead is how the two turns before a turn begin.
type lead struct {
	words [2][]uint32
	sums  [2]int64 // tell them apart
}

func itemRowOf(it Item, v *vocabulary) (itemRow, error) {
	data, err := json.Marshal(it.Item)
	if err != nil {
		return itemRow{}, fmt.Errorf("item %s: %w", it.ID, err)
	}
	packed, err := pack(string(data))
	if err != nil {
		return itemRow{}, fmt.Errorf("item %s: %w", it.ID, err)
	}
	r := itemRow{iid: string(it.ID), kind: string(it.Kind), state: string(it.State), at: millis(it.At), data: packed}
	if len(it.Evidence) > 0 {
		r.n = int64(it.Evidence[0].N)
	}
	var text, alias, source []uint32
	for _, t := range append([]string{it.Text, it.Why, it.Scope, it.Path}, append(it.Alternatives, it.About...)...) {
		text = v.text(text, -1, t)
	}
	for _, t := range it.Aliases {
		alias = v.text(alias, -1, t)
	}
	source = v.text(source, itemContext, it.Context)
	r.text, r.source = v.bag(text, alias), v.bag(source)
	r.hash = hashOf(string(data), strconv.FormatInt(v.sum(source), 10))
	return r, nil
}

// turnRowOf also returns how the turn begins, for those after it.
func turnRowOf(t Turn, before lead, v *vocabulary) (r turnRow, own []uint32, err error) {
	shown := clipText(t.Text, turnShown)
	text, err := pack(shown)
	if err != nil {
		return turnRow{}, nil, fmt.Errorf("turn %s: %w", t.ID, err)
	}
	r = turnRow{tid: t.ID, role: t.Role, at: millis(t.At), n: int64(t.N), text: text}
	own = v.text(nil, turnBody, t.Text)
	body := v.text(own, turnBody-len(own), t.More)
	own = own[:min(len(own), turnContext):min(len(own), turnContext)]
	r.said = v.bag(body, append(slices.Clip(before.words[0]), before.words[1]...))
	r.hash = hashOf(t.ID, t.Role, strconv.FormatInt(r.at, 10), strconv.Itoa(t.N), shown,
		strconv.FormatInt(v.sum(body), 10), strconv.FormatInt(before.sums[0], 10), strconv.FormatInt(before.sums[1], 10))
	return r, own, nil
}

// hashOf tells lists of texts apart. Two checksums do so as well as one of their
// length, and processors know them.
func hashOf(parts ...string) int64 {
	h := fnv.New64a()
	var b, text []byte
	for _, p := range parts {
		text = append(text[:0], p...)
		b = binary.LittleEndian.AppendUint64(b[:0], uint64(len(text)))
		b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(text, castagnoli))
		b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(text))
		h.Write(b)
	}
	return int64(h.Sum64())
}

// clipText cuts a text at a character, with "…" in the place of the rest.
func clipText(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	s = s[:limit]
	for len(s) > 0 && !utf8.RuneStart(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	if len(s) > 0 {
		s = s[:len(s)-1]
	}
	return s + "…"
}

// deflaters are kept: a new one takes half a megabyte. Of real transcripts, level
// 5 takes twice the time to make the index smaller by 2 %.
var deflaters = sync.Pool{New: func() any {
	w, err := flate.NewWriter(io.Discard, 1)
	if err != nil {
		panic(err) // the level is right
	}
	return w
}}

// pack makes a text's stored form: "=" and the text, or "z" and it deflated,
// with a checksum of the text between: SQLite has none, and what is shown to
// people must be what was put in.
func pack(s string) ([]byte, error) {
	if len(s) < deflateFrom {
		return append(binary.LittleEndian.AppendUint32([]byte{'='}, checksum(s)), s...), nil
	}
	var b bytes.Buffer
	b.WriteByte('z')
	b.Write(binary.LittleEndian.AppendUint32(nil, checksum(s)))
	w := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	w.Reset(&b)
	if _, err := io.WriteString(w, s); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(s string) uint32 { return crc32.Checksum([]byte(s), castagnoli) }

// inflaters are kept: a new one takes forty kilobytes, and a search reads a
// hundred texts. So is what they write to.
var inflaters = sync.Pool{New: func() any { return &inflater{r: flate.NewReader(bytes.NewReader(nil))} }}

type inflater struct {
	r    io.ReadCloser
	from bytes.Reader
	text []byte
}

func unpack(b []byte) (string, error) {
	if len(b) < 5 || b[0] != '=' && b[0] != 'z' {
		return "", fmt.Errorf("a packed text of unknown form: %w", ErrRebuild)
	}
	sum, data := binary.LittleEndian.Uint32(b[1:]), b[5:]
	s := string(data)
	if b[0] == 'z' {
		var err error
		if s, err = inflate(data); err != nil {
			return "", fmt.Errorf("a packed text: %v: %w", err, ErrRebuild)
		}
	}
	if checksum(s) != sum {
		return "", fmt.Errorf("a packed text isn't what was put in: %w", ErrRebuild)
	}
	return s, nil
}

func inflate(data []byte) (string, error) {
	i := inflaters.Get().(*inflater)
	defer inflaters.Put(i)
	i.from.Reset(data)
	if err := i.r.(flate.Resetter).Reset(&i.from, nil); err != nil {
		return "", err
	}
	i.text = i.text[:0]
	for len(i.text) < packedMost {
		i.text = slices.Grow(i.text, 4<<10)
		n, err := i.r.Read(i.text[len(i.text):min(cap(i.text), packedMost)])
		i.text = i.text[:len(i.text)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return "", err
		}
	}
	return string(i.text), nil
}
