// Package langchain asks Ollama through langchaingo's own client. What that lacks (v0.1.14) is done without: the schema
// is told in the prompt and JSON asked for, a model that thinks can't be told not to, and an answer counts as cut if it
// took all the tokens it had.
package langchain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/ollama"

	"recall/internal/escape"
	"recall/internal/llm"
	"recall/internal/llm/wire"
)

// Model is an llm.Model over langchaingo. Safe for concurrent use.
type Model struct {
	llm.Identity
	o      llm.Options
	client *ollama.LLM
	wire   *wire.Transport
}

var _ llm.Model = (*Model)(nil)

// ollamaWindow is the default context for Ollama. Its own default of 4,096 tokens would truncate most windows of a
// session; each doubling takes memory.
const ollamaWindow = 16_384

// Usual is Ollama's own address.
const Usual = "http://127.0.0.1:11434"

// NewOllama uses Ollama's own API (/api/chat), the only one that allows setting the context size. It sends nothing yet.
func NewOllama(o llm.Options) (*Model, error) {
	o, u, err := wire.Defaults(o, Usual, ollamaWindow, 8192)
	if err != nil {
		return nil, err
	}
	if o.Model == "" {
		return nil, errors.New("ollama: no model named, such as qwen2.5:7b; ollama list shows them")
	}
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/v1") // both forms are common
	m := &Model{Identity: llm.Identity{ID: "ollama/" + o.Model, Tokens: o.Window}, o: o}
	m.wire = &wire.Transport{Model: m.Name(), Stream: true}
	m.client, err = ollama.New(ollama.WithServerURL(u.String()), ollama.WithModel(o.Model),
		ollama.WithHTTPClient(wire.Client(m.wire)), ollama.WithRunnerNumCtx(o.Window))
	return m, err
}

// Complete implements llm.Model.
func (m *Model) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, m.o.Timeout)
	defer cancel()
	most := cmp.Or(max(r.Max, 0), m.o.MaxOutput) + llm.ThinkingRoom // which can't be turned off
	options := []llms.CallOption{llms.WithMaxTokens(most), llms.WithTemperature(0)}
	if r.Schema != nil {
		r.Prompt += r.Schema.Told()
		options = append(options, llms.WithJSONMode())
	}
	if n := len(r.System) + len(r.Prompt); n/5 > m.o.Window { // no tokenizer averages more than 5 bytes a token
		return llm.Response{}, m.wire.Fail(llm.TooLong, 0, "the request doesn't fit in the model's window")
	}
	var messages []llms.MessageContent
	if r.System != "" {
		messages = append(messages, llms.TextParts(llms.ChatMessageTypeSystem, r.System))
	}
	messages = append(messages, llms.TextParts(llms.ChatMessageTypeHuman, r.Prompt))
	got, err := m.client.GenerateContent(ctx, messages, options...)
	switch {
	case ctx.Err() != nil: // langchaingo doesn't report a stream that ends early
		return llm.Response{}, m.wire.Broken(ctx, ctx.Err())
	case err != nil:
		return llm.Response{}, m.fault(ctx, err)
	}
	return m.answer(got.Choices[0], r, most)
}

// fault converts langchaingo's error. One without a status came in the middle of an answer.
func (m *Model) fault(ctx context.Context, err error) error {
	e, ok := errors.AsType[*llm.Error](m.wire.Fault(ctx, err))
	if ok && e.Fault == llm.Rejected && e.Status == 0 {
		e.Fault, e.Status = wire.FaultOf(0, "", e.Text), http.StatusOK
	}
	if !ok {
		return err
	}
	return e
}

// answer converts langchaingo's answer to a response, or explains why it is unusable.
func (m *Model) answer(c *llms.ContentChoice, r llm.Request, most int) (llm.Response, error) {
	in, _ := c.GenerationInfo["PromptTokens"].(int)
	out, _ := c.GenerationInfo["CompletionTokens"].(int)
	res := llm.Response{Text: wire.AfterThinking(c.Content), Usage: llm.Usage{In: in, Out: out}}
	fault, why := llm.Fault(""), ""
	switch {
	case in+out == 0 && res.Text == "":
		fault, why = llm.Unreachable, "the answer broke off"
	case in > 0 && in+out >= m.o.Window-1:
		fault, why = llm.TooLong, fmt.Sprintf("request and answer fill the model's window of %d tokens; "+
			"llm.context makes it longer", m.o.Window)
	case out >= most:
		fault, why = llm.Cut, "the answer hit its token limit"
	case wire.CutSilently(r, res.Usage):
		fault, why = llm.TooLong, wire.ReadInPart+" (llm.context)"
	}
	return m.wire.Answer(res, fault, why)
}

// Newest names Ollama's newest chat model; "" if there is none, or Ollama isn't running or is too slow.
func Newest(ctx context.Context, address string) string {
	var has struct {
		Models []struct {
			Name    string
			Details struct{ Family string }
		}
	}
	if !wire.AskHere(ctx, address, "/api/tags", nil, &has) {
		return ""
	}
	for _, m := range has.Models { // newest first
		name := escape.Line(strings.TrimSuffix(m.Name, ":latest"), escape.Terminal)
		if InCloud(name) {
			continue // it leaves the machine, which the user must choose
		}
		if !strings.Contains(m.Name, "embed") && !strings.Contains(m.Details.Family, "bert") {
			return name
		}
	}
	return ""
}

// InCloud reports whether Ollama passes requests to a model on to its cloud: gpt-oss:120b-cloud, glm-5:cloud.
func InCloud(model string) bool {
	return strings.HasSuffix(model, ":cloud") || strings.HasSuffix(model, "-cloud")
}

// Holds returns a model's context length in tokens; 0 if Ollama doesn't report it.
func Holds(ctx context.Context, address, model string) int {
	var about struct {
		Info map[string]any `json:"model_info"`
	}
	wire.AskHere(ctx, address, "/api/show", map[string]string{"model": model}, &about)
	for key, v := range about.Info { // "qwen3.context_length"
		if n, ok := v.(float64); ok && strings.HasSuffix(key, ".context_length") {
			return int(n)
		}
	}
	return 0
}
