package model

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"maps"
	"slices"
	"strings"

	"recall/ingest"
	"recall/internal/llm"
	"recall/internal/text"
	"recall/prompts"
)

// A question is one request to the model and what is needed to use its answer.
type question struct {
	key     string
	request llm.Request
	known   []known
	of      []string                // sessions it is about
	check   func(text string) error // nil if the answer is usable
}

// ask returns the answer to a question, from the Store or from the model. The error is, or wraps, an *llm.Error if the
// model failed.
func (m *Improver) ask(ctx context.Context, q question) (kept, error) {
	k, done, err := m.atHand(q)
	if err != nil || done {
		return k, err
	}
	if k, err = m.answer(ctx, q); err != nil {
		return kept{}, err
	}
	return k, m.keep(q.key, k)
}

// answer asks the model. An unusable answer is requested once more, with an explanation of what was wrong.
func (m *Improver) answer(ctx context.Context, q question) (kept, error) {
	k, why, err := m.send(ctx, q)
	if err == nil && why != nil {
		q.request = again(q.request, why)
		k, why, err = m.send(ctx, q)
	}
	switch {
	case err != nil:
		return kept{}, err
	case why != nil:
		said := q.request.Task + ": " + why.Error()
		if _, ok := llm.FindJSON(k.Text); !ok {
			said += ": " + llm.Short(k.Text) // a refusal, say, or a login page
		}
		return kept{}, &llm.Error{Fault: llm.Nonsense, Model: m.o.Model.Name(), Text: said}
	}
	return k, nil
}

// atHand returns the usable answer to a question that is stored, if there is one.
func (m *Improver) atHand(q question) (k kept, ok bool, err error) {
	k, ok, err = m.load(q.key)
	stale := m.o.Anew && !m.current(q.key, k)
	if err != nil || !ok || stale || q.check(k.Text) != nil {
		return kept{}, false, err
	}
	return k, true, nil
}

// send asks the model; why is set if the answer is unusable.
func (m *Improver) send(ctx context.Context, q question) (k kept, why, err error) {
	r, err := m.complete(ctx, q.request)
	if err != nil {
		return k, nil, err
	}
	return kept{Prompt: versionFor(q.key), Model: m.o.Model.Name(), Text: r.Text, Known: q.known, Of: q.of},
		q.check(r.Text), nil
}

// complete sends a request, and sends it again with twice the limit if the answer was cut off.
func (m *Improver) complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	resp, err := m.o.Model.Complete(ctx, r)
	if e, ok := errors.AsType[*llm.Error](err); !ok || e.Fault != llm.Cut || r.Max == 0 {
		return resp, err
	}
	if all := m.o.Model.Window(); all > 0 && m.size(r)+2*r.Max > all {
		return resp, err
	}
	r.Max *= 2
	return m.o.Model.Complete(ctx, r)
}

// again repeats a request with an explanation of what was wrong with the answer.
func again(r llm.Request, why error) llm.Request {
	r.Prompt += fmt.Sprintf("\n\nYour last answer to this could not be used: %v. Answer again, in the form asked for.",
		why)
	return r
}

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
	text.WritePart(h, chain)
	for i := range blocks {
		k := &blocks[i]
		if k.part > 0 {
			text.WritePart(h, k.text)
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
		text.WritePart(h, p)
	}
	return task + "-" + hex.EncodeToString(h.Sum(nil)[:20])
}

// writeTurn hashes what is asked about in a turn, including its number, since answers cite it.
func writeTurn(h hash.Hash, t *ingest.Turn) {
	text.WritePart(h, fmt.Sprintf("%s %d %s %s %v", t.ID, t.N, t.Kind, t.Name, t.Foreign))
	text.WritePart(h, t.Text)
	for i := range t.Calls {
		c := &t.Calls[i]
		text.WritePart(h, fmt.Sprintf("%s %s %v %v %s %s", c.Name, c.Path, c.Done, c.Failed, c.Verdict, c.Commit))
		for _, s := range []string{c.Command, c.Reason, c.CommitMessage, c.Result} {
			text.WritePart(h, s)
		}
		for _, a := range c.Answers {
			text.WritePart(h, fmt.Sprintf("%q %q %q %q", a.Question, a.Options, a.Chosen, a.Notes))
		}
		if c.Plan != nil {
			text.WritePart(h, c.Plan.Text)
		}
		for _, k := range slices.Sorted(maps.Keys(c.Input)) {
			text.WritePart(h, k+"="+c.Input[k])
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
