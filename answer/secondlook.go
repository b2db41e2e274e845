package answer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"recall/answer/compose"
	"recall/index"
	"recall/internal/escape"
	"recall/internal/text"
)

// SecondLook is a language model that is asked about a search's results.
type SecondLook struct {
	compose.Asker
	Within time.Duration // time limit for all requests about one question; 0: none

	// Meanwhile is called with the answer without the model before the model is asked. It isn't
	// called if an earlier look was kept. It may be nil.
	Meanwhile func(Answer)
}

// modelRun is the second look at one question.
type modelRun struct {
	*SecondLook // nil if there is none
	q           Question
	until       time.Time // zero until the first request
	told        []string
	fault       error
	looked      bool
}

func (m *modelRun) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if m.Within == 0 {
		return ctx, func() {}
	}
	if m.until.IsZero() {
		m.until = time.Now().Add(m.Within)
	}
	return context.WithDeadline(ctx, m.until)
}

// look has the model order the results.
func (m *modelRun) look(ctx context.Context, found *index.Answer) {
	if m.SecondLook == nil || len(found.Ranked) == 0 {
		return
	}
	ctx, cancel := m.limited(ctx)
	defer cancel()
	asker := m.Asker
	if m.Meanwhile != nil {
		asker.Waits = func() { m.Meanwhile(Of(m.q, *found)) }
	}
	look, err := asker.Look(ctx, m.q.Text, found.Ranked)
	if err != nil {
		m.fail(err)
		return
	}
	look.Apply(found)
	m.looked = true
}

// fail records why the model gave no answer.
func (m *modelRun) fail(err error) {
	m.fault = err
	why := text.Clip(escape.Line(err.Error(), escape.Terminal), 200)
	switch {
	case errors.Is(err, context.Canceled): // whoever asked is gone
		return
	case errors.Is(err, context.DeadlineExceeded):
		why = "it took longer than query.model_timeout"
	}
	m.tell("the model gave no answer (%s); this one is made without it", why)
}

func (m *modelRun) tell(format string, args ...any) {
	m.told = append(m.told, fmt.Sprintf(format, args...))
}
