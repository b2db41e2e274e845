package wire

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"recall/llm"
	txt "recall/text"
)

// complaint is what an error's body says.
type complaint struct {
	text   string
	code   string // code, type and status, in a row
	status int    // of HTTP, if the code is one; 0
	after  time.Duration
}

// complaintOf reads the forms in which services word an error:
//
//	{"error":{"message":…,"type":…,"code":…}}   OpenAI, OpenRouter, vLLM
//	[{"error":{"code":400,"status":…}}]         Google
//	{"error":"…"}                               Ollama, LM Studio
//	{"type":"error","error":{…}}                Anthropic
//	{"object":"error","message":…}, {"detail":…}
//
// ok is false for a body that holds none.
func complaintOf(body []byte) (c complaint, ok bool) {
	body = bytes.TrimSpace(body)
	if bytes.HasPrefix(body, []byte("[")) {
		var list []json.RawMessage
		if json.Unmarshal(body, &list) != nil || len(list) != 1 {
			return c, false
		}
		body = list[0]
	}
	var b struct {
		Error   json.RawMessage `json:"error"`
		Object  string          `json:"object"`
		Message json.RawMessage `json:"message"` // an object in answers of Ollama
		Code    json.RawMessage `json:"code"`
		Detail  json.RawMessage `json:"detail"`
		Choices json.RawMessage `json:"choices"`
	}
	if json.Unmarshal(body, &b) != nil {
		return c, false
	}
	switch {
	case given(b.Error) && !given(b.Choices):
		return inner(b.Error), true
	case b.Object == "error":
		return inner(body), true
	case given(b.Detail) && !given(b.Choices):
		return complaint{text: plain(b.Detail)}, true
	}
	return c, false
}

func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// inner reads what stands below "error": words, or an object.
func inner(raw json.RawMessage) complaint {
	var e struct {
		Message  json.RawMessage `json:"message"`
		Type     json.RawMessage `json:"type"`
		Code     json.RawMessage `json:"code"`
		Status   json.RawMessage `json:"status"`
		Param    json.RawMessage `json:"param"`
		Metadata struct {
			Raw     json.RawMessage   `json:"raw"` // OpenRouter: what the one behind it said
			Headers map[string]string `json:"headers"`
		} `json:"metadata"`
	}
	if json.Unmarshal(raw, &e) != nil {
		return complaint{text: plain(raw)}
	}
	c := complaint{text: plain(e.Message), code: strings.Join([]string{plain(e.Code), plain(e.Type), plain(e.Status),
		plain(e.Param)}, " ")}
	if more := plain(e.Metadata.Raw); more != "" {
		c.text += ": " + more
	}
	if c.text == "" {
		c.text = strings.TrimSpace(c.code)
	}
	if n, err := strconv.Atoi(plain(e.Code)); err == nil && n >= 400 && n < 600 {
		c.status = n
	}
	if ms, err := strconv.ParseInt(e.Metadata.Headers["X-RateLimit-Reset"], 10, 64); err == nil { // a moment
		c.after = min(max(0, time.Until(time.UnixMilli(ms))), time.Hour)
	}
	return c
}

// plain is a JSON value as text.
func plain(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// FaultOf tells what a refusal means, by its codes and words where the status
// says too little.
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
	case status == 0 || status/100 == 2: // an error in an answer that is none of these
		return llm.Overloaded
	}
	return llm.Rejected
}
