// Package openai uses OpenAI's protocol, which Ollama, LM Studio, llama.cpp and others also
// support, with a service chosen by the user.
package openai

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/http"
	"time"

	api "github.com/sashabaranov/go-openai"

	"recall/internal/llm"
	"recall/internal/llm/wire"
)

// Options say which service and model embed texts.
type Options struct {
	URL     string        // including the version: http://127.0.0.1:11434/v1
	Model   string        // the service's name for it
	Key     string        // sent as bearer token; "" if the service wants none
	Batch   int           // texts per request; 64 if 0
	Timeout time.Duration // per request; 30 s if 0
	Retries int           // of a request when the service is busy; 3 if 0, none if negative
	Redact  func(string) string
}

// Embedder is an llm.Embedder over an endpoint. Safe for concurrent use.
type Embedder struct {
	o        Options
	name     string // the address without its password
	client   *api.Client
	wire     *wire.Transport
	patience llm.Patience
}

var _ llm.Embedder = (*Embedder)(nil)

// NewEmbedder checks the options without sending anything. A key is only sent over https or to this machine.
func NewEmbedder(o Options) (*Embedder, error) {
	u, err := wire.Address("embed.url", o.URL, o.Key)
	if err != nil {
		return nil, err
	}
	name := u.Redacted()
	if o.Model == "" {
		return nil, fmt.Errorf("embedding service %s: no model named", name)
	}
	o.Batch = cmp.Or(max(o.Batch, 0), 64)
	o.Timeout = cmp.Or(max(o.Timeout, 0), 30*time.Second)
	o.Retries = cmp.Or(o.Retries, 3)
	e := &Embedder{o: o, name: name, wire: &wire.Transport{Model: "model " + o.Model, Key: o.Key},
		patience: llm.Patience{Tries: max(1, 1+o.Retries), Pause: time.Second}}
	e.client = client(o.URL, o.Key, e.wire)
	return e, nil
}

// Model implements llm.Embedder: the service's name for the model.
func (e *Embedder) Model() string { return e.o.Model }

// Embed implements llm.Embedder.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, 0, len(texts))
	for from := 0; from < len(texts); from += e.o.Batch {
		batch := texts[from:min(from+e.o.Batch, len(texts))]
		var vs [][]float32
		err := e.patience.Try(ctx, func() (err error) {
			vs, err = e.send(ctx, batch)
			return err
		})
		if err != nil {
			return out, fmt.Errorf("embedding service %s: %w", e.name, err)
		}
		if len(out) > 0 && len(vs) > 0 && len(vs[0]) != len(out[0]) {
			return out, fmt.Errorf("embedding service %s, model %s: %d dimensions after %d", e.name, e.o.Model, len(vs[0]),
				len(out[0]))
		}
		out = append(out, vs...)
	}
	return out, nil
}

func (e *Embedder) send(ctx context.Context, texts []string) ([][]float32, error) {
	sent := texts
	if e.o.Redact != nil {
		sent = make([]string, len(texts))
		for i, t := range texts {
			sent[i] = e.o.Redact(t)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, e.o.Timeout)
	defer cancel()
	res, err := e.client.CreateEmbeddings(ctx, api.EmbeddingRequestStrings{Input: sent,
		Model: api.EmbeddingModel(e.o.Model)})
	if err != nil {
		return nil, e.wire.Fault(ctx, err)
	}
	if len(res.Data) != len(texts) {
		return nil, e.nonsense("%d vectors for %d texts", len(res.Data), len(texts))
	}
	out := make([][]float32, len(texts))
	for _, d := range res.Data {
		if d.Index < 0 || d.Index >= len(out) || out[d.Index] != nil {
			return nil, e.nonsense("vector %d of %d is repeated or out of range", d.Index, len(out))
		}
		if len(d.Embedding) != len(res.Data[0].Embedding) {
			return nil, e.nonsense("%d and %d dimensions in one answer", len(res.Data[0].Embedding), len(d.Embedding))
		}
		v, ok := unit(d.Embedding)
		if !ok {
			return nil, e.nonsense("text %d: the vector has no direction", d.Index+1)
		}
		out[d.Index] = v
	}
	return out, nil
}

func (e *Embedder) nonsense(what string, args ...any) error {
	return e.wire.Fail(llm.Nonsense, http.StatusOK, fmt.Sprintf(what, args...))
}

// unit scales a vector to length 1. It fails for an empty or zero vector, and for values that aren't finite.
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
