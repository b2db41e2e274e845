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

	"recall/index/words"
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
}

type itemRow struct {
	iid, kind, state string
	at, n, hash      int64
	data             []byte
	body, alias, ctx string
}

type turnRow struct {
	tid, role   string
	at, n, hash int64
	text        []byte
	body, ctx   string
}

func rowsOf(d Doc) (rows, error) {
	r := rows{did: didOf(d.Did)}
	var err error
	if r.thread, err = threadRow(d.Thread); err != nil {
		return rows{}, err
	}
	for _, it := range d.Items {
		row, err := itemRowOf(it)
		if err != nil {
			return rows{}, err
		}
		r.items = append(r.items, row)
	}
	var before [2]string // the beginnings of the two turns before
	for _, t := range d.Turns {
		row, lead, err := turnRowOf(t, before[0]+before[1])
		if err != nil {
			return rows{}, err
		}
		r.turns = append(r.turns, row)
		before = [2]string{before[1], lead}
	}
	return r, nil
}

func itemRowOf(it Item) (itemRow, error) {
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
	r.body = wordsOf(-1, append([]string{it.Text, it.Why, it.Scope, it.Path}, append(it.Alternatives, it.About...)...)...)
	r.alias = wordsOf(-1, it.Aliases...)
	r.ctx = wordsOf(itemContext, it.Context)
	r.hash = hashOf(string(data), r.ctx)
	return r, nil
}

// turnRowOf also returns how the turn begins, for those after it.
func turnRowOf(t Turn, before string) (r turnRow, lead string, err error) {
	shown := clipText(t.Text, turnShown)
	text, err := pack(shown)
	if err != nil {
		return turnRow{}, "", fmt.Errorf("turn %s: %w", t.ID, err)
	}
	r = turnRow{tid: t.ID, role: t.Role, at: millis(t.At), n: int64(t.N), text: text, ctx: before}
	said, n := words.Join(nil, t.Text, turnBody, notStop)
	all, _ := words.Join(said, t.More, turnBody-n, notStop)
	r.body = string(all)
	r.hash = hashOf(t.ID, t.Role, strconv.FormatInt(r.at, 10), strconv.Itoa(t.N), shown, r.body, r.ctx)
	return r, firstWords(r.body[:len(said)], turnContext), nil
}

// firstWords cuts words, each with a space behind it, to n.
func firstWords(s string, n int) string {
	for i := range len(s) {
		if s[i] == ' ' {
			if n--; n == 0 {
				return s[:i+1]
			}
		}
	}
	return s
}

func notStop(w string) bool { return !words.Stop(w) }

// wordsOf is texts as FTS5 gets them.
func wordsOf(limit int, texts ...string) string {
	var b []byte
	for _, t := range texts {
		var n int
		b, n = words.Join(b, t, limit, notStop)
		if limit >= 0 {
			limit -= n
		}
	}
	return string(b)
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
