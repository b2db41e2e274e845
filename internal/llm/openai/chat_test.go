package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/internal/llm"
)

// asked is what the service gets.
type asked struct {
	Model    string `json:"model"`
	Messages []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"messages"`
	MaxTokens           int      `json:"max_tokens"`
	MaxCompletionTokens int      `json:"max_completion_tokens"`
	Temperature         *float64 `json:"temperature"`
	ReasoningEffort     string   `json:"reasoning_effort"`
	ResponseFormat      *struct {
		Type       string `json:"type"`
		JSONSchema *struct {
			Name   string          `json:"name"`
			Strict bool            `json:"strict"`
			Schema json.RawMessage `json:"schema"`
		} `json:"json_schema"`
	} `json:"response_format"`
}

// form is what of a request differs between services.
func (a asked) form() string {
	f := []string{"plain"}
	if a.ResponseFormat != nil {
		f[0] = a.ResponseFormat.Type
	}
	if a.MaxTokens > 0 {
		f = append(f, "max_tokens")
	}
	if a.MaxCompletionTokens > 0 {
		f = append(f, "max_completion_tokens")
	}
	if a.Temperature != nil {
		f = append(f, "temperature")
	}
	if a.ReasoningEffort != "" {
		f = append(f, a.ReasoningEffort)
	}
	if strings.Contains(a.Messages[len(a.Messages)-1].Content, "JSON Schema") {
		f = append(f, "told")
	}
	return strings.Join(f, " ")
}

const secret = "sk-test-0123456789"

// chat serves chat completions by a function and returns a model that asks it.
func chat(t *testing.T, serve func(w http.ResponseWriter, r *http.Request, a asked)) *Chat {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path != "/v1/chat/completions" {
			t.Errorf("got %s %s, want POST /v1/chat/completions", r.Method, r.URL.Path)
		}
		if got := r.Header.Get("Authorization"); got != "Bearer "+secret {
			t.Errorf("Authorization: got %q", got)
		}
		var a asked
		if err := json.NewDecoder(r.Body).Decode(&a); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/json")
		serve(w, r, a)
	}))
	t.Cleanup(s.Close)
	m, err := NewChat(llm.Options{URL: s.URL + "/v1/", Key: secret, Model: "tiny", Timeout: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// completion is a whole answer as OpenAI words it.
func completion(content, finish string) string {
	c, _ := json.Marshal(content)
	return fmt.Sprintf(`{"id":"chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT","object":"chat.completion","created":1741569952,"model":"tiny-2026-01-01",
"choices":[{"index":0,"message":{"role":"assistant","content":%s,"refusal":null,"annotations":[]},"logprobs":null,"finish_reason":%q}],
"usage":{"prompt_tokens":19,"completion_tokens":10,"total_tokens":29,"prompt_tokens_details":{"cached_tokens":12,"audio_tokens":0},
"completion_tokens_details":{"reasoning_tokens":4,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}},
"service_tier":"default","system_fingerprint":"fp_6b68a8204b"}`, c, finish)
}

var schema = &llm.Schema{Name: "items",
	JSON: json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false}`)}

func TestComplete(t *testing.T) {
	var got asked
	m := chat(t, func(w http.ResponseWriter, _ *http.Request, a asked) {
		got = a
		fmt.Fprint(w, completion(`{"a":1}`, "stop"))
	})
	res, err := m.Complete(t.Context(), llm.Request{System: "be brief", Prompt: "how many?", Schema: schema, Max: 100})
	if err != nil {
		t.Fatal(err)
	}
	want := llm.Response{Text: `{"a":1}`, Usage: llm.Usage{In: 19, CacheRead: 12, Out: 10}}
	if diff := cmp.Diff(want, res); diff != "" {
		t.Errorf("response (-want +got):\n%s", diff)
	}
	if got.form() != "json_schema max_tokens temperature" || !got.ResponseFormat.JSONSchema.Strict ||
		string(got.ResponseFormat.JSONSchema.Schema) != string(schema.JSON) ||
		len(got.Messages) != 2 || got.Messages[0].Role != "system" || got.Messages[0].Content != "be brief" ||
		got.Messages[1].Content != "how many?" {
		t.Errorf("request: got %+v", got)
	}
	if m.Name() != "openai/tiny" || m.Window() != 0 {
		t.Errorf("got name %s, window %d", m.Name(), m.Window())
	}
}

