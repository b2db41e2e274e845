// Package langchain asks Ollama through langchaingo. What langchaingo v0.1.14 sends and
// hides is mended on the wire: it has no schemas and no num_ctx that stays, and its
// errors are words. See exchange.
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

	"recall/llm"
	"recall/llm/wire"
)

// Options have as window what Ollama is told to hold, 16,384 tokens if 0. Else what is not said is 8,192 tokens
// of output, and 5 minutes.
type Options = llm.Options

// Model is a llm.Model over langchaingo. Safe for concurrent use.
type Model struct {
	llm.Identity
	o    Options
	wire *wire.Transport
	told wire.Told
}

var _ llm.Model = (*Model)(nil)

// ollamaWindow is what Ollama is told to hold where nobody says: its own
// default of 4,096 cuts most windows of a session; each doubling takes memory.
const ollamaWindow = 16_384

// NewOllama asks Ollama in its own protocol (/api/chat), where alone the window
// can be set. Nothing is sent yet.
func NewOllama(o Options) (*Model, error) {
	o, u, err := wire.Usual(o, "http://127.0.0.1:11434", ollamaWindow, 8192)
	if err != nil {
		return nil, err
	}
	if o.Model == "" {
		return nil, errors.New("ollama: no model named, such as qwen3:8b; ollama list shows them")
	}
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/v1") // both are written
	o.URL = u.String()
	m := &Model{Identity: llm.Identity{ID: "ollama/" + o.Model, Tokens: o.Window}, o: o}
	m.wire = &wire.Transport{Model: m.Name()}
	return m, nil
}

// Complete implements llm.Model.
func (m *Model) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, m.o.Timeout)
	defer cancel()
	return m.told.Complete(r, func(told bool) (llm.Response, error) { return m.ask(ctx, r, told) })
}

func (m *Model) ask(ctx context.Context, r llm.Request, told bool) (llm.Response, error) {
	x := &exchange{wire: m.wire, window: m.o.Window, schema: r.Schema}
	if told {
		r.Prompt += r.Schema.Told()
		x.schema = nil
	}
	if n := len(r.System) + len(r.Prompt); n/5 > m.o.Window { // nobody's tokens are that long on average
		return llm.Response{}, m.wire.Fail(llm.TooLong, 0, "the request doesn't fit the model's window")
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
	if a.Message == nil { // else langchaingo may not have liked an answer that is there
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
		fault, why = llm.Cut, "the answer ran into its limit of tokens"
	case wire.CutSilently(r, res.Usage):
		fault, why = llm.TooLong, wire.ReadInPart+" (llm.context)"
	}
	return m.wire.Answer(res, fault, why)
}

// exchange is one request as it goes over the wire: langchaingo's, mended, and what its
// answer says beyond langchaingo.
type exchange struct {
	wire   *wire.Transport // sends, and makes errors of what isn't an answer
	window int             // tokens of request and answer together
	schema *llm.Schema     // to be held to; nil: none, or it stands in the prompt
	answer answer
}

// answer is what /api/chat says.
type answer struct {
	Message *struct {
		Content string `json:"content"`
	} `json:"message"` // nil: nothing that can be read came
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
	data, err := json.Marshal(x.mended(body))
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
	var got json.RawMessage // of memory: the transport has read it whole
	if err = json.NewDecoder(res.Body).Decode(&got); err == nil {
		err = json.Unmarshal(got, &x.answer)
	}
	if err != nil || x.answer.Message == nil {
		x.answer.Message = nil
		return nil, &llm.Error{Fault: llm.Nonsense, Model: x.wire.Model, Status: http.StatusOK,
			Text: "an answer of another form", Err: err}
	}
	var line bytes.Buffer // langchaingo reads line by line
	err = json.Compact(&line, got)
	res.Body = io.NopCloser(&line)
	return res, err
}

// mended is the body that langchaingo sends as it should be: the schema as
// format, which langchaingo has as a word only; one answer instead of a stream (it
// leaves "stream": false out, and Ollama's default is true); the window, and that what
// doesn't fit it is refused and not cut, as newer versions can; no thinking, which would
// use up the answer's tokens.
func (x *exchange) mended(body map[string]any) map[string]any {
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
