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
	"recall/internal/redact"
	"recall/internal/text"
)

// Asker asks a model about a search's results. It is safe for concurrent use if its fields are.
type Asker struct {
	Model llm.Model
	Kept  llm.Store // earlier answers
	Waits func()    // called before the model is asked; may be nil
}

// verdict is what a model says, as it is kept.
type verdict struct {
	Order []int    `json:"order"`
	Found string   `json:"found"`        // answer or none
	Of    []string `json:"of,omitempty"` // the sessions that it was shown; none if one is unknown
}

// read reads an answer.
func read(text string) (v verdict, err error) {
	value, ok := llm.FindJSON(text)
	if !ok {
		return v, fmt.Errorf("it is not JSON, or breaks off: %s", llm.Short(text))
	}
	err = llm.Misfit("", json.Unmarshal([]byte(value), &v))
	if err == nil && v.Found != "answer" && v.Found != "none" {
		err = errors.New("it doesn't say what was found")
	}
	return v, err
}

// ask sends a request and reads the answer; of are the sessions whose words the request shows. The error is an
// *llm.Error if the model failed or its answer is unusable; such an answer isn't kept.
func (a *Asker) ask(ctx context.Context, r llm.Request, of []string) (verdict, error) {
	r.Prompt = redact.Text(r.Prompt)
	sum := sha256.Sum256([]byte(a.Model.Name() + "\x00" + r.System + "\x00" + r.Prompt))
	key := r.Task + "-" + hex.EncodeToString(sum[:20])
	data, ok, err := a.Kept.Answer(key)
	if err != nil {
		return verdict{}, err
	}
	if v, err := read(string(data)); ok && err == nil {
		return v, nil
	}
	if a.Waits != nil {
		a.Waits()
	}
	res, err := a.Model.Complete(ctx, r)
	if err != nil {
		return verdict{}, err
	}
	v, err := read(res.Text)
	if err != nil {
		return v, &llm.Error{Fault: llm.Nonsense, Model: a.Model.Name(), Text: fmt.Sprintf("%s: %v", r.Task, err)}
	}
	if v.Of = nil; !slices.Contains(of, "") {
		slices.Sort(of)
		v.Of = slices.Compact(of)
	}
	if data, err = json.Marshal(v); err == nil {
		err = a.Kept.KeepAnswer(key, data)
	}
	return v, err
}

// sessionOf returns the session whose words are at a place; "" for handoffs, where that is unknown.
func sessionOf(p index.Place) string {
	if p.Source == index.HandoffSource {
		return ""
	}
	return p.Session
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
