package model

import (
	"cmp"
	"encoding/json"
	"errors"
	"strings"

	"recall/llm"
	"recall/prompts"
)

// kept is a model's answer in the Store.
type kept struct {
	Prompt string    `json:"prompt"` // version of its task's
	Model  string    `json:"model"`
	Text   string    `json:"text,omitempty"`
	Fault  llm.Fault `json:"fault,omitempty"` // it wasn't answered, and won't be
	Known  []known   `json:"known,omitempty"` // what the request called i1, i2, …
	Of     []string  `json:"of,omitempty"`    // the sessions whose words it holds: see llm.Store
}

// known is an item as a later window was told of it.
type known struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

func (m *Improver) load(key string) (k kept, ok bool, err error) {
	data, ok, err := m.o.Store.Answer(key)
	if err != nil || !ok {
		return kept{}, false, err
	}
	if json.Unmarshal(data, &k) != nil {
		return kept{}, false, nil // as if it weren't there: it is asked again
	}
	return k, true, nil
}

func (m *Improver) keep(key string, k kept) error {
	data, err := json.Marshal(k)
	if err != nil {
		return err
	}
	return m.o.Store.KeepAnswer(key, data)
}

// current reports whether an answer was made by today's prompt and model.
func (m *Improver) current(key string, k kept) bool {
	return k.Prompt == versionFor(key) && k.Model == m.o.Model.Name()
}

// promptOf is by which prompt a task's answers are asked for, where it isn't Extract.
var promptOf = map[string]prompts.Prompt{"reconcile": prompts.Reconcile, "pair": prompts.Reconcile,
	"repair": prompts.Repair}

// versionFor is the version of the prompt that a key's answer is asked by.
func versionFor(key string) string {
	task, _, _ := strings.Cut(key, "-")
	return prompts.Version(cmp.Or(promptOf[task], prompts.Extract).Text())
}

// Answered takes in the answer to a request that went out with a batch, of the
// sessions that Outbox.Of said.
func (m *Improver) Answered(key string, r llm.Response, of ...string) error {
	return m.keep(key, kept{Prompt: versionFor(key), Model: m.o.Model.Name(), Text: r.Text, Of: of})
}

// Failed takes in that a request of a batch wasn't answered. What may pass, and
// what ends when somebody does something about it, is asked again; anything else
// fails the session with that fault until a prompt or model changes. A window
// that was too long or whose answer was cut is asked about in halves.
func (m *Improver) Failed(key string, err error, of ...string) error {
	var e *llm.Error
	if !errors.As(err, &e) || e.Passing() || e.Ends() {
		return nil
	}
	return m.keep(key, kept{Prompt: versionFor(key), Model: m.o.Model.Name(), Fault: e.Fault, Of: of})
}
