// Package openai speaks the protocol of OpenAI, which Ollama, LM Studio,
// llama.cpp and others speak as well, to a service that the user has chosen.
package openai

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	api "github.com/sashabaranov/go-openai"

	"recall/llm"
)

// Options say which service and model embed texts.
type Options struct {
	URL     string        // of the service, with its version: http://127.0.0.1:11434/v1
	Model   string        // by the service's name for it
	Dims    int           // to ask for; 0 for what the model gives
	Key     string        // sent as bearer token; "" if the service wants none
	Batch   int           // texts a request; 64 if 0
	Timeout time.Duration // a request; 30 s if 0
	Retries int           // of a request that the service was too busy for; 3 if 0, none if negative
	Redact  func(string) string
}

// Embedder is an llm.Embedder over an endpoint. Safe for concurrent use.
type Embedder struct {
	o      Options
	name   string // the address without its password
	client *api.Client
	wait   func(ctx context.Context, d time.Duration) error
}

var _ llm.Embedder = (*Embedder)(nil)

// NewEmbedder checks the options; nothing is sent yet. A key goes over https
// or to this machine only.
func NewEmbedder(o Options) (*Embedder, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("embedding service: the url is no address such as http://127.0.0.1:11434/v1") // it may hold a password
	}
	name := u.Redacted()
	if o.Model == "" {
		return nil, fmt.Errorf("embedding service %s: no model named", name)
	}
	if o.Key != "" && u.Scheme == "http" && !loopback(u.Hostname()) {
		return nil, fmt.Errorf("embedding service %s: a key is sent over https only", name)
	}
	if o.Batch <= 0 {
		o.Batch = 64
	}
	if o.Timeout <= 0 {
		o.Timeout = 30 * time.Second
	}
	if o.Retries == 0 {
		o.Retries = 3
	}
	cfg := api.DefaultConfig(o.Key)
	cfg.BaseURL = strings.TrimRight(o.URL, "/")
	cfg.HTTPClient = &http.Client{Timeout: o.Timeout, CheckRedirect: func(*http.Request, []*http.Request) error {
		return errors.New("it redirects, which isn't followed") // texts go where the user said
	}}
	return &Embedder{o: o, name: name, client: api.NewClientWithConfig(cfg), wait: sleep}, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Model implements llm.Embedder: the service's name for the model, and the
// dimensions if some were asked for.
func (e *Embedder) Model() string {
	if e.o.Dims > 0 {
		return fmt.Sprintf("%s/%d", e.o.Model, e.o.Dims)
	}
	return e.o.Model
}

// Embed implements llm.Embedder.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, 0, len(texts))
	for from := 0; from < len(texts); from += e.o.Batch {
		batch := texts[from:min(from+e.o.Batch, len(texts))]
		vs, err := e.patiently(ctx, batch)
		if err != nil {
			return out, fmt.Errorf("embedding service %s, model %s: %w", e.name, e.o.Model, err)
		}
		if len(out) > 0 && len(vs) > 0 && len(vs[0]) != len(out[0]) {
			return out, fmt.Errorf("embedding service %s, model %s: %d dimensions after %d", e.name, e.o.Model, len(vs[0]), len(out[0]))
		}
		out = append(out, vs...)
	}
	return out, nil
}

// patiently sends a batch, again if the service was too busy or out of reach,
// after 0.5, 1, 2, … seconds.
func (e *Embedder) patiently(ctx context.Context, texts []string) ([][]float32, error) {
	pause := 500 * time.Millisecond
	for try := 0; ; try++ {
		vs, err := e.send(ctx, texts)
		if err == nil || try >= e.o.Retries || ctx.Err() != nil || !passing(err) {
			return vs, err
		}
		if err := e.wait(ctx, pause); err != nil {
			return nil, err
		}
		pause *= 2
	}
}

// passing reports whether an error may be gone the next time.
func passing(err error) bool {
	code := 0
	if ae := (*api.APIError)(nil); errors.As(err, &ae) {
		code = ae.HTTPStatusCode
	} else if re := (*api.RequestError)(nil); errors.As(err, &re) {
		code = re.HTTPStatusCode
	}
	var ne net.Error
	return code == http.StatusTooManyRequests || code >= 500 || code == 0 && errors.As(err, &ne) && ne.Timeout()
}

func (e *Embedder) send(ctx context.Context, texts []string) ([][]float32, error) {
	sent := texts
	if e.o.Redact != nil {
		sent = make([]string, len(texts))
		for i, t := range texts {
			sent[i] = e.o.Redact(t)
		}
	}
	res, err := e.client.CreateEmbeddings(ctx, api.EmbeddingRequestStrings{Input: sent, Model: api.EmbeddingModel(e.o.Model), Dimensions: e.o.Dims})
	if err != nil {
		return nil, err
	}
	if len(res.Data) != len(texts) {
		return nil, fmt.Errorf("%d vectors for %d texts", len(res.Data), len(texts))
	}
	out := make([][]float32, len(texts))
	for _, d := range res.Data {
		if d.Index < 0 || d.Index >= len(out) || out[d.Index] != nil {
			return nil, fmt.Errorf("vector %d of %d comes twice or is none of these", d.Index, len(out))
		}
		if e.o.Dims > 0 && len(d.Embedding) != e.o.Dims {
			return nil, fmt.Errorf("%d dimensions, %d were asked for", len(d.Embedding), e.o.Dims)
		}
		if len(d.Embedding) != len(res.Data[0].Embedding) {
			return nil, fmt.Errorf("%d and %d dimensions in one answer", len(res.Data[0].Embedding), len(d.Embedding))
		}
		v, ok := unit(d.Embedding)
		if !ok {
			return nil, fmt.Errorf("text %d: a vector that is no direction", d.Index+1)
		}
		out[d.Index] = v
	}
	return out, nil
}

// unit makes a vector one of length 1; not if it is empty, zero, or holds what
// is no number.
func unit(v []float32) ([]float32, bool) {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return nil, false
	}
	n := math.Sqrt(sum)
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(float64(x) / n)
	}
	return out, true
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
