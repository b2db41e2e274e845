package config

import (
	"fmt"
)

// GoesTo says where a model's requests go, in words.
func (c *Config) GoesTo() string {
	switch c.LLM.Provider {
	case ProviderClaude:
		return "Anthropic, through the claude program"
	case ProviderOllama:
		if inCloud(c.LLM.Model) {
			return "ollama.com, through Ollama"
		}
		if c.LLM.URL == "" {
			return ""
		}
		return notHere(hostOf(c.LLM.URL))
	case ProviderRelay:
		return "whoever answers in " + c.LLM.Dir
	case ProviderReplay, NoProvider:
		return ""
	}
	return notHere(c.Host())
}

func notHere(host string) string {
	if onThisMachine(host) {
		return ""
	}
	return host
}

// Price says what a model costs, in words.
func (c *Config) Price(model string) string {
	p, known := c.Prices().Of(model)
	switch {
	case !known:
		return "price not known here, so only caps in tokens hold (llm.prices)"
	case p.In == 0 && p.Out == 0:
		return "no price a token"
	}
	return fmt.Sprintf("%s a million tokens in, %s out", Dollars(p.In), Dollars(p.Out))
}
