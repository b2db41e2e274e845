package wire

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"recall/internal/llm"
)

// What services say in a body, and what it means: see parseError.
func TestComplaints(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		want   llm.Fault // "" for no complaint
		text   string
	}{
		{200, `{"choices":[{"error":{"message":"x"}}],"error":null}`, "", ""},
		{200, `{"error":{"message":"late"},"choices":[{"message":{}}]}`, "", ""}, // it answered all the same
		{200, `[{"error":{"message":"a"}},{"error":{"message":"b"}}]`, "", ""},
		{200, `{"message":{"role":"assistant","content":"hello"},"done":true}`, "", ""},
		{200, `"error"`, "", ""},
		{200, `{"error":{}}`, llm.Overloaded, ""},
		{200, `{"error":{"code":"400","message":"bad"}}`, llm.Rejected, "bad"},
		{200, `{"error":{"code":502,"message":"Provider returned error","metadata":{"raw":{"why":"x"}}}}`, llm.Overloaded,
			`Provider returned error: {"why":"x"}`},
		{200, `{"error":{"message":"insufficient balance","type":"insufficient_balance"}}`, llm.NoCredit,
			"insufficient balance"},
		{400, `{"error":{"message":["a","b"],"type":"x"}}`, llm.Rejected, `["a","b"]`},
		{403, `{"error":{"message":"Your input was flagged","code":403}}`, llm.Refused, "Your input was flagged"},
		{422, `{"detail":[{"loc":["body"],"msg":"field required"}]}`, llm.Rejected,
			`[{"loc":["body"],"msg":"field required"}]`},
		{418, ``, llm.Rejected, ""},
		// Anthropic
		{403, `{"type":"error","error":{"type":"permission_error","message":"no permission"}}`, llm.Unauthorized, ""},
		{404, `{"type":"error","error":{"type":"not_found_error","message":"model: claude-nix"}}`, llm.NotFound, ""},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}`,
			llm.NoCredit, ""},
		{400, `{"type":"error","error":{"message":"You have reached your specified API usage limits."}}`, llm.NoCredit, ""},
		{400, `{"type":"error","error":{"message":"prompt is too long: 205668 tokens > 200000 maximum"}}`, llm.TooLong, ""},
		{400, `{"type":"error","error":{"message":"input length exceeds context limit: 199759 + 8192"}}`, llm.TooLong, ""},
		{413, `{"type":"error","error":{"type":"request_too_large","message":"x"}}`, llm.TooLong, ""},
		{529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, llm.Overloaded, "Overloaded"},
		{200, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, llm.Overloaded, "Overloaded"},
		{504, `{"type":"error","error":{"type":"timeout_error","message":"timed out"}}`, llm.TimedOut, ""},
		// OpenAI and others
		{429, `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`, llm.NoCredit, ""},
		{402, `{"error":{"code":402,"message":"Insufficient credits"}}`, llm.NoCredit, ""},
		{500, `{"error":{"message":"The server had an error","type":"server_error"}}`, llm.Overloaded, ""},
		{400, `{"error":{"message":"Too long","code":"context_length_exceeded"}}`, llm.TooLong, ""},
		{400, `{"error":{"code":400,"message":"x","type":"exceed_context_size_error","n_ctx":4096}}`, llm.TooLong, ""},
		{400, `{"object":"error","message":"[{'type': 'missing'}]","code":400}`, llm.Rejected, "[{'type': 'missing'}]"},
		{400, `{"error":{"message":"filtered","code":"content_filter"}}`, llm.Refused, "filtered"},
		{200, `{"error":"model crashed"}`, llm.Overloaded, "model crashed"},
		// Ollama
		{503, `{"error":"server busy, please try again.  maximum pending"}`, llm.Overloaded,
			"server busy, please try again. maximum pending"},
		{400, `{"error":"the input length exceeds the context length"}`, llm.TooLong, ""},
		{503, `{"error":{"status":"UNAVAILABLE","code":503,"message":"The model is overloaded."}}`, llm.Overloaded,
			"The model is overloaded."},
		{524, `<html>cloud</html>`, llm.TimedOut, "a web page"},
	} {
		tr := &Transport{Model: "m"}
		said, ok := parseError([]byte(c.body))
		if c.want == "" {
			if ok {
				t.Errorf("%s: got %+v, want no complaint", c.body, said)
			}
			continue
		}
		e := tr.refused(&http.Response{StatusCode: c.status}, []byte(c.body))
		if c.status == 200 && !ok || e.Fault != c.want || c.text != "" && e.Text != c.text {
			t.Errorf("%d %s: got %v, %+v; want %s, %q", c.status, c.body, ok, e, c.want, c.text)
		}
	}
}

func TestClip(t *testing.T) {
	tr := &Transport{Key: "sk-1"}
	for in, want := range map[string]string{
		"a\n\tb\x1b[31m c": "a b[31m c", "key sk-1 twice sk-1": "key [key] twice [key]", "<!DOCTYPE html>": "a web page",
		"\xff ok": "ok",
	} {
		if got := tr.Clip([]byte(in)); got != want {
			t.Errorf("Clip(%q) = %q, want %q", in, got, want)
		}
	}
	long := &Transport{Key: "sk-live-0123456789abcdefghij"}
	for in, want := range map[string]string{
		"no sk-live-0123456789abcdefghij!":             "no [key]!",
		"no sk-live-0123…":                             "no [key]…",
		"no 456789abcd****, nor *****cdefghij or abcd": "no [key]****, nor *****[key] or abcd",
		"sk-live key":                                  "sk-live key",
	} {
		if got := long.Clip([]byte(in)); strings.TrimSuffix(got, " …") != want {
			t.Errorf("Clip(%q) = %q, want %q", in, got, want)
		}
	}
	if got := tr.Clip([]byte(strings.Repeat("ä", 1000))); len(got) > 310 || !strings.HasSuffix(got, " …") {
		t.Errorf("a long one: got %d bytes", len(got))
	}
}

func TestAddress(t *testing.T) {
	for _, c := range []struct {
		raw, key string
		ok, here bool
	}{
		{"https://example.com/v1", "k", true, false},
		{"http://example.com/v1", "", true, false},
		{"http://example.com/v1", "k", false, false},
		{"http://localhost:1/v1", "k", true, true},
		{"http://[::1]:1/v1", "k", true, true},
		{"http://127.0.0.1.example.com/v1", "k", false, false},
		{"http://localhost.example.com", "k", false, false},
		{"https://me:secret@example.com/v1", "k", false, false},
		{"file:///etc/passwd", "", false, false},
		{"127.0.0.1:80", "", false, false},
		{"", "", false, false},
	} {
		u, err := Address("llm.url", c.raw, c.key)
		if (err == nil) != c.ok || err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("Address(%q, %q): got %v, want ok %v and no password told", c.raw, c.key, err, c.ok)
		}
		if err == nil && Here(u.Hostname()) != c.here {
			t.Errorf("Here(%s) = %v, want %v", u, !c.here, c.here)
		}
	}
}

// Connections that break, that never begin to answer, that stop in the middle or lead elsewhere, and a caller who has
// had enough.
func TestConnections(t *testing.T) {
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	half := func(w http.ResponseWriter) {
		w.Header().Set("Content-Length", "5000")
		io.WriteString(w, `{"id":"x",`)
		w.(http.Flusher).Flush()
	}
	say := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) }
	}
	for name, c := range map[string]struct {
		serve http.HandlerFunc
		want  llm.Fault
	}{
		"never answers":            {hang, llm.TimedOut},
		"stops in the middle":      {func(w http.ResponseWriter, r *http.Request) { half(w); hang(w, r) }, llm.TimedOut},
		"breaks off in the middle": {func(w http.ResponseWriter, _ *http.Request) { half(w); panic(http.ErrAbortHandler) }, llm.Unreachable},
		"breaks off":               {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, llm.Unreachable},
		"leads elsewhere": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://example.invalid/", http.StatusTemporaryRedirect)
		}, llm.NotFound},
		"a page of a portal": {say("<!DOCTYPE html><html>Sign in</html>"), llm.NotFound},
		"no body":            {say(""), llm.Nonsense},
		"half of JSON":       {say(`{"a":`), llm.Nonsense},
	} {
		s := httptest.NewServer(c.serve)
		client := Client(&Transport{Model: "m"})
		get := func(ctx context.Context) error {
			req, _ := http.NewRequestWithContext(ctx, http.MethodGet, s.URL, nil)
			res, err := client.Do(req)
			if err == nil {
				res.Body.Close()
			}
			return err
		}
		patience := time.Minute
		if c.want == llm.TimedOut {
			patience = 50 * time.Millisecond
		}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		err := get(ctx)
		cancel()
		if e, ok := errors.AsType[*llm.Error](err); !ok || e.Fault != c.want {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
		ctx, cancel = context.WithCancel(t.Context())
		cancel()
		if err := get(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled: got %v", name, err)
		}
		s.Close()
		if e, ok := errors.AsType[*llm.Error](get(t.Context())); !ok || e.Fault != llm.Unreachable {
			t.Errorf("%s, nobody listens: got %v", name, e)
		}
	}
}

// Whatever comes, it is an answer or an error of ours.
func FuzzTransport(f *testing.F) {
	f.Add(200, `{"choices":[]}`)
	f.Add(200, `[{"error":{"code":1,"metadata":{"headers":{"X-RateLimit-Reset":"1"}}}}]`)
	f.Add(429, `{"error":"slow"}`)
	f.Fuzz(func(t *testing.T, status int, body string) {
		if status < 100 || status > 599 {
			return
		}
		tr := &Transport{Model: "m", Key: "sk-1", Base: answers{status, body}}
		req := &http.Request{URL: &url.URL{Scheme: "http", Host: "x"}}
		res, err := tr.RoundTrip(req)
		var e *llm.Error
		if (err == nil) == (res == nil) || err != nil && !errors.As(err, &e) {
			t.Fatalf("%d %q: got %v, %v", status, body, res, err)
		}
		if e != nil && (e.Fault == "" || strings.Contains(e.Text, "sk-1")) {
			t.Errorf("%d %q: got %+v", status, body, e)
		}
	})
}

// answers is a server that says one thing.
type answers struct {
	status int
	body   string
}

func (a answers) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: a.status, Header: http.Header{}, Body: body{strings.NewReader(a.body)}}, nil
}

type body struct{ *strings.Reader }

func (body) Close() error { return nil }

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		headers []string
		want    time.Duration
	}{
		{[]string{"Retry-After", "7"}, 7 * time.Second},
		{[]string{"Retry-After", "0.5"}, 500 * time.Millisecond},
		{[]string{"Retry-After", "Fri, 20 Nov 2026 10:00:30 GMT"}, 30 * time.Second},
		{[]string{"Retry-After", "Fri, 20 Nov 2020 10:00:30 GMT"}, 0},
		{[]string{"Retry-After-Ms", "250", "Retry-After", "1"}, 250 * time.Millisecond},
		{[]string{"Retry-After", "soon"}, 0},
		{[]string{"Retry-After", "-3"}, 0},
		{nil, 0},
	} {
		h := http.Header{}
		for i := 0; i < len(c.headers); i += 2 {
			h.Set(c.headers[i], c.headers[i+1])
		}
		if got := retryAfter(h, now); got != c.want {
			t.Errorf("%v: got %v, want %v", c.headers, got, c.want)
		}
	}
}
