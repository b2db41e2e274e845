// Package langchain asks Ollama through langchaingo. It corrects on the wire what langchaingo v0.1.14 lacks: schemas,
// a num_ctx that persists, and structured errors. See exchange.
package langchain

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/ollama"

	"recall/internal/llm"
	"recall/internal/llm/wire"
)

// Options have as window the context that Ollama is told to use, 16,384 tokens by default. Other defaults are 8,192
// output tokens and 5 minutes.
type Options = llm.Options

// Model is an llm.Model over langchaingo. Safe for concurrent use.
type Model struct {
	llm.Identity
	o       Options
	wire    *wire.Transport
	refused wire.RefusedSchemas
}

var _ llm.Model = (*Model)(nil)

// ollamaWindow is the default context for Ollama. Its own default of 4,096 tokens would truncate most windows of a
// session; each doubling takes memory.
const ollamaWindow = 16_384

// NewOllama uses Ollama's own API (/api/chat), the only one that allows setting the context size. It sends nothing
// yet.
func NewOllama(o Options) (*Model, error) {
	o, u, err := wire.Defaults(o, "http://127.0.0.1:11434", ollamaWindow, 8192)
	if err != nil {
		return nil, err
	}
	if o.Model == "" {
		return nil, errors.New("ollama: no model named, such as qwen3:8b; ollama list shows them")
	}
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/v1") // both forms are common
	o.URL = u.String()
	m := &Model{Identity: llm.Identity{ID: "ollama/" + o.Model, Tokens: o.Window}, o: o}
	m.wire = &wire.Transport{Model: m.Name()}
	return m, nil
}

// Complete implements llm.Model.
func (m *Model) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, m.o.Timeout)
	defer cancel()
	return m.refused.Complete(r, func(inPrompt bool) (llm.Response, error) { return m.ask(ctx, r, inPrompt) })
}

func (m *Model) ask(ctx context.Context, r llm.Request, inPrompt bool) (llm.Response, error) {
	x := &exchange{wire: m.wire, window: m.o.Window, schema: r.Schema}
	if inPrompt {
		r.Prompt += r.Schema.Told()
		x.schema = nil
	}
	if n := len(r.System) + len(r.Prompt); n/5 > m.o.Window { // no tokenizer averages more than 5 bytes a token
		return llm.Response{}, m.wire.Fail(llm.TooLong, 0, "the request doesn't fit in the model's window")
	}
	var messages []llms.MessageContent
	if r.System != "" {
		messages = append(messages, llms.TextParts(llms.ChatMessageTypeSystem, r.System))
	}
	messages = append(messages, llms.TextParts(llms.ChatMessageTypeHuman, r.Prompt))
	lc, err := ollama.New(ollama.WithServerURL(m.o.URL), ollama.WithModel(m.o.Model),
		ollama.WithHTTPClient(wire.Client(x)))
	if err == nil {
		_, err = lc.GenerateContent(ctx, messages, llms.WithMaxTokens(cmp.Or(max(r.Max, 0), m.o.MaxOutput)))
	}
	a := &x.answer
	if a.Message == nil { // otherwise there is an answer that langchaingo rejected
		return llm.Response{}, m.wire.Fault(ctx, err)
	}
	res := llm.Response{Text: wire.AfterThinking(a.Message.Content),
		Usage: llm.Usage{In: a.In, Out: a.Out}}
	fault, why := llm.Fault(""), ""
	switch {
	case !a.Done:
		fault, why = llm.Unreachable, "the answer broke off"
	case a.In > 0 && a.In+a.Out >= m.o.Window-1:
		fault, why = llm.TooLong, fmt.Sprintf("request and answer fill the model's window of %d tokens; "+
			"llm.context makes it longer", m.o.Window)
	case a.DoneReason == "length":
		fault, why = llm.Cut, "the answer hit its token limit"
	case wire.CutSilently(r, res.Usage):
		fault, why = llm.TooLong, wire.ReadInPart+" (llm.context)"
	}
	return m.wire.Answer(res, fault, why)
}

// exchange is one request on the wire: langchaingo's, corrected, with the parts of the answer that langchaingo drops.
type exchange struct {
	wire   *wire.Transport // sends, and converts failures to errors
	window int             // tokens of request and answer together
	schema *llm.Schema     // to be enforced; nil if there is none or it is in the prompt
	answer answer
}

// answer is the response of /api/chat.
type answer struct {
	Message *struct {
		Content string `json:"content"`
	} `json:"message"` // nil if nothing readable came
	Done       bool   `json:"done"`
	DoneReason string `json:"done_reason"`
	In         int    `json:"prompt_eval_count"`
	Out        int    `json:"eval_count"`
}

// RoundTrip implements http.RoundTripper.
func (x *exchange) RoundTrip(req *http.Request) (*http.Response, error) {
	var body map[string]any
	err := json.NewDecoder(req.Body).Decode(&body)
	req.Body.Close()
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(x.corrected(body))
	if err != nil {
		return nil, err
	}
	out, err := http.NewRequestWithContext(req.Context(), req.Method, req.URL.String(), bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	out.Header = req.Header
	res, err := x.wire.RoundTrip(out)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	var got json.RawMessage // in memory: the transport has read it completely
	if err = json.NewDecoder(res.Body).Decode(&got); err == nil {
		err = json.Unmarshal(got, &x.answer)
	}
	if err != nil || x.answer.Message == nil {
		x.answer.Message = nil
		return nil, &llm.Error{Fault: llm.Nonsense, Model: x.wire.Model, Status: http.StatusOK,
			Text: "the answer has an unexpected form", Err: err}
	}
	var line bytes.Buffer // langchaingo reads line by line
	err = json.Compact(&line, got)
	res.Body = io.NopCloser(&line)
	return res, err
}

// corrected corrects the body that langchaingo sends: the schema as format, where langchaingo only supports a word; no
// streaming (langchaingo omits "stream": false, and Ollama's default is true); the context size, with requests that
// exceed it refused rather than truncated, as newer versions can; and no thinking, which would use up the answer's
// tokens.
func (x *exchange) corrected(body map[string]any) map[string]any {
	delete(body, "format")
	if x.schema != nil {
		body["format"] = x.schema.JSON
	}
	body["stream"], body["think"], body["truncate"], body["shift"] = false, false, false, false
	options, _ := body["options"].(map[string]any)
	if options == nil {
		options = map[string]any{}
	}
	options["num_ctx"], options["temperature"] = x.window, 0
	body["options"] = options
	return body
}
