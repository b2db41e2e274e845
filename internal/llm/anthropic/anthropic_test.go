package anthropic

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/internal/llm"
)

const testKey = "sk-ant-api03-invented-key"

// service is a server of Anthropic's protocol: it keeps the bodies it gets and
// answers by what the test puts down.
type service struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []string
	heads  []http.Header
}

func serve(t *testing.T, h http.HandlerFunc) (*service, *Model) {
	t.Helper()
	s := &service{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.bodies = append(s.bodies, string(b))
		s.heads = append(s.heads, r.Header)
		s.mu.Unlock()
		r.Body = io.NopCloser(strings.NewReader(string(b)))
		h(w, r)
	}))
	t.Cleanup(s.Close)
	m, err := New(llm.Options{URL: s.URL, Key: testKey, Model: "claude-haiku-4-5", Timeout: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return s, m
}

const helloReply = `{"id":"msg_013Zva2CMHLNnXjNJJKqJ2EF","type":"message","role":"assistant","model":"claude-haiku-4-5-20251001",
 "content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"redacted_thinking","data":"ZGF0YQ=="},
  {"type":"text","text":"{\"a\":"},{"type":"made_up_later","x":{"y":[1]}},{"type":"text","text":"1}\n"}],
 "stop_reason":"end_turn","stop_sequence":null,
 "usage":{"input_tokens":10,"cache_creation_input_tokens":200,"cache_read_input_tokens":3000,"cache_creation":{"ephemeral_5m_input_tokens":200},"output_tokens":7,"service_tier":"standard"}}`

var schema = &llm.Schema{Name: "a",
	JSON: json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false}`)}

func TestComplete(t *testing.T) {
	s, m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/messages" || r.Method != http.MethodPost {
			t.Errorf("got %s %s", r.Method, r.URL.Path)
		}
		io.WriteString(w, helloReply)
	})
	got, err := m.Complete(t.Context(), llm.Request{System: "Be brief.", Prompt: "hello <>&", Schema: schema, Max: 100})
	if err != nil {
		t.Fatal(err)
	}
	want := llm.Response{Text: `{"a":1}`,
		Usage: llm.Usage{In: 3210, CacheRead: 3000, CacheWrite: 200, Out: 7}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("answer (-want +got):\n%s", d)
	}
	equalJSON(t, s.bodies[0], `{"model":"claude-haiku-4-5","max_tokens":100,
		"system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],
		"messages":[{"role":"user","content":"hello <>&"}],
		"output_config":{"format":{"type":"json_schema","schema":`+string(schema.JSON)+`}}}`)
	h := s.heads[0]
	if h.Get("x-api-key") != testKey || h.Get("anthropic-version") != "2023-06-01" ||
		h.Get("Content-Type") != "application/json" {
		t.Errorf("headers: got %v", h)
	}
	if m.Name() != "anthropic/claude-haiku-4-5" || m.Window() != 200_000 {
		t.Errorf("got %s, window %d", m.Name(), m.Window())
	}
}

// A model that thinks unasked is asked to think little, with room for it; where
// the service finds the form wrong, without.
func TestThinking(t *testing.T) {
	refuse := false
	s, m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if refuse {
			refuse = false
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, `{"type":"error","error":{"type":"invalid_request_error","message":"output_config: Extra inputs are not permitted"}}`)
			return
		}
		io.WriteString(w, helloReply)
	})
	m.o.Model = "claude-haiku-5-5"
	if _, err := m.Complete(t.Context(), llm.Request{Prompt: "hello", Max: 100}); err != nil {
		t.Fatal(err)
	}
	equalJSON(t, s.bodies[0], `{"model":"claude-haiku-5-5","max_tokens":8100,"messages":[{"role":"user","content":"hello"}],"output_config":{"effort":"low"}}`)
	refuse = true
	if _, err := m.Complete(t.Context(), llm.Request{Prompt: "hello", Schema: schema, Max: 100}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(s.bodies[2], "output_config") {
		t.Errorf("refused once: got %s", s.bodies[2])
	}
}

func equalJSON(t *testing.T, got, want string) {
	t.Helper()
	var g, w any
	if err := json.Unmarshal([]byte(got), &g); err != nil {
		t.Fatalf("%v in %s", err, got)
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(w, g); d != "" {
		t.Errorf("body (-want +got):\n%s", d)
	}
}

// A service that refuses the schema is told of it in the prompt, and not asked
// for it again.
func TestSchemaRefused(t *testing.T) {
	for _, words := range []string{"output_config: Extra inputs are not permitted", "invalid params",
		"output_config.format.schema: 'minItems' is not supported"} {
		s, m := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if b, _ := io.ReadAll(r.Body); strings.Contains(string(b), "output_config") {
				w.WriteHeader(http.StatusBadRequest)
				io.WriteString(w, `{"type":"error","error":{"type":"invalid_request_error","message":"`+words+`"},"request_id":"req_1"}`)
				return
			}
			io.WriteString(w, strings.Replace(helloReply, `{\"a\":`, "Sure:\\n```json\\n{\\\"a\\\":", 1))
		})
		for range 2 {
			got, err := m.Complete(t.Context(), llm.Request{Prompt: "hello", Schema: schema})
			if found, _ := llm.FindJSON(got.Text); err != nil || found != `{"a":1}` {
				t.Errorf("%s: got %q, %v", words, got.Text, err)
			}
		}
		if len(s.bodies) != 3 {
			t.Errorf("%s: %d requests for two questions, want 3", words, len(s.bodies))
		}
		if !strings.Contains(s.bodies[1], "additionalProperties") {
			t.Errorf("%s: the schema isn't told in %s", words, s.bodies[1])
		}
	}
}

// A request that is refused for something else isn't blamed on the schema.
func TestSchemaNotToBlame(t *testing.T) {
	s, m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		io.WriteString(w, `{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: 9 > 4, which is the maximum"}}`)
	})
	for range 2 {
		_, err := m.Complete(t.Context(), llm.Request{Prompt: "hello", Schema: schema})
		if e := asError(t, err); e.Fault != llm.Rejected || !strings.Contains(e.Text, "maximum") {
			t.Errorf("got %v", err)
		}
	}
	if !strings.Contains(s.bodies[2], "output_config") {
		t.Error("the schema isn't asked for any more")
	}
}

