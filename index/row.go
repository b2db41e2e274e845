package index

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"strconv"
	"sync"
	"unicode/utf8"

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
	var r rows
	for _, it := range d.Items {
		row, err := itemRowOf(it)
		if err != nil {
			return rows{}, err
		}
		r.items = append(r.items, row)
	}
	for i, t := range d.Turns {
		row, err := turnRowOf(t, d.Turns[max(0, i-2):i])
		if err != nil {
			return rows{}, err
		}
		r.turns = append(r.turns, row)
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

func turnRowOf(t Turn, before []Turn) (turnRow, error) {
	shown := clipText(t.Text, turnShown)
	text, err := pack(shown)
	if err != nil {
		return turnRow{}, fmt.Errorf("turn %s: %w", t.ID, err)
	}
	r := turnRow{tid: t.ID, role: t.Role, at: millis(t.At), n: int64(t.N), text: text}
	r.body = wordsOf(turnBody, t.Text, t.More)
	for _, b := range before {
		r.ctx += wordsOf(turnContext, b.Text)
	}
	r.hash = hashOf(t.ID, t.Role, strconv.FormatInt(r.at, 10), strconv.Itoa(t.N), shown, r.body, r.ctx)
	return r, nil
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
	for _, p := range parts {
		fmt.Fprintf(h, "%d:", len(p))
		io.WriteString(h, p)
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

// deflaters are kept: a new one takes a megabyte.
var deflaters = sync.Pool{New: func() any {
	w, err := flate.NewWriter(io.Discard, flate.DefaultCompression)
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
