package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"

	api "github.com/sashabaranov/go-openai"
	"github.com/tailscale/hujson"

	"recall/internal/llm"
	"recall/internal/llm/wire"
	"recall/internal/text"
)

const openAI = "https://api.openai.com/v1"

// Chat is an llm.Model over chat completions. Services that speak the protocol don't support all of it; what one
// rejects is discovered by asking and not used again during the Chat's lifetime. Safe for concurrent use.
type Chat struct {
	llm.Identity
	o      llm.Options
	client *api.Client
	wire   *wire.Transport
	own    bool // the service is OpenAI's
	here   bool // the service runs on this machine
	effort bool // it accepts reasoning_effort

	mu      sync.Mutex
	dialect dialect // that the service is known to accept
}

var _ llm.Model = (*Chat)(nil)

// NewChat checks the options without sending anything. A key is only sent over https or to this machine.
func NewChat(o llm.Options) (*Chat, error) {
	o, u, err := wire.Defaults(o, openAI, 0, 0)
	if err != nil {
		return nil, err
	}
	if o.Model == "" {
		return nil, errors.New("openai: no model named; llm.model is its name at " + u.Host)
	}
	m := &Chat{o: o, own: u.Hostname() == "api.openai.com", here: wire.Here(u.Hostname())}
	m.effort = m.own || u.Hostname() == "openrouter.ai"
	if m.own {
		o.Window = cmp.Or(o.Window, 128_000)
	}
	m.Identity = llm.Identity{ID: "openai/" + o.Model, Tokens: o.Window}
	m.wire = &wire.Transport{Model: m.Name(), Key: o.Key}
	m.client = client(o.URL, o.Key, m.wire)
	m.dialect.oldMax = !m.own
	return m, nil
}

func client(url, key string, t *wire.Transport) *api.Client {
	cfg := api.DefaultConfig(key)
	cfg.BaseURL = strings.TrimRight(url, "/")
	cfg.HTTPClient = wire.Client(t)
	return api.NewClientWithConfig(cfg)
}

// Complete implements llm.Model. A request that the service rejects for its form, which costs nothing, is sent again
// in another form.
func (m *Chat) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, m.o.Timeout)
	defer cancel()
	m.mu.Lock()
	h := m.dialect
	m.mu.Unlock()
	var first error
	for {
		res, err := m.client.CreateChatCompletion(ctx, m.request(r, h))
		if err == nil {
			m.accepts(h, r.Schema != nil)
			return m.answer(res, r)
		}
		err = m.wire.Fault(ctx, err)
		if first == nil {
			first = err
		}
		next, ok := h.without(err, r.Schema != nil)
		if !ok {
			if e, ok := errors.AsType[*llm.Error](err); ok && e.Fault == llm.Rejected {
				err = first // the later errors are about forms that were unlikely to work
			}
			return llm.Response{}, err
		}
		h = next
	}
}

// accepts records in which form the service accepted a request.
func (m *Chat) accepts(h dialect, hasSchema bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	h.switchedMax = false
	if h.format = max(h.format, m.dialect.format); !hasSchema {
		h.format = m.dialect.format
	}
	m.dialect = h
}

// request builds a request's body in the form that the service is known to accept.
func (m *Chat) request(r llm.Request, h dialect) api.ChatCompletionRequest {
	body := api.ChatCompletionRequest{Model: m.o.Model}
	if r.Schema != nil && h.format != bySchema {
		r.Prompt += r.Schema.Told()
	}
	if r.System != "" {
		body.Messages = append(body.Messages, api.ChatCompletionMessage{Role: api.ChatMessageRoleSystem, Content: r.System})
	}
	body.Messages = append(body.Messages, api.ChatCompletionMessage{Role: api.ChatMessageRoleUser, Content: r.Prompt})
	most := cmp.Or(max(r.Max, 0), m.o.MaxOutput)
	if llm.Thinks(m.o.Model) {
		if m.effort && !h.ownEffort {
			body.ReasoningEffort = "low"
		}
		if most > 0 {
			most += llm.ThinkingRoom
		}
	}
	switch {
	case most > 0 && h.oldMax:
		//lint:ignore SA1019 older servers know no other
		body.MaxTokens = most
	case most > 0:
		body.MaxCompletionTokens = most
	}
	if !h.ownTemperature {
		body.Temperature = math.SmallestNonzeroFloat32 // 0 would be left out
	}
	switch {
	case r.Schema != nil && h.format == bySchema:
		form := r.Schema.JSON
		if !m.here { // where a schema is enforced as a grammar, optional keys cost nothing
			form = strict(form)
		}
		body.ResponseFormat = &api.ChatCompletionResponseFormat{Type: api.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &api.ChatCompletionResponseFormatJSONSchema{Name: r.Schema.Name, Strict: true,
				Schema: form}}
	case r.Schema != nil && h.format == byMode:
		body.ResponseFormat = &api.ChatCompletionResponseFormat{Type: api.ChatCompletionResponseFormatTypeJSONObject}
	}
	return body
}