// Answers that are none, and an error with its key and its pause; package wire tests the others.
func TestFaults(t *testing.T) {
	long := strings.Repeat("words and code ", 4000)
	for _, c := range []struct {
		name   string
		status int
		body   string
		header []string
		want   llm.Error
	}{
		{"wrong key", 401, `{"error":{"message":"Incorrect API key provided: ` + secret +
			`.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`, nil,
			llm.Error{Fault: llm.Unauthorized, Text: "Incorrect API key provided: [key]."}},
		{"no such model", 404, `{"error":{"message":"The model 'tiny' does not exist or you do not have access to it.","type":"invalid_request_error","param":null,"code":"model_not_found"}}`, nil,
			llm.Error{Fault: llm.NotFound, Text: "The model 'tiny' does not exist or you do not have access to it."}},
		{"too many requests", 429, `{"error":{"message":"Rate limit reached for requests","type":"requests","param":null,"code":"rate_limit_exceeded"}}`, []string{"Retry-After", "7"},
			llm.Error{Fault: llm.RateLimited, After: 7 * time.Second, Text: "Rate limit reached for requests"}},
		{"content filter", 200, completion("I", "content_filter"), nil,
			llm.Error{Fault: llm.Refused, Text: "the service's content filter"}},
		{"refusal", 200, `{"model":"tiny","choices":[{"index":0,"message":{"role":"assistant","content":null,"refusal":"I'm sorry, I can't help with that."},"finish_reason":"stop"}],"usage":{"prompt_tokens":19,"completion_tokens":10}}`, nil,
			llm.Error{Fault: llm.Refused, Text: "I'm sorry, I can't help with that."}},
		{"broken off behind it", 200, completion(`{"a"`, "error"), nil,
			llm.Error{Fault: llm.Overloaded, Text: "the service broke off its answer"}},
		{"no choices", 200, `{"id":"x","object":"chat.completion","choices":[]}`, nil,
			llm.Error{Fault: llm.Nonsense, Text: "an answer without choices"}},
		{"cut", 200, completion(`{"a":`, "length"), nil, llm.Error{Fault: llm.Cut,
			Text: "the answer hit its token limit"}},
		{"empty", 200, completion("", "stop"), nil, llm.Error{Fault: llm.Nonsense, Text: "an empty answer"}},
		{"only thoughts", 200, completion("<think>hm</think>\n", "stop"), nil,
			llm.Error{Fault: llm.Nonsense, Text: "an empty answer"}},
		{"another form", 200, `{"choices":"many"}`, nil, llm.Error{Fault: llm.Nonsense, Text: "the answer has an unexpected form"}},
		{"a list", 200, `[1]`, nil, llm.Error{Fault: llm.Nonsense, Text: "the answer has an unexpected form"}},
		{"read only a part", 200, completion(`{"a":1}`, "stop"), []string{"Long", "1"},
			llm.Error{Fault: llm.TooLong, Text: "the service read only a part of the request; give its model a longer window"}},
	} {
		m := chat(t, func(w http.ResponseWriter, _ *http.Request, _ asked) {
			for i := 0; i < len(c.header); i += 2 {
				w.Header().Set(c.header[i], c.header[i+1])
			}
			w.WriteHeader(c.status)
			io.WriteString(w, c.body)
		})
		r := llm.Request{Prompt: "?", Schema: schema}
		if len(c.header) > 0 && c.header[0] == "Long" {
			r.Prompt = long
		}
		res, err := m.Complete(t.Context(), r)
		var e *llm.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: got %+v, %v, want an *llm.Error", c.name, res, err)
			continue
		}
		if strings.Contains(fmt.Sprintf("%+v %v", *e, e.Err), secret) {
			t.Errorf("%s: the key stands in %+v", c.name, *e)
		}
		if strings.Contains(c.body, "prompt_tokens\":19") != (e.Usage.In == 19) {
			t.Errorf("%s: got usage %+v", c.name, e.Usage)
		}
		got := llm.Error{Fault: e.Fault, After: e.After, Text: e.Text}
		if got != c.want {
			t.Errorf("%s:\n got %+v\nwant %+v", c.name, got, c.want)
		}
	}
}

