package relay

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"recall/llm"
)

// look looks for one request's answer.
type look struct {
	base    string        // path without ".answer.…"
	json    bool          // JSON is asked for
	settled time.Duration // see settled
	seen    map[string]sight
}

// sight is a file as it was seen, and since when it is like that.
type sight struct {
	size int64
	mod  time.Time
	from time.Time
}

// settled is how long text must have stayed as it is to be whole, for it may
// be written by hand or by a program that doesn't rename. JSON shows it.
const settled = time.Second

// answer is what is there by now; ok is false while there is nothing.
func (l *look) answer() (res llm.Response, ok bool, err error) {
	for _, kind := range []string{".answer.json", ".answer.txt", ".error.txt"} {
		data, whole, err := l.read(l.base + kind)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return res, false, &llm.Error{Fault: llm.Unreachable, Err: err}
		}
		text := strings.TrimSpace(strings.TrimPrefix(string(data), "\ufeff"))
		if !whole {
			whole = (kind == ".answer.json" || l.json) && json.Valid([]byte(text))
		}
		if !whole {
			return res, false, nil
		}
		res, err = l.take(kind, text)
		return res, err == nil, err
	}
	return res, false, nil
}

// read reads a file, and reports whether it has stayed as it is for a while, by
// its own time or by ours, as another machine's clock may be ahead.
func (l *look) read(name string) (data []byte, whole bool, err error) {
	i, err := os.Stat(name)
	if err != nil {
		return nil, false, err
	}
	data, err = os.ReadFile(name)
	now := sight{i.Size(), i.ModTime(), time.Now()}
	if s, ok := l.seen[name]; ok && s.size == now.size && s.mod.Equal(now.mod) {
		now.from = s.from
	}
	if l.seen == nil {
		l.seen = map[string]sight{}
	}
	l.seen[name] = now
	return data, time.Since(now.mod) >= l.settled || time.Since(now.from) >= l.settled, err
}

// take makes a response of a file's text.
func (l *look) take(kind, text string) (llm.Response, error) {
	name := l.base + kind
	if kind == ".error.txt" {
		return llm.Response{}, &llm.Error{Fault: llm.Refused, Text: llm.Short(text)}
	}
	res := llm.Response{Text: text}
	if b, err := os.ReadFile(l.base + ".usage.json"); err == nil {
		if err := json.Unmarshal(b, &res.Usage); err != nil {
			return res, &llm.Error{Fault: llm.Nonsense, Text: l.base + ".usage.json: " + err.Error()}
		}
	}
	fault := func(what string) (llm.Response, error) {
		return llm.Response{}, &llm.Error{Fault: llm.Nonsense, Usage: res.Usage, Text: name + " " + what +
			": mend it or delete it, and ask again"}
	}
	if l.json || kind == ".answer.json" {
		found, ok := llm.FindJSON(text)
		if !ok {
			return fault("holds no JSON")
		}
		res.Text = found
	}
	if res.Text == "" {
		return fault("is empty")
	}
	return res, nil
}
