package config

import (
	"errors"
	"os"

	"recall/hint"
	"recall/index/embed"
	"recall/llm"
	"recall/llm/openai"
	"recall/redact"
)

// The embedding service's key comes from one of these variables, never from a
// file.
const (
	envEmbedKey  = "RECALL_EMBED_KEY"
	EnvOpenAIKey = "OPENAI_API_KEY"
)

// Embedder is the configured one that keeps its vectors; nil if there is none.
func (c *Config) Embedder() (llm.Embedder, error) {
	switch c.Query.Vectors {
	case "static":
		if c.Embed.Dir == "" {
			return nil, hint.With(errors.New("query.vectors is static, and embed.dir isn't set"),
				"set embed.dir to the folder of a model2vec model")
		}
		return embed.LoadStatic(c.Embed.Dir)
	case "service":
		if c.Embed.URL == "" || c.Embed.Model == "" {
			return nil, hint.With(errors.New("query.vectors is service, and embed.url or embed.model isn't set"),
				"for Ollama: embed.url http://127.0.0.1:11434/v1, embed.model nomic-embed-text")
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
