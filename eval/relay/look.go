package relay

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"recall/internal/llm"
)

// look looks for the answer to one request.
type look struct {
	base         string        // path without ".answer.…"
	json         bool          // JSON is expected
	minUnchanged time.Duration // see the constant
	seen         map[string]fileState
}

// fileState is a file's observed state, and since when it has been the same.
type fileState struct {
	size int64
	mod  time.Time
	from time.Time
}

// minUnchanged is how long a text must remain unchanged to count as complete, as it may be
// written by hand or without renaming. JSON shows its own completeness.
const minUnchanged = time.Second

// answer returns the answer if it is there; ok is false if there is nothing yet.
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

// read reads a file and reports whether it has been unchanged for a while, by its own
// timestamp or by our observation, since another machine's clock may be ahead.
func (l *look) read(name string) (data []byte, whole bool, err error) {
	i, err := os.Stat(name)
	if err != nil {
		return nil, false, err
	}
	data, err = os.ReadFile(name)
	now := fileState{i.Size(), i.ModTime(), time.Now()}
	if s, ok := l.seen[name]; ok && s.size == now.size && s.mod.Equal(now.mod) {
		now.from = s.from
	}
	if l.seen == nil {
		l.seen = map[string]fileState{}
	}
	l.seen[name] = now
	return data, time.Since(now.mod) >= l.minUnchanged || time.Since(now.from) >= l.minUnchanged, err
}

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
			": fix or delete it, then ask again"}
	}
	if l.json || kind == ".answer.json" {
		found, ok := llm.FindJSON(text)
		if !ok {
			return fault("contains no JSON")
		}
		res.Text = found
	}
	if res.Text == "" {
		return fault("is empty")
	}
	return res, nil
}
