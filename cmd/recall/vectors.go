package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"recall/index"
	"recall/index/embed"
	"recall/library"
	"recall/llm"
	"recall/llm/openai"
	"recall/redact"
)

// The embedding service's key comes from one of these variables, never from a
// file.
const (
	envEmbedKey  = "RECALL_EMBED_KEY"
	envOpenAIKey = "OPENAI_API_KEY"
)

// embedder is the configured one that keeps its vectors; nil if there is none.
func (c *Config) embedder() (llm.Embedder, error) {
	switch c.Query.Vectors {
	case "static":
		if c.Embed.Dir == "" {
			return nil, withHint(errors.New("query.vectors is static, and embed.dir isn't set"), "set embed.dir to the folder of a model2vec model")
		}
		return embed.LoadStatic(c.Embed.Dir)
	case "service":
		if c.Embed.URL == "" || c.Embed.Model == "" {
			return nil, withHint(errors.New("query.vectors is service, and embed.url or embed.model isn't set"), "for Ollama: embed.url http://127.0.0.1:11434/v1, embed.model nomic-embed-text")
		}
		rules, err := redact.New()
		if err != nil {
			return nil, err
		}
		key := os.Getenv(envEmbedKey)
		if key == "" {
			key, _ = issued(hostOf(c.Embed.URL), os.Getenv)
		}
		return openai.NewEmbedder(openai.Options{URL: c.Embed.URL, Model: c.Embed.Model, Dims: c.Embed.Dims, Key: key,
			Redact: func(s string) string { return rules.Session().Text(s) }})
	}
	return nil, nil
}

// useVectors has searches use the configured model's vectors, which lie in the index.
func (a *app) useVectors(ctx context.Context) error {
	e, err := a.cfg.embedder()
	if err != nil {
		fmt.Fprintf(a.err, "recall: warning: words alone are searched: %s\n", oneLine(err.Error()))
		return nil
	}
	if e == nil {
		return nil
	}
	has, err := a.ix.HasVectors(ctx, e.Model())
	if err != nil {
		return err
	}
	if !has {
		fmt.Fprintf(a.err, "recall: no vectors of %s yet, words alone are searched; recall embed makes them\n", e.Model())
		return nil
	}
	a.ix.UseVectors(e, float64(a.cfg.Query.Weight)/100, nil)
	return nil
}

// restoreVectors puts the library's vectors of the configured model into an
// index that was made anew.
func (a *app) restoreVectors(ctx context.Context, l *library.Library) error {
	e, err := a.cfg.embedder()
	if err != nil || e == nil { // a search says why
		return nil
	}
	entries, err := l.Sessions()
	if err != nil {
		return err
	}
	for _, entry := range entries {
		kept, err := a.keptVectors(l, entry, e.Model())
		if err != nil {
			fmt.Fprintf(a.err, "recall: warning: %v\n", err)
			continue
		}
		if err := a.ix.PutVectors(ctx, e.Model(), vectorsOf(kept)); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) keptVectors(l *library.Library, e library.Entry, model string) ([]index.Embedded, error) {
	b, err := l.Vectors(e.ID, model)
	if err != nil {
		return nil, err
	}
	kept, err := index.DecodeVectors(model, b)
	if err != nil {
		return nil, fmt.Errorf("session %s: %w", e.ID, err)
	}
	return kept, nil
}

func vectorsOf(list []index.Embedded) []index.Vector {
	var out []index.Vector
	for _, e := range list {
		out = append(out, index.Vector{Item: e.Item, V: e.V})
	}
	return out
}
