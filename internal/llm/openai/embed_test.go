package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// request is what the service gets.
type request struct {
	Input []string `json:"input"`
	Model string   `json:"model"`
}

// service speaks the protocol: a text's vector is its length and 1, the last
// text's first.
func service(t *testing.T, before func(w http.ResponseWriter, r *http.Request, q request) bool) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path != "/v1/embeddings" {
			t.Errorf("got %s %s, want POST /v1/embeddings", r.Method, r.URL.Path)
		}
		var q request
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/json")
		if before != nil && before(w, r, q) {
			return
		}
		var data []string
		for i := range q.Input {
			i = len(q.Input) - 1 - i
			data = append(data, fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":[%d,1]}`, i, len(q.Input[i])))
		}
		fmt.Fprintf(w, `{"object":"list","model":%q,"data":[%s]}`, q.Model, strings.Join(data, ","))
	}))
	t.Cleanup(s.Close)
	return s
}

func embedder(t *testing.T, s *httptest.Server, o Options) *Embedder {
	t.Helper()
	o.URL, o.Model = s.URL+"/v1/", "tiny"
	e, err := NewEmbedder(o)
	if err != nil {
		t.Fatal(err)
	}
	e.patience.Pause = time.Millisecond
	return e
}

func TestEmbed(t *testing.T) {
	var got []request
	var auth string
	s := service(t, func(_ http.ResponseWriter, r *http.Request, q request) bool {
		got, auth = append(got, q), r.Header.Get("Authorization")
		return false
	})
	e := embedder(t, s, Options{Batch: 2, Key: "k1", Redact: func(s string) string {
		return strings.ReplaceAll(s,
			"secret", "‹›")
	}})
	vs, err := e.Embed(t.Context(), []string{"abc", "", "secret"})
	if err != nil {
		t.Fatal(err)
	}
	want := []request{{[]string{"abc", ""}, "tiny"}, {[]string{"‹›"}, "tiny"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	if auth != "Bearer k1" {
		t.Errorf("got Authorization %q, want Bearer k1", auth)
	}
	for i, n := range []float64{3, 0, 6} {
		l := math.Sqrt(n*n + 1)
		for j, w := range []float64{n / l, 1 / l} {
			if math.Abs(float64(vs[i][j])-w) > 1e-6 {
				t.Errorf("vector %d: got %v, want %v at %d: its own, of length 1", i, vs[i], w, j)
			}
		}
	}
	if got := e.Model(); got != "tiny" {
		t.Errorf("Model() = %q, want tiny", got)
	}
	if vs, err := e.Embed(t.Context(), nil); err != nil || len(vs) != 0 || len(got) != 2 {
		t.Errorf("nothing to embed: got %v, %v and %d requests, want none more", vs, err, len(got))
	}
}

// A busy service is asked again; vectors of before a failure are kept.
func TestRetry(t *testing.T) {
	var n atomic.Int32
	busy := service(t, func(w http.ResponseWriter, _ *http.Request, _ request) bool {
		switch n.Add(1) {
		case 1:
			w.WriteHeader(http.StatusTooManyRequests)
			fmt.Fprint(w, `{"error":{"message":"slow down","type":"rate"}}`)
			return true
		case 2:
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprint(w, `<html>starting</html>`)
			return true
		}
		return false
	})
	if vs, err := embedder(t, busy, Options{}).Embed(t.Context(), []string{"a"}); err != nil || len(vs) != 1 ||
		n.Load() != 3 {
		t.Errorf("got %v, %v after %d requests, want a vector at the third", vs, err, n.Load())
	}
	n.Store(0)
	failing := service(t, func(w http.ResponseWriter, _ *http.Request, q request) bool {
		n.Add(1)
		if q.Input[0] != "bad" {
			return false
		}
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"error":{"message":"no such model","type":"invalid"}}`)
		return true
	})
	vs, err := embedder(t, failing, Options{Batch: 1}).Embed(t.Context(), []string{"a", "b", "bad", "c"})
	if len(vs) != 2 || err == nil || !strings.Contains(err.Error(), "no such model") || n.Load() != 3 {
		t.Errorf("got %d vectors, %v, %d requests; want 2, what the service said, and 3: it isn't asked again", len(vs), err,
			n.Load())
	}
}

func TestRudeService(t *testing.T) {
	for name, body := range map[string]string{
		"too few":           `{"data":[{"index":0,"embedding":[1,0]}]}`,
		"the same twice":    `{"data":[{"index":0,"embedding":[1,0]},{"index":0,"embedding":[1,0]}]}`,
		"an index beyond":   `{"data":[{"index":0,"embedding":[1,0]},{"index":7,"embedding":[1,0]}]}`,
		"zeros":             `{"data":[{"index":0,"embedding":[1,0]},{"index":1,"embedding":[0,0]}]}`,
		"empty":             `{"data":[{"index":0,"embedding":[]},{"index":1,"embedding":[]}]}`,
		"other dimensions":  `{"data":[{"index":0,"embedding":[1,0]},{"index":1,"embedding":[1,0,0]}]}`,
		"nothing":           `{}`,
		"no JSON":           `hello`,
		"not what was said": `[1,2]`,
	} {
		s := service(t, func(w http.ResponseWriter, _ *http.Request, _ request) bool { fmt.Fprint(w, body); return true })
		if vs, err := embedder(t, s, Options{}).Embed(t.Context(), []string{"a", "b"}); err == nil || len(vs) != 0 {
			t.Errorf("%s: got %v, %v, want an error and no vectors", name, vs, err)
		}
	}
	away := service(t, func(w http.ResponseWriter, r *http.Request, _ request) bool {
		http.Redirect(w, r, "http://example.invalid/", http.StatusTemporaryRedirect)
		return true
	})
	if _, err := embedder(t, away, Options{}).Embed(t.Context(), []string{"a"}); err == nil ||
		!strings.Contains(err.Error(), "isn't followed") {
		t.Errorf("got %v for a redirect, want it not followed", err)
	}
}

func TestSlowService(t *testing.T) {
	done := make(chan struct{})
	s := service(t, func(_ http.ResponseWriter, r *http.Request, _ request) bool {
		select {
		case <-done:
		case <-r.Context().Done():
		}
		return true
	})
	defer close(done)
	if _, err := embedder(t, s, Options{Timeout: 30 * time.Millisecond, Retries: -1}).Embed(t.Context(),
		[]string{"a"}); err == nil {
		t.Error("a service that never answers: got no error")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	start := time.Now()
	if _, err := embedder(t, s, Options{}).Embed(ctx, []string{"a"}); !errors.Is(err, context.DeadlineExceeded) ||
		time.Since(start) > time.Minute {
		t.Errorf("got %v after %v, want the caller's deadline kept", err, time.Since(start))
	}
}

// An address may hold a password: no error does.
func TestAddressWithPassword(t *testing.T) {
	for _, url := range []string{"http://me:hunter22@127.0.0.1:1/v1", "ftp://me:hunter22@x/",
		"http://me:hunter22@[::1/v1"} {
		e, err := NewEmbedder(Options{URL: url, Model: "m", Retries: -1})
		if err == nil {
			_, err = e.Embed(t.Context(), []string{"a"})
		}
		if _, none := NewEmbedder(Options{URL: url}); err == nil || none == nil ||
			strings.Contains(err.Error()+none.Error(), "hunter22") {
			t.Errorf("%s: got %v and %v, want two errors without the password", url, err, none)
		}
	}
}

func TestOptions(t *testing.T) {
	for _, o := range []Options{{}, {URL: "ftp://x/", Model: "m"}, {URL: "127.0.0.1:11434", Model: "m"},
		{URL: "http://127.0.0.1/v1"}, {URL: "http://example.com/v1", Model: "m", Key: "k"}} {
		if _, err := NewEmbedder(o); err == nil {
			t.Errorf("NewEmbedder(%+v): got no error", o)
		}
	}
	for _, o := range []Options{{URL: "http://localhost:1/v1", Model: "m", Key: "k"},
		{URL: "https://example.com/v1", Model: "m", Key: "k"}, {URL: "http://example.com/v1", Model: "m"}} {
		if _, err := NewEmbedder(o); err != nil {
			t.Errorf("NewEmbedder(%+v): %v", o, err)
		}
	}
}
