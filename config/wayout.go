package config

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"recall/hint"
	"recall/llm"
)

// WayOut is what can be done about a model that didn't answer; "" if nobody can do anything.
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
		return c.service() + " is there, but busy: " + asksAgain
	case llm.TimedOut:
		return asksAgain + "; llm.timeout says how long an answer may take"
	case llm.Unreachable:
		if c.LLM.Provider == ProviderOllama {
			return "start Ollama (ollama serve); " + asksAgain
		}
		return "check the network and llm.url; " + asksAgain
	case llm.TooLong:
		return "llm.context says how many tokens the model holds; distill.window has less asked about at once"
	}
	return "another model may do better (llm.model); " + asksLater
}

const (
	asksAgain = "the next recall sync asks again"
	asksLater = "this one is asked again later and later"
)

// WayIn is WayOut for who chooses a model: none that isn't used yet is asked again by itself.
func (c *Config) WayIn(err error) string {
	hint := strings.NewReplacer(asksAgain, "run recall init again later", asksLater,
		"this one isn't asked again by itself").Replace(c.WayOut(err))
	return cmp.Or(hint, "check llm.url and llm.model; recall config shows what is in force")
}

// service is who is asked, for a sentence.
func (c *Config) service() string {
	if host := c.Host(); host != "" {
		return host
	}
	return c.LLM.Provider
}

func (c *Config) keyHint() string {
	switch c.LLM.Provider {
	case ProviderClaude:
		return "run claude once by itself, and log in"
	case ProviderOllama:
		return "check llm.url: Ollama itself wants no key"
	}
	variable := envLLMKey
	if _, own := issued(c.Host(), func(string) string { return "" }); own != "" {
		variable = own + " or " + envLLMKey
	}
	return fmt.Sprintf("check the key in the environment of whoever runs recall (%s)", variable)
}

func (c *Config) missingHint() string {
	model := cmp.Or(c.LLM.Model, UsualModel[c.LLM.Provider])
	switch c.LLM.Provider {
	case ProviderClaude:
		return "install Claude Code and log in, or name a model that it knows (llm.model)"
	case ProviderOllama:
		return "ollama pull " + model + ", or name one that is there (llm.model; ollama list shows them)"
	}
	return "check llm.url, and that " + model + " (llm.model) is a name that " + c.service() + " knows"
}

// capHint names the setting that a cap comes from.
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
	return key + " in config.yaml raises it; recall redistill SESSION asks whatever it says"
}
