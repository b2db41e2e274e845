package config

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"recall/internal/hint"
	"recall/internal/llm"
)

// WayOut returns what can be done about a model that didn't answer; "" if nothing.
func (c *Config) WayOut(err error) string {
	var fault *llm.Error
	var capped *llm.Capped
	switch {
	case err == nil:
		return ""
	case hint.Of(err) != "":
		return hint.Of(err)
	case errors.As(err, &capped):
		return c.capHint(capped)
	case !errors.As(err, &fault):
		return ""
	}
	switch fault.Fault {
	case llm.Unauthorized:
		return c.keyHint()
	case llm.NotFound:
		return c.missingHint()
	case llm.NoCredit:
		return "add credit or raise the limit at " + c.service() + "; " + asksAgain
	case llm.RateLimited, llm.Overloaded:
		return c.service() + " is reachable but busy: " + asksAgain
	case llm.TimedOut:
		return asksAgain + "; llm.timeout sets how long an answer may take"
	case llm.Unreachable:
		if c.LLM.Provider == ProviderOllama {
			return "start Ollama (ollama serve); " + asksAgain
		}
		return "check the network and llm.url; " + asksAgain
	case llm.TooLong:
		return "llm.context sets how many tokens the model holds; a smaller distill.window asks about less at a time"
	}
	return "another model might do better (llm.model); " + asksLater
}

const (
	asksAgain = "the next recall sync asks again"
	asksLater = "this one is asked again at growing intervals"
)

// WayIn is WayOut for a person choosing a model, which isn't asked again automatically yet.
func (c *Config) WayIn(err error) string {
	hint := strings.NewReplacer(asksAgain, "run recall init again later", asksLater,
		"this one isn't asked again automatically").Replace(c.WayOut(err))
	return cmp.Or(hint, "check llm.url and llm.model; recall config shows the settings in force")
}

// service names the service in a sentence.
func (c *Config) service() string {
	if host := c.Host(); host != "" {
		return host
	}
	return c.LLM.Provider
}

func (c *Config) keyHint() string {
	switch c.LLM.Provider {
	case ProviderClaude:
		return "run claude once on its own, and log in"
	case ProviderOllama:
		return "check llm.url: Ollama itself needs no key"
	}
	variable := envLLMKey
	if _, own := issued(c.Host(), func(string) string { return "" }); own != "" {
		variable = own + " or " + envLLMKey
	}
	return fmt.Sprintf("check the key in the environment of the process that runs recall (%s)", variable)
}

func (c *Config) missingHint() string {
	model := cmp.Or(c.LLM.Model, UsualModel[c.LLM.Provider])
	switch c.LLM.Provider {
	case ProviderClaude:
		return "install Claude Code and log in, or name a model that it knows (llm.model)"
	case ProviderOllama:
		return "ollama pull " + model + ", or name an installed one (llm.model; ollama list shows them)"
	}
	return "check llm.url, and that " + model + " (llm.model) is a model that " + c.service() + " knows"
}

// capHint names the setting that sets a cap.
func (c *Config) capHint(capped *llm.Capped) string {
	unit := "tokens"
	if strings.HasPrefix(capped.Limit, "$") {
		unit = "cost"
	}
	key := "distill.budget." + capped.Cap + "_" + unit
	switch capped.Cap {
	case "night":
		return key + " in config.yaml raises it; the rest is asked about after the next noon"
	case "month":
		return key + " in config.yaml raises it; the rest is asked about next month"
	}
	return key + " in config.yaml raises it; recall redistill SESSION ignores it"
}
