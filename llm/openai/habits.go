package openai

import (
	"errors"
	"net/http"
	"strings"
	"sync"

	api "github.com/sashabaranov/go-openai"

	"recall/llm"
	"recall/text"
)

// habit is the form in which a service takes requests.
type habit struct {
	format    format
	oldMax    bool // max_tokens, which reasoning models refuse, for max_completion_tokens, which older servers don't know
	ownHeat   bool // no temperature but the model's own
	ownEffort bool // nor an effort
	turned    bool // oldMax isn't as at first, for this request
}

// format is how a model is held to a schema.
type format int

const (
	bySchema format = iota // response_format json_schema, strict
	byMode                 // json_object, and told of the schema
	byWords                // told of the schema
)

// habits are those of a service, its formats by the name of the schema: one
// that a service finds fault with says nothing about another.
type habits struct {
	mu      sync.Mutex
	usual   habit
	formats map[string]format
}

func (hs *habits) start(h habit) { hs.usual, hs.formats = h, map[string]format{} }

func (hs *habits) of(s *llm.Schema) habit {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	h := hs.usual
	if s != nil {
		h.format = hs.formats[s.Name]
	}
	return h
}

func (hs *habits) keep(s *llm.Schema, h habit) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	if s != nil {
		hs.formats[s.Name] = max(h.format, hs.formats[s.Name])
	}
	h.format, h.turned = bySchema, false
	hs.usual = h
}

// words has a schema told from now on.
func (hs *habits) words(s *llm.Schema) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	hs.formats[s.Name] = byWords
}

// without is the habit less what the service has just refused; ok is false if
// there is nothing left to do without. Some say only that the request is bad:
// then it is the format.
func (h habit) without(err error, hasSchema bool) (next habit, ok bool) {
	var e *llm.Error
	if !errors.As(err, &e) || e.Fault != llm.Rejected && !(e.Status == http.StatusNotFound &&
		strings.Contains(e.Text, "support")) {
		return h, false // OpenRouter's 404: No endpoints found that support …
	}
	about := func(words ...string) bool { return text.AnyOf(strings.ToLower(e.Text), strings.Contains, words...) }
	switch {
	case errors.Is(err, api.ErrReasoningModelMaxTokensDeprecated):
		if !h.oldMax {
			return h, false
		}
		h.oldMax, h.turned = false, true
	case errors.Is(err, api.ErrReasoningEffortUnsupported), about("reasoning_effort"):
		if h.ownEffort {
			return h, false
		}
		h.ownEffort = true
	case errors.Is(err, api.ErrReasoningModelLimitationsOther), errors.Is(err, api.ErrReasoningSamplingUnsupported),
		about("temperature") && !about("response_format"):
		if h.ownHeat {
			return h, false
		}
		h.ownHeat = true
	case about("max_completion_tokens", "max_tokens") && !about("response_format"):
		if h.turned { // it likes neither, or not the number
			return h, false
		}
		h.turned = true
		h.oldMax = !h.oldMax
	case hasSchema && h.format < byWords:
		h.format++
	default:
		return h, false
	}
	return h, true
}
