// Package replay answers from recordings of models, so that the demo and measurements need no service.
package replay

import (
	"context"
	"encoding/json"
	"sync"

	"recall/internal/llm"
)

// Answers holds recorded answers by what was asked about rather than how: they remain valid for other wordings of the
// prompts, but not for other sessions. It is the llm.Store of these answers and also the model asked for missing
// ones, of which it has none and counts them. Safe for concurrent use.
type Answers struct {
	llm.Identity

	mu      sync.Mutex
	kept    map[string]json.RawMessage
	missing int
}

var _ llm.Model = (*Answers)(nil)

// NewAnswers takes ownership of recordings by key. model says whose answers they are.
func NewAnswers(kept map[string]json.RawMessage, model string) *Answers {
	return &Answers{Identity: llm.Identity{ID: "replay/" + model, Tokens: 200_000}, kept: kept}
}

// Answer implements llm.Store.
func (a *Answers) Answer(key string) (data []byte, ok bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	data, ok = a.kept[key]
	return data, ok, nil
}

// KeepAnswer implements llm.Store in memory only.
func (a *Answers) KeepAnswer(key string, data []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.kept[key] = data
	return nil
}

// Missing returns how many requests had no recording.
func (a *Answers) Missing() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.missing
}

// Complete implements llm.Model. It is only called for what isn't recorded, so it always returns an error.
func (a *Answers) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return llm.Response{}, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.missing++
	return llm.Response{}, &llm.Error{Fault: llm.Rejected, Model: a.Name(),
		Text: "not recorded: the " + r.Task + " request"}
}