// What a service doesn't take is found out once, without a request being paid
// twice, and kept to.
func TestHabits(t *testing.T) {
	const (
		oldMax  = `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`
		heat    = `{"error":{"message":"Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.","type":"invalid_request_error","param":"temperature","code":"unsupported_value"}}`
		noNew   = `{"object":"error","message":"[{'type': 'extra_forbidden', 'loc': ('body', 'max_completion_tokens'), 'msg': 'Extra inputs are not permitted'}]","type":"BadRequestError","code":400}`
		modes   = `{"error":"'response_format.type' must be 'json_object' or 'text'"}`
		words   = `{"error":{"message":"Invalid parameter: 'response_format' of type 'json_object' is not supported with this model.","type":"invalid_request_error","param":"response_format"}}`
		effort  = `{"error":{"message":"Unsupported parameter: 'reasoning_effort' is not supported with this model.","type":"invalid_request_error","param":"reasoning_effort","code":"unsupported_parameter"}}`
		unnamed = `{"error":{"message":"Bad Request"}}`
	)
	refuse := map[string]func(asked) bool{
		oldMax: func(a asked) bool { return a.MaxTokens > 0 },
		noNew:  func(a asked) bool { return a.MaxCompletionTokens > 0 },
		heat:   func(a asked) bool { return a.Temperature != nil },
		effort: func(a asked) bool { return a.ReasoningEffort != "" },
		modes:  func(a asked) bool { return a.ResponseFormat != nil && a.ResponseFormat.Type == "json_schema" },
		words:  func(a asked) bool { return a.ResponseFormat != nil },
	}
	for _, c := range []struct {
		name   string
		model  string
		own    bool
		says   []string
		answer string
		first  []string // forms of the first request
		then   string   // of the second
		want   llm.Fault
	}{
		{name: "a reasoning model behind a proxy", says: []string{oldMax, heat}, answer: `{"a":1}`,
			first: []string{"json_schema max_tokens temperature", "json_schema max_completion_tokens temperature",
				"json_schema max_completion_tokens"}, then: "json_schema max_completion_tokens"},
		{name: "one that go-openai knows", model: "gpt-5-mini", says: nil, answer: `{"a":1}`,
			first: []string{"json_schema max_completion_tokens"}, then: "json_schema max_completion_tokens"},
		{name: "OpenAI's that thinks", model: "gpt-6-luna", own: true, answer: `{"a":1}`,
			first: []string{"json_schema max_completion_tokens low"}, then: "json_schema max_completion_tokens low"},
		{name: "OpenAI's that thinks as much as it likes", model: "gpt-6-luna", own: true, says: []string{effort},
			answer: `{"a":1}`,
			first:  []string{"json_schema max_completion_tokens low", "json_schema max_completion_tokens"},
			then:   "json_schema max_completion_tokens"},
		{name: "JSON mode only", says: []string{modes}, answer: `{"a":1}`,
			first: []string{"json_schema max_tokens temperature", "json_object max_tokens temperature told"},
			then:  "json_object max_tokens temperature told"},
		{name: "neither", says: []string{modes, words}, answer: "Here you are:\n```json\n{\"a\": 1,}\n```",
			first: []string{"json_schema max_tokens temperature", "json_object max_tokens temperature told",
				"plain max_tokens temperature told"}, then: "plain max_tokens temperature told"},
		{name: "passes over the schema", answer: "<think>One? [1]</think>```json\n{\"a\":1}\n```",
			first: []string{"json_schema max_tokens temperature"}, then: "plain max_tokens temperature told"},
		{name: "says nothing", want: llm.Nonsense,
			first: []string{"json_schema max_tokens temperature"}, then: "json_schema max_tokens temperature"},
		{name: "refuses everything", says: []string{unnamed}, want: llm.Rejected,
			first: []string{"json_schema max_tokens temperature", "json_object max_tokens temperature told",
				"plain max_tokens temperature told"}, then: "json_schema max_tokens temperature"},
		{name: "contradicts itself", says: []string{oldMax, noNew}, want: llm.Rejected,
			first: []string{"json_schema max_tokens temperature", "json_schema max_completion_tokens temperature"},
			then:  "json_schema max_tokens temperature"},
	} {
		var forms []string
		m := chat(t, func(w http.ResponseWriter, _ *http.Request, a asked) {
			forms = append(forms, a.form())
			for _, say := range c.says {
				if does := refuse[say]; does == nil || does(a) {
					w.WriteHeader(http.StatusBadRequest)
					io.WriteString(w, say)
					return
				}
			}
			io.WriteString(w, completion(c.answer, "stop"))
		})
		if m.own, m.effort = c.own, c.own; c.model != "" {
			m.o.Model = c.model
		}
		ask := func() {
			t.Helper()
			res, err := m.Complete(t.Context(), llm.Request{Prompt: "how many?", Schema: schema, Max: 50})
			var e *llm.Error
			if errors.As(err, &e) != (c.want != "") || e != nil && e.Fault != c.want {
				t.Errorf("%s: got %v, want %q", c.name, err, c.want)
			}
			var a struct{ A int }
			found, _ := llm.FindJSON(res.Text)
			if err == nil && (json.Unmarshal([]byte(found), &a) != nil || a.A != 1) {
				t.Errorf("%s: got %q, want JSON with a: 1", c.name, res.Text)
			}
		}
		ask()
		if diff := cmp.Diff(c.first, forms); diff != "" {
			t.Errorf("%s: first request's forms (-want +got):\n%s", c.name, diff)
		}
		forms = nil
		ask()
		if len(forms) == 0 || forms[0] != c.then {
			t.Errorf("%s: second request: got %q, want %q first", c.name, forms, c.then)
		}
	}
}

func TestChatOptions(t *testing.T) {
	for _, o := range []llm.Options{{}, {URL: "ftp://x/", Model: "m"}, {URL: "127.0.0.1:80", Model: "m"},
		{URL: "http://example.com/v1", Model: "m", Key: "k"}, {URL: "https://me:pass@example.com/v1", Model: "m"}} {
		if _, err := NewChat(o); err == nil || strings.Contains(err.Error(), "pass") {
			t.Errorf("NewChat(%+v): got %v, want an error that holds no password", o, err)
		}
	}
	m, err := NewChat(llm.Options{Model: "gpt-6-luna", Key: "k"})
	if err != nil || m.Window() != 128_000 || m.request(llm.Request{Max: 5},
		m.dialect).MaxCompletionTokens != 5+llm.ThinkingRoom {
		t.Errorf("OpenAI's own: got %+v, %v", m, err)
	}
}
