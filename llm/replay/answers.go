// Package replay answers with what models said before and was recorded, so that demo and measurements ask nobody.
package replay

import (
	"context"
	"encoding/json"
	"sync"

	"recall/llm"
)

// Answers are recordings of what a model said, kept by what it was asked about and not by
// how: another wording of the prompts finds them, other sessions don't. They are the
// llm.Store that such answers are kept in, by its keys, and the model, too,
// which is asked for those that aren't there: it has none, and counts them. Safe for
// concurrent use.
type Answers struct {
	llm.Identity

	mu      sync.Mutex
	kept    map[string]json.RawMessage
	missing int
}

var _ llm.Model = (*Answers)(nil)

// NewAnswers is over recordings by key, which it takes over. model says whose they are.
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

// KeepAnswer implements llm.Store; nothing is written anywhere.
func (a *Answers) KeepAnswer(key string, data []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.kept[key] = data
	return nil
}

// Missing is how many requests there was no recording of.
func (a *Answers) Missing() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.missing
}

// Complete implements llm.Model. It is asked only for what isn't recorded, so it is an
// error, that this service was called wrong.
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
