package wire

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"recall/internal/llm"
	txt "recall/internal/text"
)

// serviceError is the content of an error response.
type serviceError struct {
	text   string
	code   string // code, type, status and param, joined
	status int    // HTTP status if the code is one, or 0
	after  time.Duration
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
		Raw     json.RawMessage   // OpenRouter: the message of the provider behind it
		Headers map[string]string // its own
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
	if ms, err := strconv.ParseInt(about.Headers["X-RateLimit-Reset"], 10, 64); err == nil { // a point in time
		c.after = min(max(0, time.Until(time.UnixMilli(ms))), time.Hour)
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
		says(text, "exceeded your current quota", "credit balance is too low", "insufficient credits", "api usage limits"):
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
