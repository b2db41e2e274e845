// Package anthropic uses Anthropic's Messages API, or a compatible service.
//
// It is a client of our own. The official SDK would add 5.2 MB to the binary (a third of ours) and 17 modules, as
// measured; recall needs one endpoint, no streams and no tools, and each request sent exactly once, which the SDK
// doesn't do by default.
package anthropic

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"

	"recall/internal/llm"
	"recall/internal/llm/wire"
)

// Options have an address without /v1. The defaults are Anthropic's own service, a window of 200,000 tokens, 8,192
// output tokens, and 5 minutes.
type Options = llm.Options

// Model is an llm.Model over Anthropic's API. Safe for concurrent use.
type Model struct {
	llm.Identity
	o      Options
	base   string
	wire   *wire.Transport
	client *http.Client

	tells atomic.Bool // the service takes no schema: it is told in the prompt
}

var _ llm.Model = (*Model)(nil)

// New checks the options without sending anything. A key is only sent over https or to this machine.
func New(o Options) (*Model, error) {
	o, _, err := wire.Defaults(o, "https://api.anthropic.com", 200_000, 8192)
	if err != nil {
		return nil, err
	}
	if o.Model == "" {
		return nil, errors.New("anthropic: no model named, such as claude-haiku-4-5")
	}
	if strings.ContainsFunc(o.Key, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return nil, errors.New("anthropic: the key contains an invalid character, such as a newline")
	}
	m := &Model{Identity: llm.Identity{ID: "anthropic/" + o.Model, Tokens: o.Window}, o: o}
	m.wire = &wire.Transport{Model: m.Name(), Key: o.Key}
	m.client = wire.Client(m.wire)
	m.base = strings.TrimSuffix(strings.TrimRight(o.URL, "/"), "/v1") // both forms are common
	return m, nil
}
