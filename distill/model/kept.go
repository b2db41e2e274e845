package model

import (
	"encoding/json"
	"strings"

	"recall/prompts"
)

// kept is a model's answer as stored.
type kept struct {
	Prompt string   `json:"prompt"` // version of its task's prompt
	Model  string   `json:"model"`
	Text   string   `json:"text,omitempty"`
	Known  []known  `json:"known,omitempty"` // the items that the request called i1, i2, …
	Of     []string `json:"of,omitempty"`    // the sessions whose words it holds: see llm.Store
}

// known is an item that a window was told about.
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
		return kept{}, false, nil // as if it were absent: ask again
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

// current reports whether an answer is from the current prompt and model.
func (m *Improver) current(key string, k kept) bool {
	return k.Prompt == versionFor(key) && k.Model == m.o.Model.Name()
}

// versionFor returns the version of the prompt that the answers under a key are from.
func versionFor(key string) string {
	if strings.HasPrefix(key, "pair") {
		return prompts.Version(prompts.Reconcile.Text())
	}
	return prompts.Version(prompts.Extract.Text())
}
