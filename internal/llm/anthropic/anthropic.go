// Package anthropic uses Anthropic's Messages API, or a compatible service.
//
// It is a client of our own. The official SDK would add 5.2 MB to the binary (a third of ours) and 17 modules, as
// measured; recall needs one endpoint, no streams and no tools, and each request sent exactly once, which the SDK
// doesn't do by default.
package anthropic

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"

	"recall/internal/llm"
	"recall/internal/llm/wire"
)

// Model is an llm.Model over Anthropic's API. Safe for concurrent use.
type Model struct {
	llm.Identity
	o      llm.Options
	base   string
	wire   *wire.Transport
	client *http.Client

	tells atomic.Bool // the service takes no schema: it is told in the prompt
}

var _ llm.Model = (*Model)(nil)

// New checks the options without sending anything. A key is only sent over https or to this machine.
func New(o llm.Options) (*Model, error) {
	o, _, err := wire.Defaults(o, "https://api.anthropic.com", 200_000, 8192)
	if err != nil {
		return nil, err
	}
	if o.Model == "" {
		return nil, errors.New("anthropic: no model named, such as claude-haiku-4-5")
	}
	if strings.ContainsFunc(o.Key, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return nil, errors.New("anthropic: the key contains an invalid character, such as a newline")
	}
	m := &Model{Identity: llm.Identity{ID: "anthropic/" + o.Model, Tokens: o.Window}, o: o}
	m.wire = &wire.Transport{Model: m.Name(), Key: o.Key}
	m.client = wire.Client(m.wire)
	m.base = strings.TrimSuffix(strings.TrimRight(o.URL, "/"), "/v1") // both forms are common
	return m, nil
}

// reply is the response to a request. Blocks of types other than "text", such as thinking, are ignored.
type reply struct {
	Content    []struct{ Type, Text string } `json:"content"`
	StopReason string                        `json:"stop_reason"`
	Usage      wire.AnthropicUsage           `json:"usage"`
}

// Complete implements llm.Model. If the service rejects the schema, it is told in the prompt, then and later: some say
// only "invalid params".
func (m *Model) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	told := r.Schema != nil && m.tells.Load()
	res, err := m.ask(ctx, m.request(r, told))
	if r.Schema == nil || told || !rejected(err) {
		return res, err
	}
	res, again := m.ask(ctx, m.request(r, true))
	if rejected(again) {
		return res, err // the schema wasn't the cause
	}
	m.tells.Store(true)
	return res, again
}

func rejected(err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	return ok && e.Fault == llm.Rejected
}

// object is an object of JSON.
type object = map[string]any

// request builds the body of POST /v1/messages, with the schema either as a parameter or told in the prompt. It has no
// temperature, because newer models reject it.
func (m *Model) request(r llm.Request, inPrompt bool) object {
	if inPrompt {
		r.Prompt += r.Schema.Told()
	}
	most, thinks := cmp.Or(max(r.Max, 0), m.o.MaxOutput), llm.Thinks(m.o.Model)
	if thinks {
		most += llm.ThinkingRoom
	}
	body := object{"model": m.o.Model, "max_tokens": most, "messages": []object{{"role": "user", "content": r.Prompt}}}
	if r.System != "" { // the same for many requests: the service can cache it for five minutes
		body["system"] = []object{{"type": "text", "text": r.System, "cache_control": object{"type": "ephemeral"}}}
	}
	output := object{}
	if thinks && !inPrompt { // else the effort may be what was rejected
		output["effort"] = "low"
	}
	if r.Schema != nil && !inPrompt {
		output["format"] = object{"type": "json_schema", "schema": r.Schema.JSON}
	}
	if len(output) > 0 {
		body["output_config"] = output
	}
	return body
}

// ask sends a body and reads the answer. Every error except cancellation by the context's owner is an *llm.Error.
func (m *Model) ask(ctx context.Context, body object) (llm.Response, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return llm.Response{}, m.wire.Fail(llm.Rejected, 0, "the request can't be written: "+err.Error())
	}
	ctx, cancel := context.WithTimeout(ctx, m.o.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.base+"/v1/messages", bytes.NewReader(data))
	if err != nil {
		return llm.Response{}, m.wire.Fail(llm.Rejected, 0, "the request can't be made")
	}
	req.Header.Set("anthropic-version", "2023-06-01")
	req.Header.Set("User-Agent", "recall")
	req.Header.Set("Content-Type", "application/json")
	if m.o.Key != "" {
		req.Header.Set("x-api-key", m.o.Key)
	}
	res, err := m.client.Do(req)
	if err != nil {
		return llm.Response{}, m.wire.Broken(ctx, err)
	}
	defer res.Body.Close()
	var rep reply
	if err := json.NewDecoder(res.Body).Decode(&rep); err != nil {
		return llm.Response{}, m.wire.Fault(ctx, err)
	}
	return m.answer(rep)
}

// answer converts a reply to a response, or explains why it is unusable.
func (m *Model) answer(rep reply) (llm.Response, error) {
	res := llm.Response{Usage: rep.Usage.Usage()}
	var text strings.Builder
	for _, b := range rep.Content {
		if b.Type == "text" {
			text.WriteString(b.Text)
		}
	}
	res.Text = strings.TrimSpace(text.String())
	fault, why := llm.Fault(""), ""
	switch {
	case rep.StopReason == "max_tokens":
		fault, why = llm.Cut, "the answer hit its token limit"
	case rep.StopReason == "model_context_window_exceeded":
		fault, why = llm.TooLong, "the answer hit the end of the model's window"
	case rep.StopReason == "refusal":
		fault, why = llm.Refused, "the model declined: "+m.wire.Clip([]byte(res.Text))
	case res.Text == "":
		fault, why = llm.Nonsense, "an empty answer (stop_reason "+m.wire.Clip([]byte(rep.StopReason))+")"
	}
	return m.wire.Answer(res, fault, why)
}
