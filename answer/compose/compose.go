// Package compose has a language model look at a search's results: which of them answer the question. The model gets
// the question and the results, nothing else, and words nothing.
package compose

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"recall/index"
	"recall/ingest"
	"recall/internal/llm"
	"recall/internal/text"
	"recall/payload"
)

// Asker asks a model about a search's results. It is safe for concurrent use if its fields are.
type Asker struct {
	Model  llm.Model
	Redact func(string) string // applied to everything sent; nil: there are no secrets
	Kept   llm.Store           // earlier answers; nil: ask every time
	Waits  func()              // called before the model is asked; may be nil
}

// ask sends a request and decodes the answer, if check accepts it; of are the sessions whose words the request
// shows. The error is an *llm.Error if the model failed or its answer is unusable; such an answer isn't kept.
func (a *Asker) ask(ctx context.Context, r llm.Request, of []string, into any, check func() error) error {
	if a.Redact != nil {
		r.Prompt = a.Redact(r.Prompt)
	}
	key := a.key(r)
	if a.Kept != nil {
		data, ok, err := a.Kept.Answer(key)
		if err != nil {
			return err
		}
		if ok && json.Unmarshal(data, into) == nil && check() == nil {
			return nil
		}
	}
	if a.Waits != nil {
		a.Waits()
	}
	res, err := a.Model.Complete(ctx, r)
	if err != nil {
		return err
	}
	value, ok := llm.FindJSON(res.Text)
	if !ok {
		return a.nonsense(r, fmt.Errorf("it is not JSON, or breaks off: %s", llm.Short(res.Text)))
	}
	err = llm.Misfit("", json.Unmarshal([]byte(value), into))
	if err == nil {
		err = check()
	}
	if err != nil {
		return a.nonsense(r, err)
	}
	if a.Kept == nil {
		return nil
	}
	data, err := naming(of, value)
	if err != nil {
		return a.nonsense(r, err)
	}
	return a.Kept.KeepAnswer(key, data)
}

// naming adds to an answer, a JSON object, the sessions it is based on. If one of them is unknown, none is named,
// and the answer is dropped when any session is forgotten.
func naming(of []string, value string) ([]byte, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(value), &fields); err != nil {
		return nil, err
	}
	if fields == nil {
		return nil, errors.New("it is null")
	}
	delete(fields, "of")
	if len(of) > 0 && !slices.Contains(of, "") {
		of = slices.Clone(of)
		slices.Sort(of)
		list, err := json.Marshal(slices.Compact(of))
		if err != nil {
			return nil, err
		}
		fields["of"] = list
	}
	return json.Marshal(fields)
}

// sessionOf returns the session whose words are at a place; "" for handoffs, where that is unknown.
func sessionOf(p index.Place) string {
	if p.Source == index.HandoffSource {
		return ""
	}
	return p.Session
}

func (a *Asker) nonsense(r llm.Request, why error) error {
	return &llm.Error{Fault: llm.Nonsense, Model: a.Model.Name(), Text: fmt.Sprintf("%s: %v", r.Task, why)}
}

func (a *Asker) key(r llm.Request) string {
	sum := sha256.Sum256([]byte(a.Model.Name() + "\x00" + r.System + "\x00" + r.Prompt))
	return r.Task + "-" + hex.EncodeToString(sum[:20])
}

// room returns how many bytes of results fit into the model's window beside its instructions, the question and the
// answer.
func (a *Asker) room(r llm.Request, question string) int {
	window := a.Model.Window()
	if window <= 0 {
		return math.MaxInt
	}
	taken := llm.Tokens(len(r.System)+len(r.Schema.JSON)+len(head(question))) + r.Max + aside
	return max(0, (window-taken)*bytesAToken)
}

const (
	aside       = 200 // tokens that a service may add
	bytesAToken = 3   // at least
)

const longestQuestion = 2000 // bytes of the question that the model is shown

// head returns the beginning of a prompt.
func head(question string) string {
	return "The question: " + line(question, longestQuestion) + "\n\n"
}

// line returns a text as one line of a prompt, of at most most bytes.
func line(s string, most int) string {
	s = text.OneLine(strings.ReplaceAll(strings.ToValidUTF8(s, ""), ingest.ModelCall, "[recall: model call]"))
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + " …"
	}
	return s
}

func day(t time.Time) string {
	if t.IsZero() {
		return "no date"
	}
	return t.Local().Format("2006-01-02")
}

// state reports whether an item holds.
func state(it *payload.Item) string {
	if it.Current() {
		return string(payload.Stands)
	}
	return string(it.State)
}
