package config

import (
	"time"
)

// What query.rerank may be.
const (
	rerankOff   = "off"
	RerankModel = "model"
)

// QueryPatience is how long a model may take for one question. Unless somebody
// has said so, one on this machine, and whoever answers by hand, get more.
func (c *Config) QueryPatience() time.Duration {
	if !c.Auto("query.model_timeout") {
		return c.Query.Patience
	}
	switch {
	case c.LLM.Provider == ProviderRelay:
		return 10 * time.Minute
	case c.local():
		return 2 * time.Minute
	}
	return c.Query.Patience
}
