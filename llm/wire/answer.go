package wire

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"

	"recall/llm"
)

// Answer makes a response of what a service said. A fault, and why, is that of an
// answer that is none.
func (t *Transport) Answer(res llm.Response, fault llm.Fault, why string) (llm.Response, error) {
	if fault == "" && res.Text == "" {
		fault, why = llm.Nonsense, "an empty answer"
	}
	if fault != "" {
		e := t.Fail(fault, http.StatusOK, why)
		e.Usage = res.Usage
		return llm.Response{}, e
	}
	return res, nil
}

// Counted is what Anthropic and its program say a request took.
type Counted struct {
	Input      int `json:"input_tokens"` // what was neither read from the cache nor put there
	CacheWrite int `json:"cache_creation_input_tokens"`
	CacheRead  int `json:"cache_read_input_tokens"`
	Output     int `json:"output_tokens"`
}

// Usage is the same in recall's terms.
func (c Counted) Usage() llm.Usage {
	return llm.Usage{In: c.Input + c.CacheWrite + c.CacheRead, CacheRead: c.CacheRead, CacheWrite: c.CacheWrite,
		Out: c.Output}
}

// CutSilently reports whether a service counted far fewer tokens than a request
// can have, as those on one's own machine do with what their window can't hold:
// no tokenizer takes more than 8 bytes a token on prose and code.
func CutSilently(r llm.Request, u llm.Usage) bool {
	return u.In > 0 && u.In < (len(r.System)+len(r.Prompt))/8-100
}

// ReadInPart is what became of such a request.
const ReadInPart = "the service read only a part of the request; give its model a longer window"

// AfterThinking omits what a reasoning model thought aloud, where the service doesn't.
func AfterThinking(text string) string {
	if at := strings.LastIndex(text, "</think>"); at >= 0 {
		text = text[at+len("</think>"):]
	}
	return strings.TrimSpace(text)
}

// Fault is the error of somebody else's client as one of ours.
func (t *Transport) Fault(ctx context.Context, err error) error {
	var known *llm.Error
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var e *llm.Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &syntax), errors.As(err, &kind):
		e = t.Fail(llm.Nonsense, http.StatusOK, "an answer of another form")
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return t.Broken(ctx, err)
	default: // the client didn't send it
		e = t.Fail(llm.Rejected, 0, t.Clip([]byte(err.Error())))
	}
	e.Err = err
	return e
}

// Told remembers which schemas a service refuses: they are told in the prompt. Safe
// for concurrent use.
type Told struct{ refused sync.Map } // by their text; "" for all

// All has every schema told.
func (t *Told) All() { t.refused.Store("", true) }

// Of reports whether a schema is told.
func (t *Told) Of(s *llm.Schema) bool {
	_, all := t.refused.Load("")
	_, this := t.refused.Load(string(s.JSON))
	return all || this
}

// Complete asks. Where the service refuses the schema, the request goes out again
// with the schema told, and so does what comes after it: of this schema if the refusal
// speaks of schemas, else of any.
func (t *Told) Complete(r llm.Request, ask func(told bool) (llm.Response, error)) (llm.Response, error) {
	told := r.Schema != nil && t.Of(r.Schema)
	res, err := ask(told)
	if r.Schema == nil || told || !mayBeSchema(err) {
		return res, err
	}
	again, err2 := ask(true)
	switch {
	case mayBeSchema(err2):
		return again, err // it wasn't the schema
	case strings.Contains(strings.ToLower(err.(*llm.Error).Text), "schema"):
		t.refused.Store(string(r.Schema.JSON), true)
	default:
		t.All()
	}
	return again, err2
}

// mayBeSchema reports whether a request may have been refused for its schema. Some
// services say no more than "invalid params".
func mayBeSchema(err error) bool {
	e, ok := err.(*llm.Error)
	return ok && e.Fault == llm.Rejected && (e.Status == http.StatusBadRequest ||
		e.Status == http.StatusUnprocessableEntity)
}
