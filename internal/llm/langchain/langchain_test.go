package langchain

import (
	"bytes"
	"context"
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

var schema = &llm.Schema{Name: "items",
	JSON: json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false}`)}

// service is one that a model can be asked of, by name, and what it answers to
// {"a":1} and others.
type service struct {
	name   string
	path   string
	make   func(llm.Options) (*Model, error)
	answer func(text, reason string, in, out int) string
	whole  string // reason of an answer that is whole
	cut    string // of one that isn't
}

var services = []service{
	{"ollama", "/api/chat", NewOllama, func(text, reason string, in, out int) string {
		t, _ := json.Marshal(text)
		return fmt.Sprintf(`{"model":"tiny","created_at":"2026-11-20T14:00:00.1Z","message":{"role":"assistant","content":%s},"done_reason":%q,"done":true,"total_duration":5191566416,"load_duration":2154458,"prompt_eval_count":%d,"prompt_eval_duration":383809000,"eval_count":%d,"eval_duration":4799921000}`, t, reason, in, out)
	}, "stop", "length"},
}

// model asks a server that answers by a function.
func (s service) model(t *testing.T, serve func(w http.ResponseWriter, r *http.Request, body map[string]any)) *Model {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path != s.path {
			t.Errorf("%s: got %s %s, want POST %s", s.name, r.Method, r.URL.Path, s.path)
		}
		b, _ := io.ReadAll(r.Body)
		var body map[string]any
		if err := json.Unmarshal(b, &body); err != nil || int64(len(b)) != r.ContentLength {
			t.Errorf("%s: body %s: %v, length %d", s.name, b, err, r.ContentLength)
		}
		w.Header().Set("Content-Type", "application/json")
		serve(w, r, body)
	}))
	t.Cleanup(server.Close)
	m, err := s.make(llm.Options{URL: server.URL, Model: "tiny", Timeout: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// What goes over the wire: the schema stands in the prompt.
func TestRequest(t *testing.T) {
	want := map[string]string{
		"ollama": `{"format":"json","messages":[{"content":"be brief","role":"system"},{"content":"how many?TOLD","role":"user"}],
"model":"tiny","options":{"num_ctx":16384,"num_predict":8100,"temperature":0}}`,
	}
	for _, s := range services {
		m := s.model(t, func(w http.ResponseWriter, r *http.Request, body map[string]any) {
			told, _ := json.Marshal(schema.Told())
			got, _ := json.Marshal(body)
			got = bytes.Replace(got, told[1:len(told)-1], []byte("TOLD"), 1)
			if diff := cmp.Diff(strings.ReplaceAll(want[s.name], "\n", ""), string(got)); diff != "" {
				t.Errorf("%s: body (-want +got):\n%s", s.name, diff)
			}
			if key := r.Header.Get("X-Api-Key") + r.Header.Get("Authorization"); key != "" {
				t.Errorf("%s: a key is sent: %q", s.name, key)
			}
			io.WriteString(w, s.answer("<think>hm {</think>\n{\"a\":1}", s.whole, 19, 10))
		})
		res, err := m.Complete(t.Context(), llm.Request{System: "be brief", Prompt: "how many?", Schema: schema, Max: 100})
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		want := llm.Response{Text: `{"a":1}`, Usage: llm.Usage{In: 19, Out: 10}}
		if diff := cmp.Diff(want, res); diff != "" {
			t.Errorf("%s: response (-want +got):\n%s", s.name, diff)
		}
	}
}

// Answers that are none, and connections, whose bodies the client reads; package wire tests the others.
func TestFaults(t *testing.T) {
	hang := make(chan struct{})
	defer close(hang)
	for _, s := range services {
		for _, c := range []struct {
			name   string
			status int
			body   string
			want   llm.Fault
			text   string // part of it
		}{
			{name: "no such model", status: 404, body: `{"error":"model 'tiny' not found"}`, want: llm.NotFound,
				text: "model 'tiny' not found"},
			{name: "crashed midway", status: 200, body: `{"error":"an error was encountered while running the model"}`,
				want: llm.Overloaded},
			{name: "window full", status: 200, body: s.answer(`{"a":1}`, "stop", 16380, 4), want: llm.TooLong,
				text: "llm.context"},
			{name: "cut", status: 200, body: s.answer(`{"a":`, s.cut, 19, 16192), want: llm.Cut},
			{name: "broken off", status: 200,
				body: `{"model":"tiny","message":{"role":"assistant","content":"{"},"done":false}`, want: llm.Unreachable},
			{name: "empty", status: 200, body: s.answer("", s.whole, 19, 0), want: llm.Nonsense, text: "an empty answer"},
			{name: "another form", status: 200, body: `{"message":"hello","content":"hello"}`, want: llm.Nonsense},
			{name: "no JSON", status: 200, body: `hello`, want: llm.Nonsense},
			{name: "torn", status: -1, want: llm.Unreachable},
			{name: "slow", status: -2, want: llm.TimedOut},
		} {
			m := s.model(t, func(w http.ResponseWriter, r *http.Request, _ map[string]any) {
				switch c.status {
				case -1:
					w.Header().Set("Content-Length", "500")
					io.WriteString(w, `{"model":"tiny","message":{"role":"assistant","content":"{"},"done":false}`+"\n")
					w.(http.Flusher).Flush()
					panic(http.ErrAbortHandler)
				case -2:
					select {
					case <-hang:
					case <-r.Context().Done():
					}
					return
				}
				w.WriteHeader(c.status)
				io.WriteString(w, c.body)
			})
			if c.status == -2 {
				m.o.Timeout = 50 * time.Millisecond
			}
			res, err := m.Complete(t.Context(), llm.Request{Prompt: "?", Schema: schema})
			var e *llm.Error
			if !errors.As(err, &e) || e.Fault != c.want || !strings.Contains(e.Text, c.text) {
				t.Errorf("%s, %s: got %+v, %v; want %s with %q", s.name, c.name, res, err, c.want, c.text)
				continue
			}
			if paid := c.status == 200 && (c.want == llm.Cut || c.want == llm.Refused); paid &&
				e.Usage.In != 19 {
				t.Errorf("%s, %s: got usage %+v, want what was paid", s.name, c.name, e.Usage)
			}
		}
		m := s.model(t, func(w http.ResponseWriter, r *http.Request, _ map[string]any) {
			t.Errorf("%s: asked all the same", s.name)
		})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := m.Complete(ctx, llm.Request{Prompt: "?"}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled: got %v, want context.Canceled", s.name, err)
		}
	}
}

// Nothing is cut silently: what can't fit isn't sent, and what was counted far
// too small wasn't read.
func TestNothingIsCutSilently(t *testing.T) {
	for _, s := range services {
		var e *llm.Error
		none := s.model(t, func(http.ResponseWriter, *http.Request, map[string]any) {
			t.Errorf("%s: sent what can't fit",
				s.name)
		})
		if _, err := none.Complete(t.Context(), llm.Request{Prompt: strings.Repeat("words ", 300_000)}); !errors.As(err,
			&e) || e.Fault != llm.TooLong {
			t.Errorf("%s: got %v, want too long", s.name, err)
		}
		part := s.model(t, func(w http.ResponseWriter, _ *http.Request, _ map[string]any) {
			io.WriteString(w, s.answer("yes", s.whole, 2048, 10))
		})
		if _, err := part.Complete(t.Context(), llm.Request{Prompt: strings.Repeat("words ", 10_000)}); !errors.As(err,
			&e) || e.Fault != llm.TooLong || e.Usage.In != 2048 {
			t.Errorf("%s: 2,048 tokens of 60,000 bytes: got %v, want too long and what was paid", s.name, err)
		}
		if _, err := part.Complete(t.Context(), llm.Request{Prompt: strings.Repeat("words ", 2_000)}); err != nil {
			t.Errorf("%s: 2,048 tokens of 12,000 bytes: %v", s.name, err)
		}
	}
}

func TestOptions(t *testing.T) {
	for _, s := range services {
		for _, o := range []llm.Options{{URL: "http://x/"}, {URL: "ftp://x/", Model: "m"}, {URL: "x", Model: "m"}} {
			if _, err := s.make(o); err == nil {
				t.Errorf("%s: %+v: got no error", s.name, o)
			}
		}
	}
	m, err := NewOllama(llm.Options{Model: "qwen3:8b", Window: 8192})
	if err != nil || m.Name() != "ollama/qwen3:8b" || m.Window() != 8192 {
		t.Errorf("got %+v, %v", m, err)
	}
}
