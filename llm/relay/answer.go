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

// answer is what is there by now beside a request, by its path without an ending; ok is
// false while there is nothing, or it isn't whole.
func (m *Model) answer(base string, asJSON bool) (res llm.Response, ok bool, err error) {
	for _, kind := range []string{".answer.json", ".answer.txt", ".error.txt"} {
		file, err := os.Stat(base + kind)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var data []byte
		if err == nil {
			data, err = os.ReadFile(base + kind)
		}
		if err != nil {
			return res, false, &llm.Error{Fault: llm.Unreachable, Err: err}
		}
		text := strings.TrimSpace(strings.TrimPrefix(string(data), "\ufeff"))
		whole := time.Since(file.ModTime()).Abs() >= m.settled // another machine's clock may be ahead
		if !whole && !((kind == ".answer.json" || asJSON) && json.Valid([]byte(text))) {
			return res, false, nil
		}
		res, err = take(base, kind, text, asJSON)
		return res, err == nil, err
	}
	return res, false, nil
}

// take makes a response of a file's text.
func take(base, kind, text string, asJSON bool) (llm.Response, error) {
	if kind == ".error.txt" {
		return llm.Response{}, &llm.Error{Fault: llm.Refused, Text: llm.Short(text)}
	}
	res := llm.Response{Text: text}
	if b, err := os.ReadFile(base + ".usage.json"); err == nil {
		if err := json.Unmarshal(b, &res.Usage); err != nil {
			return res, &llm.Error{Fault: llm.Nonsense, Text: base + ".usage.json: " + err.Error()}
		}
	}
	fault := ""
	if found, ok := llm.FindJSON(text); ok && (asJSON || kind == ".answer.json") {
		res.Text = found
	} else if asJSON || kind == ".answer.json" {
		fault = "holds no JSON"
	} else if text == "" {
		fault = "is empty"
	}
	if fault != "" {
		return llm.Response{}, &llm.Error{Fault: llm.Nonsense, Usage: res.Usage,
			Text: base + kind + " " + fault + ": mend it or delete it, and ask again"}
	}
	return res, nil
}
