package model

import (
	"context"
	"errors"
	"fmt"

	"recall/internal/llm"
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
