// Package anthropic speaks Anthropic's Messages and Message Batches to
// Anthropic or to a service that speaks the same.
//
// It is a client of our own. The official SDK does the same and more for
// 5.2 MB of binary (a third of ours) and 17 modules, measured; recall needs
// five endpoints, no streams and no tools, and wants each request sent once,
// which the SDK has to be told.
package anthropic

import (
	"errors"
	"net/http"
	"strings"

	"recall/llm"
	"recall/llm/wire"
	"recall/text"
)

// Options are without /v1 in the address. What is not said is Anthropic's own service, a window of 200,000
// tokens, 8,192 of output, and 5 minutes: what goes with batches gets six times as long.
type Options = llm.Options

// Model is an llm.Batcher over Anthropic's API. Safe for concurrent use.
type Model struct {
	llm.Identity
	o      Options
	base   string
	wire   *wire.Transport
	client *http.Client

	told wire.Told
}

var (
	_ llm.Batcher = (*Model)(nil)
)

// New checks the options; nothing is sent yet. A key goes over https or to
// this machine only.
func New(o Options) (*Model, error) {
	o, _, err := wire.Usual(o, "https://api.anthropic.com", 200_000, 8192)
	if err != nil {
		return nil, err
	}
	if o.Model == "" {
		return nil, errors.New("anthropic: no model named, such as claude-haiku-4-5")
	}
	if strings.ContainsFunc(o.Key, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return nil, errors.New("anthropic: the key holds a character that no key has, such as a line break")
	}
	m := &Model{Identity: llm.Identity{ID: "anthropic/" + o.Model, Tokens: o.Window}, o: o}
	m.wire = &wire.Transport{Model: m.Name(), Key: o.Key,
		Whole: func(r *http.Request) bool { return !strings.HasSuffix(r.URL.Path, "/results") }}
	m.client = wire.Client(m.wire)
	m.base = strings.TrimSuffix(strings.TrimRight(o.URL, "/"), "/v1") // people write both
	if old().MatchString(o.Model) {
		m.told.All()
	}
	return m, nil
}

// old are the models from before output_config. Other services' are found out
// by asking; a batch can't ask first.
var old = text.Pattern(`^claude-(instant|2|3)`)
