// Package wire is shared by providers that use HTTP through another client library: a transport that converts every
// failure of a service into an *llm.Error, which errors.As finds through that library's own wrapping.
package wire

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"recall/internal/llm"
	txt "recall/internal/text"
)

// Transport sends requests once. What it returns has succeeded: a complete JSON body
// without an error in it. Everything else is an *llm.Error, or the context's own error.
type Transport struct {
	Model  string // for errors
	Key    string // never part of an error
	Base   http.RoundTripper
	Stream bool // bodies are read by the client, line by line
}

// maxAnswer is the maximum size of an answer in bytes; 64k tokens take far less.
const maxAnswer = 64 << 20

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	base := t.Base
	if base == nil {
		base = http.DefaultTransport
	}
	res, err := base.RoundTrip(req)
	if err != nil {
		return nil, t.Broken(req.Context(), err)
	}
	if res.StatusCode/100 == 2 && t.Stream {
		return res, nil
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	switch {
	case res.StatusCode/100 == 3:
		return nil, t.Fail(llm.NotFound, res.StatusCode, "the address redirects elsewhere, which isn't followed")
	case res.StatusCode/100 != 2:
		return nil, t.refused(res, body) // the readable part of a broken body is enough
	case err != nil:
		return nil, t.Broken(req.Context(), err)
	case len(body) > maxAnswer:
		return nil, t.Fail(llm.Nonsense, res.StatusCode, "the answer is larger than 64 MB")
	case !json.Valid(body) && t.Clip(body) == llm.WebPage: // from a proxy or portal, such as a login page
		return nil, t.Fail(llm.NotFound, res.StatusCode, llm.WebPage+" instead of an answer")
	case !json.Valid(body):
		return nil, t.Fail(llm.Nonsense, res.StatusCode, "the answer is not JSON: "+t.Clip(body))
	}
	if _, ok := parseError(body); ok { // OpenRouter does this after it has begun to answer
		return nil, t.refused(res, body)
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	return res, nil
}

// Broken returns the error for a connection that failed or was ended by the caller.
func (t *Transport) Broken(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	if known, ok := errors.AsType[*llm.Error](err); ok {
		return known
	}
	e := t.Fail(llm.Unreachable, 0, "")
	e.Err = err
	var slow net.Error
	switch {
	case ctx.Err() != nil || errors.As(err, &slow) && slow.Timeout():
		e.Fault = llm.TimedOut
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		e.Text = "the connection broke off"
	}
	return e
}

// refused returns the error in a service's response.
func (t *Transport) refused(res *http.Response, body []byte) *llm.Error {
	c, _ := parseError(body)
	status := res.StatusCode
	if status/100 == 2 {
		status = c.status
	}
	text := c.text
	if text == "" {
		text = string(body)
	}
	e := t.Fail(FaultOf(status, c.code, text), status, t.Clip([]byte(text)))
	e.After = retryAfter(res.Header, time.Now())
	return e
}

// Fail returns an error of the service.
func (t *Transport) Fail(f llm.Fault, status int, text string) *llm.Error {
	return &llm.Error{Fault: f, Model: t.Model, Status: status, Text: text}
}

// Clip puts a service's text on one line of at most 300 bytes, without the key.
func (t *Transport) Clip(data []byte) string {
	s := strings.ToValidUTF8(string(data), "")
	if t.Key != "" {
		s = strings.ReplaceAll(s, t.Key, "[key]")
		s = removeKeyParts(strings.ToValidUTF8(s[:min(len(s), 2000)], ""), t.Key)
	}
	if begin := strings.ToLower(s[:min(len(s), 500)]); strings.Contains(begin, "<html") ||
		strings.Contains(begin, "<!doctype") {
		return llm.WebPage
	}
	return llm.Short(s)
}

// minKeyPart is the length from which part of a key is more than its maker's prefix.
const minKeyPart = 8

// removeKeyParts removes parts of a key that a service repeats truncated or masked.
func removeKeyParts(s, key string) string {
	for i := 0; i+minKeyPart <= len(key); {
		at := strings.Index(s, key[i:i+minKeyPart])
		if at < 0 {
			i++
			continue
		}
		n := minKeyPart
		for i+n < len(key) && at+n < len(s) && s[at+n] == key[i+n] {
			n++
		}
		s = s[:at] + "[key]" + s[at+n:]
	}
	return s
}

// Defaults fills in defaults and checks the address: a key is only sent over https or to this machine.
func Defaults(o llm.Options, address string, window, maxAnswer int) (llm.Options, *url.URL, error) {
	o.URL = cmp.Or(o.URL, address)
	u, err := Address("llm.url", o.URL, o.Key)
	o.Window = cmp.Or(max(o.Window, 0), window)
	o.MaxOutput = cmp.Or(max(o.MaxOutput, 0), maxAnswer)
	o.Timeout = cmp.Or(max(o.Timeout, 0), 5*time.Minute)
	return o, u, err
}

// Client returns a client over a transport that follows no redirects: texts and keys only go where the user said.
func Client(t http.RoundTripper) *http.Client {
	return &http.Client{Transport: t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// Address checks the address of a service that a setting names: a key is only sent over https or to this machine.
func Address(setting, raw, key string) (*url.URL, error) {
	u, err := url.Parse(raw)
	noAddress := err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil
	if noAddress {
		return nil, errors.New(setting + " is not an address such as http://127.0.0.1:1234/v1") // it may hold a password
	}
	if key != "" && u.Scheme == "http" && !Here(u.Hostname()) {
		return nil, fmt.Errorf("%s: a key is sent over https only", u.Redacted())
	}
	return u, nil
}

// Here reports whether a host is this machine.
func Here(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// retryAfter returns how long a service asks to wait, given in seconds, as a date or in
// OpenAI's milliseconds; 0 if it doesn't say.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("retry-after-ms"), 64); err == nil && ms >= 0 && ms < 1e9 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	v := h.Get("retry-after")
	if s, err := strconv.ParseFloat(v, 64); err == nil && s >= 0 && s < 1e6 {
		return time.Duration(s * float64(time.Second))
	}
	if t, err := http.ParseTime(v); err == nil {
		return max(0, t.Sub(now))
	}
	return 0
}

// hereWait is how long to wait for a server on this machine.
const hereWait = 300 * time.Millisecond

// AskHere queries a server on this machine without a proxy, and reports whether it answered in time. ask may be nil.
func AskHere(ctx context.Context, address, path string, ask, answer any) bool {
	ctx, cancel := context.WithTimeout(ctx, hereWait)
	defer cancel()
	method, body := http.MethodGet, []byte(nil)
	if ask != nil {
		method = http.MethodPost
		body, _ = json.Marshal(ask) // of texts alone
	}
	req, err := http.NewRequestWithContext(ctx, method,
		strings.TrimSuffix(strings.TrimRight(address, "/"), "/v1")+path, bytes.NewReader(body))
	if err != nil {
		return false
	}
	res, err := Client(&http.Transport{Proxy: nil, DisableKeepAlives: true}).Do(req)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	return res.StatusCode == http.StatusOK && json.NewDecoder(io.LimitReader(res.Body, 4<<20)).Decode(answer) == nil
}

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

// serviceError is the content of an error response.
type serviceError struct {
	text   string
	code   string // code, type, status and param, joined
	status int    // HTTP status if the code is one, or 0
}

// parseError parses the error formats of various services:
//
//	{"error":{"message":…,"type":…,"code":…}}   OpenAI, OpenRouter, vLLM
//	[{"error":{"code":400,"status":…}}]         Google
//	{"error":"…"}                               Ollama, LM Studio
//	{"type":"error","error":{…}}                Anthropic
//	{"object":"error","message":…}, {"detail":…}
//
// ok is false if the body is no error.
func parseError(body []byte) (c serviceError, ok bool) {
	body = bytes.TrimSpace(body)
	if bytes.HasPrefix(body, []byte("[")) {
		var list []json.RawMessage
		if json.Unmarshal(body, &list) != nil || len(list) != 1 {
			return c, false
		}
		body = list[0]
	}
	var b map[string]json.RawMessage
	if json.Unmarshal(body, &b) != nil {
		return c, false
	}
	answered := present(b["choices"])
	switch {
	case present(b["error"]) && !answered:
		return parseErrorValue(b["error"]), true
	case plain(b["object"]) == "error":
		return parseErrorValue(body), true
	case present(b["detail"]) && !answered:
		return serviceError{text: plain(b["detail"])}, true
	}
	return c, false
}

func present(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// parseErrorValue parses the value of "error": a text or an object.
func parseErrorValue(raw json.RawMessage) serviceError {
	var e map[string]json.RawMessage
	if json.Unmarshal(raw, &e) != nil {
		return serviceError{text: plain(raw)}
	}
	var about struct {
		Raw json.RawMessage // OpenRouter: the message of the provider behind it
	}
	_ = json.Unmarshal(e["metadata"], &about) // usually there is none
	c := serviceError{text: plain(e["message"]), code: strings.Join([]string{plain(e["code"]), plain(e["type"]),
		plain(e["status"]), plain(e["param"])}, " ")}
	if more := plain(about.Raw); more != "" {
		c.text += ": " + more
	}
	if c.text == "" {
		c.text = strings.TrimSpace(c.code)
	}
	if n, err := strconv.Atoi(plain(e["code"])); err == nil && n >= 400 && n < 600 {
		c.status = n
	}
	return c
}

func plain(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// FaultOf classifies an error by its status and, if that says too little, by its code and text.
func FaultOf(status int, code, text string) llm.Fault {
	code, text = strings.ToLower(code), strings.ToLower(text)
	says := func(in string, parts ...string) bool { return txt.AnyOf(in, strings.Contains, parts...) }
	switch {
	case status == http.StatusPaymentRequired, says(code, "insufficient_quota", "billing", "insufficient_balance"),
		says(text, "exceeded your current quota", "credit balance is too low", "insufficient credits",
			"api usage limits"):
		return llm.NoCredit
	case says(code, "content_filter", "content_policy", "responsibleai"), status == http.StatusForbidden &&
		says(text, "flagged", "moderation"):
		return llm.Refused
	case says(code, "context_length_exceeded", "exceed_context_size", "string_above_max_length", "request_too_large"),
		status == http.StatusRequestEntityTooLarge,
		says(text, "context length", "context window", "context size", "context limit", "maximum context",
			"prompt is too long", "input token count", "too many tokens", "reduce the length"):
		return llm.TooLong
	case status == http.StatusUnauthorized || status == http.StatusForbidden,
		says(code, "invalid_api_key", "authentication", "permission_denied"),
		says(text, "api key not valid", "invalid api key"):
		return llm.Unauthorized
	case status == http.StatusNotFound, says(code, "model_not_found", "not_found_error"):
		return llm.NotFound
	case status == http.StatusTooManyRequests, says(code, "rate_limit", "resource_exhausted"):
		return llm.RateLimited
	case status == http.StatusRequestTimeout || status == http.StatusGatewayTimeout || status == 524: // Cloudflare's
		return llm.TimedOut
	case status >= 500, says(code, "server_error", "overloaded", "api_error", "unavailable"):
		return llm.Overloaded
	case status == 0 || status/100 == 2: // an error in an answer that matches none of these
		return llm.Overloaded
	}
	return llm.Rejected
}
