package wire

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"recall/internal/llm"
)

// Answer returns a service's answer as a response, or an error if there is a fault, which why explains.
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

// AnthropicUsage is the usage reported by Anthropic's API and by the claude program.
type AnthropicUsage struct {
	Input      int `json:"input_tokens"` // neither read from the cache nor written to it
	CacheWrite int `json:"cache_creation_input_tokens"`
	CacheRead  int `json:"cache_read_input_tokens"`
	Output     int `json:"output_tokens"`
}

// Usage converts it to llm.Usage.
func (c AnthropicUsage) Usage() llm.Usage {
	return llm.Usage{In: c.Input + c.CacheWrite + c.CacheRead, CacheRead: c.CacheRead, CacheWrite: c.CacheWrite,
		Out: c.Output}
}

// CutSilently reports whether a service counted far fewer tokens than the request must have, as local servers do if
// it exceeds their window: no tokenizer averages more than 8 bytes per token on prose and code.
func CutSilently(r llm.Request, u llm.Usage) bool {
	return u.In > 0 && u.In < (len(r.System)+len(r.Prompt))/8-100
}

// ReadInPart explains such a request's error.
const ReadInPart = "the service read only a part of the request; give its model a longer window"

// AfterThinking removes a reasoning model's thoughts, which some services include.
func AfterThinking(text string) string {
	if at := strings.LastIndex(text, "</think>"); at >= 0 {
		text = text[at+len("</think>"):]
	}
	return strings.TrimSpace(text)
}

// Fault converts the error of another client library to one of ours.
func (t *Transport) Fault(ctx context.Context, err error) error {
	var known *llm.Error
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var e *llm.Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &syntax), errors.As(err, &kind):
		e = t.Fail(llm.Nonsense, http.StatusOK, "the answer has an unexpected form")
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return t.Broken(ctx, err)
	default: // the client failed to send it
		e = t.Fail(llm.Rejected, 0, t.Clip([]byte(err.Error())))
	}
	e.Err = err
	return e
}
