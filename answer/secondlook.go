package answer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"recall/answer/compose"
	"recall/index"
	"recall/sink"
	"recall/text"
)

// SecondLook is a language model that is asked about what a search found.
type SecondLook struct {
	compose.Asker
	Within time.Duration // for all that it is asked about one question; 0: as long as it takes
	Doubts bool          // it looks only where the first of what was found isn't sure

	// Meanwhile is shown the answer made without it before it is asked; nil if nobody
	// watches. What was kept of an earlier look is no reason to wait.
	Meanwhile func(Answer)
}

// asking is the second look at one question.
type asking struct {
	*SecondLook // nil: there is none
	q           Question
	until       time.Time // zero until it is asked something
	told        []string
	fault       error
	looked      bool
}

func (m *asking) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if m.Within == 0 {
		return ctx, func() {}
	}
	if m.until.IsZero() {
		m.until = time.Now().Add(m.Within)
	}
	return context.WithDeadline(ctx, m.until)
}

// look has the model order what was found.
func (m *asking) look(ctx context.Context, found *index.Answer) {
	if m.SecondLook == nil || len(found.Ranked) == 0 || m.Doubts && compose.Sure(found) {
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

// paragraph has the model word the answer; nil if it can't be had.
func (m *asking) paragraph(ctx context.Context, shown []*Result) []compose.Sentence {
	if m.SecondLook == nil || m.fault != nil {
		return nil
	}
	var found []*index.Result
	for _, r := range shown {
		found = append(found, &r.Result)
	}
	ctx, cancel := m.limited(ctx)
	defer cancel()
	p, err := m.Paragraph(ctx, m.q.Text, found)
	switch {
	case err != nil:
		m.fail(err)
	case len(p.Sentences) == 0 && p.LeftOut > 0:
		m.tell("nothing that the model said stands in what was found; this answer is put together by rules")
	case p.LeftOut > 0:
		m.tell("%s of the model's left out: what it says doesn't stand in what it cites", Count(p.LeftOut, "sentence"))
	}
	return p.Sentences
}

// fail says why the model gave no answer, once for a question.
func (m *asking) fail(err error) {
	m.fault = err
	switch {
	case errors.Is(err, context.Canceled): // whoever asked has gone
	case errors.Is(err, context.DeadlineExceeded):
		m.gaveNone("it took longer than query.model_timeout")
	default:
		m.gaveNone(text.Clip(sink.Line(err.Error(), sink.Terminal), 200))
	}
}

func (m *asking) gaveNone(why string) {
	m.tell("the model gave no answer (%s); this one is made without it", why)
}

func (m *asking) tell(format string, args ...any) {
	m.told = append(m.told, fmt.Sprintf(format, args...))
}