// answer converts the service's answer to a response, or explains why it is unusable.
func (m *Chat) answer(res api.ChatCompletionResponse, r llm.Request) (llm.Response, error) {
	out := llm.Response{Usage: usage(res.Usage)}
	fault, why := llm.Fault(""), ""
	var c api.ChatCompletionChoice
	if len(res.Choices) > 0 {
		c = res.Choices[0]
	}
	out.Text = wire.AfterThinking(c.Message.Content)
	switch {
	case len(res.Choices) == 0:
		fault, why = llm.Nonsense, "an answer without choices"
	case c.Message.Refusal != "":
		fault, why = llm.Refused, m.wire.Clip([]byte(c.Message.Refusal))
	case c.FinishReason == api.FinishReasonContentFilter:
		fault, why = llm.Refused, "the service's content filter"
	case c.FinishReason == api.FinishReasonLength:
		fault, why = llm.Cut, "the answer hit its token limit"
	case c.FinishReason == "error": // OpenRouter: the provider behind it failed
		fault, why = llm.Overloaded, "the service broke off its answer"
	case !m.own && wire.CutSilently(r, out.Usage):
		fault, why = llm.TooLong, wire.ReadInPart
	}
	unformed := out.Text != "" && !json.Valid([]byte(out.Text))
	if r.Schema != nil && fault == "" && unformed { // it accepts the format but ignores it
		m.mu.Lock()
		m.dialect.format = byWords
		m.mu.Unlock()
	}
	return m.wire.Answer(out, fault, why)
}

func usage(u api.Usage) llm.Usage {
	out := llm.Usage{In: u.PromptTokens, Out: u.CompletionTokens}
	if u.PromptTokensDetails != nil {
		out.CacheRead = u.PromptTokensDetails.CachedTokens
	}
	return out
}

// dialect is the form in which a service accepts requests.
type dialect struct {
	format         format
	oldMax         bool // max_tokens, rejected by reasoning models, not max_completion_tokens, unknown to older servers
	ownTemperature bool // leave the temperature to the model
	ownEffort      bool // leave the reasoning effort to the model
	switchedMax    bool // oldMax has been switched for this request
}

// format is how a model is made to follow a schema.
type format int

const (
	bySchema format = iota // response_format json_schema, strict
	byMode                 // json_object, with the schema in the prompt
	byWords                // only the schema in the prompt
)

// without returns the dialect without what the service has just rejected; ok is false if there is nothing left to
// omit. If the service only says that the request is bad, the format is assumed to be the cause.
func (h dialect) without(err error, hasSchema bool) (next dialect, ok bool) {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok || e.Fault != llm.Rejected && !(e.Status == http.StatusNotFound && strings.Contains(e.Text, "support")) {
		return h, false // as in OpenRouter's 404: No endpoints found that support …
	}
	about := func(words ...string) bool { return text.AnyOf(strings.ToLower(e.Text), strings.Contains, words...) }
	next = h
	switch {
	case errors.Is(err, api.ErrReasoningModelMaxTokensDeprecated):
		next.oldMax, next.switchedMax = false, h.switchedMax || h.oldMax
	case errors.Is(err, api.ErrReasoningEffortUnsupported), about("reasoning_effort"):
		next.ownEffort = true
	case errors.Is(err, api.ErrReasoningModelLimitationsOther), errors.Is(err, api.ErrReasoningSamplingUnsupported),
		about("temperature") && !about("response_format"):
		next.ownTemperature = true
	case about("max_completion_tokens", "max_tokens") && !about("response_format"):
		if !h.switchedMax { // otherwise it accepts neither, or not the number
			next.oldMax, next.switchedMax = !h.oldMax, true
		}
	case hasSchema && h.format < byWords:
		next.format++
	}
	return next, next != h
}

// strict converts a schema to strict mode, which requires every key of an object: optional values become nullable
// instead. The order of keys is kept, because models answer in that order.
func strict(schema json.RawMessage) json.RawMessage {
	v, err := hujson.Parse(schema)
	if err != nil {
		return schema
	}
	makeStrict(&v)
	v.Minimize()
	return v.Pack()
}

func makeStrict(schema *hujson.Value) {
	if items := schema.Find("/items"); items != nil {
		makeStrict(items)
	}
	properties, required := schema.Find("/properties"), schema.Find("/required")
	if properties == nil || required == nil {
		return
	}
	of := properties.Value.(*hujson.Object)
	var had []string
	json.Unmarshal(required.Pack(), &had)
	all := &hujson.Array{}
	for i := range of.Members {
		name, one := of.Members[i].Name.Value.(hujson.Literal), &of.Members[i].Value
		all.Elements = append(all.Elements, hujson.Value{Value: name})
		if makeStrict(one); !slices.Contains(had, name.String()) {
			allowNull(one)
		}
	}
	required.Value = all
}

func allowNull(schema *hujson.Value) {
	null := hujson.Value{Value: hujson.Literal("null")}
	if is := schema.Find("/type"); is != nil {
		is.Value = &hujson.Array{Elements: []hujson.Value{{Value: is.Value}, {Value: hujson.String("null")}}}
	}
	if words := schema.Find("/enum"); words != nil {
		list := words.Value.(*hujson.Array)
		list.Elements = append(list.Elements, null)
	}
}
