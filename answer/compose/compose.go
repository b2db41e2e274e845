// Package compose has a language model look at what a search found: which of
// it answers the question (Look), and what it says in a paragraph (Paragraph).
// The model gets the question and what was found, nothing else, and what it says
// is held against that by code: a sentence whose names, numbers or direction
// don't stand in the items that it cites is left out.
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
	"recall/llm"
	"recall/payload"
	"recall/prompts"
	"recall/text"
)

// Asker asks a model about what a search found. Safe for concurrent use if its
// fields are.
type Asker struct {
	Model  llm.Model
	Redact func(string) string // of all that is sent; nil: it holds no secrets
	Kept   llm.Store           // answers of before; nil: each question is asked
	Waits  func()              // called before the model is asked; nil: nobody cares
}

// Versions name the prompts of both tasks.
func Versions() string {
	return prompts.Version(prompts.Rerank.Text()) + "+" + prompts.Version(prompts.Answer.Text())
}

// ask sends a request and decodes what comes back, if check has nothing against
// it; of are the sessions that the request shows words of. The error is an
// *llm.Error where the model failed or answered in no form that can be used; such
// an answer isn't kept.
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
	err = json.Unmarshal([]byte(value), into)
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

// naming is an answer, an object of JSON, with the sessions that it is made of.
// Where one of them isn't known none is named, and the answer goes with any.
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

// sessionOf is the session whose words stand at a place; "" of what was handed
// over: it is somebody's words, and not said whose.
func sessionOf(p index.Place) string {
	if p.Source == index.Handed {
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

// room is how many bytes of what was found a model has room for beside its
// instructions, the question and the answer.
func (a *Asker) room(r llm.Request, question string) int {
	window := a.Model.Window()
	if window <= 0 {
		return math.MaxInt
	}
	taken := llm.Tokens(len(r.System)+len(r.Schema.JSON)+len(head(question))) + r.Max + aside
	return max(0, (window-taken)*bytesAToken)
}

const (
	aside       = 200 // tokens for what a service adds
	bytesAToken = 3   // at least
)

const longestQuestion = 2000 // bytes of a question that a model is shown

// head is how a prompt begins.
func head(question string) string {
	return "The question: " + line(question, longestQuestion) + "\n\n"
}

// line is a text as one line of a prompt, at most so many bytes of it.
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
