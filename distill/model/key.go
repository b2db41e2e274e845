package model

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"maps"
	"slices"
	"strings"

	"recall/ingest"
	"recall/prompts"
)

// Keys of the Store consist of a task, "-" and 40 hexadecimal digits. "extract" holds answers about windows, "pair" the
// answer about a pair of items; "cut" says where a window ended.

// cutKey is the key for where the window after another one ends; for a session's first
// window it is made from the session. With one key for the first windows of all sessions,
// every session that grew would be asked about from the beginning again.
func cutKey(of ingest.SessionID, chain string) string {
	if chain == "" {
		return keyOf("cut", "of", string(of))
	}
	return keyOf("cut", chain)
}

// windowKey is the key of a window's answer. It depends on the content of its turns, not on
// how they are condensed, and on the windows before it.
func windowKey(chain string, blocks []block) string {
	h := sha256.New()
	part(h, chain)
	for i := range blocks {
		k := &blocks[i]
		if k.part > 0 {
			part(h, k.text)
			continue
		}
		writeTurn(h, k.turn)
	}
	return "extract-" + hex.EncodeToString(h.Sum(nil)[:20])
}

// keyOf makes a key from parts, hashing each with its length.
func keyOf(task string, parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		part(h, p)
	}
	return task + "-" + hex.EncodeToString(h.Sum(nil)[:20])
}

func part(h hash.Hash, s string) {
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(s))))
	h.Write([]byte(s))
}

// writeTurn hashes what is asked about in a turn, including its number, since answers cite it.
func writeTurn(h hash.Hash, t *ingest.Turn) {
	part(h, fmt.Sprintf("%s %d %s %s %v", t.ID, t.N, t.Kind, t.Name, t.Foreign))
	part(h, t.Text)
	for i := range t.Calls {
		c := &t.Calls[i]
		part(h, fmt.Sprintf("%s %s %v %v %s %s", c.Name, c.Path, c.Done, c.Failed, c.Verdict, c.Commit))
		for _, s := range []string{c.Command, c.Reason, c.CommitMessage, c.Result} {
			part(h, s)
		}
		for _, a := range c.Answers {
			part(h, fmt.Sprintf("%q %q %q %q", a.Question, a.Options, a.Chosen, a.Notes))
		}
		if c.Plan != nil {
			part(h, c.Plan.Text)
		}
		for _, k := range slices.Sorted(maps.Keys(c.Input)) {
			part(h, k+"="+c.Input[k])
		}
	}
}

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
