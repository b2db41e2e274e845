package index

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
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
	items []itemRow
	turns []turnRow
	did   didRows
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

func hashOf(parts ...string) int64 {
	h := fnv.New64a()
	var b []byte
	for _, p := range parts {
		b = append(strconv.AppendInt(b[:0], int64(len(p)), 10), ':')
		b = append(b, p...)
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

// deflaters are kept: a new one takes half a megabyte.
var deflaters = sync.Pool{New: func() any {
	w, err := flate.NewWriter(io.Discard, 5)
	if err != nil {
		panic(err) // the level is right
	}
	return w
}}

// pack makes a text's stored form: "=" and the text, or "z" and it deflated.
func pack(s string) ([]byte, error) {
	if len(s) < deflateFrom {
		return []byte("=" + s), nil
	}
	var b bytes.Buffer
	b.WriteByte('z')
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

func unpack(b []byte) (string, error) {
	switch {
	case len(b) > 0 && b[0] == '=':
		return string(b[1:]), nil
	case len(b) > 0 && b[0] == 'z':
		s, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(b[1:])), packedMost))
		if err != nil {
			return "", fmt.Errorf("a packed text: %v: %w", err, ErrRebuild)
		}
		return string(s), nil
	}
	return "", fmt.Errorf("a packed text of unknown form: %w", ErrRebuild)
}
