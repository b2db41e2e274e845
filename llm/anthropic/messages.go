package anthropic

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"recall/llm"
)

// request is a body of POST /v1/messages, and the params of one in a batch.
// Temperature is left out: newer models refuse it.
type request struct {
	Model     string    `json:"model"`
	MaxTokens int       `json:"max_tokens"`
	System    []block   `json:"system,omitempty"`
	Messages  []message `json:"messages"`
	Output    *output   `json:"output_config,omitempty"`
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// block is a piece of a prompt or of an answer. Types other than "text" come
// too (thinking, and what is invented later) and are passed over.
type block struct {
	Type  string `json:"type"`
	Text  string `json:"text"`
	Cache *cache `json:"cache_control,omitempty"`
}

type cache struct {
	Type string `json:"type"`
}

type output struct {
	Effort string  `json:"effort,omitempty"`
	Format *format `json:"format,omitempty"`
}

type format struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"schema"`
}

// reply is a message that comes back.
type reply struct {
	Type       string  `json:"type"`
	Model      string  `json:"model"`
	Content    []block `json:"content"`
	StopReason string  `json:"stop_reason"`
	Usage      struct {
		Input      int `json:"input_tokens"` // what was neither read from the cache nor put there
		CacheWrite int `json:"cache_creation_input_tokens"`
		CacheRead  int `json:"cache_read_input_tokens"`
		Output     int `json:"output_tokens"`
	} `json:"usage"`
}

// Complete implements llm.Model. Where the service refuses the schema, the
// request goes out a second time with the schema in its prompt, and the
// service is never again asked for what it refused.
func (m *Model) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	body, told := m.request(r)
	res, err := m.ask(ctx, body, r.Schema != nil)
	if r.Schema == nil || told || !mayBeSchema(err) {
		return res, err
	}
	body = m.plain(r)
	again, err2 := m.ask(ctx, body, true)
	if err2 != nil && mayBeSchema(err2) {
		return again, err // it wasn't the schema
	}
	m.remember(r.Schema, err)
	return again, err2
}

// request is a request's body, and whether the schema is told in its prompt.
func (m *Model) request(r llm.Request) (body request, told bool) {
	body = request{Model: m.o.Model, MaxTokens: r.Max, Messages: []message{{"user", r.Prompt}}}
	if body.MaxTokens <= 0 {
		body.MaxTokens = m.o.MaxOutput
	}
	if llm.Thinks(m.o.Model) {
		body.MaxTokens += llm.ThinkingRoom
		body.Output = &output{Effort: "low"}
	}
	if r.System != "" {
		// The same for many requests: the service may keep it for five minutes.
		body.System = []block{{Type: "text", Text: r.System, Cache: &cache{"ephemeral"}}}
	}
	if r.Schema == nil {
		return body, false
	}
	_, all := m.told.Load("")
	_, this := m.told.Load(string(r.Schema.JSON))
	if all || this {
		return m.plain(r), true
	}
	if body.Output == nil {
		body.Output = &output{}
	}
	body.Output.Format = &format{"json_schema", r.Schema.JSON}
	return body, false
}

// plain is a request's body with the schema told in its prompt.
func (m *Model) plain(r llm.Request) request {
	r.Prompt += r.Schema.Told()
	r.Schema = nil
	body, _ := m.request(r)
	body.Output = nil // neither an effort: it may have been that
	return body
}

// mayBeSchema reports whether a request may have been refused for its schema.
// Services other than Anthropic's say no more than "invalid params".
func mayBeSchema(err error) bool {
	e, ok := err.(*llm.Error)
	return ok && e.Fault == llm.Rejected && (e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity)
}

// remember keeps what to ask no more: this schema if the refusal speaks of
// schemas, else any.
func (m *Model) remember(s *llm.Schema, refused error) {
	key := ""
	if strings.Contains(strings.ToLower(refused.(*llm.Error).Text), "schema") {
		key = string(s.JSON)
	}
	m.told.Store(key, true)
}

// ask sends a body and reads the answer, as JSON if it has to be.
func (m *Model) ask(ctx context.Context, body request, asJSON bool) (llm.Response, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return llm.Response{}, m.fault(llm.Rejected, 0, "the request can't be written: "+err.Error())
	}
	ctx, cancel := context.WithTimeout(ctx, m.o.Timeout)
	defer cancel()
	var rep reply
	head, err := m.call(ctx, http.MethodPost, "/v1/messages", bytes.NewReader(data), &rep)
	if err != nil {
		return llm.Response{}, err
	}
	res, err := m.answer(rep, asJSON)
	if err == nil {
		res.Limits = llm.LimitsOf(head)
	}
	return res, err
}

// call sends one request and decodes what comes back. Every error but the end
// of the context by its owner is an *llm.Error.
func (m *Model) call(ctx context.Context, method, path string, body io.Reader, into any) (http.Header, error) {
	res, err := m.send(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, m.wire.Broken(ctx, err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return nil, m.fault(llm.Nonsense, res.StatusCode, "an answer of another form: "+m.wire.Clip(data))
	}
	return res.Header, nil
}

// send sends one request; the caller closes the body of what it returns.
func (m *Model) send(ctx context.Context, method, path string, body io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, m.base+path, body)
	if err != nil {
		return nil, m.fault(llm.Rejected, 0, "the request can't be made")
	}
	req.Header.Set("anthropic-version", "2023-06-01")
	req.Header.Set("User-Agent", "recall")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if m.o.Key != "" {
		req.Header.Set("x-api-key", m.o.Key)
	}
	res, err := m.client.Do(req)
	if err != nil {
		return nil, m.wire.Broken(ctx, err)
	}
	return res, nil
}

func (m *Model) fault(f llm.Fault, status int, text string) *llm.Error {
	return &llm.Error{Fault: f, Model: m.Name(), Status: status, Text: text}
}

// answer makes a response of a reply, or says why it is none.
func (m *Model) answer(rep reply, asJSON bool) (llm.Response, error) {
	u := rep.Usage
	res := llm.Response{Model: rep.Model, Usage: llm.Usage{
		In: u.Input + u.CacheWrite + u.CacheRead, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Out: u.Output}}
	var text strings.Builder
	for _, b := range rep.Content {
		if b.Type == "text" {
			text.WriteString(b.Text)
		}
	}
	res.Text = strings.TrimSpace(text.String())
	fault, why := llm.Fault(""), ""
	switch rep.StopReason {
	case "max_tokens":
		fault, why = llm.Cut, "the answer ran into its limit of tokens"
	case "model_context_window_exceeded":
		fault, why = llm.TooLong, "the answer ran into the end of the model's window"
	case "refusal":
		fault, why = llm.Refused, "the model declined: "+m.wire.Clip([]byte(res.Text))
	default:
		if res.Text == "" {
			fault, why = llm.Nonsense, "an empty answer (stop_reason "+m.wire.Clip([]byte(rep.StopReason))+")"
		}
	}
	if fault == "" && asJSON {
		found, ok := llm.FindJSON(res.Text)
		if !ok {
			fault, why = llm.Nonsense, "JSON was asked for, this came: "+m.wire.Clip([]byte(res.Text))
		}
		res.Text = found
	}
	if fault != "" {
		e := m.fault(fault, http.StatusOK, why)
		e.Usage = res.Usage
		return llm.Response{}, e
	}
	return res, nil
}