func asError(t *testing.T, err error) *llm.Error {
	t.Helper()
	var e *llm.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v (%T), want a *llm.Error", err, err)
	}
	if strings.Contains(err.Error(), testKey) {
		t.Errorf("the key is in the error: %v", err)
	}
	return e
}

// Answers that are none, and an error with its key and its pause; package wire tests the others.
func TestFaults(t *testing.T) {
	refuse := func(kind, words string) string {
		return `{"type":"error","error":{"type":"` + kind + `","message":"` + words + `"},"request_id":"req_011CSHoEeqs5C35K2UUqR7Fy"}`
	}
	stop := func(reason, text string) string {
		return `{"type":"message","model":"m","content":[{"type":"text","text":"` + text + `"}],"stop_reason":"` + reason + `","usage":{"input_tokens":5,"output_tokens":3}}`
	}
	paid := llm.Usage{In: 5, Out: 3}
	for _, tc := range []struct {
		name   string
		status int
		header map[string]string
		body   string
		want   llm.Error // Fault, After, Usage, Text a part
	}{
		{"wrong key", 401, nil, refuse("authentication_error", "invalid x-api-key "+testKey), llm.Error{Fault: llm.Unauthorized, Text: "invalid x-api-key [key]"}},
		{"rate limit", 429, map[string]string{"retry-after": "7"}, refuse("rate_limit_error", "This request would exceed your rate limit"), llm.Error{Fault: llm.RateLimited, After: 7 * time.Second}},
		{"empty answer", 200, nil, stop("end_turn", ""), llm.Error{Fault: llm.Nonsense, Usage: paid, Text: "empty answer (stop_reason end_turn)"}},
		{"blanks only", 200, nil, stop("end_turn", ` \n`), llm.Error{Fault: llm.Nonsense, Usage: paid, Text: "empty"}},
		{"no content", 200, nil, `{"type":"message","content":[],"stop_reason":"end_turn"}`, llm.Error{Fault: llm.Nonsense, Text: "empty"}},
		{"another object", 200, nil, `{"ok":true}`, llm.Error{Fault: llm.Nonsense, Text: "empty"}},
		{"another form", 200, nil, `{"content":"text"}`, llm.Error{Fault: llm.Nonsense, Text: "form"}},
		{"cut", 200, nil, stop("max_tokens", `{\"a\":[1,`), llm.Error{Fault: llm.Cut, Usage: paid}},
		{"window full", 200, nil, stop("model_context_window_exceeded", `{\"a\"`), llm.Error{Fault: llm.TooLong, Usage: paid}},
		{"declined", 200, nil, stop("refusal", "I can't."), llm.Error{Fault: llm.Refused, Usage: paid, Text: "I can't"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, m := serve(t, func(w http.ResponseWriter, r *http.Request) {
				for k, v := range tc.header {
					w.Header().Set(k, v)
				}
				w.WriteHeader(tc.status)
				io.WriteString(w, tc.body)
			})
			_, err := m.Complete(t.Context(), llm.Request{Prompt: "hello", Schema: schema})
			e := asError(t, err)
			if e.Fault != tc.want.Fault || (e.After-tc.want.After).Abs() > 5*time.Second || e.Usage != tc.want.Usage ||
				!strings.Contains(e.Text, tc.want.Text) {
				t.Errorf("got %+v, want %+v", *e, tc.want)
			}
			if e.Status != tc.status && e.Status != 0 || strings.ContainsAny(e.Error(), "\n\t") {
				t.Errorf("got status %d, %q", e.Status, e.Error())
			}
		})
	}
}

func TestOptions(t *testing.T) {
	for _, tc := range []struct {
		o    llm.Options
		want string // part of the error, "" for none
	}{
		{llm.Options{Model: "m", Key: "k"}, ""},
		{llm.Options{URL: "http://127.0.0.1:1/v1/", Model: "m", Key: "k"}, ""},
		{llm.Options{URL: "http://localhost:1", Model: "m", Key: "k"}, ""},
		{llm.Options{URL: "http://models.example", Model: "m"}, ""},
		{llm.Options{URL: "http://models.example", Model: "m", Key: "k"}, "https only"},
		{llm.Options{URL: "https://me:secret@models.example", Model: "m"}, "address"},
		{llm.Options{URL: "models.example", Model: "m"}, "address"},
		{llm.Options{Key: "k"}, "no model"},
		{llm.Options{Model: "m", Key: "k\n"}, "character"},
	} {
		_, err := New(tc.o)
		if (err == nil) != (tc.want == "") || err != nil &&
			(!strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%+v: got %v, want %q", tc.o, err, tc.want)
		}
	}
}
