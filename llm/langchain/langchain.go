// Package langchain asks Ollama through langchaingo. What langchaingo v0.1.14 sends and
// hides is mended on the wire: it has no schemas and no num_ctx that stays, and its
// errors are words. See trip.
package langchain

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"

	"recall/llm"
	"recall/llm/wire"
)

// Options say which model of which service answers.
type Options struct {
	URL       string        // of the service; its own if ""
	Model     string        // by the service's name for it
	Window    int           // tokens of request and answer together; what Ollama is told to hold; 16,384 if 0
	MaxOutput int           // tokens of an answer where a request names none; 8,192 if 0
	Timeout   time.Duration // a request; 5 min if 0
}

// Model is a llm.Model over langchaingo. Safe for concurrent use.
type Model struct {
	o    Options
	name string
	wire *wire.Transport
	lc   llms.Model
	told wire.Told
}

var _ llm.Model = (*Model)(nil)

// trip is one request and what its answer says beyond langchaingo. It goes with
// the context, as there is no other way through.
type trip struct {
	schema *llm.Schema // to be held to; nil: none, or it stands in the prompt

	model string
	usage llm.Usage
	text  string
	fault llm.Fault // "" for an answer that is whole
	why   string
}

type tripKey struct{}

// Name implements llm.Model.
func (m *Model) Name() string { return m.name }

// Window implements llm.Model.
func (m *Model) Window() int { return m.o.Window }

// Complete implements llm.Model.
func (m *Model) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, m.o.Timeout)
	defer cancel()
	return m.told.Complete(r, func(told bool) (llm.Response, error) { return m.ask(ctx, r, told) })
}

func (m *Model) ask(ctx context.Context, r llm.Request, told bool) (llm.Response, error) {
	asJSON := r.Schema != nil
	t := &trip{schema: r.Schema}
	if told && asJSON {
		r.Prompt += r.Schema.Told()
		t.schema = nil
	}
	if n := len(r.System) + len(r.Prompt); m.o.Window > 0 && n/5 > m.o.Window { // nobody's tokens are that long on average
		return llm.Response{}, m.wire.Fail(llm.TooLong, 0, "the request doesn't fit the model's window")
	}
	var messages []llms.MessageContent
	if r.System != "" {
		messages = append(messages, llms.TextParts(llms.ChatMessageTypeSystem, r.System))
	}
	messages = append(messages, llms.TextParts(llms.ChatMessageTypeHuman, r.Prompt))
	_, err := m.lc.GenerateContent(context.WithValue(ctx, tripKey{}, t), messages, llms.WithModel(m.o.Model),
		llms.WithMaxTokens(cmp.Or(max(r.Max, 0), m.o.MaxOutput)))
	if err != nil && t.fault == "" { // langchaingo may or may not have seen a fault in the answer
		return llm.Response{}, m.failed(ctx, err, t)
	}
	res := llm.Response{Text: wire.AfterThinking(t.text), Model: t.model, Usage: t.usage}
	// No tokenizer takes more than 8 bytes a token on prose and code.
	if t.fault == "" && res.Usage.In > 0 && res.Usage.In < (len(r.System)+len(r.Prompt))/8-100 {
		t.fault, t.why = llm.TooLong, "the service read only a part of the request; give its model a longer window (llm.context)"
	}
	return m.wire.Answer(res, asJSON, t.fault, t.why)
}

// failed is an error of langchaingo's as one of ours.
func (m *Model) failed(ctx context.Context, err error, t *trip) error {
	var known *llm.Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(ctx.Err(), context.Canceled), errors.Is(ctx.Err(), context.DeadlineExceeded):
		return m.wire.Broken(ctx, err)
	}
	e := m.wire.Fail(llm.Nonsense, http.StatusOK, "an answer of another form: "+m.wire.Clip([]byte(err.Error())))
	e.Usage = t.usage
	return e
}

// object reads a JSON object; numbers stay as they are written.
func object(data []byte) (map[string]any, error) {
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.UseNumber()
	var o map[string]any
	err := dec.Decode(&o)
	return o, err
}
